"""Saved sessions: an agent's transcripts, and a client's list of sessions that it can reopen.

`SessionStore` writes one JSON Lines file for each agent session. The first line, the header,
contains the protocol version and the session's directories. Each subsequent line is a record: a
JSON object, such as an encoded update. Records are only appended, so if the program is killed, at
most the line being written is lost. The title and the agent's own data are in separate files with
the same base name. Each change replaces the entire file.

`ClientRecords` writes one small file for each session that a client can reopen.

Both classes are synchronous. If the session is owned, appending a record takes tens of
microseconds, which is less than passing the record to a thread would take. Replacing a file takes
several milliseconds, since the call waits for the disk. Reading a long session or listing thousands
of sessions takes longer. A program that must stay responsive should call `read` and `list` through
`asyncio.to_thread`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

from ..runtime.jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..runtime.jsonrpc.logs import logger_of
from ..runtime.values import jsontext
from ..runtime.values.deferred import dataclass
from ..runtime.values.errors import DecodeError
from ..runtime.values.surrogates import join_halves
from .disk import TEMPORARY, locked, replace_file

_log = logger_of(__name__)

_LINES: Final = ".jsonl"
_TITLE: Final = ".title.json"
_DATA: Final = ".data.json"
_RECORD: Final = ".json"

# The chunk size for the backward search for the end of a line, in bytes.
_BLOCK: Final = 4096
_CURSOR: Final = re.compile(r"(-?[0-9a-f]{1,16})\.([0-9a-f]{64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLimits:
    """Limits for saved sessions.

    Attributes:
        sessions: the maximum number of saved sessions in a folder. Further sessions are rejected,
            since listing sessions reads all of their files.
        session_bytes: the maximum size of one session's file. Appending a record fails if the file
            would become larger. Reading a session requires several times the file's size in memory.
        record_bytes: the maximum size of one record and of the agent's data for one session. The
            default leaves room for an image in a prompt.
        header_bytes: the maximum total size of a session's id and directories, which come from the
            peer. The size is limited because listing sessions reads many headers.
        title: the maximum length of a title, in characters. Longer titles are truncated, since they
            are only for display.
        output_bytes: the number of bytes to save from the end of a command's output. The default
            leaves room for error messages but is small compared to a session's other records.
        page: the maximum number of sessions on one page of a list.
        records: the maximum number of sessions in `ClientRecords`. When this number is exceeded,
            the oldest session is removed.
    """

    sessions: int = 10_000
    session_bytes: int = 64 * 1024 * 1024
    record_bytes: int = 16 * 1024 * 1024
    header_bytes: int = 64 * 1024
    title: int = 500
    output_bytes: int = 64 * 1024
    page: int = 100
    records: int = 1_000


DEFAULT = StoreLimits()


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A saved session without its records.

    Attributes:
        session_id: the session's id.
        version: the protocol version of the session's records.
        cwd: the working directory.
        additional_directories: the session's other directories.
        title: the title, or None.
        updated_at: the time of the last record, in RFC 3339 format.
    """

    session_id: str
    version: int
    cwd: str
    additional_directories: tuple[str, ...]
    title: str | None
    updated_at: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A saved session with its records.

    Attributes:
        summary: the session's id, protocol version, directories, title and time.
        records: the session's records, oldest first. An incomplete last line is omitted.
        damaged: the line numbers, starting at 1, of other unreadable lines, which are also omitted
            from `records`.
    """

    summary: SessionSummary
    records: tuple[dict[str, Any], ...]
    damaged: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list of saved sessions.

    Attributes:
        sessions: the sessions, newest first.
        next_cursor: the cursor for the next page, or None on the last page.
    """

    sessions: tuple[SessionSummary, ...]
    next_cursor: str | None


