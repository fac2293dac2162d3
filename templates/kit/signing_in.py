"""Sign-in: lets the user choose one of the agent's sign-in methods and performs it.

If an agent requires a sign-in, it returns the error `AUTHENTICATION_REQUIRED` for requests that
open a session. The agent lists its sign-in methods in the response to `initialize`. For methods of
the kind "agent", the client sends a request, and the agent performs the sign-in. For methods of the
kind "terminal", the agent program is run once in a real terminal with different arguments. This
module never chooses a method itself, since a sign-in could open a browser or cost money.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from ..runtime.aio.child_process import GroupProtocol, spawn
from ..runtime.aio.peer import Peer
from ..runtime.jsonrpc.errors import AUTHENTICATION_REQUIRED, RequestError
from ..runtime.values.deferred import dataclass
from ..runtime.values.errors import quotation
from .lenient import items, mapping, text, texts, variables

# The key in a method's `_meta` under which older agents send the command for a terminal sign-in.
_OLD_FORM = "terminal-auth"


@dataclass(frozen=True, slots=True)
class SignInMethod:
    """An agent's sign-in method.

    Attributes:
        id: the method's id.
        name: the text to display.
        kind: "agent" if the agent performs the sign-in when requested, or "terminal" if its program
            is run in a terminal.
        description: more text to display, or an empty string.
        command: for "terminal", the program and all its arguments.
        env: for "terminal", the variables to add to the agent's environment.
    """

    id: str
    name: str
    kind: Literal["agent", "terminal"]
    description: str
    command: tuple[str, ...]
    env: Mapping[str, str]


# An async function that lets the user choose a method. It returns None if the user cancels.
AskSignIn: TypeAlias = Callable[[Sequence[SignInMethod]], Awaitable["SignInMethod | None"]]
# An async function that runs a command in a real terminal and returns its exit status. The
# arguments are the command, the complete environment, and the working directory or None.
RunInTerminal: TypeAlias = Callable[
    [Sequence[str], Mapping[str, str], "str | None"], Awaitable["int | None"]
]


class SignInRequired(RequestError):
    """The agent requires a sign-in, but the user did not sign in.

    Attributes:
        methods: the agent's sign-in methods.
    """

    def __init__(self, reason: str, methods: Sequence[SignInMethod]) -> None:
        names = ", ".join(f"{quotation(each.name)} ({each.kind})" for each in methods)
        text = f"the agent requires a sign-in: {reason}; available methods: {names or 'none'}"
        super().__init__(AUTHENTICATION_REQUIRED, text)
        self.methods = tuple(methods)


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program that is run in a terminal to sign in.

    Attributes:
        command: the program and its arguments.
        env: the environment.
        cwd: the working directory, or None for this process's working directory.
        run: a function that runs a command in a terminal, or None to use this program's terminal.
            If there is no terminal, methods of the kind "terminal" are omitted.
    """

    command: Sequence[str]
    env: Mapping[str, str]
    cwd: str | None = None
    run: RunInTerminal | None = None


