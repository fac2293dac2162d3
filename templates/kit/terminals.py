"""Terminals: commands in process groups. Output is streamed, and its tail is kept.

`Command` runs one command. `Terminals` manages the commands of a connection's sessions and
identifies each command by an unguessable id.

A command has no input: its standard input is the null device. Its standard output and standard
error share one pipe so that the order of the output is preserved. Each command runs in a separate
process group, which is terminated when the command exits. There are two special cases:

- Processes that leave the group, such as daemons, keep running. If they keep the output open, the
  rest of the output is dropped.
- If this program is killed, the group is killed by a small shell process that waits for this
  program to exit. The shell works on all POSIX systems, but there is no protection between the
  start of a command and the start of the shell, or while a fork of this program is running. On
  Windows, each command runs in a job object, and the system terminates the processes in this
  object.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from functools import partial
from inspect import isawaitable
from secrets import token_hex
from typing import Any, TypeAlias

from ..runtime.aio.child_process import GroupProtocol, signal_name, spawn
from ..runtime.aio.process_groups import options_of_own_group
from ..runtime.aio.streams import CHUNK
from ..runtime.aio.tasks import uninterrupted
from ..runtime.jsonrpc.errors import RequestError
from ..runtime.jsonrpc.logs import call_back, logger_of
from ..runtime.values.deferred import dataclass
from ..runtime.values.errors import quotation

_log = logger_of(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalLimits:
    """Limits for terminals.

    Attributes:
        terminals: the maximum number of terminals per session. When this number is exceeded, the
            oldest terminal whose command has exited is released, since agents often forget to
            release terminals. If all commands are still running, the new terminal is rejected.
        output_bytes: the number of UTF-8 bytes of output to keep unless the agent sets a limit.
        max_output_bytes: the highest limit that an agent can set. Higher limits are reduced to this
            maximum.
        drain: the maximum time to wait, in seconds, for the output to end and for the other
            processes in the group to exit after the command exits. Some processes might keep the
            output open for longer.
        grace: the time that processes are given to exit after SIGTERM before they are killed, in
            seconds.
    """

    terminals: int = 32
    output_bytes: int = 1024 * 1024
    max_output_bytes: int = 16 * 1024 * 1024
    drain: float = 1.0
    grace: float = 2.0


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """The exit status of a command. If the status is unknown, both attributes are None.

    Attributes:
        exit_code: the exit code, or None if a signal terminated the command.
        signal: the name of the signal that terminated the command, such as "SIGKILL", or None.
    """

    exit_code: int | None
    signal: str | None


# --- the environment of commands ------------------------------------------------------------

# Variables that programs need to find files and format text, and that rarely contain secrets.
# SSH_AUTH_SOCK and the proxy variables are omitted, since they can grant access to other systems.
# Proxy variables can contain passwords.
VARIABLES = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TEMP", "TMP", "XDG_*"),
    *("LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM", "NO_COLOR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "VIRTUAL_ENV", "CONDA_PREFIX", "NVM_DIR", "PYENV_ROOT"),
    *("GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME"),
    # Many Windows programs do not start without these variables.
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "PROCESSOR_*"),
    *("USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA"),
    *("PROGRAMDATA", "PROGRAMFILES*", "COMMONPROGRAMFILES*", "NUMBER_OF_PROCESSORS"),
)


class Environment:
    """The environment for commands: some of this program's variables, plus additional variables.

    Other variables of this program can contain secrets, which an agent's commands must not read.
    """

    def __init__(
        self, allowed: Iterable[str] = VARIABLES, added: Mapping[str, str] | None = None
    ) -> None:
        """Select the variables.

        Args:
            allowed: the names of the variables to inherit from this program, as `fnmatch` patterns.
                `["*"]` inherits all variables.
            added: additional variables, which override inherited ones.
        """
        self.allowed = tuple(_variable(name) for name in allowed)
        self.added = dict(added or {})

    def variables(self, added: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment for a command.

        Args:
            added: variables for this command, which override other variables with the same names.
        """
        taken = {
            name: value
            for name, value in os.environ.items()
            if any(fnmatchcase(_variable(name), pattern) for pattern in self.allowed)
        }
        own = {**self.added, **(added or {})}
        return taken | {_variable(name): value for name, value in own.items()}


