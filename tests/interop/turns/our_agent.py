"""The agent of the conversations about turns with acp_bindings, for both protocol versions.

Each conversation has a session of its own, whose id is the name of the conversation; the client
names it in the `_meta` of `session/new`. A closed session is kept in a file of that name in
the working directory, so that the next process can load it. The agents in JavaScript do the same
in `../peers/turns.mjs`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v1 import agent_session as live1
from acp_bindings.v2 import agent_session as live2

Session: TypeAlias = "live1.AgentSession | live2.AgentSession"

NAME = "turns-agent"
OPTIONS = (("allow", "Allow", "allow_once"), ("reject", "Reject", "reject_once"))
PLAN = (
    ("Read the file", "high", "in_progress"),
    ("Look for mistakes", "medium", "pending"),
    ("Suggest a repair", "low", "pending"),
)


class AbortedError(Exception):
    """Raised by the tools of this agent when they are aborted."""


class Scenes:
    """The agent's part in each conversation, for both versions.

    Attributes:
        v: the surface of the version.
    """

    v: Any

    async def turn(self, session: Any, params: Any) -> str | None:
        """Play the agent's part in the conversation of a session."""
        name: str = session.session_id
        if name.startswith("stop_"):
            return await self._stop(session, name.removeprefix("stop_"))
        scene = "tool" if name.startswith("tool_") else name
        await getattr(self, f"_{scene}")(session, params.prompt)
        return None

    def open_for(self, params: Any) -> Any:
        """The session of the conversation that the client names."""
        session: Session = self.open(params.meta["conversation"])  # type: ignore[attr-defined]
        return session

    # --- what every version says in its own words ------------------------------------------------

    async def stream(self, session: Any, call: str, *texts: str) -> None:
        """Send output of a tool piece by piece, where the protocol has a way."""

    async def ask(self, session: Any, call: str, title: str) -> str:
        """Ask for permission. Return the chosen option, or `cancelled`."""
        raise NotImplementedError

    async def report(self, session: Any, call: str, status: str, *texts: str) -> None:
        """Send an update of a tool call; texts are its output."""
        update = self.v.ToolCallUpdate(tool_call_id=call, status=status)
        if texts:
            update.content = self.output(texts)
        await session.update(update)

    def options(self) -> list[Any]:
        """The options to choose from."""
        return [self.v.PermissionOption(option_id=i, name=n, kind=k) for i, n, k in OPTIONS]

    def entries(self) -> list[Any]:
        """The steps of the plan."""
        return [self.v.PlanEntry(content=c, priority=p, status=s) for c, p, s in PLAN]

    def output(self, texts: Sequence[str]) -> list[Any]:
        """The output of a tool."""
        return [self.v.Content(content=self.v.TextContent(text=text)) for text in texts]

    # --- sessions that come back -----------------------------------------------------------------

    def keep(self, session: Session) -> None:
        """Write a session to its file."""
        updates = [
            self.v.encode(update, self.v.SessionUpdate) for update in session.state.to_updates()
        ]
        path(session.session_id).write_text(json.dumps(updates), "utf-8")

    def reopen(self, session: Session) -> None:
        """Read a session from its file."""
        for update in json.loads(path(session.session_id).read_text("utf-8")):
            session.state.apply(self.v.decode(self.v.SessionUpdate, update))

    # --- conversations ---------------------------------------------------------------------------

    async def _user_message(self, session: Session, prompt: Sequence[Any]) -> None:
        for block in prompt:
            if isinstance(block, self.v.EmbeddedResource):
                it = block.resource
                await session.say(f"{it.uri} is {it.mime_type}: {it.text}")
            else:
                await session.say(f"You wrote: {block.text}")

    async def _stop(self, session: Session, reason: str) -> str | None:
        if reason == "cancelled":
            await session.say("Working.")
            await asyncio.Event().wait()
        return None if reason == "end_turn" else reason

    async def _tool(self, session: Session, prompt: Sequence[Any]) -> None:
        await session.tool_call(
            tool_call_id="call_1", title="Check the file", kind="execute", status="pending"
        )
        if await self.ask(session, "call_1", "Check the file?") != "allow":
            await self.report(session, "call_1", "failed")
            await session.say("Then not.")
            return
        await self.report(session, "call_1", "in_progress")
        await self.stream(session, "call_1", "Half of it", "All of it")
        await self.report(session, "call_1", "completed", "No mistakes")
        await session.say("It is fine.")

    async def _continued(self, session: Session, prompt: Sequence[Any]) -> None:
        said = [message.text for message in session.state.messages if message.role == "user"]
        await session.say("Noted." if len(said) == 1 else f"Your first words: {said[0]}")

    async def _cancel(self, session: Session, prompt: Sequence[Any]) -> None:
        await session.tool_call(
            tool_call_id="call_run", title="Run the tests", kind="execute", status="in_progress"
        )
        await session.tool_call(
            tool_call_id="call_remove", title="Clean up", kind="delete", status="pending"
        )
        asking = asyncio.create_task(self.ask(session, "call_remove", "Clean up?"))
        try:
            await asyncio.Event().wait()  # the tests run
        except asyncio.CancelledError:
            await self.report(session, "call_run", "failed", "Stopped after 3 tests")
            await session.say(f"The answer is {await asking}.")
            raise AbortedError("the tests were aborted") from None

    async def _cancel_question(self, session: Session, prompt: Sequence[Any]) -> None:
        await session.tool_call(
            tool_call_id="call_1", title="Clean up", kind="delete", status="pending"
        )
        await self.ask(session, "call_1", "Clean up?")

    async def _replay(self, session: Session, prompt: Sequence[Any]) -> None:
        asked = sum(message.role == "user" for message in session.state.messages)
        if asked == 1:
            await self.history(session)
        await session.say(f"That was message {asked}.")

    async def history(self, session: Session) -> None:
        """Send one of everything."""
        await session.think("It is ")
        await session.think("a short file.")
        await session.say("Here is what I will do.")
        await session.tool_call(
            tool_call_id="call_1", title="Check the file", kind="execute", status="pending"
        )
        await self.report(session, "call_1", "in_progress")
        await self.stream(session, "call_1", "Half of it", "All of it")
        await self.report(session, "call_1", "completed", "No mistakes")
        await session.usage(used=53000, size=200000)


