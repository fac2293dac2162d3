"""Tests that the guide's table of losses matches the losses that the code reports."""

from __future__ import annotations

import ast
import base64
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import bridge as package
from acp_bindings.runtime.bridge.exchange import Losses
from acp_bindings.runtime.jsonrpc.events import Request

from tests.package.bridge.v1_client_v2_agent import test_translator as older
from tests.package.bridge.v2_client_v1_agent import introduced as newer
from tests.package.bridge.wire import Json, Wire
from tests.support.goldens import check_golden
from tests.support.paths import GUIDE_TEMPLATES

ROWS: dict[tuple[str, str], tuple[Callable[[], Wire], set[str]]] = {}
SOURCES = Path(package.__file__).parent
META: Json = {"_meta": {"k": 1}}
TERMINAL: Json = {"type": "terminal", "terminalId": "T"}
CALLS = {"lose", "lose_others", "_lose", "_lose_part", "_lose_others"}
TO_1, TO_2 = "protocol 1", "protocol 2"
Scenario = Callable[[], Wire]


def row(towards: str, what: str, *pointers: str) -> Callable[[Scenario], Scenario]:
    """Register the scenario for a table row and the pointers of the losses to be reported."""

    def register(scenario: Scenario) -> Scenario:
        ROWS[towards, what] = scenario, set(pointers)
        return scenario

    return register


# --- an agent of protocol 2, a client of protocol 1 ----------------------------------------------


def opened(**capabilities: Any) -> Wire:
    wire = older.introduced(capabilities)
    older.open_session(wire)
    wire.losses.clear()
    return wire


def told(tag: str, wire: Wire | None = None, **members: Any) -> Wire:
    """Send an update from the agent."""
    wire = wire or opened()
    wire.agent.update(sessionUpdate=tag, **members)
    return wire


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def called(*content: Json, **members: Any) -> Wire:
    """Send a tool call from the agent."""
    return told("tool_call_update", toolCallId="t", title="Run", content=list(content), **members)


def asked(**subject: Any) -> Wire:
    wire = opened()
    older.ask(wire, title="May I?", subject=subject)
    return wire


@row(
    TO_1,
    "the id of a message that is rewritten or cleared: the message is sent again under another id",
    "/update/content",
)
def _() -> Wire:
    wire = opened()
    older.say(wire, "Hello")
    older.say(wire, "Bye")
    return wire


@row(
    TO_1,
    "`_meta` and unknown fields of a message, chunk or update without content to show",
    "/update/_meta",
    "/_meta",
    "/update/output/_meta",
    "/update/exitStatus/_meta",
    "/update/plan/_meta",
    "/update/content",
)
def _() -> Wire:
    wire = told("agent_message", messageId="a", content=[older.TEXT])
    told("agent_message", wire, messageId="a", **META)
    wire.agent.notify(
        "session/update",
        sessionId="s",
        update={"sessionUpdate": "agent_message", "messageId": "a"},
        **META,
    )
    told(
        "tool_call_content_chunk",
        wire,
        toolCallId="t",
        content={"type": "content", "content": older.TEXT},
        **META,
    )
    told("terminal_output_chunk", wire, terminalId="T", data="", **META)
    told(
        "terminal_update",
        wire,
        terminalId="T",
        output={"data": "", **META},
        exitStatus={"exitCode": 1, **META},
    )
    told("agent_message_chunk", wire, messageId="b", content={"type": "smell"}, **META)
    told("plan_update", wire, plan={"type": "items", "planId": "p", "entries": [], **META})
    older.prompt(wire, inserted=False)
    told("user_message", wire, messageId="u", content=[older.TEXT], **META)
    told("state_update", wire, state="running", **META)
    return wire


