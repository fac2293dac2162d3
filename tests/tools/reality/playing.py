"""Our client, which plays scenes with an agent in protocol 1, or in protocol 2 over a bridge."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime import CapabilityError, Issue, RequestError
from acp_bindings.runtime.aio import connect_stdio

from .comparing import differences
from .model.script import ANSWER, WAITING
from .model.server import Server
from .results import NOT_OFFERED, PLAYED

HERE = Path(__file__).resolve().parent
SCENE_TIMEOUT = 120
START_TIMEOUT = 180
# The maximum time for an agent to report the first words that the model streams, in seconds.
STREAM_TIMEOUT = 15
# The maximum time for an agent to connect to an MCP server, in seconds.
MCP_TIMEOUT = 30


class Different(Exception):
    """Raised when a scene doesn't go as expected."""


class NotOffered(Exception):
    """Raised when an agent does not offer a scene's feature."""


@dataclass
class Stage:
    """A connection to an agent, and the objects that scenes share."""

    client: Talk
    server: Server
    folder: Path
    mode: str
    asking: str = ""  # the mode in which the agent asks for permission, unless it is the default
    known: str = ""  # the id of the session to load
    sessions: dict[str, Any] = field(default_factory=dict[str, Any])

    def path(self, name: str) -> Path:
        """Return the path of a scene's file. Each mode uses a different file."""
        return self.folder / f"{name}-{self.mode}.txt"

    async def open(self, name: str, servers: list[Any] | None = None) -> Any:
        v = self.client.v
        session = await v.ClientSession.create(
            self.client.peer, cwd=str(self.folder), mcp_servers=servers or []
        )
        self.sessions[name] = session
        if self.asking and v is v1:
            await session.set_mode(mode_id=self.asking)
        elif self.asking:
            await session.set_config_option(config_id="mode", value=self.asking)
        return session


class Talk:
    """The parts of the client that both protocol versions share."""

    v: Any
    peer: Any
    sessions: Any

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.questions: list[Any] = []
        self.asked = asyncio.Event()
        # The kind of permission option to choose, or None to leave the request pending.
        self.choice: str | None = "allow"

    async def session_request_permission(self, params: Any) -> Any:
        self.questions.append(params)
        self.asked.set()
        if self.choice is None:
            await asyncio.Event().wait()  # until the turn is cancelled
        kinds = [f"{self.choice}_once", f"{self.choice}_always"]
        options = {option.kind: option.option_id for option in reversed(params.options)}
        chosen = next((options[kind] for kind in kinds if kind in options), None)
        if chosen is None:
            raise RequestError(-32602, f"no option to {self.choice}")
        outcome = self.v.SelectedPermissionOutcome(option_id=chosen)
        return self.v.RequestPermissionResponse(outcome=outcome)

    def expect(self, choice: str | None) -> None:
        self.questions, self.choice = [], choice
        self.asked.clear()


class ClientV1(Talk, v1.SessionClient):
    v = v1
    # Empty but explicit capabilities, since some agents require the field.
    capabilities = v1.ClientCapabilities()
    info = v1.Implementation(name="reality", version="1.0.0")


class ClientV2(Talk, v2.SessionClient):
    v = v2
    info = v2.Implementation(name="reality", version="1.0.0")


CLIENTS: dict[str, tuple[Any, bool]] = {"v1": (ClientV1, False), "v2": (ClientV2, True)}


def said(session: Any) -> str:
    """Return the text of all agent messages in a session."""
    return "".join(each.text for each in session.state.messages if each.role == "agent")


def require(condition: object, otherwise: str) -> None:
    if not condition:
        raise Different(otherwise)


async def stop_of(session: Any, prompt: str) -> str:
    async with session.prompt(prompt) as turn:
        await turn.wait()
    return str(turn.stop_reason)


# --- scenes: each returns if the agent did what its name says, and raises Different otherwise -----


async def _text(stage: Stage) -> None:
    session = await stage.open("text")
    stop = await stop_of(session, "scene=say")
    require(stop == "end_turn", f"the turn ends with {stop}")
    require(ANSWER in said(session), f"the agent said {said(session)[:100]!r}")


async def _allowed(stage: Stage) -> None:
    path = stage.path("allowed")
    stage.client.expect("allow")
    session = await stage.open("allowed")
    stop = await stop_of(session, f"scene=run path={path}")
    require(path.exists(), "the tool did not run")
    require(stop == "end_turn", f"the turn ends with {stop}")
    require(stage.client.questions, "it does not ask")
    statuses = [call.status for call in session.state.tool_calls.values()]
    require("completed" in statuses, f"its tool calls stay {statuses}")


async def _denied(stage: Stage) -> None:
    path = stage.path("denied")
    stage.client.expect("reject")
    session = await stage.open("denied")
    stop = await stop_of(session, f"scene=run path={path}")
    require(stage.client.questions, "it does not ask")
    require(not path.exists(), "the tool ran")
    require(stop == "end_turn", f"the turn ends with {stop}")
    statuses = {call.status for call in session.state.tool_calls.values()}
    require(statuses <= {"failed", "cancelled"}, f"its tool calls stay {sorted(statuses)}")


