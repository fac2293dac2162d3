"""A downloader for schema files at an http or https URL."""

from __future__ import annotations

import errno
import socket
import urllib.error
import urllib.request
from contextlib import suppress
from http.client import HTTPException, HTTPMessage, IncompleteRead
from pathlib import Path
from typing import IO
from urllib.parse import urljoin, urlsplit

from acpgen.common.problems import InputError, Problem

TIMEOUT = 30.0  # the limit for each network operation, in seconds
LIMIT = 32 * 1024 * 1024  # bytes per file
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)


class _SameScheme(urllib.request.HTTPRedirectHandler):
    """A redirect handler that rejects redirects to another scheme."""

    http_error_308 = urllib.request.HTTPRedirectHandler.http_error_302  # missing in Python 3.10

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        scheme = urlsplit(newurl).scheme
        if scheme != urlsplit(req.full_url).scheme:
            raise urllib.error.URLError(f"redirects to another scheme, {scheme}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def is_address(source: str) -> bool:
    """Return whether a source is an http or https URL."""
    return source.lower().startswith(("http://", "https://"))


def download(address: str, folder: Path, paths: tuple[str, ...]) -> Path:
    """Download the file at a URL or, if the URL ends with a slash, the files in that folder.

    Args:
        address: the URL.
        folder: the folder to which files are written.
        paths: the relative paths of the files to try if the URL ends with a slash.

    Returns:
        The path of the file or the folder.

    Raises:
        InputError: If no file exists or the download fails.
    """
    if not address.endswith("/"):
        content = _fetch(address)
        name = Path(urlsplit(address).path).name
        file = folder / (name if name not in ("", ".", "..") else "schema.json")
        file.write_bytes(content)
        return file
    is_any_there = False
    for path in paths:
        with suppress(_NotFoundError):
            content = _fetch(urljoin(address, path))
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
            is_any_there = True
    if not is_any_there:
        message = f"contains none of {', '.join(paths)}; pass the URL of one file"
        raise InputError([_problem(address, message)])
    return folder


class _NotFoundError(InputError):
    """Raised when a URL does not exist."""


def _fetch(address: str) -> bytes:
    opener = urllib.request.build_opener(_SameScheme)
    try:
        with opener.open(address, timeout=TIMEOUT) as response:
            content: bytes = response.read(LIMIT + 1)
            announced = int(response.headers.get("Content-Length") or len(content))
            if len(content) < min(announced, LIMIT + 1):
                raise IncompleteRead(content, announced - len(content))
    except urllib.error.HTTPError as error:
        kind = _NotFoundError if error.code == 404 else InputError
        message = f"responds with {error.code} {error.reason}; check the URL"
        raise kind([_problem(address, message)]) from error
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        # The host is unknown or unreachable.
        is_unreachable = isinstance(reason, socket.gaierror) or (
            isinstance(reason, OSError) and reason.errno in _UNREACHABLE
        )
        checked = "the network and the URL" if is_unreachable else "the URL"
        message = f"cannot be fetched ({reason}); check {checked}"
        raise InputError([_problem(address, message)]) from error
    if len(content) > LIMIT:
        raise InputError([_problem(address, f"is larger than {LIMIT} bytes; check the URL")])
    return content


def _problem(address: str, message: str) -> Problem:
    return Problem(address, "", "fetch-failed", message)