class AgentV1(Scenes, live1.SessionAgent):
    """The agent in protocol 1."""

    v = v1

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        return v1.InitializeResponse(
            protocol_version=1,
            agent_info=v1.Implementation(name=NAME, version="1.0.0"),
            agent_capabilities=v1.AgentCapabilities(
                load_session=True,
                prompt_capabilities=v1.PromptCapabilities(embedded_context=True),
                session_capabilities=v1.SessionCapabilities(close=v1.SessionCloseCapabilities()),
            ),
        )

    async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
        return v1.NewSessionResponse(session_id=self.open_for(params).session_id)

    async def session_load(self, params: v1.LoadSessionRequest) -> v1.LoadSessionResponse:
        session = self.open(params.session_id)
        self.reopen(session)
        await session.replay()
        return v1.LoadSessionResponse()

    async def session_close(self, params: v1.CloseSessionRequest) -> v1.CloseSessionResponse:
        session = self.session(params.session_id)
        response = await super().session_close(params)
        self.keep(session)
        return response

    async def ask(self, session: Any, call: str, title: str) -> str:
        response = await self.client.session_request_permission(
            v1.RequestPermissionRequest(
                session_id=session.session_id,
                tool_call=v1.ToolCallUpdate(tool_call_id=call, title=title),
                options=self.options(),
            )
        )
        outcome = response.outcome
        return (
            outcome.option_id if isinstance(outcome, v1.SelectedPermissionOutcome) else "cancelled"
        )

    async def _output(self, session: live1.AgentSession, prompt: Sequence[Any]) -> None:
        await session.plan(entries=self.entries())
        await session.say("I will read it.")
        await session.say(" It is short.")
        await session.tool_call(
            tool_call_id="call_1", title="Check the file", kind="other", status="pending"
        )

    async def history(self, session: Any) -> None:
        await session.plan(entries=self.entries())
        await super().history(session)


