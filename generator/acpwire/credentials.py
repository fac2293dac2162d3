"""Tokens and headers that prove who uses a remote agent. None of them is on a command line."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from acpgen.common.problems import InputError, Problem

VARIABLE = "ACP_TOKEN"
# The headers whose values are secrets.
_SECRET = ("authorization", "cookie", "proxy-authorization")


def read_token(file: Path | None) -> str | None:
    """Return the token of a file or, without a file, of the environment; None if there is none.

    Raises:
        InputError: If the token cannot be part of a header.
        OSError: If the file cannot be read.
    """
    if file is not None:
        return _checked(file.read_text("utf-8").strip(), str(file))
    token = os.environ.get(VARIABLE, "").strip()
    return _checked(token, VARIABLE) if token else None


def token_to_serve(file: Path | None) -> tuple[str, str]:
    """Return the token that clients need, and where it is; make one if there is none.

    A new token is written to the file; without a file, it is shown instead of its location.

    Raises:
        InputError: If the token cannot be part of a header.
        OSError: If the file cannot be read or written.
    """
    made = secrets.token_urlsafe(32)
    if file is not None and not file.exists():
        _write(file, made)
        return made, f"made and written to {file}"
    given = read_token(file)
    if given is not None:
        return given, f"from {VARIABLE if file is None else file}"
    return made, f"made for this run, not shown again: {made}"


def _write(file: Path, token: str) -> None:
    """Write a token to a new file that only its owner can read."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as opened:
            opened.write(f"{token}\n")
    except BaseException:
        with suppress(OSError):  # an empty token would look like a mistake of the user
            file.unlink()
        raise


def parse_headers(headers: Sequence[str]) -> dict[str, str]:
    """Return the names and values of headers as they are on the command line, `NAME: VALUE`.

    The value `@NAME` is that of an environment variable; `@PATH` with a slash, that of a file.

    Raises:
        InputError: If a header cannot be used.
        OSError: If a file cannot be read.
    """
    return dict(map(_header, headers))


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not name or not _is_visible(name):
        raise _refused(f"expected 'NAME: VALUE', found {text!r}")
    if value.startswith("@"):
        value = _referred(value[1:])
    elif name.lower() in _SECRET:
        raise _refused(
            f"the value of {name} is a secret, which other users of this machine can see on a"
            f" command line; pass `{name}: @VARIABLE` or `{name}: @./FILE`"
        )
    if not value.isascii() or not value.isprintable():
        raise _refused(f"the value of {name} has characters that headers cannot have; remove them")
    return name, value


def _referred(source: str) -> str:
    if "/" in source or os.sep in source:
        return Path(source).read_text("utf-8").strip()
    value = os.environ.get(source)
    if value is None:
        raise _refused(f"no variable {source!r} in the environment; set it, or pass `@./FILE`")
    return value.strip()


def _checked(token: str, place: str) -> str:
    if not _is_visible(token):
        found = "is empty" if not token else "has blanks or characters that headers cannot have"
        raise InputError([Problem(place, "", "token", f"{found}; write a token of visible ASCII")])
    return token


def _is_visible(text: str) -> bool:
    return bool(text) and text.isascii() and text.isprintable() and " " not in text


def _refused(message: str) -> InputError:
    return InputError([Problem("--header", "", "usage", message)])
