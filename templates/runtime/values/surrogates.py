"""Support for lone surrogates, which Python strings can contain but UTF-8 cannot encode.

JSON represents a character above U+FFFF as a pair of escapes, and JavaScript counts it as two
characters. A program that splits text inside such a pair sends the halves separately. `os.fsdecode`
also returns such halves for bytes that are not valid UTF-8.
"""

from __future__ import annotations


def has_halves(text: str) -> bool:
    """Return whether text contains surrogates, which UTF-8 cannot encode."""
    if text.isascii():
        return False
    try:
        text.encode()  # encoding is faster than searching the text
    except UnicodeEncodeError:
        return True
    return False


def escape_halves(text: str) -> str:
    r"""Replace halves in JSON text with escapes such as `\ud83d` so that it can be encoded."""
    if has_halves(text):
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def join_halves(text: str) -> str:
    """Replace adjacent halves that form a pair with the character that the pair encodes."""
    if has_halves(text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def remainder(text: str, start: str) -> str | None:
    """Return the rest of `text` after `start`, which can end with half of a surrogate pair.

    If the text continues that pair, the result begins with the other half. Return None if the text
    does not begin with `start`.
    """
    if text.startswith(start):
        return text[len(start) :]
    at = len(start) - 1  # never negative, since every string begins with an empty `start`
    if not text.startswith(start[:at]) or text[at : at + 1] <= "\uffff":
        return None
    offset = ord(text[at]) - 0x10000
    high, low = chr(0xD800 + (offset >> 10)), chr(0xDC00 + (offset & 0x3FF))
    return low + text[at + 1 :] if start[at] == high else None