class SigningIn:
    """The sign-in to one agent, independent of the connection.

    Attributes:
        can_run_in_terminal: whether methods of the kind "terminal" are supported.
    """

    def __init__(
        self, surface: Any, ask: AskSignIn | None = None, program: Program | None = None
    ) -> None:
        """Prepare a sign-in. The user is asked when `sign_in` is called.

        Args:
            surface: the surface in use, such as the module `v2`.
            ask: a function that lets the user choose a method, or None if there is no user to ask.
                Without this function, signing in raises an error that lists the methods.
            program: the agent program, or None for a remote agent, since its program isn't on this
                machine. Without a program, methods of the kind "terminal" are omitted.
        """
        self._surface = surface
        self._ask = ask
        self._program = program
        self.can_run_in_terminal = (
            ask is not None and program is not None and (program.run is not None or _has_terminal())
        )

    def methods(self, advertised: Any) -> tuple[SignInMethod, ...]:
        """Return the agent's sign-in methods of supported kinds.

        Args:
            advertised: the agent's response to `initialize`.
        """
        sign_in = self._surface.FACTS.sign_in
        entries = items(self._surface.encode(advertised).get("authMethods")) if sign_in else ()
        command = () if self._program is None else self._program.command
        found = (_read(mapping(entry), sign_in[2], command) for entry in entries)
        return tuple(method for method in found if method is not None)

    async def sign_in(self, peer: Peer) -> bool:
        """Let the user choose a sign-in method, then perform it once.

        Args:
            peer: the initialized connection to the agent.

        Returns:
            Whether the agent must be restarted because the sign-in took place in another process.

        Raises:
            SignInRequired: If there is no user to ask, if no method is supported, if the user
                cancelled, or if the command in the terminal failed.
            RequestError: If the agent rejected the sign-in.
            ConnectionClosed: If the connection has closed.
            ValueError: If `ask` returned a method that was not offered.
        """
        methods = self.methods(peer.advertised)
        offered = [each for each in methods if each.kind == "agent" or self.can_run_in_terminal]
        if self._ask is None:
            reason = "there is no user to ask; pass `sign_in` to let the user choose a method"
            raise SignInRequired(reason, methods)
        if not offered:
            reason = "none of its methods is supported here; sign in with the agent's own program"
            raise SignInRequired(reason, methods)
        chosen = await self._ask(offered)
        if chosen is None:
            raise SignInRequired("the user cancelled the sign-in", methods)
        if chosen not in offered:
            raise ValueError(f"sign-in method {chosen!r} was not offered; return one of `methods`")
        program = self._program
        if chosen.kind == "terminal" and program is not None:
            run = program.run or run_in_this_terminal
            status = await run(chosen.command, {**program.env, **chosen.env}, program.cwd)
            if status != 0:
                reason = f"{quotation(chosen.name)} exited with status {status}"
                raise SignInRequired(reason, methods)
            return True
        name, member, _ = self._surface.FACTS.sign_in
        method = self._surface.AGENT_METHODS[name]
        await peer.request(method, self._surface.decode(method.params, {member: chosen.id}))
        return False


async def run_in_this_terminal(
    command: Sequence[str], env: Mapping[str, str], cwd: str | None = None
) -> int | None:
    """Run a command with this program's standard streams and wait for it to exit.

    If the calling task is cancelled, the command is killed.

    Args:
        command: the program and its arguments.
        env: the environment.
        cwd: the working directory, or None for this process's working directory.

    Returns:
        The exit status, which is negative if a signal terminated the command.

    Raises:
        OSError: If the program cannot be started.
    """
    options = {"stdin": None, "stdout": None, "stderr": None, "env": env, "cwd": cwd}
    protocol = await spawn(lambda: GroupProtocol(own_group=False), command, options)
    try:
        await protocol.exited.wait()
        return protocol.transport.get_returncode()
    finally:
        protocol.group.kill()
        await protocol.exited.wait()
        protocol.transport.close()


def _has_terminal() -> bool:
    return all(map(os.isatty, (0, 1, 2)))


def _read(entry: Mapping[str, Any], id_field: str, command: Sequence[str]) -> SignInMethod | None:
    """Return a sign-in method that the agent advertises, or None if its kind isn't supported.

    Args:
        entry: the agent's description of the method.
        id_field: the name of the field that contains the method's id.
        command: the agent's command, which is empty if the agent program isn't on this machine.
    """
    id_, program, given = text(entry.get(id_field)), [*command], entry
    kind: Any = entry.get("type") or "agent"
    old = mapping(mapping(entry.get("_meta")).get(_OLD_FORM))
    if kind == "agent" and command and _is_own(old, command):
        kind, given, program = "terminal", old, [command[0]]
    if not id_ or kind not in ("agent", "terminal") or (kind == "terminal" and not command):
        return None
    if kind == "terminal":
        line, env = (*program, *texts(given.get("args"))), variables(given.get("env"))
    else:
        line, env = (), {}
    name, description = text(entry.get("name")) or id_, text(entry.get("description"))
    return SignInMethod(id_, name, kind, description, line, env)


def _is_own(old: Mapping[str, Any], command: Sequence[str]) -> bool:
    """Return whether an older agent's description of a terminal sign-in names the agent's program.

    Programs other than the agent's own must not be run.
    """
    named, own = text(old.get("command")), command[0]
    paths = [path for path in map(shutil.which, (named, own)) if path is not None]
    return named == own or (len(paths) == 2 and os.path.samefile(*paths))
