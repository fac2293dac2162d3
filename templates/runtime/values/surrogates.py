"""Halves of surrogate pairs: characters of Python strings that UTF-8 cannot represent.

JSON writes a character above U+FFFF as two escapes, and JavaScript counts it as two characters. A
program that cuts text between them sends the halves separately. `os.fsdecode` also returns halves,
for bytes that aren't UTF-8.
"""

from __future__ import annotations


def has_halves(text: str) -> bool:
    """Return whether text contains half of a pair, so that it cannot be encoded."""
    if text.isascii():
        return False
    try:
        text.encode()  # faster than a search
    except UnicodeEncodeError:
        return True
    return False


def escape_halves(text: str) -> str:
    r"""Return JSON text with halves as escapes, such as `\ud83d`, so that it can be encoded."""
    if has_halves(text):
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def join_halves(text: str) -> str:
    """Return text with each two halves that form a pair joined to one character."""
    if has_halves(text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def remainder(text: str, start: str) -> str | None:
    """Return the text after its start, which can end with half of a pair.

    Returns:
        The rest; None if the text has another start.
    """
    if text.startswith(start):
        return text[len(start) :]
    at = len(start) - 1  # never negative, since every text starts with an empty one
    if not text.startswith(start[:at]) or text[at : at + 1] <= "\uffff":
        return None
    offset = ord(text[at]) - 0x10000
    high, low = chr(0xD800 + (offset >> 10)), chr(0xDC00 + (offset & 0x3FF))
    return low + text[at + 1 :] if start[at] == high else None
