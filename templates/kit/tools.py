"""Agent tools: show a call, ask the user for permission, perform the call, and report the outcome.

    async with session.tool("Run the tests", kind="execute") as tool:
        await tool.run(["pytest", "-q"])
    await session.say(tool.result)

Each block is one tool call. The call's effects are shown before the user is asked for permission.
If the user refuses or one of the kit's operations fails, the block ends without raising an
exception, and `status` and `result` contain the outcome for the model.
"""

from __future__ import annotations

import asyncio
import base64
import difflib
import os
import shlex
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from io import StringIO
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4
from weakref import WeakKeyDictionary

from ..runtime.jsonrpc.errors import RESOURCE_NOT_FOUND, ConnectionClosed, RequestError
from ..runtime.jsonrpc.method import Method
from ..runtime.values.deferred import dataclass
from ..runtime.values.errors import quotation
from .files import Files
from .forms import MISSING, fill, members_of, read
from .terminals import Command, Environment, ExitStatus

if TYPE_CHECKING:
    from typing_extensions import Self

# The kinds and names of the options offered to the user.
_CHOICES: Final = {"allow_once": "Allow", "allow_always": "Always allow", "reject_once": "Reject"}
# The maximum length of the subject that follows "Always allow" in the option's name, in characters.
_NAME = 60
# The number of bytes to keep from the end of a command's output, so that they fit into a model's
# prompt.
_OUTPUT = 64 * 1024
# The minimum interval between two updates with output. In some protocol versions, each update
# contains the entire output.
_SHOW_EVERY = 0.2  # seconds