class SessionStore:
    """An agent's saved sessions, in a folder that several processes can share.

    Only the owner of a session can change it; see `own`. If a session has no owner, a method that
    changes the session acquires ownership for the duration of the call.

    Saved records persist after the program exits or crashes. In a power failure, the last few
    seconds of data can be lost. An incomplete line that remains at the end of a file is removed.
    Other damage is reported.

    Attributes:
        limits: the limits.
    """

    def __init__(self, folder: str | os.PathLike[str], *, limits: StoreLimits = DEFAULT) -> None:
        """Open a store.

        Args:
            folder: the folder. If it doesn't exist, it is created on the first save, and only this
                user can access it. A leading `~` is the home directory.
            limits: the limits.
        """
        self.limits = limits
        self._folder = Path(folder).expanduser().absolute()
        self._owned: dict[str, int] = {}  # open files of owned sessions, by id

    def create(
        self,
        session_id: str,
        *,
        version: int,
        cwd: str,
        additional_directories: Sequence[str] = (),
    ) -> None:
        """Save a new session without records.

        Args:
            session_id: the session's id, which can be any string.
            version: the protocol version of the session's records.
            cwd: the working directory.
            additional_directories: the session's other directories.

        Raises:
            RequestError: If the id and directories are too long, or if too many sessions are saved.
            FileExistsError: If a session with this id is already saved.
            OSError: If the session cannot be written.
        """
        header = self._header(session_id, version, cwd, additional_directories)
        with self._adding(_name_of(session_id)) as path:
            replace_file(path, [header])

    def append(self, session_id: str, record: Mapping[str, Any]) -> None:
        """Append a record to a session. When this method returns, the record has been written.

        If writing fails, nothing is added. If an earlier write was interrupted, its incomplete line
        is removed first.

        Args:
            session_id: the session's id.
            record: a JSON object.

        Raises:
            RequestError: If the session is not saved, is damaged, or has another owner.
            EncodeError: If the record is not valid JSON.
            OSError: If the record cannot be written, or if the record or file would be too large.
        """
        line = _line(dict(record))
        if len(line) > self.limits.record_bytes:
            raise _too_large("the record", self.limits.record_bytes, "shorten its text")
        with self._writing(session_id) as descriptor:
            size = _remove_incomplete_line(descriptor)
            if size + len(line) > self.limits.session_bytes:
                limit = self.limits.session_bytes
                raise _too_large("the saved session", limit, "start a new session")
            try:
                left = memoryview(line)
                while left:
                    left = left[os.write(descriptor, left) :]
            except OSError:
                with suppress(OSError):  # the next append also removes incomplete lines
                    os.ftruncate(descriptor, size)
                raise

    def read(self, session_id: str) -> Stored:
        """Return a session with its records. Ownership is not required.

        Damaged lines are logged and listed in the result. An incomplete last line from an
        interrupted write is dropped.

        Args:
            session_id: the session's id.

        Raises:
            RequestError: If the session is not saved, or if its header is damaged.
            OSError: If the session cannot be read.
        """
        name = _name_of(session_id)
        records: list[dict[str, Any]] = []
        damaged: list[int] = []
        with self._opened(name) as file:
            summary = self._summary(file, name)
            for number, line in enumerate(file, 2):
                if not line.endswith(b"\n"):
                    break
                record = _parsed(line)
                if jsontext.is_object(record):
                    records.append(record)
                else:
                    damaged.append(number)
        if damaged:
            _log.warning("%d damaged lines in a saved session; ignoring them", len(damaged))
        return Stored(summary, tuple(records), tuple(damaged))

    def list(self, *, cwd: str | None = None, cursor: str | None = None) -> Page:
        """Return a page of the saved sessions, newest first.

        If a session changes between two calls, it moves to the first page. Damaged sessions are
        logged and omitted.

        Args:
            cwd: list only sessions with this working directory; by default, all sessions are
                listed.
            cursor: the `next_cursor` of the previous page, or None for the first page.

        Raises:
            RequestError: If the cursor isn't valid.
            OSError: If the folder cannot be read.
        """
        match = _CURSOR.fullmatch(cursor) if cursor else None
        if cursor and match is None:
            reason = "unknown cursor; list the sessions again without a cursor"
            raise RequestError.invalid_params({"cursor": cursor}, reason)
        last = None if match is None else (int(match[1], 16), match[2])
        sessions: list[SessionSummary] = []
        next_cursor = None
        for stamp, path in _newest_first(self._folder, _LINES)[: self.limits.sessions]:
            name = path.name.removesuffix(_LINES)
            if last is not None and (stamp, name) >= last:
                continue
            summary = self._listed(name)
            if summary is None or (cwd is not None and _normal(summary.cwd) != _normal(cwd)):
                continue
            if len(sessions) == self.limits.page:
                return Page(tuple(sessions), next_cursor)
            sessions.append(summary)
            next_cursor = f"{stamp:x}.{name}"
        return Page(tuple(sessions), None)

    def delete(self, session_id: str) -> None:
        """Delete a session and its title and data. The session must not have an owner.

        Args:
            session_id: the session's id.

        Raises:
            RequestError: If the session is not saved or has an owner.
            OSError: If the session cannot be removed.
        """
        name = _name_of(session_id)
        path = self._path(name, _LINES)
        with self._locked(name):
            if sys.platform != "win32":
                path.unlink(missing_ok=True)
        if sys.platform == "win32":  # an open file cannot be removed
            path.unlink(missing_ok=True)
        self._remove_rest(name)

    def fork(
        self,
        session_id: str,
        new_id: str,
        *,
        cwd: str | None = None,
        additional_directories: Sequence[str] | None = None,
    ) -> None:
        """Save a copy of a session, including its title and data. Ownership is not required.

        Args:
            session_id: the session's id.
            new_id: the id of the copy.
            cwd: the copy's working directory; by default, the original's.
            additional_directories: the copy's other directories; by default, the original's.

        Raises:
            RequestError: If the session is not saved, if its header is damaged, if the new id and
                directories are too long, or if too many sessions are saved.
            FileExistsError: If a session with the new id is already saved.
            OSError: If the session cannot be read or the copy cannot be written.
        """
        name, copy = _name_of(session_id), _name_of(new_id)
        with self._opened(name) as file:
            summary = self._summary(file, name)
            if additional_directories is None:
                additional_directories = summary.additional_directories
            header = self._header(
                new_id, summary.version, summary.cwd if cwd is None else cwd, additional_directories
            )
            with self._adding(copy) as path:
                for ending in (_TITLE, _DATA):
                    with suppress(FileNotFoundError):
                        content = self._path(name, ending).read_bytes()
                        replace_file(self._path(copy, ending), [content])
                lines = (line for line in file if line.endswith(b"\n"))
                replace_file(path, chain([header], lines))

    def set_title(self, session_id: str, title: str | None) -> None:
        """Replace a session's title.

        Args:
            session_id: the session's id.
            title: the title, truncated to `StoreLimits.title` characters, or None for no title.

        Raises:
            RequestError: If the session is not saved, is damaged, or has another owner.
            OSError: If the title cannot be written.
        """
        text = None if title is None else title[: self.limits.title]
        with self._writing(session_id):
            replace_file(self._path(_name_of(session_id), _TITLE), [_line(text)])

    def set_data(self, session_id: str, data: Any) -> None:
        """Replace the agent's custom data for a session, such as its model's messages.

        If the call is interrupted, either the old data or the new data remains.

        Args:
            session_id: the session's id.
            data: any JSON value.

        Raises:
            RequestError: If the session is not saved, is damaged, or has another owner.
            EncodeError: If the data is not valid JSON.
            OSError: If the data cannot be written or is too large.
        """
        line = _line(data)
        if len(line) > self.limits.record_bytes:
            raise _too_large("the session's data", self.limits.record_bytes, "keep less")
        with self._writing(session_id):
            replace_file(self._path(_name_of(session_id), _DATA), [line])

    def data(self, session_id: str) -> Any:
        """Return the agent's custom data for a session.

        Args:
            session_id: the session's id.

        Returns:
            The data, or None if no data was saved. Damaged data is logged and ignored.
        """
        return _content(self._path(_name_of(session_id), _DATA))

    @contextmanager
    def own(self, session_id: str) -> Generator[None]:
        """Own a session while the context manager is active so that only this store can change it.

        No other process, store or connection can own the session at the same time. Ownership ends
        when the process exits, even if the process is killed.

        Args:
            session_id: the session's id.

        Raises:
            RequestError: If the session is not saved, is damaged, or has an owner.
            OSError: If the session cannot be opened.
        """
        name = _name_of(session_id)
        with self._locked(name) as descriptor:
            # Check the session only after locking it, since another process might have just deleted
            # it.
            with self._opened(name) as file:
                self._summary(file, name)
            self._owned[name] = descriptor
            try:
                yield
            finally:
                del self._owned[name]

    @contextmanager
    def _writing(self, session_id: str) -> Generator[int]:
        """Yield a session's open file. Acquire ownership of the session if necessary."""
        name = _name_of(session_id)
        if name in self._owned:
            yield self._owned[name]
        else:
            with self.own(session_id):
                yield self._owned[name]

    @contextmanager
    def _locked(self, name: str) -> Generator[int]:
        """Open a session's file and lock it against other owners."""
        with ExitStack() as stack:
            try:
                file = stack.enter_context(locked(self._path(name, _LINES), os.O_APPEND))
            except FileNotFoundError:
                raise _not_saved() from None
            if file is None:
                reason = "the session is in use elsewhere; close it there first"
                raise RequestError.internal_error(message=reason)
            yield file

    @contextmanager
    def _adding(self, name: str) -> Generator[Path]:
        """Reserve a new session's file by creating it. Empty files are not treated as sessions."""
        if len(_newest_first(self._folder, _LINES)) >= self.limits.sessions:
            reason = f"{self.limits.sessions} sessions are already saved; delete some"
            raise RequestError.internal_error(message=reason)
        path = self._path(name, _LINES)
        _make(self._folder)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            self._remove_rest(name)
            yield path
        except BaseException:
            path.unlink(missing_ok=True)
            self._remove_rest(name)
            raise

    def _opened(self, name: str) -> BinaryIO:
        try:
            return self._path(name, _LINES).open("rb")
        except FileNotFoundError:
            raise _not_saved() from None

    def _summary(self, file: BinaryIO, name: str) -> SessionSummary:
        """Read a session's header and return a summary."""
        line = file.readline(self.limits.header_bytes + 1)
        if not line.endswith(b"\n") and len(line) <= self.limits.header_bytes:
            raise _not_saved()  # saving was interrupted before the header was complete
        match _parsed(line):
            case {
                "version": int(version),
                "sessionId": str(session_id),
                "cwd": str(cwd),
                "additionalDirectories": [*folders],
            } if name == _name_of(session_id):
                title = _content(self._path(name, _TITLE))
                title = title if isinstance(title, str) else None
                time = _time_of(os.fstat(file.fileno()).st_mtime_ns)
                return SessionSummary(session_id, version, cwd, tuple(folders), title, time)
            case _:
                reason = "the saved session is damaged; start a new one"
                raise RequestError.internal_error(message=reason)

    def _listed(self, name: str) -> SessionSummary | None:
        """Return a session's summary, or None if it cannot be read."""
        try:
            with self._opened(name) as file:
                return self._summary(file, name)
        except (RequestError, OSError) as error:
            # Ignore missing sessions: other processes can create and delete sessions at any time.
            if isinstance(error, OSError) or error.code != RESOURCE_NOT_FOUND:
                _log.warning("cannot read the saved session %s; omitting it: %s", name, error)
            return None

    def _header(self, session_id: str, version: int, cwd: str, folders: Sequence[str]) -> bytes:
        header = {"version": version, "sessionId": session_id, "cwd": cwd}
        return _header_line({**header, "additionalDirectories": [*folders]}, self.limits)

    def _path(self, name: str, ending: str) -> Path:
        return self._folder / f"{name}{ending}"

    def _remove_rest(self, name: str) -> None:
        """Remove a session's title, its data, and the temporary files of interrupted writes."""
        for ending in (_TITLE, _DATA, *(each + TEMPORARY for each in (_TITLE, _DATA, _LINES))):
            self._path(name, ending).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class ClientRecord:
    """A session that a client can reopen.

    Attributes:
        session_id: the session's id.
        agent: the agent's identity, such as its id in the registry.
        cwd: the working directory.
        additional_directories: the session's other directories.
        title: the title, or None.
        updated_at: the time when the record was last written, in RFC 3339 format.
    """

    session_id: str
    agent: str
    cwd: str
    additional_directories: tuple[str, ...]
    title: str | None
    updated_at: str


