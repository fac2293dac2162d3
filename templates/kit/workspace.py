"""A client's workspace: the files and terminals that the client offers to agents."""

from __future__ import annotations

import copy
import os
import shlex
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..runtime.jsonrpc.errors import RequestError
from ..runtime.jsonrpc.logs import logger_of
from ..runtime.values import jsontext
from ..runtime.values.errors import quotation
from .files import Files
from .forms import fill
from .terminals import Terminal, Terminals

_log = logger_of(__name__)


class Workspace:
    """The files and terminals that agents can use in a client's sessions.

    A workspace isn't a sandbox: commands can access all of the user's files, and agents can open
    files directly. Most agents ask for permission before they run a command or write a file. If
    `ask` is set, the workspace asks for permission even if the agent doesn't.

    Attributes:
        files: the files that agents can access, or None to use each session's directories.
        terminals: the terminals of the sessions, or None if agents cannot use terminals.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        additional: Sequence[str | os.PathLike[str]] = (),
        write: bool = True,
        terminals: Callable[[], Terminals] | bool = True,
        files: Files | None = None,
        ask: bool = False,
    ) -> None:
        """Define what agents can access.

        Args:
            root: the folder that agents can access; by default, each session's directories.
            additional: other folders that agents can access.
            write: whether agents can write files.
            terminals: True if agents can use terminals, or a function that creates a connection's
                terminals.
            files: a `Files` object to use instead of folders, for example to include unsaved text.
            ask: whether to ask the client for permission before each command and each write, as if
                the agent had sent a permission request. The client can respond through its
                `permissions`.

        Raises:
            ValueError: If both folders and `files` are given.
        """
        if files is not None and (root is not None or additional):
            raise ValueError("both folders and files are given; pass the folders to Files")
        self.files = Files([root, *additional], write=write) if root is not None else files
        self._make_terminals = Terminals if terminals is True else terminals
        self.terminals = self._make_terminals() if self._make_terminals else None
        self._write = write
        self._ask = ask
        self._peer: Any = None
        # Each session's working directory and files. The files are None if no directory is usable.
        self._sessions: dict[str, tuple[str, Files | None]] = {}

    @property
    def may_write(self) -> bool:
        """True if agents can write files."""
        return self._write if self.files is None else self.files.can_write

    @property
    def has_terminals(self) -> bool:
        """True if agents can run commands."""
        return self.terminals is not None

    def for_connection(self, peer: Any) -> Workspace:
        """Return a workspace with the same files but separate sessions and terminals.

        Args:
            peer: the connection to the agent. The client that handles this connection is asked for
                permission.
        """
        workspace = copy.copy(self)
        workspace._peer = peer
        workspace.terminals = self._make_terminals() if self._make_terminals else None
        workspace._sessions = {}
        return workspace

    # --- sessions ----------------------------------------------------------------------------

    def opened(self, session_id: str, cwd: str, additional_directories: Iterable[str] = ()) -> None:
        """Add a session. Directories that don't exist are logged and ignored."""
        files = self.files
        if files is None:
            given = [cwd, *additional_directories]
            folders = [each for each in given if os.path.isabs(each) and os.path.isdir(each)]
            for each in given:
                if each not in folders:
                    _log.warning("directory %s does not exist here; ignoring it", quotation(each))
            files = Files(folders, write=self._write) if folders else None
        self._sessions[session_id] = cwd, files

    async def closed(self, session_id: str) -> None:
        """Remove a session and release its terminals."""
        self._sessions.pop(session_id, None)
        if self.terminals is not None:
            await self.terminals.end_session(session_id)

    # --- calls by agents -----------------------------------------------------------------------

    async def read_text(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None
    ) -> Mapping[str, str]:
        """Return the text of a file or of some of its lines."""
        return {"text": await self._files(session_id).read_text(path, line=line, limit=limit)}

    async def write_text(self, session_id: str, path: str, content: str) -> None:
        """Write a text file. If `ask` is set, ask for permission first."""
        files, approved = self._files(session_id), None
        if self._ask and files.can_write:
            approved = files.check(path)
            raw_input = {"path": str(approved), "content": content}
            await self._permit(session_id, "edit", f"Write {approved}", raw_input, approved)
        await files.write_text(path, content, approved=approved)

    async def create_terminal(
        self,
        session_id: str,
        command: str,
        args: Sequence[str] = (),
        env: Sequence[Any] = (),
        cwd: str | None = None,
        output_byte_limit: int | None = None,
    ) -> Terminal:
        """Run a command, by default in the session's working directory.

        If `ask` is set, ask for permission first."""
        terminals, files = self._terminals(), self._files(session_id)
        cwd = self._sessions[session_id][0] if cwd is None else cwd
        folder = files.check(cwd)
        variables = {each.name: each.value for each in env}
        if self._ask:
            # Show variables as part of the command, since a different PATH can select another
            # program.
            added = [f"{name}={value}" for name, value in variables.items()]
            words = terminals.command_of(command, args)
            if isinstance(words, str):
                words = line = " ".join([*map(shlex.quote, added), words])
            else:
                words = [*added, *words]
                line = shlex.join(words)
            raw_input = {"command": words, "cwd": str(folder)}
            await self._permit(session_id, "execute", line, raw_input)
            files.check(cwd, approved=folder)
        return await terminals.create(
            session_id,
            command,
            args,
            env=variables,
            cwd=str(folder),
            output_byte_limit=output_byte_limit,
        )

    async def terminal_output(self, session_id: str, terminal_id: str) -> Terminal:
        """Return a terminal with its output so far."""
        return self._terminals().find(session_id, terminal_id)

    async def wait_for_exit(self, session_id: str, terminal_id: str) -> Any:
        """Wait for a command to exit and return its exit status."""
        return await self._terminals().find(session_id, terminal_id).wait()

    async def kill_terminal(self, session_id: str, terminal_id: str) -> None:
        """Kill a terminal's command. The terminal stays valid."""
        await self._terminals().find(session_id, terminal_id).kill()

    async def release_terminal(self, session_id: str, terminal_id: str) -> None:
        """Kill a terminal's command and remove the terminal."""
        await self._terminals().release(session_id, terminal_id)

    async def _permit(
        self, session_id: str, kind: str, title: str, raw_input: Any, path: Path | None = None
    ) -> None:
        """Ask the client for permission, as if the agent had sent the request.

        The request waits until the session's earlier permission requests are answered. The request
        is cancelled together with the agent's call, the turn, the session or the connection.

        Raises:
            RequestError: If permission is not granted.
        """
        client = self._peer.handler
        speech = import_module(f"{client.surface.__name__}.kit").SPEECH
        values: dict[str, Any] = {"session_id": session_id, "id": uuid4().hex, "title": title}
        values |= {"kind": kind, "status": "pending", "raw_input": raw_input}
        if path is not None:
            values["locations"] = [fill(speech.forms["location"], {"path": str(path)})]
        response = await client.handle(speech.permission, speech.question_about(values, title))
        choice = getattr(response.outcome, "option_id", None)
        if choice is None:
            raise RequestError.request_cancelled(message="the permission request was cancelled")
        if choice not in ("allow_once", "allow_always"):
            raise _refusal("permission denied by the user; do something else")
        self._files(session_id)  # raises an error if the session was closed in the meantime

    def _files(self, session_id: str) -> Files:
        """Return a session's files.

        Raises:
            RequestError: If the session has no usable directory or isn't open. A closed session
                must not create terminals, since they would never be released.
        """
        if session_id not in self._sessions:
            raise _refusal(f"unknown session {quotation(session_id)}; open it first")
        _, files = self._sessions[session_id]
        if files is None:
            raise _refusal(
                "the session's directories do not exist here; work without files and terminals"
            )
        return files

    def _terminals(self) -> Terminals:
        if self.terminals is None:
            raise RequestError.method_not_found(None, "this client does not support terminals")
        return self.terminals