# The unfinished tool calls of each session, by id.
_running: WeakKeyDictionary[Any, dict[str, Tool]] = WeakKeyDictionary()
# The subjects for which the user chose "Always allow", by session.
_allowed: WeakKeyDictionary[Any, set[tuple[str, str]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """The forms and functions for tool calls in one protocol version.

    Attributes:
        forms: the forms of updates, contents and permission requests; see `forms`.
        update: a function that decodes an update from JSON.
        permission: the method for permission requests.
        question: a function that decodes the params of `permission` from JSON.
        encode: a function that encodes a content block as JSON.
        files: the client's methods for reading and writing files, each with the form of its result.
        bridged: the surface to take `files` from if the client is connected through a bridge, or
            None.
    """

    forms: Mapping[str, Any]
    update: Callable[[Any], Any]
    permission: Method[Any, Any]
    question: Callable[[Any], Any]
    encode: Callable[[Any], Any]
    files: Mapping[str, tuple[Method[Any, Any], Mapping[str, Any]]]
    bridged: str | None = None

    def question_about(self, values: Mapping[str, Any], always: str = "") -> Any:
        """Return the params of a permission request.

        Args:
            values: the values for the form.
            always: the subject of "Always allow". It is also shown to the user.
        """
        names = dict(_CHOICES)
        if always:
            names["allow_always"] += f" {shorten(always, _NAME)}"
        form = self.forms["option"]
        options = [fill(form, {"kind": kind, "name": name}) for kind, name in names.items()]
        return self.question(fill(self.forms["question"], {**values, "options": options}))


class _EndedError(Exception):
    """An error that ends a tool's block, with a reason for the model."""


@contextmanager
def _ending(what: str = "") -> Generator[None]:
    """Convert a `RequestError` to an error that ends the tool's block."""
    try:
        yield
    except RequestError as error:
        raise _EndedError(f"{what}{error.message}") from error


class Tool:
    """A tool call, as an `async with` block.

    Attributes:
        id: the tool call's id.
        title: a description of the tool call, for display.
        kind: the kind of action, or None.
        status: `pending`, `in_progress`, `completed`, `failed` or `cancelled`.
        result: the text for the model. It is also set if the user refuses or the call fails.
    """

    def __init__(self, session: Any, speech: Speech, title: str, *, kind: str | None) -> None:
        """Prepare a tool call, which is shown when its block is entered.

        Args:
            session: the agent's session.
            speech: the forms and functions for the session's protocol version.
            title: a description of the tool call, for display.
            kind: the kind of action, or None if the protocol defines no suitable kind.
        """
        self.id = uuid4().hex
        self.title = title
        self.kind = kind
        self.status = "pending"
        self.result = ""
        self._session = session
        self._speech = speech
        self._form = "begin"
        self._task: asyncio.Task[Any] | None = None
        self._is_cancelled = False
        self._shown: dict[str, Any] = {}
        self._shown_at = 0.0
        self._showing: asyncio.Task[None] | None = None  # shows recent output after a delay
        self._command: Command | None = None
        self._shows_result = False  # whether the content is the output of a command that exited
        # The values for the tool call's forms.
        self._values: dict[str, Any] = {"id": self.id, "title": title}
        self._values["session_id"] = session.session_id
        if kind is not None:
            self._values["kind"] = kind
        if getattr(session.agent, "cancels_tools", False):
            self._values["may_cancel"] = True

    async def __aenter__(self) -> Self:
        """Show the tool call."""
        if self._task is not None:
            raise RuntimeError("a tool cannot be entered twice; create another one")
        self._task = asyncio.current_task()
        await self._show()
        # From now on, `cancel` raises an exception inside the block, where `__aexit__` handles it.
        _running.setdefault(self._session, {})[self.id] = self
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        """Report the outcome of the tool call."""
        _running.get(self._session, {}).pop(self.id, None)
        is_alone = isinstance(error, asyncio.CancelledError) and self._ends_alone()
        if error is None:
            if self.status != "failed":  # the block can set this status itself
                self.status = "completed"
        elif isinstance(error, asyncio.CancelledError):
            self.status = "cancelled"
            self.result = self.result or "the user cancelled this"
        else:
            self.status = "failed"
            self.result = str(error) or type(error).__name__
        if error is None or is_alone or isinstance(error, _EndedError):
            await self._show()
            return error is not None
        with suppress(ConnectionClosed):  # the block's original error is more useful
            await self._show()
        return False

    def cancel(self) -> None:
        """Cancel only this block. The turn continues after the block."""
        if self._task is not None and not self._is_cancelled:
            self._is_cancelled = True
            self._task.cancel()

    def _ends_alone(self) -> bool:
        """Return whether only this block was cancelled, rather than the turn or the task."""
        if not self._is_cancelled or self._session.is_cancelled:
            return False
        if sys.version_info >= (3, 11):
            assert self._task is not None
            return self._task.uncancel() == 0
        return True

    # --- operations ----------------------------------------------------------------------------

    async def ask(self, about: str = "") -> None:
        """Ask the user whether to continue. If the user refuses, the block ends.

        Args:
            about: the subject of "Always allow", such as a command line. It is also shown to the
                user. "Always allow" applies only to tool calls of the same kind.
        """
        subject = (self.kind or "", about)
        allowed = _allowed.setdefault(self._session, set())
        if subject in allowed:
            return
        # After an operation such as `read`, set the call back to pending while the user decides.
        if self.status == "in_progress":
            self.status = "pending"
            await self._show()
        members = members_of(self._speech.question_about(self._all_values(), about))
        del members["session_id"]  # the session adds its own id
        with _ending("could not ask the user: "):
            response = await self._session.ask_permission(**members)
        choice = getattr(response.outcome, "option_id", None)
        if choice == "allow_always":
            allowed.add(subject)
        elif choice is None:
            raise _EndedError("the user did not answer")
        elif choice != "allow_once":
            raise _EndedError("the user refused this")

    async def show(self, *content: Any) -> None:
        """Show content, replacing the content shown before.

        Args:
            content: strings and content blocks.
        """
        self._values["content"] = [self._content_of(each) for each in content]
        await self._begin_work()

    async def run(
        self,
        command: Sequence[str],
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        ask: bool = True,
        timeout: float | None = None,
    ) -> None:
        """Show a command, ask for permission, run it, and show its output as it arrives.

        `result` contains the output and the exit status. Only the last 64 KiB of the output are
        kept. If the command fails, the block ends.

        Args:
            command: the program and its arguments, which are not passed to a shell.
            cwd: the command's working directory, which must be inside the session's directories.
                A relative path is resolved against the session's working directory, which is also
                the default.
            env: variables to add to the environment.
            ask: whether to ask the user for permission.
            timeout: the time after which the command is terminated, in seconds, or None for no
                limit.
        """
        if isinstance(command, str):
            raise TypeError("command must be a list, such as ['pytest', '-q'], not a string")
        path = self._resolve("" if cwd is None else cwd)
        files = self._files()
        with _ending():
            folder = files.check(path)
        line = shlex.join(command)
        self._values["raw_input"] = {"command": list(command), "cwd": str(folder)}
        self._values |= {"command": line, "cwd": str(folder), "transcript": f"$ {line}\n"}
        self._values["content"] = [self._content("command")]
        await self._show_terminal("show")
        await self._show()
        process = Command(
            command,
            cwd=folder,
            env=Environment().variables(env),
            output_byte_limit=_OUTPUT,
            on_output=self._take_output,
        )
        self._command = process
        try:
            if ask:
                await self.ask(line)  # the entire command line, since the program could be a shell
            await self._begin_work()
            with _ending():
                files.check(path, approved=folder)
            await process.start()
            try:
                status = await asyncio.wait_for(process.wait(), timeout)
            except asyncio.TimeoutError:
                raise _EndedError(f"the command timed out after {timeout:g} seconds") from None
        except OSError as error:
            # Don't include the error's own text in the result, since it contains the entire PATH.
            is_missing = isinstance(error, FileNotFoundError)
            reason = "no such program" if is_missing else error.strerror or str(error)
            raise _EndedError(f"{command[0]} cannot be run: {reason}") from error
        finally:
            await process.aclose()
            if self._showing is not None:
                self._showing.cancel()
            # Always set an exit status so that the client doesn't show the terminal as running.
            self._values["exit_status"] = process.exit_status or ExitStatus(None, None)
            with suppress(ConnectionClosed):  # the block's original error is more useful
                await self._show_terminal("show")
        self._shows_result = True
        ended = f"signal {status.signal}" if status.signal else f"exit status {status.exit_code}"
        cut = "[beginning omitted]\n" if process.truncated else ""
        self.result = f"{cut}{process.output}\n[{ended}]"
        if status.exit_code != 0:
            raise _EndedError(self.result)

    async def read(
        self, path: str | os.PathLike[str], *, line: int | None = None, limit: int | None = None
    ) -> str:
        """Read a text file in the session's directories. `result` contains the text.

        If the client offers file access, the client reads the file, including unsaved text in an
        editor.

        Args:
            path: the path, which can be relative to the session's working directory.
            line: the number of the first line, counted from 1.
            limit: the maximum number of lines.
        """
        name = self._locate(path)
        await self._begin_work()
        with _ending():
            self.result = await self._files().read_text(name, line=line, limit=limit)
        return self.result

    async def write(self, path: str | os.PathLike[str], text: str, *, ask: bool = True) -> None:
        """Show a change to a text file, ask for permission, and write the file.

        If the client offers file access, the client writes the file, unless the file is new.

        Args:
            path: the path, which must be inside the session's directories and can be relative to
                the session's working directory.
            text: the new text of the file.
            ask: whether to ask the user for permission.
        """
        given: Any = text
        if not isinstance(given, str):
            raise TypeError(f"text must be a string, not {type(given).__name__}")
        name = self._locate(path)
        files = self._files()
        with _ending():
            approved = files.check(name)
            old = await _read(files, name)
            self._values |= {"path": name, "new_text": text, "patch": patch(name, old, text)}
            if old is not None:
                self._values["old_text"] = old
            self._values["raw_input"] = {"path": name}
            self._values["content"] = [self._content("create" if old is None else "edit")]
            await self._show()
            if ask:
                await self.ask()
            await self._begin_work()
            if await _read(files, name) != old:
                raise _EndedError("the file changed since it was read; read it again")
            await files.write_text(name, text, approved=approved)
        self.result = f"wrote {name}"

    # --- display --------------------------------------------------------------------------------

    def _files(self) -> _SessionFiles:
        roots = [self._session.cwd, *self._session.additional_directories]
        return _SessionFiles(roots, self._call_client)

    async def _call_client(self, operation: str, **members: Any) -> dict[str, Any] | None:
        """Call a file method of the client. Return None if the client doesn't offer the method."""
        peer, methods = self._session.peer, self._speech.files
        if self._speech.bridged is not None and peer.bridged is not None:
            peer = peer.bridged
            package = (__package__ or "").rpartition(".")[0]
            methods = import_module(f"{package}.{self._speech.bridged}.kit").SPEECH.files
        if operation not in methods:
            return None
        method, form = methods[operation]
        if method.capability is not None and not method.capability.is_advertised(peer.advertised):
            return None
        make: Any = method.params
        params = make(session_id=self._session.session_id, **members)
        result = await peer.request(method, params)
        return read(form, method.codec.encode(result, method.result))

    def _resolve(self, path: str | os.PathLike[str]) -> str:
        """Return the absolute path for a path that can be relative to the session's directory."""
        cwd: str = self._session.cwd
        resolved = os.path.join(cwd, path)
        if not os.path.isabs(resolved):
            raise _EndedError(f"the session's directory {quotation(cwd)} is not absolute")
        return resolved

    def _locate(self, path: str | os.PathLike[str]) -> str:
        name = str(Path(self._resolve(path)))
        self._values["locations"] = [fill(self._speech.forms["location"], {"path": name})]
        return name

    async def _begin_work(self) -> None:
        self.status = "in_progress"
        await self._show()

    def _content_of(self, content: Any) -> Any:
        if isinstance(content, str):
            return self._content("text", text=content)
        return self._content("block", block=self._speech.encode(content))

    def _content(self, form: str, **values: Any) -> Any:
        return fill(self._speech.forms["content"][form], self._values | values)

    def _all_values(self) -> dict[str, Any]:
        values = self._values | {"status": self.status}
        if self.status == "cancelled":
            values["status"] = self._speech.forms["cancelled"]
        if self.status in ("completed", "failed", "cancelled"):
            values["may_cancel"] = False
            values["content"] = self._final_content()
        return values

    def _final_content(self) -> Any:
        """Return the final content, including the result unless it is already shown."""
        content = self._values.get("content", MISSING)
        if self.status == "completed" or self._shows_result or not self.result:
            return content
        return [*(() if content is MISSING else content), self._content("text", text=self.result)]

    async def _show(self) -> None:
        name, self._form = self._form, "change"
        form = self._speech.forms[name]
        update, shown = fill(form, self._all_values()), self._shown
        self._shown = shown | update
        news = {key: each for key, each in update.items() if _names(form[key]) or key not in shown}
        news |= {key: each for key, each in update.items() if shown.get(key, each) != each}
        await self._session.update(self._speech.update(news))
        self._shown_at = asyncio.get_running_loop().time()

    async def _show_terminal(self, form: str, **values: Any) -> None:
        terminal = self._speech.forms.get("terminal")
        if terminal is not None:
            update = fill(terminal[form], self._values | values)
            await self._session.update(self._speech.update(update))

    async def _take_output(self, text: str) -> None:
        """Show a piece of a command's output."""
        assert self._command is not None
        self._values["transcript"] = f"$ {self._values['command']}\n{self._command.output}"
        self._values["content"] = [self._content("command")]
        data = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
        await self._show_terminal("output", data=data)
        if "terminal" in self._speech.forms or (self._showing and not self._showing.done()):
            return
        pause = self._shown_at + _SHOW_EVERY - asyncio.get_running_loop().time()
        self._showing = asyncio.create_task(self._show_after(pause))

    async def _show_after(self, pause: float) -> None:
        await asyncio.sleep(pause)
        with suppress(Exception):  # the next update will also fail and end the block
            await self._show()


class _SessionFiles(Files):
    """A session's files, accessed through the client if possible, otherwise on disk.

    Text from the client includes unsaved changes. A file that the client can't find has no unsaved
    changes, so it is read and written directly on disk.
    """

    def __init__(self, roots: Sequence[str], call: Callable[..., Any]) -> None:
        """Resolve the roots.

        Args:
            roots: the session's directories.
            call: a function that sends a file request to the client and returns the result, or None
                if the client doesn't support the method.
        """
        super().__init__(roots)
        self._call = call
        self._is_lacking = False  # whether the client couldn't find the file that was last read

    async def read_text(
        self, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        real = self.check(path)
        lines = {name: n for name, n in (("line", line), ("limit", limit)) if n is not None}
        try:
            result = await self._call("read_text", path=path, **lines)
            self._is_lacking = result == {"text": ""} and not os.path.exists(real)
        except RequestError as error:
            # Clients return different errors for a missing file, and some return empty text.
            if error.code != RESOURCE_NOT_FOUND and os.path.exists(real):
                raise
            result, self._is_lacking = None, True
        if result is None or self._is_lacking:
            return await super().read_text(path, line=line, limit=limit)
        text: str = result["text"]
        return text

    async def write_text(self, path: str, text: str, *, approved: Path | None = None) -> None:
        self.check(path, approved=approved)
        if self._is_lacking or await self._call("write_text", path=path, content=text) is None:
            await super().write_text(path, text, approved=approved)


def cancel_tool(session: Any, tool_call_id: str) -> None:
    """Cancel the block of a tool call, given its id or its terminal's id.

    Raises:
        RequestError: If no such tool call is running.
    """
    tool = _running.get(session, {}).get(tool_call_id)
    if tool is None:
        raise RequestError.invalid_params(None, f"no tool call {tool_call_id!r} is running")
    tool.cancel()


def _names(form: Any) -> bool:
    """Return whether every update must contain a field because it is an id or a constant."""
    return isinstance(form, str) and (form == "$id" or not form.startswith("$"))


async def _read(files: Files, path: str) -> str | None:
    """Return the text of a file, or None if it does not exist."""
    try:
        return await files.read_text(path)
    except RequestError as error:
        if error.code == RESOURCE_NOT_FOUND:
            return None
        raise


def patch(path: str, old: str | None, new: str) -> str:
    """Return a Git diff of a change to a file.

    Args:
        path: the file's absolute path.
        old: the old text, or None for a new file.
        new: the new text.
    """
    head = f"diff --git {path} {path}\n" + "new file mode 100644\n" * (old is None)
    before, after = (_lines(text or "") for text in (old, new))
    lines = difflib.unified_diff(before, after, "/dev/null" if old is None else path, path)
    no_end = "\n\\ No newline at end of file\n"
    return head + "".join(line if line.endswith("\n") else line + no_end for line in lines)


def _lines(text: str) -> list[str]:
    """Split text after newline characters only."""
    return StringIO(text, newline="\n").readlines()
