"""The client for the conversations that test turns, built with acp_bindings.

Usage: `our_client [--bridge] VERSION MODE REPORT AGENT...`. In the mode `converse`, the client runs
all conversations of the version, each in a separate session with the conversation's name as its id.
In the mode `attach`, it acts as a second client and reopens a session that the first client closed.
The JavaScript clients and agents are in `../peers/turns.mjs`, and our agent is in `our_agent.py`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from acp_bindings import v1, v2
from acp_bindings.runtime import CapabilityError, Issue
from acp_bindings.runtime.aio import Peer, connect_stdio

from ..conversation import Changing, write_report
from ..ours_client import children_left

Session: TypeAlias = "v1.ClientSession | v2.ClientSession"

NAME = "turns-client"
TIMEOUT = 40
HERE: dict[str, Any] = {"cwd": str(Path.cwd()), "mcp_servers": []}
URI = "file:///project/main.py"
MIME_TYPE = "text/x-python"
FILE = "for item in items:\n    print(item)\n"


class Notes(Changing):
    """Updates, permission requests and turns of one session."""

    def __init__(self) -> None:
        super().__init__()
        # The updates as JSON, in the order in which the handler was called
        self.updates: list[Any] = []
        self.questions: list[dict[str, Any]] = []  # the permission requests, as JSON
        self.turns: list[dict[str, Any]] = []  # the completed turns


class Talk:
    """The part of the client that both protocol versions share."""

    v: Any  # the package `v1` or `v2`
    peer: Any
    sessions: Any

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer)  # type: ignore[call-arg]
        self.notes: dict[str, Notes] = {}  # notes by session id

    async def create(self, name: str) -> Session:
        opening = self.v.ClientSession.create(self.peer, **HERE, meta={"conversation": name})
        session: Session = await opening
        return session

    async def come_back(self, name: str) -> Session:
        """Reopen a conversation's session, with a replay of all its messages."""
        if self.v is v1:
            return await v1.ClientSession.load(self.peer, session_id=name, **HERE)
        start = v2.ReplayFromStart()
        return await v2.ClientSession.resume(self.peer, session_id=name, **HERE, replay_from=start)

    # --- messages from the agent -----------------------------------------------------------------

    def received(self, method: Any, params: Any) -> None:
        super().received(method, params)  # type: ignore[misc]
        if method.name == "session/update":
            notes = self.noted(params.session_id)
            notes.updates.append(self.v.encode(params.update, self.v.SessionUpdate))
            notes.change()

    async def session_request_permission(self, params: Any) -> Any:
        session_id: str = params.session_id
        notes = self.noted(session_id)
        notes.questions.append({"params": self.v.encode(params, self.v.RequestPermissionRequest)})
        notes.change()
        if session_id.startswith("cancel"):
            await asyncio.Event().wait()  # the user never answers
        option = "reject" if session_id == "tool_rejected" else "allow"
        outcome = self.v.SelectedPermissionOutcome(option_id=option)
        return self.v.RequestPermissionResponse(outcome=outcome)

    # --- actions of the conversations ------------------------------------------------------------

    def noted(self, session_id: str) -> Notes:
        return self.notes.setdefault(session_id, Notes())

    async def prompt(self, session: Session, content: Any) -> None:
        async with session.prompt(content) as turn:
            await self.follow(session, turn)

    async def follow(self, session: Session, turn: Any) -> None:
        updates = [self.v.encode(update, self.v.SessionUpdate) async for update in turn]
        about = {
            "updates": updates,
            "response": self.v.encode(turn.response),
            "stop": turn.stop_reason,
        }
        self.noted(session.session_id).turns.append(about)

    def whole(self, session: Session) -> list[Any]:
        """Return a session's complete state, as the shortest list of updates that produces it."""
        return [self.v.encode(each, self.v.SessionUpdate) for each in session.state.to_updates()]

    def count(self, name: str, state: str) -> int:
        """Return how many times the agent reported a state."""
        return sum(update.get("state") == state for update in self.noted(name).updates)


class ClientV1(Talk, v1.SessionClient):
    v = v1
    info = v1.Implementation(name=NAME, version="1.0.0")


class ClientV2(Talk, v2.SessionClient):
    v = v2
    info = v2.Implementation(name=NAME, version="1.0.0")


# --- conversations: each returns its report, without the notes ------------------------------------

Conversation: TypeAlias = Callable[[Any, Any], Awaitable["dict[str, Any] | None"]]


async def _user_message(talk: Talk, session: Session) -> None:
    contents = talk.v.TextResourceContents(uri=URI, mime_type=MIME_TYPE, text=FILE)
    words = talk.v.TextContent(text="What is wrong here?")
    await talk.prompt(session, [words, talk.v.EmbeddedResource(resource=contents)])


