"""Access to text files in a few folders, for a peer that sends absolute paths.

All links in a path are first resolved, and the result must be inside a root. The resolved path is
then opened component by component from the root, without following links. If a link appears in the
meantime, for example while a permission dialog is open, opening the file fails.

This isn't a sandbox. Only the paths that a peer sends are checked. This module cannot prevent a
peer on the same machine, or a command that the peer runs, from opening files directly.
"""

from __future__ import annotations

import asyncio
import contextvars
import errno
import ntpath
import os
import secrets
import stat
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from ..runtime.jsonrpc.errors import RequestError
from ..runtime.values.deferred import dataclass
from ..runtime.values.errors import quotation
from ..runtime.values.surrogates import has_halves

T = TypeVar("T")

# Whether the system can look up names relative to an open folder. Windows can't.
_HAS_FOLDER_DESCRIPTORS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def _flags(*names: str) -> int:
    """Return the combination of the given flags, ignoring flags that the system does not define."""
    return sum(getattr(os, name, 0) for name in names)


# With O_PATH, opening a folder doesn't require permission to list the folder's contents.
_FOLDER: Final = _flags("O_DIRECTORY", "O_NOFOLLOW", "O_PATH")
# Opening a file must not block on a FIFO, acquire a controlling terminal, or translate newlines.
_FILE: Final = _flags("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_BINARY")
# The number of bytes to read or write at a time. Cancellation is checked after each chunk.
_PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLimits:
    """Limits of `Files`.

    Attributes:
        size: the maximum size of a file that is read (even in part) or written, in bytes. Source
            files and logs can exceed 100 KiB. Until the response is sent, the text takes up about
            four times its size in memory. By default, a connection rejects messages over 128 MiB.
        path: the maximum length of a path, in characters. Operating systems have similar limits,
            and the time to resolve a path grows faster than its length.
        names: the maximum number of names (hard links) of a file. By default, files with a second
            name are rejected, since the second name can be outside the roots. Increase the limit
            for package managers that use hard links, such as pnpm and uv.
        new_folders: the maximum number of folders that a write can create. Each new folder stays
            open until the write is done, and the number of open files per process is limited.
        cancelling: the maximum time that a cancelled call waits for its last disk operation, in
            seconds. An operation takes that long only if a disk, such as a network drive, doesn't
            respond.
    """

    size: int = 100 * 1024 * 1024
    path: int = 4096
    names: int = 1
    new_folders: int = 20
    cancelling: float = 5.0


_DEFAULT = FileLimits()