@row(
    TO_1,
    "`_meta` and unknown fields of a prompt response, an error and `$/cancel_request`",
    "/_meta",
    "/update/_meta",
    "/update/error/_meta",
)
def _() -> Wire:
    wire = opened()
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=[older.TEXT])
    wire.client.notify("$/cancel_request", requestId=99, **META)
    wire.agent.answer(wire.agent.take("session/prompt"), {"messageId": "u", **META})
    told("user_message", wire, messageId="u", content=[older.TEXT])
    older.idle(wire, "error", error={"code": 1, "message": "no", **META}, **META)
    assert wire.client.answers[id_]["code"] == 1
    return wire


@row(
    TO_1,
    "`_meta` and unknown fields of capabilities that are converted to true or false",
    "/capabilities/session/prompt/image/_meta",
    "/capabilities/session/mcp/stdio/_meta",
)
def _() -> Wire:
    wire = Wire()
    wire.client.request("initialize", protocolVersion=1)
    session = {"prompt": {"image": META}, "mcp": {"stdio": META}}
    answer = {
        "protocolVersion": 2,
        "info": {"name": "a", "version": "1"},
        "capabilities": {"session": session},
    }
    wire.agent.answer(wire.agent.take(), answer)
    return wire


@row(TO_1, "an empty message, until it has content", "/update")
def _() -> Wire:
    return told("agent_message", messageId="a")


@row(
    TO_1,
    "null for a tool call's title, name, raw input and raw output: they stay unchanged",
    "/update/title",
)
def _() -> Wire:
    return told("tool_call_update", called(), toolCallId="t", title=None)


@row(
    TO_1,
    "terminals: their output is converted to text in the tool calls that show them",
    "/update/content/0/terminalId",
)
def _() -> Wire:
    return called(TERMINAL)


@row(TO_1, "terminals that no tool call shows", "/update", "/update/stopReason")
def _() -> Wire:
    wire = told("terminal_update", terminalId="T", command="ls")
    older.idle(wire)
    return wire


@row(
    TO_1,
    "the directory, size and capabilities of a terminal",
    "/update/cwd",
    "/update/size",
    "/update/capabilities",
)
def _() -> Wire:
    return told(
        "terminal_update",
        terminalId="T",
        cwd="/",
        size={"cols": 1, "rows": 1},
        capabilities={"cancel": {}},
    )


@row(
    TO_1,
    "output that isn't valid UTF-8: replacement characters are shown",
    "/update/content/0/terminalId",
    "/update/data",
    "/update/stopReason",
)
def _() -> Wire:
    wire = called(TERMINAL)
    told("terminal_output_chunk", wire, terminalId="T", data=encoded(b"\xff"))
    told("terminal_output_chunk", wire, terminalId="T", data=encoded(b"\xc3"))
    older.idle(wire)
    return wire


@row(TO_1, "updates with output that isn't valid base64", "/update")
def _() -> Wire:
    wire = told("terminal_output_chunk", terminalId="T", data="***")
    return told("terminal_update", wire, terminalId="T", output={"data": "aGk=\n"})


@row(TO_1, "separate plans: they are merged into one plan, each under a heading", "/update/plan")
def _() -> Wire:
    wire = opened()
    older.plan(wire, "p", "one")
    older.plan(wire, "q", "two")
    return wire


@row(TO_1, "plans and updates of unknown types", "/update")
def _() -> Wire:
    return told("_cook", told("plan_update", plan={"type": "_graph", "planId": "p"}))


@row(TO_1, "background work", "/update/background", "/update/stopReason")
def _() -> Wire:
    wire = opened()
    older.idle(wire, background=[{"type": "terminal", "terminalId": "T"}])
    return wire


@row(TO_1, "the states `requires_action` and, without a prompt, `running`", "/update/state")
def _() -> Wire:
    return told("state_update", told("state_update", state="running"), state="requires_action")


@row(
    TO_1,
    "the stop reason or the error of a turn that wasn't started by a prompt",
    "/update/stopReason",
    "/update/error",
)
def _() -> Wire:
    wire = opened()
    older.idle(wire, "error", error={"code": 1, "message": "no"})
    return wire