def _variable(name: str) -> str:
    """Return a variable's name in upper case if the system ignores case in variable names."""
    return name.upper() if sys.platform == "win32" else name


# --- output -----------------------------------------------------------------------------------


# The UTF-8 continuation bytes, which never begin a character.
_WITHIN = bytes(range(0x80, 0xC0))


class _Output:
    """The tail of a string, up to a limit in UTF-8 bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._total = 0

    @property
    def truncated(self) -> bool:
        """True if some of the text was dropped."""
        return self._total > self._limit

    def append(self, text: str) -> None:
        """Append text, dropping the oldest text if necessary."""
        data = text.encode()
        self._total += len(data)
        self._kept += data
        # Drop text only at twice the limit so that, on average, each byte is moved at most once.
        if len(self._kept) > 2 * self._limit:
            del self._kept[: len(self._kept) - self._limit]

    def __str__(self) -> str:
        end = self._kept[max(0, len(self._kept) - self._limit) :]
        return end.lstrip(_WITHIN).decode()


# --- commands ---------------------------------------------------------------------------------


class Command:
    """A command in a separate process group, with the tail of its output."""

    def __init__(
        self,
        command: Sequence[str | os.PathLike[str]] | str,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        pty: bool = False,
        output_byte_limit: int | None = None,
        limits: TerminalLimits | None = None,
        on_output: Callable[[str], object] | None = None,
    ) -> None:
        """Prepare a command. `start` starts it.

        Args:
            command: the program and its arguments. A string is a command line for the shell, so it
                must not contain untrusted text.
            cwd: the working directory; by default, this program's working directory.
            env: the environment; by default, `Environment().variables()`.
            pty: whether to connect the outputs to a pseudo-terminal instead of a pipe. Most
                programs then print in color, and lines end with CRLF. The input is still the null
                device, and there is no controlling terminal, so no prompt can block the command.
            output_byte_limit: the number of UTF-8 bytes of output to keep, or 0 to keep nothing. By
                default, `limits.output_bytes`.
            limits: the limits.
            on_output: called with each new piece of output, in order. If it returns an awaitable,
                no more output is read until the awaitable is done. Waiting slows down commands that
                print faster than the output can be sent. The awaitable must not await `wait` or
                `aclose`. Exceptions are logged.

        Raises:
            ValueError: If the command is empty, if an argument or variable cannot be passed to a
                program, if a limit is negative, or if `pty` is true on a system without
                pseudo-terminals.
        """
        if not command:
            raise ValueError("empty command; pass a program")
        self._env = Environment().variables() if env is None else dict(env)
        words = [command] if isinstance(command, str) else map(os.fsdecode, command)
        # Some event loops don't check for null characters. One of them runs `rm` for "rm\0.txt".
        if any("\0" in text for text in (*words, *self._env, *self._env.values())):
            raise ValueError("null character in a command or variable; remove it")
        if any(not name or "=" in name for name in self._env):
            raise ValueError("variable name is empty or contains '='; pass another name")
        if pty and sys.platform == "win32":
            raise ValueError("this system has no pseudo-terminals; pass pty=False")
        self._limits = TerminalLimits() if limits is None else limits
        limit = self._limits.output_bytes if output_byte_limit is None else output_byte_limit
        if limit < 0:
            raise ValueError(f"negative output_byte_limit {limit}; pass 0 to keep nothing")
        self._command = command
        self._cwd = cwd
        self._pty = pty
        self._on_output = on_output
        self._output = _Output(limit)
        self._patience = self._limits.drain
        self._life: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None

    @property
    def output(self) -> str:
        """The output so far, or its tail if the output exceeds the limit.

        The tail begins with a complete character.
        """
        return str(self._output)

    @property
    def truncated(self) -> bool:
        """True if the beginning of the output was dropped."""
        return self._output.truncated

    @property
    def exit_status(self) -> ExitStatus | None:
        """The exit status, or None while the command is running or its output is still open."""
        if self._reading is None or not self._reading.done():
            return None
        code = self._protocol.transport.get_returncode()
        if code is not None and code < 0:
            return ExitStatus(None, signal_name(-code))
        return ExitStatus(code, None)

    async def start(self) -> None:
        """Start the command. If the call is cancelled, the command is killed.

        Raises:
            OSError: If the command cannot be started.
            ValueError: If an argument, the directory or a variable cannot be passed to a program.
            RuntimeError: If the command has already been started.
        """
        if self._life is not None:
            raise RuntimeError("the command was already started; create another one")
        self._started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._run())
        # Retrieve the exception so that asyncio doesn't log it.
        self._life.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            if not await self._is_started():
                self._life.result()
        except asyncio.CancelledError:
            await uninterrupted(self.aclose())
            raise

    async def wait(self) -> ExitStatus:
        """Wait for the command to exit and its output to end. Return the exit status.

        If other processes keep the output open for longer than `limits.drain` after the exit, the
        rest of the output is dropped. Cancelling this call does not affect the command.

        Raises:
            RuntimeError: If the command was not started.
        """
        if not await self._is_started() or self._reading is None:
            raise RuntimeError("the command was not started; call start() first")
        await asyncio.wait([self._reading])
        return self.exit_status or ExitStatus(None, None)

    async def kill(self) -> None:
        """Terminate the process group and wait for it to exit.

        A group that is still running after `limits.grace` is killed. If the group has already
        exited, this does nothing. The termination continues even if this call is cancelled.
        """
        if self._life is None:
            return
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.wait([self._ending])

    async def aclose(self) -> None:
        """Kill the process group and free all resources.

        `on_output` receives the rest of the output if the output can be delivered within
        `limits.drain` seconds. If this call is cancelled, the processes are killed immediately.
        """
        if self._life is None:
            return
        try:
            await self.kill()
            await asyncio.wait([self._life], timeout=self._limits.drain)
        finally:
            self._life.cancel()
        await asyncio.wait([self._life, *([self._reading] if self._reading else [])])

    async def _is_started(self) -> bool:
        """Wait for the command to start and return whether it started."""
        if self._life is None:
            return False
        await asyncio.wait([self._life, self._started], return_when=asyncio.FIRST_COMPLETED)
        return self._started.done()

    async def _run(self) -> None:
        """Start the command and wait for it and its process group to exit."""
        with ExitStack() as stack:
            self._protocol, reader = await self._spawn(stack)
            transport, group = self._protocol.transport, self._protocol.group
            guard = _Guard(transport.get_pid())
            stack.callback(guard.dismiss)
            # Callbacks run in reverse order. The transport must be closed before the group is
            # killed. Otherwise, asyncio would reap the process and report its status as unknown.
            stack.callback(group.kill)
            stack.callback(transport.close)
            self._reading = asyncio.create_task(self._read(reader))
            stack.callback(self._reading.cancel)
            self._started.set_result(None)
            await self._protocol.exited.wait()
            if not await self._protocol.ends(self._limits.drain):
                await self.kill()
            guard.dismiss()  # immediately, since the id of an empty group can be reused
            await asyncio.wait([self._reading])

    async def _spawn(self, stack: ExitStack) -> tuple[GroupProtocol, asyncio.StreamReader]:
        """Start the command and return its protocol and a reader for its output."""
        options: dict[str, Any] = {
            **options_of_own_group(),
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT,
            "cwd": self._cwd,
            "env": self._env,
        }
        if not self._pty:
            protocol = await spawn(GroupProtocol, self._command, options)
            assert protocol.stdout is not None
            return protocol, protocol.stdout
        near, options["stdout"] = _open_pty()
        try:
            reader = asyncio.StreamReader(limit=CHUNK)
            transport, _ = await asyncio.get_running_loop().connect_read_pipe(
                lambda: _PtyProtocol(reader), os.fdopen(near, "rb", 0)
            )
            stack.callback(transport.close)
            return await spawn(GroupProtocol, self._command, options), reader
        finally:
            os.close(options["stdout"])  # if this copy stayed open, the output would never end

    async def _end(self) -> None:
        if not await self._is_started():
            return
        self._protocol.group.terminate()
        if not await self._protocol.ends(self._limits.grace):
            self._protocol.group.kill()
            await self._protocol.ends(self._limits.grace)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        """Read the output until it ends and wait for the command to exit."""
        # The decoder retains the bytes of an incomplete character until the next piece arrives.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        exited = asyncio.ensure_future(self._protocol.exited.wait())
        try:
            while data := await self._next(reader, exited):
                await self._pass_on(decoder.decode(data))
            await self._pass_on(decoder.decode(b"", final=True))
            await exited
        finally:
            exited.cancel()

    async def _next(self, reader: asyncio.StreamReader, exited: asyncio.Future[Any]) -> bytes:
        """Return the next piece of output, or b"" at the end of the output.

        If other processes keep the output open after the command exits, the output is considered
        to have ended after a time limit.
        """
        read = asyncio.ensure_future(reader.read(CHUNK))
        try:
            await asyncio.wait([read, exited], return_when=asyncio.FIRST_COMPLETED)
            if not read.done():
                # Count only the time spent waiting so that a slow `on_output` doesn't cause a
                # timeout.
                loop = asyncio.get_running_loop()
                begin = loop.time()
                await asyncio.wait([read], timeout=self._patience)
                self._patience -= loop.time() - begin
            return read.result() if read.done() else b""
        finally:
            read.cancel()

    async def _pass_on(self, text: str) -> None:
        if not text:
            return
        self._output.append(text)
        if self._on_output is not None:
            result = call_back(self._on_output, text, what="on_output of a command", log=_log)
            if isawaitable(result):
                await self._finish(asyncio.ensure_future(result))

    async def _finish(self, waiting: asyncio.Future[object]) -> None:
        """Await the result of `on_output` and log any exception."""
        try:
            # Unlike `await`, `wait` raises `CancelledError` only if this task is cancelled.
            await asyncio.wait([waiting])
        finally:
            waiting.cancel()
        if not waiting.cancelled() and (error := waiting.exception()) is not None:
            _log.error("on_output of a command failed", exc_info=error)


class _PtyProtocol(asyncio.StreamReaderProtocol):
    """An asyncio protocol that ignores the error at the end of a pseudo-terminal's output.

    Linux reports the end as an error, and a reader drops unread data after an error.
    """

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(None)


def _open_pty() -> tuple[int, int]:
    """Open a pseudo-terminal with 24 lines and 80 columns and return its two ends."""
    assert sys.platform != "win32"
    import fcntl
    import struct
    import termios

    near, far = os.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    return near, far


class _Guard:
    """A shell that kills a process group when this program exits or is killed.

    The shell reads from a pipe. This program is the pipe's only writer, so the pipe closes when the
    program exits.
    """

    def __init__(self, group: int) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        if sys.platform == "win32":  # job objects are used instead
            return
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", 'read -r _; kill -s KILL -- "-$0"', str(group)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,  # to shield the shell from Ctrl-C
            )
        except OSError as error:
            _log.warning(
                "cannot start /bin/sh: %s; commands keep running if this program is killed",
                error.strerror,
            )

    def dismiss(self) -> None:
        """Kill the shell. Calling this twice is harmless."""
        # A fork of this program must not kill its parent's shell.
        if self._process is not None and os.getpid() == self._owner:
            self._process.kill()
            with self._process:  # closes the pipe and waits for the shell to exit
                pass


# --- terminals --------------------------------------------------------------------------------


class Terminal(Command):
    """A session's command, identified by an id.

    Attributes:
        id: the terminal's id, which is unguessable.
        session_id: the session's id.
        is_released: whether the terminal was released. The id of a released terminal isn't valid.
    """

    def __init__(
        self,
        session_id: str,
        command: Sequence[str] | str,
        on_output: OnOutput | None,
        **options: Any,
    ) -> None:
        """Prepare a command.

        Args:
            session_id: the session's id.
            command: the program and its arguments, as for `Command`.
            on_output: called with the terminal and each new piece of output, as for `Command`.
            options: other arguments for `Command`.
        """
        super().__init__(command, on_output=on_output and partial(on_output, self), **options)
        self.id = f"terminal-{token_hex(16)}"
        self.session_id = session_id
        self.is_released = False


# Called with a terminal and each new piece of its output.
OnOutput: TypeAlias = "Callable[[Terminal, str], object]"


class Terminals:
    """The terminals of one connection's sessions.

    The agent chooses the commands, so ask for permission before calling `create`, and check the
    `cwd` argument. Errors caused by the agent are raised as `RequestError` and contain no local
    paths.
    """

    def __init__(
        self,
        *,
        env: Environment | None = None,
        shell: bool = False,
        pty: bool = False,
        limits: TerminalLimits | None = None,
        on_output: OnOutput | None = None,
    ) -> None:
        """Create an empty collection of terminals.

        Args:
            env: the environment for commands, to which an agent can add variables; by default,
                `Environment()`.
            shell: whether a command that contains spaces and has no arguments is run by the shell
                (/bin/sh, or cmd.exe on Windows) as a command line. Some agents send only such
                command lines.
            pty: whether to connect the outputs to pseudo-terminals, as for `Command`.
            limits: the limits.
            on_output: called with a terminal and each new piece of its output, in order, as for
                `Command`. The first call can happen before `create` returns.

        Raises:
            ValueError: If `pty` is true and the system has no pseudo-terminals.
        """
        if pty and sys.platform == "win32":
            raise ValueError("this system has no pseudo-terminals; pass pty=False")
        self._env = Environment() if env is None else env
        self._shell = shell
        self._limits = TerminalLimits() if limits is None else limits
        self._options: Any = {"pty": pty, "limits": self._limits, "on_output": on_output}
        # The terminals by id, oldest first. Released terminals remain until their processes exit.
        self._terminals: dict[str, Terminal] = {}
        self._is_closed = False

    async def create(
        self,
        session_id: str,
        command: str,
        args: Sequence[str] = (),
        *,
        env: Mapping[str, str] | None = None,
        cwd: str,
        output_byte_limit: int | None = None,
    ) -> Terminal:
        """Start a command in a new terminal.

        Args:
            session_id: the session's id.
            command: the program.
            args: the program's arguments.
            env: variables to add to the environment.
            cwd: the absolute path of the working directory.
            output_byte_limit: the number of UTF-8 bytes of output to keep, or 0 to keep nothing.

        Raises:
            RequestError: If the command cannot be started, or if the session has too many
                terminals.
        """
        self._check(command, cwd, output_byte_limit)
        if output_byte_limit is not None:
            output_byte_limit = min(output_byte_limit, self._limits.max_output_bytes)
        oldest = self._to_release(session_id)
        try:
            terminal = Terminal(
                session_id,
                self.command_of(command, args),
                cwd=cwd,
                env=self._env.variables(env),
                output_byte_limit=output_byte_limit,
                **self._options,
            )
            # Add the terminal before starting its command so that the terminal counts toward the
            # limit and is released with its session.
            self._terminals[terminal.id] = terminal
            try:
                if oldest is not None:
                    await self._release(oldest)
                if not terminal.is_released:
                    await terminal.start()
            except BaseException:
                self._terminals.pop(terminal.id, None)
                raise
        except (OSError, ValueError) as error:
            raise _not_started(command, args, error) from error
        if terminal.is_released:
            raise RequestError.internal_error(message="the session has ended; open another session")
        return terminal

    def command_of(self, command: str, args: Sequence[str]) -> Sequence[str] | str:
        """Return a program with its arguments, or a command line if the shell is enabled."""
        return command if self._shell and not args and _has_space(command) else [command, *args]

    def find(self, session_id: str, terminal_id: str) -> Terminal:
        """Return a session's terminal.

        Raises:
            RequestError: If the session has no such terminal.
        """
        terminal = self._terminals.get(terminal_id)
        if terminal is None or terminal.is_released or terminal.session_id != session_id:
            text = f"the session has no terminal {quotation(terminal_id)}; create one"
            raise RequestError.resource_not_found(message=text)
        return terminal

    async def release(self, session_id: str, terminal_id: str) -> None:
        """Kill a terminal's command and remove the terminal.

        This does nothing if the session has no such terminal or if the terminal was already
        released.
        """
        terminal = self._terminals.get(terminal_id)
        if terminal is not None and terminal.session_id == session_id:
            await self._release(terminal)

    async def end_session(self, session_id: str) -> None:
        """Release all of a session's terminals."""
        await asyncio.gather(*map(self._release, self._of(session_id)))

    async def aclose(self) -> None:
        """Release all terminals and reject new ones."""
        self._is_closed = True
        await asyncio.gather(*map(self._release, [*self._terminals.values()]))

    def _of(self, session_id: str) -> list[Terminal]:
        return [each for each in self._terminals.values() if each.session_id == session_id]

    async def _release(self, terminal: Terminal) -> None:
        terminal.is_released = True
        try:
            await terminal.aclose()
        finally:
            self._terminals.pop(terminal.id, None)

    def _check(self, command: str, cwd: str, output_byte_limit: int | None) -> None:
        if self._is_closed:
            raise RequestError.internal_error(message="the connection was closed; open another one")
        if not command:
            raise _refused("empty command; send a program")
        if not (os.path.isabs(cwd) and os.path.isdir(cwd)):
            raise _refused("cwd is not a directory; send the absolute path of one")
        if output_byte_limit is not None and output_byte_limit < 0:
            raise _refused("outputByteLimit is negative; send 0 to keep no output")

    def _to_release(self, session_id: str) -> Terminal | None:
        """Return the terminal to release before another is added, if any."""
        terminals = [each for each in self._of(session_id) if not each.is_released]
        if len(terminals) < self._limits.terminals:
            return None
        oldest = next((each for each in terminals if each.exit_status is not None), None)
        if oldest is None:
            text = f"the session has {len(terminals)} terminals with running commands, which is the"
            raise RequestError.internal_error(message=f"{text} limit; kill or release one")
        text = "too many terminals in session %s; releasing the oldest one whose command has exited"
        _log.warning(text, quotation(session_id))
        return oldest


def _has_space(command: str) -> bool:
    return any(map(str.isspace, command))


def _refused(message: str) -> RequestError:
    return RequestError.invalid_params(message=message)


def _not_started(command: str, args: Sequence[str], error: OSError | ValueError) -> RequestError:
    """Return the error for a command that could not be started."""
    problem = f"cannot start {quotation(command)}: "
    if isinstance(error, ValueError):
        return _refused(f"{problem}a character cannot be passed to a program; remove it")
    if not isinstance(error, FileNotFoundError):
        reason = (error.strerror or "the system refuses").lower()
        return RequestError.internal_error(message=f"{problem}{reason}; send another command")
    is_line = _has_space(command) and not args
    advice = "program and its arguments separately" if is_line else "name of an installed program"
    return RequestError.resource_not_found(message=f"{problem}no such program; send the {advice}")