async def _cancelled(stage: Stage) -> None:
    path = stage.path("cancelled")
    stage.client.expect(None)
    session = await stage.open("cancelled")
    async with session.prompt(f"scene=run path={path}") as turn:
        asked = asyncio.create_task(stage.client.asked.wait())
        ended = asyncio.create_task(turn.wait())
        await asyncio.wait([asked, ended], return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        if not ended.done():
            await turn.cancel()
        await ended
    require(stage.client.questions, "it does not ask")
    require(not path.exists(), "the tool ran")
    require(turn.stop_reason == "cancelled", f"the turn ends with {turn.stop_reason}")


async def _edit(stage: Stage) -> None:
    path = stage.path("edit")
    path.write_text("original\n", "utf-8")
    stage.client.expect("allow")
    session = await stage.open("edit")
    stop = await stop_of(session, f"scene=edit path={path}")
    text = path.read_text("utf-8")
    require(text.strip() == "edited", f"the file contains {text!r}")
    require(stop == "end_turn", f"the turn ends with {stop}")
    contents = [part for call in session.state.tool_calls.values() for part in call.content or []]
    require(any(isinstance(each, stage.client.v.Diff) for each in contents), "it shows no diff")


async def _mcp(stage: Stage) -> None:
    v, log = stage.client.v, stage.path("mcp")
    stage.client.expect("allow")
    about = {"name": "reality", "command": sys.executable, "env": []}
    server = v.McpServerStdio(**about, args=[str(HERE / "mcp_server.py"), str(log)])
    session = await stage.open("mcp", [server])
    # Many agents accept prompts before they have connected to the MCP server.
    await _within(_contains(log, "tools/list"), MCP_TIMEOUT)
    stop = await stop_of(session, "scene=greet name=Ada")
    asked = log.read_text("utf-8") if log.exists() else ""
    require("tools/list" in asked, "the MCP server was not asked for its tools")
    require("Hello, Ada!" in asked, "the tool of the MCP server was not called")
    require(stop == "end_turn", f"the turn ends with {stop}")


async def _stopped(stage: Stage) -> None:
    session = await stage.open("stopped")
    stage.server.waits.clear()
    async with session.prompt("scene=wait") as turn:
        waits = asyncio.to_thread(stage.server.waits.wait, SCENE_TIMEOUT)
        require(await waits, "the model was not called")
        came = asyncio.Event()
        session.state.subscribe(lambda _: came.set() if WAITING in said(session) else None)
        streams = WAITING in said(session) or await _within(came.wait(), STREAM_TIMEOUT)
        await turn.cancel()
        await turn.wait()
    require(turn.stop_reason == "cancelled", f"the turn ends with {turn.stop_reason}")
    require(streams, "it does not stream")


async def _contains(log: Path, text: str) -> None:
    """Wait until a file that another process writes contains the text."""
    while not log.exists() or text not in log.read_text("utf-8"):
        await asyncio.sleep(0.1)


async def _within(waiting: Awaitable[Any], timeout: float) -> bool:
    try:
        await asyncio.wait_for(waiting, timeout)
    except asyncio.TimeoutError:
        return False
    return True


async def _modes(stage: Stage) -> None:
    session = stage.sessions["text"]
    if not getattr(session.response, "modes", None):  # the mode is an option, as in protocol 2
        await _change(stage, session, lambda option: option.get("category") == "mode")
        return
    current = session.state.current_mode.current_mode_id
    known = (mode.id for mode in session.response.modes.available_modes)
    other = next((mode for mode in known if mode != current), None)
    if other is None:
        raise NotOffered
    await session.set_mode(mode_id=other)
    now = session.state.current_mode.current_mode_id
    require(now == other, f"the mode is {now}, not {other}")


async def _options(stage: Stage) -> None:
    session = stage.sessions["text"]
    await _change(stage, session, lambda option: option.get("category") != "mode")


async def _change(stage: Stage, session: Any, fits: Callable[[dict[str, Any]], bool]) -> None:
    """Change the first matching option that has more than one possible value."""
    for option in filter(fits, _encoded(stage, session.state.config_options)):
        other = _other(option)
        if other is not None:
            id_ = _id(option)
            await session.set_config_option(config_id=id_, value=other)
            options = _encoded(stage, session.state.config_options)
            now = next((each["currentValue"] for each in options if _id(each) == id_), None)
            require(now == other, f"{id_} is {now!r}, not {other!r}")
            return
    raise NotOffered


def _encoded(stage: Stage, update: Any) -> list[dict[str, Any]]:
    options: list[dict[str, Any]] = []
    return stage.client.v.encode(update)["configOptions"] if update else options


def _id(option: dict[str, Any]) -> str:
    id_: str = option.get("configId") or option["id"]
    return id_


def _other(option: dict[str, Any]) -> Any:
    """Return a possible value of an option other than its current value, or None if none exists."""
    current = option.get("currentValue")
    if option["type"] == "boolean":
        return not current
    values = [
        each["value"] for item in option.get("options", []) for each in item.get("options", [item])
    ]
    return next((value for value in values if value != current), None)


async def _list(stage: Stage) -> None:
    v, peer = stage.client.v, stage.client.peer
    wanted = stage.sessions["text"].session_id
    response = await v.ClientSession.list_sessions(peer, cwd=str(stage.folder))
    ids = [each.session_id for each in response.sessions]
    require(wanted in ids, f"lists {len(ids)} sessions without the prompted session")


async def _load(stage: Stage) -> None:
    v, peer = stage.client.v, stage.client.peer
    about: dict[str, Any] = {"session_id": stage.known, "cwd": str(stage.folder)}
    about["mcp_servers"] = []
    session: Any
    if v is v1:
        session = await v1.ClientSession.load(peer, **about)
    else:
        session = await v2.ClientSession.resume(peer, **about, replay_from=v2.ReplayFromStart())
    stage.sessions["load"] = session
    users = "".join(each.text for each in session.state.messages if each.role == "user")
    require("scene=say" in users, f"the prompt is not replayed, but {users[:100]!r}")
    require(ANSWER in said(session), f"the answer is not replayed, but {said(session)[:100]!r}")


SCENES: dict[str, Callable[[Stage], Awaitable[None]]] = {
    "text": _text,
    "allowed": _allowed,
    "denied": _denied,
    "cancelled": _cancelled,
    "edit": _edit,
    "mcp": _mcp,
    "stopped": _stopped,
    "modes": _modes,
    "options": _options,
    "list": _list,
}
LATER: dict[str, Callable[[Stage], Awaitable[None]]] = {"load": _load}


# --- playing them ---------------------------------------------------------------------------------


@dataclass
class Played:
    """The result of playing with an agent in one mode.

    Attributes:
        outcomes: the outcome of each scene: PLAYED, NOT_OFFERED, or a description of the problem.
        problems: other findings, as in `Measured.problems`.
    """

    outcomes: dict[str, str] = field(default_factory=dict[str, str])
    problems: set[str] = field(default_factory=set[str])


async def play(
    commands: dict[Path, list[str]],
    mode: str,
    server: Server,
    folder: Path,
    env: dict[str, str],
    method: str,
    asking: str,
) -> Played:
    """Play all scenes with an agent.

    Args:
        commands: the commands of two agent processes, keyed by the paths of their recordings. The
            second process loads a session that the first process created.
        mode: `v1` or `v2`.
        server: the model server that the agent uses.
        folder: the working directory of the sessions.
        env: the agent's environment variables.
        method: the method for signing in, or an empty string.
        asking: the mode in which the agent asks for permission, or an empty string for its default
            mode.
    """
    played, known = Played(), ""
    for (recording, command), scenes in zip(commands.items(), (SCENES, LATER), strict=True):
        client, is_bridged = CLIENTS[mode]
        sessions: dict[str, Any] = {}
        with recording.with_suffix(".err").open("wb") as errors:
            try:
                async with connect_stdio(
                    command,
                    client,
                    bridge=is_bridged,
                    env=env,
                    cwd=folder,
                    stderr=errors,
                    on_issue=lambda issue: played.problems.add(_issue(issue)),
                    on_loss=lambda loss: played.problems.add(f"loss: {loss.method}: {loss.reason}"),
                ) as peer:
                    await _start(peer, method)
                    handler: Any = peer.handler
                    stage = Stage(handler, server, folder, mode, asking, known, sessions)
                    for name, scene in scenes.items():
                        played.outcomes[name] = await _outcome(scene, stage)
                    if "text" in sessions:
                        known = sessions["text"].session_id
            except Exception as error:
                for name in scenes:
                    played.outcomes.setdefault(name, _sentence(error))
        try:
            played.problems.update(differences(recording, sessions.values(), mode))
        except Exception as error:  # an agent's values can have any form
            played.problems.add(f"state: {mode} cannot be compared: {error!r}")
    return played


async def _start(peer: Any, method: str) -> None:
    await peer.initialize(timeout=START_TIMEOUT)
    if not method:
        return
    if peer.handler.v is v1:
        await peer.handler.agent.authenticate(v1.AuthenticateRequest(method_id=method))
    else:
        await peer.handler.agent.auth_login(v2.LoginAuthRequest(method_id=method))


async def _outcome(scene: Callable[[Stage], Awaitable[None]], stage: Stage) -> str:
    try:
        await asyncio.wait_for(scene(stage), SCENE_TIMEOUT)
    except (NotOffered, CapabilityError):
        return NOT_OFFERED
    except asyncio.TimeoutError:
        return f"it is not over after {SCENE_TIMEOUT} s"
    except Exception as error:
        return _sentence(error)
    return PLAYED


def _sentence(error: Exception) -> str:
    if isinstance(error, Different):
        return str(error)
    if isinstance(error, KeyError):
        return f"there is no session {error}"
    return f"{type(error).__name__}: {error}".split("\n")[0][:300]


def _issue(issue: Issue) -> str:
    return f"issue: {issue.method}: {issue.reason}"
