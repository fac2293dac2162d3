"""The agent for the tests of turns, built with acp_bindings.

It supports both protocol versions. Each conversation uses a separate session, with the
conversation's name as its id. The client sends that name in the `_meta` field of `session/new`. A
closed session is saved in a file of that name in the working directory, so that the next process
can load it. `../peers/turns.mjs` implements the same behavior for the JavaScript agents.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import serve_stdio

NAME = "turns-agent"
OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]
PLAN = [
    {"content": "Read the file", "priority": "high", "status": "in_progress"},
    {"content": "Look for mistakes", "priority": "medium", "status": "pending"},
    {"content": "Suggest a repair", "priority": "low", "status": "pending"},
]


class Scenes:
    """The agent's part in each conversation, for both protocol versions."""

    v: Any  # the package `v1` or `v2`
    open: Any
    session: Any
    end_session: Any
    client: Any
    peer: Any

    async def session_new(self, params: Any) -> Any:
        session = self.open(params.meta["conversation"])
        if session.session_id == "unprompted":
            self.peer.spawn(speak_up(session, "Good morning."))
        return self.v.NewSessionResponse(session_id=session.session_id)

    async def session_close(self, params: Any) -> None:
        updates = self.session(params.session_id).state.to_updates()
        await self.end_session(params.session_id)
        data = [self.v.encode(update, self.v.SessionUpdate) for update in updates]
        path(params.session_id).write_text(json.dumps(data), "utf-8")

    def reopen(self, session_id: str) -> Any:
        session = self.open(session_id)
        for update in json.loads(path(session_id).read_text("utf-8")):
            session.state.apply(self.v.decode(self.v.SessionUpdate, update))
        return session

    async def turn(self, session: Any, params: Any) -> str | None:
        name: str = session.session_id
        if name.startswith("stop_"):
            return await self._stop(session, name.removeprefix("stop_"))
        scene = "tool" if name.startswith("tool_") else name
        await getattr(self, f"_{scene}")(session, params.prompt)
        return None

    # --- messages that differ between versions ---------------------------------------------------

    async def stream(self, session: Any, *texts: str) -> None:
        """Stream a tool's output if the protocol version supports it."""

    def question(self, call: str, title: str) -> dict[str, Any]:
        """Return the fields that identify the subject of a permission request."""
        raise NotImplementedError

    async def ask(self, session: Any, call: str, title: str) -> str:
        """Request permission, and return the id of the chosen option or `cancelled`."""
        options = [self.v.decode(self.v.PermissionOption, option) for option in OPTIONS]
        request = self.v.RequestPermissionRequest(
            session_id=session.session_id, options=options, **self.question(call, title)
        )
        outcome = (await self.client.session_request_permission(request)).outcome
        is_selected = isinstance(outcome, self.v.SelectedPermissionOutcome)
        return outcome.option_id if is_selected else "cancelled"

    async def start(
        self, session: Any, title: str, kind: str, status: str = "pending", call: str = "call_1"
    ) -> None:
        """Send the first update of a tool call."""
        await session.tool_call(tool_call_id=call, title=title, kind=kind, status=status)

    async def report(self, session: Any, call: str, status: str, *texts: str) -> None:
        """Send a tool call's status and, if given, its text output."""
        update = self.v.ToolCallUpdate(tool_call_id=call, status=status)
        if texts:
            update.content = self.output(texts)
        await session.update(update)

    def entries(self) -> list[Any]:
        return [self.v.decode(self.v.PlanEntry, entry) for entry in PLAN]

    def output(self, texts: Sequence[str]) -> list[Any]:
        return [self.v.Content(content=self.v.TextContent(text=text)) for text in texts]

    # --- conversations ---------------------------------------------------------------------------

    async def _user_message(self, session: Any, prompt: Sequence[Any]) -> None:
        question, file = prompt
        it = file.resource
        await session.say(f"You wrote: {question.text}")
        await session.say(f"{it.uri} is {it.mime_type}: {it.text}")

    async def _stop(self, session: Any, reason: str) -> str | None:
        if reason == "cancelled":
            await session.say("Working.")
            await asyncio.Event().wait()
        return None if reason == "end_turn" else reason

    async def _tool(self, session: Any, prompt: Sequence[Any]) -> None:
        await self.start(session, "Check the file", "execute")
        if await self.ask(session, "call_1", "Check the file?") != "allow":
            await self.report(session, "call_1", "failed")
            await session.say("Then not.")
            return
        await self.run_tool(session)
        await session.say("It is fine.")

    async def run_tool(self, session: Any) -> None:
        await self.report(session, "call_1", "in_progress")
        await self.stream(session, "Half of it", "All of it")
        await self.report(session, "call_1", "completed", "No mistakes")

    async def _continued(self, session: Any, prompt: Sequence[Any]) -> None:
        said = [message.text for message in session.state.messages if message.role == "user"]
        await session.say("Noted." if len(said) == 1 else f"Your first words: {said[0]}")

    async def _cancel(self, session: Any, prompt: Sequence[Any]) -> None:
        await self.start(session, "Run the tests", "execute", "in_progress", "call_run")
        await self.start(session, "Clean up", "delete", call="call_remove")
        asking = asyncio.create_task(self.ask(session, "call_remove", "Clean up?"))
        try:
            await asyncio.Event().wait()  # the tests run
        except asyncio.CancelledError:
            await self.report(session, "call_run", "failed", "Stopped after 3 tests")
            await session.say(f"The answer is {await asking}.")
            raise ValueError("the tests were aborted") from None

    async def _cancel_question(self, session: Any, prompt: Sequence[Any]) -> None:
        await self.start(session, "Clean up", "delete")
        await self.ask(session, "call_1", "Clean up?")

    async def _replay(self, session: Any, prompt: Sequence[Any]) -> None:
        asked = sum(message.role == "user" for message in session.state.messages)
        if asked == 1:
            await self.history(session)
        await session.say(f"That was message {asked}.")

    async def history(self, session: Any) -> None:
        await session.think("It is ")
        await session.think("a short file.")
        await session.say("Here is what I will do.")
        await self.start(session, "Check the file", "execute")
        await self.run_tool(session)
        await session.usage(used=53000, size=200000)