@row(
    TO_1,
    "a stop reason that protocol 1 doesn't define: it is converted to `end_turn`, with the original"
    " reason in `_meta`",
    "/update/stopReason",
)
def _() -> Wire:
    wire = opened()
    older.prompt(wire)
    older.idle(wire, "_lunch")
    return wire


@row(
    TO_1,
    "the last part of a prompt, if the agent repeats only the beginning of the prompt",
    "/update/content",
)
def _() -> Wire:
    wire = opened()
    older.prompt(wire, inserted=False)
    told("user_message_chunk", wire, messageId="u", content={"type": "text", "text": "h"})
    told("state_update", wire, state="running")
    older.idle(wire)
    return wire


@row(TO_1, "notices and compaction, unless the client requests them", "/update")
def _() -> Wire:
    return told("notice", severity="info", title="N")


@row(
    TO_1,
    "boolean options, unless the client requests them",
    "/update/configOptions/0",
)
def _() -> Wire:
    option = {"type": "boolean", "configId": "c", "name": "C", "currentValue": True}
    return told("config_option_update", configOptions=[option])


@row(
    TO_1,
    "diffs of several files, and diffs that aren't text: they are converted to text",
    "/update/content/0",
)
def _() -> Wire:
    return called({"type": "diff", "changes": [{"operation": "delete", "path": "/a"}]})


@row(
    TO_1,
    "in single-file diffs: line numbers, types, `_meta` and unknown fields",
    "/update/content/0/patch",
    "/update/content/0/changes/0/fileType",
    "/update/content/1/patch/_meta",
)
def _() -> Wire:
    text = "@@ -1 +1 @@\n-a\n+b\n"
    change = {"operation": "modify", "path": "/a", "fileType": "text"}
    new = "@@ -0,0 +1 @@\n+b\n"
    return called(
        {"type": "diff", "changes": [change], "patch": {"format": "git_patch", "text": text}},
        {
            "type": "diff",
            "changes": [{"operation": "add", "path": "/b"}],
            "patch": {"format": "git_patch", "text": new, **META},
        },
    )


@row(
    TO_1,
    "a terminal or an unknown tool call in a permission request, and the `_meta` of its subject",
    "/subject/terminalId",
    "/subject/toolCallId",
    "/subject/_meta",
)
def _() -> Wire:
    wire = asked(type="command", command="ls", cwd="/", terminalId="T", toolCallId="t", **META)
    older.ask(
        wire, title="?", subject={"type": "tool_call", "toolCall": {"toolCallId": "t"}, **META}
    )
    return wire


@row(TO_1, "unknown subjects of permission requests", "/subject")
def _() -> Wire:
    return asked(type="_smell")


@row(TO_1, "updates and responses that arrive after a session was closed", "")
def _() -> Wire:
    wire = opened()
    wire.client.request("session/close", sessionId="s")
    wire.agent.answer(wire.agent.take("session/close"), {})
    wire.client.request("session/set_config_option", sessionId="s", configId="c", value="v")
    wire.agent.answer(wire.agent.take("session/set_config_option"), {"configOptions": []})
    older.say(wire, "late")
    return wire


@row(
    TO_1,
    "environment variables with a duplicate name, or with fields other than name and value",
    "/authMethods/0/env/0",
    "/authMethods/0/env/1",
)
def _() -> Wire:
    wire = Wire()
    wire.client.request("initialize", protocolVersion=1)
    variables = [{"name": "A", "value": "1", **META}, {"name": "A", "value": "2"}]
    method = {"type": "terminal", "methodId": "m", "name": "M", "env": variables}
    answer = {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {}}
    wire.agent.answer(wire.agent.take(), {**answer, "authMethods": [method]})
    return wire


@row(
    TO_1,
    "responses to permission requests and elicitations that protocol 1 doesn't define",
    "/outcome",
    "",
    "/content/n",
)
def _() -> Wire:
    wire = newer.with_session()
    newer.ask(wire)
    question = wire.client.take("session/request_permission")
    wire.client.answer(question, {"outcome": {"outcome": "_later"}})
    wire.agent.request("elicitation/create", sessionId="s", **newer.FORM)
    question = wire.client.take("elicitation/create")
    wire.client.answer(question, {"action": "accept", "content": {"n": {}}})
    return wire