class ClientRecords:
    """The sessions that a client can reopen, in a folder that several processes can share.

    Record a session after the agent creates it and before the first prompt. Keep the record even if
    the agent cannot reopen the session, since the reason can be temporary, such as a missing
    sign-in.

    Each session has a separate file, which is replaced atomically, so processes need no lock.

    Attributes:
        limits: the limits.
    """

    def __init__(self, folder: str | os.PathLike[str], *, limits: StoreLimits = DEFAULT) -> None:
        """Open the folder that contains the records.

        Args:
            folder: the folder. If it doesn't exist, it is created on the first save, and only this
                user can access it. A leading `~` is the home directory.
            limits: the limits.
        """
        self.limits = limits
        self._folder = Path(folder).expanduser().absolute()

    def record(
        self,
        session_id: str,
        *,
        agent: str,
        cwd: str,
        additional_directories: Sequence[str] = (),
        title: str | None = None,
    ) -> None:
        """Add or replace a session's record. If there are too many records, remove the oldest ones.

        Args:
            session_id: the session's id.
            agent: the agent's identity, such as its id in the registry. A command line isn't
                suitable, since it changes between versions.
            cwd: the working directory.
            additional_directories: the session's other directories.
            title: the title, truncated to `StoreLimits.title` characters, or None for no title.

        Raises:
            RequestError: If the id and directories are too long.
            OSError: If the record cannot be written.
        """
        record = {
            "sessionId": session_id,
            "agent": agent,
            "cwd": cwd,
            "additionalDirectories": [*additional_directories],
            "title": None if title is None else title[: self.limits.title],
        }
        line = _header_line(record, self.limits)
        path = self._folder / _record_name(agent, cwd, session_id)
        # Also count files left by interrupted writes so that they are eventually removed.
        others = [other for _, other in _newest_first(self._folder) if other != path]
        for other in others[self.limits.records - 1 :]:
            other.unlink(missing_ok=True)
        _make(self._folder)
        # Use a unique name, since another process can write the same record at the same time.
        replace_file(path, [line], f".{secrets.token_hex(4)}{TEMPORARY}")

    def list(self, *, agent: str | None = None, cwd: str | None = None) -> tuple[ClientRecord, ...]:
        """Return the saved sessions, newest first. Damaged records are logged and omitted.

        Args:
            agent: list only sessions of this agent; by default, the sessions of all agents are
                listed.
            cwd: list only sessions with this working directory; by default, all sessions are
                listed.

        Raises:
            OSError: If the folder cannot be read.
        """
        files = _newest_first(self._folder, _RECORD)
        records = [_client_record(path, stamp) for stamp, path in files]
        return tuple(
            record
            for record in records
            if record is not None
            and (agent is None or record.agent == agent)
            and (cwd is None or _normal(record.cwd) == _normal(cwd))
        )

    def remove(self, session_id: str, *, agent: str, cwd: str) -> None:
        """Remove a session's record if it exists.

        Args:
            session_id: the session's id.
            agent: the agent's identity.
            cwd: the session's working directory.

        Raises:
            OSError: If the record cannot be removed.
        """
        path = self._folder / _record_name(agent, cwd, session_id)
        path.unlink(missing_ok=True)