class AgentV1(Scenes, v1.SessionAgent):
    v = v1
    info = v1.Implementation(name=NAME, version="1.0.0")
    capabilities = v1.AgentCapabilities(
        prompt_capabilities=v1.PromptCapabilities(embedded_context=True)
    )

    async def session_load(self, params: v1.LoadSessionRequest) -> None:
        await self.reopen(params.session_id).replay()

    def question(self, call: str, title: str) -> dict[str, Any]:
        return {"tool_call": v1.ToolCallUpdate(tool_call_id=call, title=title)}

    async def _output(self, session: v1.AgentSession, prompt: Sequence[Any]) -> None:
        await session.plan(entries=self.entries())
        await session.say("I will read it.")
        await session.say(" It is short.")
        await self.start(session, "Check the file", "other")

    async def history(self, session: Any) -> None:
        await session.plan(entries=self.entries())
        await super().history(session)


class AgentV2(Scenes, v2.SessionAgent):
    v = v2
    info = v2.Implementation(name=NAME, version="1.0.0")
    capabilities = v2.AgentCapabilities(
        session=v2.SessionCapabilities(
            prompt=v2.PromptCapabilities(embedded_context=v2.PromptEmbeddedContextCapabilities())
        )
    )

    async def session_resume(
        self, params: v2.ResumeSessionRequest
    ) -> v2.ResumeSessionResponse | None:
        self.reopen(params.session_id)
        return await super().session_resume(params)

    async def ext_notification(self, method: str, params: Any) -> None:
        await speak_up(self.session(params["sessionId"]), "There is mail.")

    async def stream(self, session: Any, *texts: str) -> None:
        for content in self.output(texts):
            await session.tool_call_content_chunk(tool_call_id="call_1", content=content)

    def question(self, call: str, title: str) -> dict[str, Any]:
        subject = v2.ToolCallPermissionSubject(tool_call=v2.ToolCallUpdate(tool_call_id=call))
        return {"title": title, "subject": subject}

    async def _output(self, session: v2.AgentSession, prompt: Sequence[Any]) -> None:
        await session.plan(plan=v2.PlanItems(plan_id="plan_1", entries=self.entries()))
        await session.agent_message(message_id="answer", content=texts("I will read it."))
        await session.say(" It is short.", message_id="answer")
        await session.agent_thought(message_id="thought", content=texts("Is that a loop?"))
        await self.start(session, "Check the file", "other")
        await session.usage(used=53000, size=200000, cost=v2.Cost(amount=0.045, currency="USD"))

    async def _requires_action(self, session: v2.AgentSession, prompt: Sequence[Any]) -> None:
        await self.start(session, "Check the file", "execute")
        await session.requires_action()
        await self.ask(session, "call_1", "Check the file?")
        await session.running()
        await self.report(session, "call_1", "completed", "No mistakes")

    async def _unprompted(self, session: v2.AgentSession, prompt: Sequence[Any]) -> None:
        await session.say("Hello to you.")

    async def history(self, session: Any) -> None:
        await session.plan(plan=v2.PlanItems(plan_id="plan_1", entries=self.entries()))
        saw = texts("This is what I saw.")
        await session.agent_message(message_id="answer", content=saw, meta={"draft": True})
        await session.say(" And more.", message_id="answer")
        await session.agent_thought(message_id="forgotten", content=texts("Never mind."))
        await session.agent_thought(message_id="forgotten", content=None)
        await super().history(session)


async def speak_up(session: v2.AgentSession, text: str) -> None:
    await session.running()
    await session.say(text)
    await session.idle(stop_reason="end_turn")


def texts(*parts: str) -> list[v2.ContentBlock]:
    return [v2.TextContent(text=part) for part in parts]


def path(session_id: str) -> Path:
    return Path(f"{session_id}.json")


if __name__ == "__main__":
    only = sys.argv[-1]
    agents = {"1": [AgentV1], "--bridge": [AgentV2]}.get(only, [AgentV1, AgentV2])
    asyncio.run(serve_stdio(*agents, bridge=only == "--bridge"))