@row(
    TO_1,
    "fields of `replayFrom`, and fields of requests to which the bridge itself responds",
    "",
    "/_meta",
    "/replayFrom/_meta",
    "/replayFrom",
)
def _() -> Wire:
    wire = newer.with_session(newer.introduced(sessionCapabilities={"resume": {}}))
    start = {"type": "start", **META}
    wire.client.request("session/resume", sessionId="x", cwd="/", replayFrom=start)
    wire.agent.answer(wire.agent.take("session/resume"), {})
    wire.client.request("session/list", **META)
    wire.client.request("session/close", sessionId="s", **META)
    return wire


@row(
    TO_1,
    "the directories and servers of a resumed session, if the agent can't resume or load sessions",
    "",
)
def _() -> Wire:
    wire = newer.with_session()
    newer.resume(wire, replay=False)
    return wire


# --- an agent of protocol 1, a client of protocol 2 ----------------------------------------------


@row(
    TO_2,
    "the client's files and terminals",
    "/clientCapabilities/fs",
    "/clientCapabilities/terminal",
)
def _() -> Wire:
    return older.introduced({"fs": {"readTextFile": True}, "terminal": True})


@row(TO_2, "methods that protocol 2 doesn't define, unless the bridge has a handler for them", "")
def _() -> Wire:
    wire = newer.with_session()
    wire.agent.request("fs/read_text_file", sessionId="s", path="/a")
    wire.agent.notify("cook")
    return wire


@row(
    TO_2,
    "terminals in the content of tool calls, unless a handler of the bridge created them",
    "/update/content/0",
)
def _() -> Wire:
    wire = newer.with_session()
    wire.agent.update(sessionUpdate="tool_call", toolCallId="t", title="T", content=[TERMINAL])
    return wire


@row(TO_2, "whether the beginning of a terminal's output is missing", "/truncated")
def _() -> Wire:
    wire = Wire(handler=Terminals)
    wire.client.request("initialize", protocolVersion=2, info={"name": "c", "version": "1"})
    wire.agent.answer(wire.agent.take(), {"protocolVersion": 1})
    newer.open_session(wire)
    stand_in = wire.bridge.stand_in
    assert stand_in is not None
    wire.agent.request("terminal/output", sessionId="s", terminalId="T")
    _, request = stand_in.take_events()  # the first event opens the session
    assert isinstance(request, Request)
    stand_in.respond(request, v1.TerminalOutputResponse(output="b", truncated=True))
    return wire


class Terminals(v1.ClientHandler):
    async def terminal_output(self, params: Any) -> Any: ...


@row(
    TO_2,
    "a mode that the agent never offered",
    "/update/currentModeId",
    "/update/_meta",
    "/_meta",
)
def _() -> Wire:
    wire = newer.with_session()
    update = {"sessionUpdate": "current_mode_update", "currentModeId": "x", **META}
    wire.agent.notify("session/update", sessionId="s", update=update, **META)
    return wire


@row(TO_2, "modes, if one of the agent's options represents them", "/modes")
def _() -> Wire:
    option = {**newer.MODE_OPTION, "id": newer.MODE_OPTION["configId"]}
    del option["configId"]
    return newer.with_session(modes=newer.MODES, configOptions=[option])


@row(
    TO_2,
    "`_meta` and unknown fields of capabilities that all or no protocol 2 agents have",
    "/agentCapabilities/sessionCapabilities/list/_meta",
    "/agentCapabilities/auth/_meta",
    "/agentCapabilities/auth/logout/_meta",
)
def _() -> Wire:
    return newer.introduced(sessionCapabilities={"list": META}, auth={"logout": META, **META})