class Files:
    """Text files inside certain folders, called roots.

    Errors are raised as `RequestError`, ready to be sent to the peer. The error messages never
    contain a path, since a path could reveal a link's target. The code is -32002 for a missing
    file, -32602 for a rejected request, and -32603 for any other system error.

    Attributes:
        roots: the folders' real paths, in the given order.
    """

    def __init__(
        self,
        roots: Sequence[str | os.PathLike[str]],
        *,
        write: bool = True,
        missing_is_empty: bool = False,
        unsaved: Callable[[Path], str | None] | None = None,
        limits: FileLimits = _DEFAULT,
    ) -> None:
        """Resolve the roots, which must exist.

        Args:
            roots: the folders. Relative paths are resolved immediately. Anyone who can replace a
                root or one of its parent folders can redirect the root. Write access inside the
                root isn't sufficient for this.
            write: whether writing is allowed.
            missing_is_empty: whether reading a missing file returns an empty string, for agents
                that don't create a file if reading it fails.
            unsaved: a function that returns the unsaved text in a file's editor buffer, or None if
                there is no such buffer. The function is called in the event loop with the file's
                real path. The file might not exist.
            limits: the limits.

        Raises:
            TypeError: If `roots` is a single path.
            ValueError: If `roots` is empty or one of the roots isn't a folder.
        """
        if isinstance(roots, str | bytes | os.PathLike):
            raise TypeError(f"roots must be a sequence of paths, not {roots!r}; pass [{roots!r}]")
        self.roots: tuple[Path, ...] = tuple(Path(os.path.realpath(root)) for root in roots)
        if not self.roots:
            raise ValueError("no roots; pass at least one folder")
        for given, root in zip(roots, self.roots, strict=True):
            if not root.is_dir():
                raise ValueError(f"root {os.fspath(given)!r} is not a folder; pass a folder")
        self.can_write = write
        self._missing_is_empty = missing_is_empty
        self._unsaved = unsaved
        self._limits = limits

    def check(self, path: str, *, approved: Path | None = None) -> Path:
        """Return the real path of a file or folder inside a root, with all links resolved.

        The file or folder might not exist. Links can change at any time, so check a working
        directory again just before using it.

        Args:
            path: an absolute path, as sent by the peer.
            approved: the path that an earlier call returned and the user approved. If `path` no
                longer resolves to this path, an error is raised.

        Raises:
            RequestError: If the path isn't absolute, isn't valid, points outside the roots, or
                no longer resolves to `approved`.
        """
        if len(path) > self._limits.path:
            raise _refusal(f"path has more than {self._limits.path} characters; use a shorter path")
        if "\0" in path or has_halves(path):
            raise _refusal("path contains U+0000 or a lone surrogate; use a valid path")
        if not os.path.isabs(path):
            raise _refusal("path is not absolute; use an absolute path")
        if os.name == "nt" and not _is_plain_windows_path(path, [str(root) for root in self.roots]):
            raise _outside()
        try:
            result = Path(os.path.realpath(path))
            # If links form a loop, `realpath` only normalizes the rest of the path.
            _verify(str(result))
        except (OSError, ValueError, RecursionError) as error:
            message = "path leads through too many links; use a path without links"
            raise _refusal(message) from error
        if not any(result.is_relative_to(root) for root in self.roots):
            raise _outside()
        if approved is not None and result != approved:
            raise _refusal(
                "path no longer resolves to the approved location; ask for approval again"
            )
        return result

    async def read_text(
        self, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        r"""Return the text of a file, or some of its lines.

        The text is returned verbatim, including any byte order mark, `\r\n` and final newline.
        Lines end only at `\n`, which is included, so the parts of a file add up to its full text.

        Args:
            path: an absolute path.
            line: the number of the first line, counted from 1. None and 0 are treated as 1. If the
                file has fewer lines, the text is empty.
            limit: the maximum number of lines, or None for no limit.

        Raises:
            RequestError: If the file is missing (-32002, unless `missing_is_empty` is set), isn't a
                regular file inside a root, is too large, or isn't UTF-8.
        """
        for name, value in (("line", line), ("limit", limit)):
            if value is not None and (value.__class__ is not int or value < 0):
                raise _refusal(f"{name} is {quotation(value)}; use a non-negative integer")
        real = await self._in_thread(lambda stop: self.check(path))
        text = None if self._unsaved is None else self._unsaved(real)
        return await self._in_thread(
            lambda stop: _lines_of(self._read(real, stop) if text is None else text, line, limit)
        )

    async def write_text(self, path: str, text: str, *, approved: Path | None = None) -> None:
        """Write a text file, creating the file and its folders if necessary.

        Readers see either the old text or the new text. An existing file keeps its permissions and,
        if the system allows it, its owner. If the path is a link, the link's target is written. If
        an error occurs, the old file remains unchanged, and everything that this call created is
        removed. If the call is cancelled, the text is written either completely or not at all.

        Args:
            path: an absolute path.
            text: the text to write, without newline translation.
            approved: the path that `check` returned and the user approved.

        Raises:
            RequestError: If the path refers to anything but a regular or new file inside a
                root, if writing isn't allowed, or if the text is too large or isn't valid Unicode.
        """
        if not self.can_write:
            raise _refusal("files are read-only; do not write to them")
        try:
            content = text.encode()
        except UnicodeEncodeError:
            raise _refusal("text contains a lone surrogate; send valid Unicode") from None
        if len(content) > self._limits.size:
            raise _too_large(self._limits)

        await self._in_thread(
            lambda stop: self._write(self.check(path, approved=approved), content, stop)
        )

    def _read(self, real: Path, stop: threading.Event) -> str:
        try:
            with _explained("read"), ExitStack() as opened:
                folder, name = self._find(real, opened)
                content = folder.read(name, self._limits, stop)
        except RequestError as error:
            if self._missing_is_empty and isinstance(error.__cause__, FileNotFoundError):
                return ""
            raise
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise _refusal("file is not UTF-8 text; read it another way") from None

    def _write(self, real: Path, content: bytes, stop: threading.Event) -> None:
        # The callbacks of `created` run first, while the folders are still open.
        with _explained("write"), ExitStack() as opened, ExitStack() as created:
            folder, name = self._find(real, opened, created)
            folder.replace(name, content, self._limits, stop, created)
            created.pop_all()  # keep everything

    def _find(
        self, real: Path, opened: ExitStack, created: ExitStack | None = None
    ) -> tuple[_Folder, str]:
        """Open the folder that contains a file, one path component at a time, starting at the root.

        Args:
            real: the file's path, as returned by `check`.
            opened: the stack that closes the opened folders.
            created: the stack that removes the created folders. If `created` is None, a missing
                folder is an error.

        Returns:
            The folder and the name of the file in it.
        """
        # Use the outermost root: anyone who can write to it could replace a root inside it.
        root = min(filter(real.is_relative_to, self.roots), key=lambda each: len(each.parts))
        *folders, name = real.relative_to(root).parts or (os.curdir,)
        folder = _Folder(str(root))
        opened.callback(folder.close)
        count, most = 0, self._limits.new_folders
        for each in folders:
            is_new = created is not None and folder.create(each, created)
            count += is_new
            if count > most:
                raise _refusal(f"path needs more than {most} new folders; use a shorter path")
            above, folder = folder, folder.enter(each)
            opened.callback(folder.close)
            if not is_new:  # `created` still needs the parents of new folders
                above.close()
        return folder, name

    async def _in_thread(self, work: Callable[[threading.Event], T]) -> T:
        """Run blocking work in a thread, passing an event that is set on cancellation."""
        stop = threading.Event()
        run = contextvars.copy_context().run
        # Don't use `asyncio.to_thread`: its task could be cancelled while the thread is running.
        future = asyncio.get_running_loop().run_in_executor(None, lambda: run(work, stop))
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError:
            stop.set()
            # Retrieve the thread's exception; otherwise, asyncio would log it.
            future.add_done_callback(lambda each: each.cancelled() or each.exception())
            await asyncio.wait({future}, timeout=self._limits.cancelling)
            raise
        return future.result()


class _Folder:
    """An open folder that looks up names without following links.

    If the system doesn't support this, names are looked up by path, and the path is verified after
    each step. In the short time before each verification, another program could replace a folder.
    """

    def __init__(self, path: str, within: _Folder | None = None) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._is_closed = False
        if _HAS_FOLDER_DESCRIPTORS:
            where = None if within is None else within._descriptor
            name = path if within is None else os.path.basename(path)
            self._descriptor = os.open(name, _FOLDER, dir_fd=where)
        else:
            _verify(path)
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))

    def close(self) -> None:
        """Close the folder. Repeated calls have no effect."""
        if self._descriptor is not None and not self._is_closed:
            self._is_closed = True
            os.close(self._descriptor)

    def enter(self, name: str) -> _Folder:
        return _Folder(os.path.join(self._path, name), self)

    def create(self, name: str, created: ExitStack) -> bool:
        """Create a folder if it is missing. Return whether it was created."""
        try:
            os.mkdir(self._at(name), dir_fd=self._descriptor)
        except FileExistsError:
            return False
        created.callback(_quietly, os.rmdir, self._at(name), dir_fd=self._descriptor)
        return True

    def read(self, name: str, limits: FileLimits, stop: threading.Event) -> bytearray:
        with self._regular(name, os.O_RDONLY, limits) as (descriptor, status):
            if status.st_size > limits.size:
                raise _too_large(limits)
            content = bytearray()
            # The reported size isn't reliable: files can grow, and files in `/proc` have size 0.
            while piece := os.read(descriptor, _PIECE):
                content += piece
                if len(content) > limits.size:
                    raise _too_large(limits)
                if stop.is_set():
                    raise RequestError.request_cancelled()
            return content

    def replace(
        self,
        name: str,
        content: bytes,
        limits: FileLimits,
        stop: threading.Event,
        created: ExitStack,
    ) -> None:
        """Write a temporary file in the same folder and rename it to replace the file."""
        try:
            # Open the file for writing so that a read-only file is rejected instead of replaced.
            with self._regular(name, os.O_WRONLY, limits) as (_, status):
                replaced: os.stat_result | None = status
        except FileNotFoundError:
            replaced = None
        scratch = self._at(f".{secrets.token_hex(8)}.tmp")
        # If only the owner can read the old file, others must never be able to read the new file.
        # Access is therefore restricted to the owner until the old mode is copied.
        mode = 0o666 if replaced is None else 0o600
        flags = _FILE | os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(scratch, flags, mode, dir_fd=self._descriptor)
        created.callback(_quietly, os.unlink, scratch, dir_fd=self._descriptor)
        try:
            rest = memoryview(content)
            while rest and not stop.is_set():
                rest = rest[os.write(descriptor, rest[:_PIECE]) :]
            if replaced is not None and hasattr(os, "fchown"):
                # Set the group separately, because any member of the group can set it, but only
                # the superuser can change the owner.
                for owner, group in ((-1, replaced.st_gid), (replaced.st_uid, -1)):
                    with suppress(OSError):
                        os.fchown(descriptor, owner, group)
                os.fchmod(descriptor, replaced.st_mode & 0o777)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if self._descriptor is None:
            _verify(self._path)
        if stop.is_set():
            raise RequestError.request_cancelled()
        os.replace(
            scratch, self._at(name), src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor
        )

    @contextmanager
    def _regular(
        self, name: str, flags: int, limits: FileLimits
    ) -> Generator[tuple[int, os.stat_result]]:
        # Check the file first, since opening it could affect a device or the readers of a FIFO.
        status = os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)
        _refuse_special(status, limits)
        descriptor = os.open(self._at(name), _FILE | flags, dir_fd=self._descriptor)
        try:
            if self._descriptor is None:
                _verify(self._at(name))
            # Check again, since the file could have been replaced.
            status = os.fstat(descriptor)
            _refuse_special(status, limits)
            yield descriptor, status
        finally:
            os.close(descriptor)

    def _at(self, name: str) -> str:
        return os.path.join(self._path, name) if self._descriptor is None else name