def _refusal(message: str) -> RequestError:
    return RequestError.invalid_params(message=message)


async def end_all(workspace: Workspace, disconnecting: Awaitable[None] | None) -> None:
    """Release a connection's terminals, then await the handler's remaining cleanup."""
    if workspace.terminals is not None:
        await workspace.terminals.aclose()
    if disconnecting is not None:
        await disconnecting


def equip(
    client: Any,
    methods: type | None,
    *,
    workspace: Workspace | None = None,
    permissions: Any = None,
) -> Any:
    """Return a client class with a workspace and permissions.

    Args:
        client: the client class, or a client object if only `permissions` is given.
        methods: the class with the workspace methods, or None if the surface has no such methods.
        workspace: the files and terminals that agents can use.
        permissions: the object that responds to permission requests.

    Raises:
        TypeError: If a workspace is given but `client` is an object or `methods` is None.
    """
    if workspace is not None and (methods is None or not isinstance(client, type)):
        raise TypeError("a workspace requires a client class; pass the class, not an object")
    if not isinstance(client, type):
        if permissions is not None:
            client.permissions = permissions
        return client
    members = {"workspace": workspace, "permissions": permissions}
    given = {name: each for name, each in members.items() if each is not None}
    if not given:
        return client
    bases: tuple[type, ...] = (client,)
    if workspace is not None and methods is not None and not issubclass(client, methods):
        bases = methods, client
    return type(client.__name__, bases, {"__module__": client.__module__, **given})


def at_bridge(surface: str, workspace: Workspace, bridge: Any) -> Any:
    """Return a class for `bridge=` that offers a workspace to agents that use another surface.

    Args:
        surface: the name of the other surface.
        workspace: the files and terminals that agents can use.
        bridge: the original value of `bridge=`, which is a handler class or True.

    Raises:
        ImportError: If the package was vendored without the other surface.
        TypeError: If `bridge` is neither a class nor True.
    """
    package = (__package__ or "").rpartition(".")[0]
    try:
        methods = import_module(f"{package}.{surface}.kit").WorkspaceMethods
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{package} was vendored without surface {surface}, which a workspace requires; "
            f"to add it, run `acpgen vendor DIR --surface {surface}` and select the other "
            "surfaces again"
        ) from error
    return equip(methods if bridge is True else bridge, methods, workspace=workspace)


def merged(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two JSON objects recursively. The second object takes precedence."""
    result = dict(base)
    for key, value in other.items():
        known: Any = result.get(key)
        if jsontext.is_object(known) and jsontext.is_object(value):
            result[key] = merged(known, value)
        else:
            result[key] = value
    return result