class AgentV2(Scenes, live2.SessionAgent):
    """The agent in protocol 2."""

    v = v2

    async def initialize(self, params: v2.InitializeRequest) -> v2.InitializeResponse:
        embedded = v2.PromptEmbeddedContextCapabilities()
        return v2.InitializeResponse(
            protocol_version=2,
            info=v2.Implementation(name=NAME, version="1.0.0"),
            capabilities=v2.AgentCapabilities(
                session=v2.SessionCapabilities(
                    prompt=v2.PromptCapabilities(embedded_context=embedded)
                )
            ),
        )

    async def session_new(self, params: v2.NewSessionRequest) -> v2.NewSessionResponse:
        session = self.open_for(params)
        if session.session_id == "unprompted":
            self.peer.spawn(self.speak_up(session, "Good morning."))
        return v2.NewSessionResponse(session_id=session.session_id)

    async def session_resume(self, params: v2.ResumeSessionRequest) -> v2.ResumeSessionResponse:
        session = self.open(params.session_id)
        self.reopen(session)
        if isinstance(params.replay_from, v2.ReplayFromStart):
            await session.replay()
        return v2.ResumeSessionResponse()

    async def session_close(self, params: v2.CloseSessionRequest) -> v2.CloseSessionResponse:
        session = self.session(params.session_id)
        response = await super().session_close(params)
        self.keep(session)
        return response

    async def ext_notification(self, method: str, params: Any) -> None:
        """Release the agent from waiting."""
        await self.speak_up(self.session(params["sessionId"]), "There is mail.")

    async def speak_up(self, session: live2.AgentSession, text: str) -> None:
        """Send a message without a prompt."""
        await session.running()
        await session.say(text)
        await session.idle(stop_reason="end_turn")

    async def stream(self, session: Any, call: str, *texts: str) -> None:
        for content in self.output(texts):
            await session.tool_call_content_chunk(tool_call_id=call, content=content)

    async def ask(self, session: Any, call: str, title: str) -> str:
        about = v2.ToolCallPermissionSubject(tool_call=v2.ToolCallUpdate(tool_call_id=call))
        response = await self.client.session_request_permission(
            v2.RequestPermissionRequest(
                session_id=session.session_id, title=title, subject=about, options=self.options()
            )
        )
        outcome = response.outcome
        return (
            outcome.option_id if isinstance(outcome, v2.SelectedPermissionOutcome) else "cancelled"
        )

    async def _output(self, session: live2.AgentSession, prompt: Sequence[Any]) -> None:
        await session.plan(plan=v2.PlanItems(plan_id="plan_1", entries=self.entries()))
        await session.agent_message(message_id="answer", content=texts("I will read it."))
        await session.say(" It is short.", message_id="answer")
        await session.agent_thought(message_id="thought", content=texts("Is that a loop?"))
        await session.tool_call(
            tool_call_id="call_1", title="Check the file", kind="other", status="pending"
        )
        await session.usage(used=53000, size=200000, cost=v2.Cost(amount=0.045, currency="USD"))

    async def _requires_action(self, session: live2.AgentSession, prompt: Sequence[Any]) -> None:
        await session.tool_call(
            tool_call_id="call_1", title="Check the file", kind="execute", status="pending"
        )
        await session.requires_action()
        await self.ask(session, "call_1", "Check the file?")
        await session.running()
        await self.report(session, "call_1", "completed", "No mistakes")

    async def _unprompted(self, session: live2.AgentSession, prompt: Sequence[Any]) -> None:
        await session.say("Hello to you.")

    async def _message_ids(self, session: live2.AgentSession, prompt: Sequence[Any]) -> None:
        for role, whole, part in (
            ("user", v2.UserMessage, v2.UserMessageChunk),
            ("agent", v2.AgentMessage, v2.AgentMessageChunk),
            ("thought", v2.AgentThought, v2.AgentThoughtChunk),
        ):
            one, two = f"{role}_1", f"{role}_2"
            updates: list[v2.SessionUpdate] = [
                whole(message_id=one, content=texts("A")),
                part(message_id=one, content=v2.TextContent(text="B")),
                whole(message_id=one, meta={"seen": True}),
                whole(message_id=one, content=texts("C")),
                part(message_id=one, content=v2.TextContent(text="D")),
                whole(message_id=one, content=[]),
                part(message_id=one, content=v2.TextContent(text="E")),
                whole(message_id=one, content=None),
                part(message_id=one, content=v2.TextContent(text="F")),
                part(message_id=two, content=v2.TextContent(text="G")),
            ]
            for update in updates:
                await session.update(update)

    async def history(self, session: Any) -> None:
        await session.plan(plan=v2.PlanItems(plan_id="plan_1", entries=self.entries()))
        await session.agent_message(
            message_id="answer", content=texts("This is what I saw."), meta={"draft": True}
        )
        await session.say(" And more.", message_id="answer")
        await session.agent_thought(message_id="forgotten", content=texts("Never mind."))
        await session.agent_thought(message_id="forgotten", content=None)
        await super().history(session)


def texts(*parts: str) -> list[v2.ContentBlock]:
    """Content with a block for each text."""
    return [v2.TextContent(text=part) for part in parts]


def path(session_id: str) -> Path:
    """The file of a session."""
    return Path(f"{session_id}.json")


if __name__ == "__main__":
    asyncio.run(serve_stdio(AgentV1, AgentV2))
