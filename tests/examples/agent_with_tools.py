"""An agent with tools, for protocols 1 and 2; see `tools.py` for what it understands.

Sessions outlive it: they are kept in the folder that the environment variable AGENT_SESSIONS names.
"""

import asyncio
import base64
import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, CapabilityError, RequestError, Surface
from acp_bindings.runtime.aio import serve_stdio
from tools import Call, Step, Workspace, work

STORE = Path(os.environ.get("AGENT_SESSIONS", Path.home() / ".agent-with-tools"))
CHOICES: dict[v1.PermissionOptionKind, str] = {
    "allow_once": "Allow",
    "allow_always": "Always allow",
    "reject_once": "Reject",
}


class SessionV1(v1.AgentSession, Workspace):
    """Reports in the terms of protocol 1. Works on the files of the client, if it offers them."""

    async def show_plan(self, plan: list[Step]) -> None:
        entries = [v1.PlanEntry(content=c, priority="medium", status=s) for c, s in plan]
        await self.plan(entries=entries)

    async def show_call(self, call: Call) -> None:
        content: list[v1.ToolCallContent] = []
        if call.new_text:
            path, old, new = str(call.path), call.old_text, call.new_text
            content = [v1.Diff(path=path, old_text=old, new_text=new)]
        elif call.output:
            content = [v1.Content(content=v1.TextContent(text=call.text))]
        is_known = call.id in self.state.tool_calls
        form: type[v1.ToolCall | v1.ToolCallUpdate] = v1.ToolCallUpdate if is_known else v1.ToolCall
        await self.update(
            form(
                tool_call_id=call.id,
                title=call.title,
                kind=call.kind,
                status="failed" if call.status == "cancelled" else call.status,
                content=content,
                locations=[v1.ToolCallLocation(path=str(call.path))],
            )
        )

    async def show_output(self, call: Call, data: bytes) -> None:
        await self.show_call(call)

    async def choose(self, call: Call) -> str | None:
        about = v1.ToolCallUpdate(tool_call_id=call.id, title=call.title, kind=call.kind)
        options = [v1.PermissionOption(option_id=k, kind=k, name=n) for k, n in CHOICES.items()]
        outcome = (await self.ask_permission(about, options)).outcome
        return outcome.option_id if isinstance(outcome, v1.SelectedPermissionOutcome) else None

    async def read_text(self, path: Path) -> str:
        try:
            return (await self.fs_read_text_file(path=str(path))).content
        except CapabilityError:
            return await super().read_text(path)

    async def write_text(self, path: Path, text: str) -> None:
        try:
            await self.fs_write_text_file(path=str(path), content=text)
        except CapabilityError:
            await super().write_text(path, text)


class SessionV2(v2.AgentSession, Workspace):
    """Reports in the terms of protocol 2: output as that of terminals, edits as patches."""

    async def show_plan(self, plan: list[Step]) -> None:
        entries = [v2.PlanEntry(content=c, priority="medium", status=s) for c, s in plan]
        await self.plan(plan=v2.PlanItems(plan_id="plan", entries=entries))

    async def show_call(self, call: Call) -> None:
        content: list[v2.ToolCallContent] = []
        if call.kind == "execute":
            code, command, cwd = call.exit_code, call.title, str(call.path)
            ended = UNSET if code is None else v2.TerminalExitStatus(exit_code=code)
            await self.terminal(terminal_id=call.id, command=command, cwd=cwd, exit_status=ended)
            content = [v2.Terminal(terminal_id=call.id)]
        elif call.new_text:
            change = v2.AddDiffChange if call.old_text is None else v2.ModifyDiffChange
            patch = v2.DiffPatch(format="git_patch", text=call.patch())
            content = [v2.Diff(changes=[change(path=str(call.path))], patch=patch)]
        elif call.output:
            content = [v2.Content(content=v2.TextContent(text=call.text))]
        await self.tool_call(
            tool_call_id=call.id,
            title=call.title,
            kind=call.kind,
            status=call.status,
            content=content,
            locations=[v2.ToolCallLocation(path=str(call.path))],
        )

    async def show_output(self, call: Call, data: bytes) -> None:
        await self.terminal_output_chunk(terminal_id=call.id, data=base64.b64encode(data).decode())

    async def choose(self, call: Call) -> str | None:
        about = v2.ToolCallPermissionSubject(tool_call=v2.ToolCallUpdate(tool_call_id=call.id))
        options = [v2.PermissionOption(option_id=k, kind=k, name=n) for k, n in CHOICES.items()]
        outcome = (await self.ask_permission(call.title, options, subject=about)).outcome
        return outcome.option_id if isinstance(outcome, v2.SelectedPermissionOutcome) else None


def saved_in(surface: Surface, session_id: str) -> Path:
    STORE.mkdir(parents=True, exist_ok=True)
    return STORE / f"{session_id}.v{surface.SCHEMA.protocol_version}.json"


def save(surface: Surface, session_id: str, updates: Sequence[object]) -> None:
    data = [surface.encode(each, surface.TYPES["SessionUpdate"]) for each in updates]
    saved_in(surface, session_id).write_text(json.dumps(data), "utf-8")


def load(surface: Surface, session_id: str) -> list[Any]:
    path = saved_in(surface, session_id)
    if path not in STORE.iterdir():  # the id may be any text, such as "../secret"
        raise RequestError.resource_not_found({"sessionId": session_id}, "session not found")
    data = json.loads(path.read_text("utf-8"))
    return [surface.decode(surface.TYPES["SessionUpdate"], each) for each in data]


class AgentV1(v1.SessionAgent[SessionV1]):
    info = v1.Implementation(name="agent-with-tools", version="1.0")

    async def session_load(self, params: v1.LoadSessionRequest) -> None:
        if params.session_id not in self.sessions:
            updates = load(v1, params.session_id)
            session = self.open(params.session_id)
            for update in updates:
                session.state.apply(update)
        await self.session(params.session_id).replay()

    async def turn(self, session: SessionV1, params: v1.PromptRequest) -> None:
        texts = [block.text for block in params.prompt if isinstance(block, v1.TextContent)]
        try:
            await work(session, "\n".join(texts))
        finally:
            save(v1, session.session_id, session.state.to_updates())


class AgentV2(v2.SessionAgent[SessionV2]):
    info = v2.Implementation(name="agent-with-tools", version="1.0")

    async def session_resume(
        self, params: v2.ResumeSessionRequest
    ) -> v2.ResumeSessionResponse | None:
        if params.session_id not in self.sessions:
            updates = load(v2, params.session_id)
            session = self.open(params.session_id)
            for update in [*updates, v2.IdleStateUpdate()]:  # they were saved within a turn
                session.state.apply(update)
        return await super().session_resume(params)

    async def turn(self, session: SessionV2, params: v2.PromptRequest) -> None:
        texts = [block.text for block in params.prompt if isinstance(block, v2.TextContent)]
        try:
            await work(session, "\n".join(texts))
        finally:
            save(v2, session.session_id, session.state.to_updates())


AGENTS = (AgentV1, AgentV2)

if __name__ == "__main__":
    logging.basicConfig()  # to standard error
    asyncio.run(serve_stdio(*AGENTS))