async def _one_prompt(talk: Talk, session: Session) -> None:
    await talk.prompt(session, "Go ahead.")


async def _unsupported_content(talk: Talk, session: Session) -> dict[str, Any]:
    image = talk.v.ImageContent(data="", mime_type="image/png")
    try:
        await talk.prompt(session, [image])
    except CapabilityError as error:
        return {"refused": [error.method, error.capability]}
    return {}


async def _stop_cancelled(talk: Talk, session: Session) -> None:
    notes = talk.noted(session.session_id)
    async with session.prompt("Go ahead.") as turn:
        await notes.until(
            lambda: any(u["sessionUpdate"] == "agent_message_chunk" for u in notes.updates)
        )
        await turn.cancel()
        await talk.follow(session, turn)


async def _continued(talk: Talk, session: Session) -> None:
    await talk.prompt(session, "My name is Ada.")
    await talk.prompt(session, "What did I say at first?")


async def _cancel(talk: Talk, session: Session) -> dict[str, Any]:
    notes = talk.noted(session.session_id)
    async with session.prompt("Run the tests, then clean up.") as turn:
        await notes.until(lambda: bool(notes.questions))
        await turn.cancel()
        seen = len(notes.updates)
        await talk.follow(session, turn)
    return {"late": notes.updates[seen:]}


async def _replay(talk: Talk, session: Session) -> None:
    await talk.prompt(session, "Check the file.")
    await talk.prompt(session, "Thank you.")
    await session.close()


async def _unprompted(talk: Talk, session: Session) -> None:
    name = session.session_id
    notes = talk.noted(name)
    await notes.until(lambda: talk.count(name, "idle") == 1)
    await talk.prompt(session, "Hello.")
    await session.agent.ext_notification("_turns/wake", {"sessionId": name})
    await notes.until(lambda: talk.count(name, "idle") == 3)


CONVERSATIONS: dict[str, Conversation] = {
    "user_message": _user_message,
    "unsupported_content": _unsupported_content,
    "stop_cancelled": _stop_cancelled,
    "continued": _continued,
    "cancel": _cancel,
    "cancel_question": _cancel,
    "replay": _replay,
}
for _name in ("output", "tool_granted", "tool_rejected"):
    CONVERSATIONS[_name] = _one_prompt
for _name in ("end_turn", "max_tokens", "max_turn_requests", "refusal"):
    CONVERSATIONS[f"stop_{_name}"] = _one_prompt
CONVERSATIONS_V2: dict[str, Conversation] = {
    **CONVERSATIONS,
    "unprompted": _unprompted,
    **dict.fromkeys(("stop__acme_limit", "requires_action"), _one_prompt),
}


async def _attached(talk: Talk, session: Session) -> dict[str, Any]:
    came = {
        "came_with": talk.whole(session),
        "replayed": list(talk.noted(session.session_id).updates),
    }
    await talk.prompt(session, "One more thing.")
    return came


async def have(talk: Talk, name: str, opening: Awaitable[Session], what: Conversation) -> Any:
    """Hold a conversation. Return its report."""
    session = await opening
    came = await what(talk, session)
    notes = talk.noted(name)
    return {
        "updates": notes.updates,
        "questions": notes.questions,
        "turns": notes.turns,
        "state": talk.whole(session),
        **(came or {}),
    }


async def main(
    version: int, mode: str, report_path: str, command: list[str], *, bridge: bool
) -> None:
    issues: list[str] = []
    report: dict[str, Any] = {}

    def on_issue(issue: Issue) -> None:
        issues.append(f"{issue.method}{issue.pointer}: {issue.reason}")

    client: Any = ClientV1 if version == 1 else ClientV2
    async with connect_stdio(command, client, on_issue=on_issue, bridge=bridge) as peer:
        talk = peer.handler
        assert isinstance(talk, Talk)
        await peer.initialize()
        if mode == "attach":
            having = {"replay": have(talk, "replay", talk.come_back("replay"), _attached)}
        else:
            wanted = CONVERSATIONS if version == 1 or bridge else CONVERSATIONS_V2
            having = {n: have(talk, n, talk.create(n), what) for n, what in wanted.items()}
        for name, conversation in having.items():
            try:
                report[name] = await asyncio.wait_for(conversation, TIMEOUT)
            except Exception as error:
                report[name] = {"failed": f"{type(error).__name__}: {error}"[:2000]}
    report["issues"] = issues
    report["children"] = children_left()
    write_report(report_path, report)


if __name__ == "__main__":
    is_bridged = sys.argv[1] == "--bridge"
    version, mode, report, *agent = sys.argv[1 + is_bridged :]
    asyncio.run(main(int(version), mode, report, agent, bridge=is_bridged))