def _is_plain_windows_path(path: str, roots: Sequence[str]) -> bool:
    r"""Return whether a Windows path is on a lettered drive or a root's drive, and isn't a stream.

    Accessing `\\host\share` would make Windows sign the user in to that host. `file:name` is an
    alternate stream of `file`.

    Args:
        path: an absolute path.
        roots: the real paths of the roots.
    """
    drive, rest = ntpath.splitdrive(path)
    known = {ntpath.normcase(ntpath.splitdrive(root)[0]) for root in roots}
    has_letter = len(drive) == 2 and drive[0].isalpha()
    return ":" not in rest and (has_letter or ntpath.normcase(drive) in known)


def _lines_of(text: str, line: int | None, limit: int | None) -> str:
    text = _after(text, line - 1 if line else 0)
    return text if limit is None else text[: len(text) - len(_after(text, limit))]


def _after(text: str, lines: int) -> str:
    """Return the text after the first `lines` lines, or an empty string if there are fewer."""
    count = min(lines, len(text))  # `split` rejects very large numbers
    parts = text.split("\n", count)
    return parts[count] if len(parts) > count else ""


def _verify(path: str) -> None:
    """Raise an error if a path contains a link."""
    if os.path.realpath(path) != path:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _refuse_special(status: os.stat_result, limits: FileLimits) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise _refusal("path is a folder; use the path of a file")
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not stat.S_ISREG(status.st_mode):
        raise _refusal("path is not a regular file; use the path of a file")
    if status.st_nlink > limits.names:
        raise _refusal("file has several names (hard links); use a file with only one name")


def _quietly(remove: Callable[..., None], name: str, *, dir_fd: int | None) -> None:
    with suppress(OSError):
        remove(name, dir_fd=dir_fd)


@contextmanager
def _explained(verb: str) -> Generator[None]:
    """Convert system errors to errors that contain no path and can be sent to the peer."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            message = "file does not exist; use the path of an existing file"
            raise RequestError.resource_not_found(message=message) from error
        if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):  # EMLINK: FreeBSD
            message = (
                "path leads through a file that is not a folder, a loop of links, or a link "
                "created after the path was checked"
            )
            raise _refusal(f"{message}; use another path") from error
        if error.errno in (errno.ENAMETOOLONG, errno.EINVAL):
            message = "path contains a name that the system rejects; use another path"
            raise _refusal(message) from error
        message = f"cannot {verb} the file: {os.strerror(error.errno or 0).lower()}"
        raise RequestError.internal_error(message=message) from error


def _refusal(message: str) -> RequestError:
    return RequestError.invalid_params(message=message)


def _outside() -> RequestError:
    return _refusal("path points outside the allowed folders; use a path inside them")


def _too_large(limits: FileLimits) -> RequestError:
    return _refusal(f"file has more than {limits.size} bytes; read or write a smaller file")
