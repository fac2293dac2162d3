"""Tokens and headers that authenticate users of remote agents.

Secrets are read from files and the environment because other users can see command lines.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from acpgen.common.problems import InputError, Problem

VARIABLE = "ACP_TOKEN"
# The names of headers with secret values.
_SECRET = ("authorization", "cookie", "proxy-authorization")


def read_token(file: Path | None) -> str | None:
    """Return the token from a file, or from `ACP_TOKEN` if no file is given.

    If no file is given and the variable is not set, return None.

    Raises:
        InputError: If the token contains characters that aren't allowed in a header.
        OSError: If the file cannot be read.
    """
    if file is not None:
        return _checked(file.read_text("utf-8").strip(), str(file))
    token = os.environ.get(VARIABLE, "").strip()
    return _checked(token, VARIABLE) if token else None


def token_to_serve(file: Path | None) -> tuple[str, str]:
    """Return the token that clients must send and a description of its source.

    If the file does not exist, a new token is created and written to it. If no file is given and
    the environment contains no token, a new token is created and included in the description.

    Raises:
        InputError: If the token contains characters that aren't allowed in a header.
        OSError: If the file cannot be read or written.
    """
    made = secrets.token_urlsafe(32)
    if file is not None and not file.exists():
        _write(file, made)
        return made, f"created and written to {file}"
    given = read_token(file)
    if given is not None:
        return given, f"from {VARIABLE if file is None else file}"
    return made, f"created for this run; not shown again: {made}"


def _write(file: Path, token: str) -> None:
    """Write a token to a new file that only its owner can read."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as opened:
            opened.write(f"{token}\n")
    except BaseException:
        with suppress(OSError):  # the next run would reject an incomplete file
            file.unlink()
        raise


def parse_headers(headers: Sequence[str]) -> dict[str, str]:
    """Parse headers given as `NAME: VALUE` on the command line.

    The value `@NAME` refers to an environment variable, and `@PATH` refers to a file. A path must
    contain a slash.

    Raises:
        InputError: If a header is not valid, contains a secret, or refers to an unset variable.
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
            f"the value of {name} is a secret, and other users of this machine can see command"
            f" lines; pass `{name}: @VARIABLE` or `{name}: @./FILE`"
        )
    if not value.isascii() or not value.isprintable():
        raise _refused(
            f"the value of {name} contains characters that are not allowed in headers; remove them"
        )
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
        found = (
            "is empty"
            if not token
            else "contains spaces or characters that are not allowed in headers"
        )
        problem = f"{found}; use a token of visible ASCII characters"
        raise InputError([Problem(place, "", "token", problem)])
    return token


def _is_visible(text: str) -> bool:
    return bool(text) and text.isascii() and text.isprintable() and " " not in text


def _refused(message: str) -> InputError:
    return InputError([Problem("--header", "", "usage", message)])