@row(TO_2, "keys of `_meta` with the value null: protocol 2 removes them", "/update/_meta/k")
def _() -> Wire:
    wire = newer.with_session()
    wire.agent.update(sessionUpdate="session_info_update", _meta={"k": None})
    return wire


@row(TO_2, "authentication methods without `logout`", "/authMethods")
def _() -> Wire:
    wire = Wire()
    wire.client.request("initialize", protocolVersion=2, info={"name": "c", "version": "1"})
    answer = {"protocolVersion": 1, "authMethods": [{"id": "a", "name": "A"}]}
    wire.agent.answer(wire.agent.take(), answer)
    return wire


@row(TO_2, "the agent's error for a rejected prompt: the turn ends with this error", "")
def _() -> Wire:
    wire = newer.with_session()
    wire.agent.refuse(newer.begin(wire))
    return wire


@row(TO_2, "permission requests without options, or in closed sessions", "")
def _() -> Wire:
    wire = newer.with_session()
    wire.agent.request(
        "session/request_permission", sessionId="s", toolCall={"toolCallId": "t"}, options=[]
    )
    wire.client.request("session/close", sessionId="s")
    wire.agent.update(**newer.chunk("late"))
    return wire


@row(
    TO_2,
    "servers and directories that the agent doesn't support: they are sent anyway, and the agent"
    " can ignore them",
    "/mcpServers",
)
def _() -> Wire:
    wire = older.introduced()
    server = {"name": "S", "command": "/s", "args": [], "env": []}
    wire.client.request("session/new", cwd="/", mcpServers=[server])
    return wire


@row(
    TO_2,
    "fields with a name that only the other version defines",
    "/availableCommands",
)
def _() -> Wire:
    return newer.with_session(availableCommands=[])


# --- the table -----------------------------------------------------------------------------------


def table() -> Iterator[tuple[str, str]]:
    """Yield the target version and the description of each row."""
    text = (GUIDE_TEMPLATES / "bridge.md").read_text("utf-8")
    _, _, rest = text.partition("| to | what is lost |\n|---|---|\n")
    towards = ""
    for line in rest.splitlines():
        if not line:
            return
        _, first, what, _ = (cell.strip() for cell in line.split("|"))
        towards = first or towards
        yield towards, what


def test_each_row_of_the_guide_has_a_scenario() -> None:
    assert list(table()) == list(ROWS)


@pytest.mark.parametrize("key", ROWS, ids="-".join)
def test_each_row_is_reported(key: tuple[str, str]) -> None:
    scenario, pointers = ROWS[key]
    assert {loss.pointer for loss in scenario().losses} == pointers


def test_losses_have_the_reasons_in_the_golden(request: pytest.FixtureRequest) -> None:
    lines: list[str] = []
    for (towards, what), (scenario, _) in ROWS.items():
        lines += ["", f"for {towards}: {what}"]
        lines += [
            f"  {loss.side} {loss.session_id}: {loss.method}#{loss.pointer}: {loss.reason}"
            for loss in scenario().losses
        ]
    check_golden(Path(__file__).parent / "goldens" / "losses.txt", lines[1:], request)


# --- the code ------------------------------------------------------------------------------------


def reports() -> set[tuple[str, int]]:
    """Return the locations of calls that report losses.

    Rules are left out, because they have a separate table.
    """
    found: set[tuple[str, int]] = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
            if name in CALLS and path.name != "rules.py":
                found.add((str(path), node.lineno))
    return found


def test_each_report_in_the_code_belongs_to_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: set[tuple[str, int]] = set()
    add = Losses.add

    def record(losses: Losses, loss: Any) -> None:
        frame = sys._getframe()
        while frame is not None:
            reached.add((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        add(losses, loss)

    monkeypatch.setattr(Losses, "add", record)
    for scenario, _ in ROWS.values():
        scenario()
    reporting = {Path(file).relative_to(SOURCES).as_posix() for file, _ in reports()}
    assert reporting > {
        "v1_client_v2_agent/translator.py",
        "v2_client_v1_agent/translator.py",
    }
    assert reports() - reached == set()