def _make(folder: Path) -> None:
    """Create a folder if it does not exist."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _name_of(*texts: str) -> str:
    """Return a short, lowercase file name that identifies the given strings."""
    text = jsontext.dumps([join_halves(each) for each in texts])
    return hashlib.sha256(text.encode()).hexdigest()


def _line(value: Any) -> bytes:
    return jsontext.dumps(value).encode() + b"\n"


def _header_line(value: Any, limits: StoreLimits) -> bytes:
    line = _line(value)
    if len(line) > limits.header_bytes:
        reason = "the session's id and directories are too long; use shorter ones"
        raise RequestError.invalid_params(message=reason)
    return line


def _parsed(line: bytes) -> Any:
    """Return the JSON value in a line, or None if the line is damaged."""
    try:
        return jsontext.loads(line)
    except DecodeError:
        return None


def _record_name(agent: str, cwd: str, session_id: str) -> str:
    return f"{_name_of(agent, _normal(cwd), session_id)}{_RECORD}"


def _client_record(path: Path, stamp: int) -> ClientRecord | None:
    """Return the client record in a file, or None if it cannot be read."""
    match _content(path):
        case {
            "sessionId": str(session_id),
            "agent": str(agent),
            "cwd": str(cwd),
            "additionalDirectories": [*folders],
            "title": str() | None as title,
        } if path.name == _record_name(agent, cwd, session_id):
            return ClientRecord(session_id, agent, cwd, tuple(folders), title, _time_of(stamp))
        case None:  # the file was removed, or the error was already logged
            return None
        case _:
            _log.warning("%s is not a session record; ignoring it", path.name)
            return None


def _content(path: Path) -> Any:
    """Return the JSON value in a file, or None if the file is missing or damaged."""
    try:
        return jsontext.loads(path.read_bytes())
    except FileNotFoundError:
        pass
    except (OSError, DecodeError) as error:
        _log.warning("cannot read %s; ignoring it: %s", path.name, error)
    return None


def _newest_first(folder: Path, ending: str = "") -> list[tuple[int, Path]]:
    """Return the modification time and path of each file with the given suffix, newest first.

    Times are in nanoseconds.
    """
    try:
        names = os.listdir(folder)
    except FileNotFoundError:  # nothing has been saved yet
        return []
    found: list[tuple[int, str]] = []
    for name in names:
        if name.endswith(ending):
            with suppress(FileNotFoundError):  # just removed
                found.append((os.stat(folder / name).st_mtime_ns, name))
    return [(stamp, folder / name) for stamp, name in sorted(found, reverse=True)]


def _time_of(stamp: int) -> str:
    """Convert a time in nanoseconds to RFC 3339 format."""
    time = datetime.fromtimestamp(stamp / 1e9, timezone.utc)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _normal(path: str) -> str:
    """Normalize a path for comparisons, for example by removing a trailing separator."""
    return os.path.normcase(os.path.normpath(path))


def _remove_incomplete_line(descriptor: int) -> int:
    """Remove an incomplete last line left by an interrupted write. Return the file's size."""
    size = end = os.lseek(descriptor, 0, os.SEEK_END)
    while end:
        start = max(0, end - _BLOCK)
        os.lseek(descriptor, start, os.SEEK_SET)
        found = os.read(descriptor, end - start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size:
        os.ftruncate(descriptor, end)
    return end


def _not_saved() -> RequestError:
    reason = "the session is not saved; list the sessions or start a new one"
    return RequestError.resource_not_found(message=reason)


def _too_large(what: str, limit: int, advice: str) -> OSError:
    return OSError(errno.EFBIG, f"{what} is larger than {limit} bytes; {advice}")
