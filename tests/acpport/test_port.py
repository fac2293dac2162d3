"""Tests of `acpgen port`: the results for all the ways in which programs use the official SDK.

The tests in `tests/acpport/migration` run complete ported programs.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any, ClassVar

import pytest
from acp_bindings import v1
from acp_bindings.runtime import UNSET
from acp_bindings.runtime.aio import connect, memory_streams, serve
from acpgen.cli.app import app
from acpgen.common.problems import InputError
from acpport.port import Port, port, undefined_names
from typer.testing import CliRunner

TODO = "# TODO(acpgen port): "
V1 = "from acp_bindings import v1\n"
# The source code of individual modules, before and after the conversion.
SAMPLES: dict[str, tuple[str, str]] = {
    "types": (
        """
import acp.schema as s
from acp.schema import TextContentBlock as Text, ToolCallProgress

def show(block: "Text | int", call: ToolCallProgress, *more: "list[s.SseMcpServer]") -> str:
    match block:
        case Text(text=text):
            return text  # the text itself
    return str(call.field_meta)
""",
        f"""
{V1}
def show(block: "v1.TextContent | int", call: v1.ToolCallUpdate, \
*more: "list[v1.McpServerSse]") -> str:
    match block:
        case v1.TextContent(text=text):
            return text  # the text itself
    return str(call.meta)
""",
    ),
    "constructors": (
        """
import acp
from acp.schema import AvailableCommandInput, ToolCallStart, UnstructuredCommandInput

def start(id: str, kind: str | None, root: object) -> object:
    first = ToolCallStart(
        session_update="tool_call",
        toolCallId=id,
        title=f"Call {id}",  # shown to the user
        kind=kind,
        status=None,
        content=[] if root else None,
        field_meta={"a": 1},
    )
    input = AvailableCommandInput(root=UnstructuredCommandInput(hint="x"))
    return first, input, acp.start_read_tool_call(id, "Read", "/a"), acp.text_block(text="Hi")
""",
        f"""
{V1}from acp_bindings.runtime import given

def start(id: str, kind: str | None, root: object) -> object:
    first = v1.ToolCall(
        tool_call_id=id,
        title=f"Call {{id}}",  # shown to the user
        kind=given(kind),
        content=given([] if root else None),
        meta={{"a": 1}},
    )
    input = v1.UnstructuredCommandInput(hint="x")
    return first, input, v1.ToolCall(tool_call_id=id, title="Read", kind="read", status="pending", \
locations=[v1.ToolCallLocation(path="/a")], raw_input={{"path": "/a"}}), v1.TextContent(text="Hi")
""",
    ),
    "handlers": (
        '''
from acp import Client, ReadTextFileResponse, RequestError

class Files(Client):
    def on_connect(self, conn):
        self.conn, self.all = conn, [conn]

    async def read_text_file(
        self, path: str, session_id: str, limit: int | None = None, line=1, **kwargs
    ) -> ReadTextFileResponse:
        """Reads a file."""
        if limit is None and not kwargs:
            raise RequestError.resource_not_found(path)
        return {"content": path[line:]}

    async def ext_method(self, method: str, params: dict) -> dict:
        return {method: params}

class More(Files):
    async def write_text_file(self, content, path, session_id): self.put(path, content)
''',
        f'''
{V1}from acp_bindings.runtime import UNSET, RequestError
from acp_bindings.runtime.aio import Peer

class Files(v1.ClientHandler):
    def connected(self, peer: Peer):
        conn = v1.AgentStub(peer, check_capabilities=False)
        self.conn, self.all = conn, [conn]

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        """Reads a file."""
        path = params.path
        limit = params.limit if params.limit is not UNSET else None
        line = params.line if params.line not in (None, UNSET) else 1
        kwargs = params.meta or {{}}
        if limit is None and not kwargs:
            raise RequestError.resource_not_found({{"uri": path}})
        return v1.decode(v1.ReadTextFileResponse, {{"content": path[line:]}})

    async def ext_request(self, method: str, params: dict) -> dict:
        method = method.removeprefix("_")
        return {{method: params}}

class More(Files):
    async def fs_write_text_file(self, params: v1.WriteTextFileRequest):
        content = params.content
        path = params.path
        self.put(path, content)
''',
    ),
    "without_a_base": (
        """
import acp

class Agent:
    async def initialize(self, protocol_version, **kwargs):
        return acp.InitializeResponse(protocol_version=protocol_version)

    async def prompt(self, prompt, session_id):
        return await self.run(prompt)

class Session:
    async def prompt(self, prompt): ...
    async def cancel(self): ...
""",
        f"""
{V1}
class Agent(v1.AgentHandler):
    async def initialize(self, params: v1.InitializeRequest):
        return v1.InitializeResponse(protocol_version=v1.SCHEMA.protocol_version)

    async def session_prompt(self, params: v1.PromptRequest):
        prompt = params.prompt
        return await self.run(prompt)

class Session:
    async def prompt(self, prompt): ...
    async def cancel(self): ...
""",
    ),
    "one_object": (
        """
from acp import Agent
from acp.schema import NewSessionRequest

class Old(Agent):
    async def newSession(self, params: NewSessionRequest):
        return await self._conn.requestPermission(params)
""",
        f"""
{V1}
class Old(v1.AgentHandler):
    async def session_new(self, params: v1.NewSessionRequest):
        return await self._conn.requestPermission(params)
""",
    ),
    "calls": (
        """
from acp import Client
from acp.schema import PermissionOption, ToolCallUpdate

async def ask(conn: Client, id: str, call: ToolCallUpdate, meta: dict, *more) -> None:
    await conn.session_update(id, call, source="me")
    await conn.request_permission([PermissionOption(kind="x")], id, ToolCallUpdate(tool_call_id=id))
    await conn.request_permission(id, call, options=meta)
    await conn.request_permission(*more, options=meta)
    await conn.ext_method("acme/x", {"a": 1})
    await other.new_session(cwd="/")
    await other.prompt("Hi")
    task.cancel()
""",
        f"""
{V1}
async def ask(conn: v1.ClientStub, id: str, call: v1.ToolCallUpdate, meta: dict, *more) -> None:
    await conn.session_update(v1.SessionNotification(session_id=id, update=call, \
meta={{"source": "me"}}))
    await conn.session_request_permission(v1.RequestPermissionRequest(\
options=[v1.PermissionOption(kind="x")], session_id=id, \
tool_call=v1.ToolCallUpdate(tool_call_id=id)))
    await conn.session_request_permission(v1.RequestPermissionRequest(session_id=id, \
tool_call=call, options=meta))
    {TODO}`session_request_permission` accepts one params object, v1.RequestPermissionRequest.
    await conn.request_permission(*more, options=meta)
    await conn.ext_request("_acme/x", {{"a": 1}})
    await other.session_new(v1.NewSessionRequest(cwd="/", mcp_servers=[]))
    await other.prompt("Hi")
    task.cancel()
""",
    ),
    "connections": (
        """
import acp

async def main(proc):
    await acp.run_agent(lambda conn: X(conn), proc.stdin, proc.stdout, stdio_buffer_limit_bytes=9)
    async with acp.spawn_agent_process(X(), "agent", *args, env={"A": "b"}) as (conn, _process):
        await conn.cancel(session_id="s")
    other = acp.AgentSideConnection(X(), proc.stdin, proc.stdout)
    conn = acp.connect_to_agent(X(), proc.stdin, proc.stdout)
    # still open
    await conn.close()

async def open(proc):
    conn = acp.connect_to_agent(X(), proc.stdin, proc.stdout)
    return conn
""",
        f"""
{V1}from acp_bindings.runtime.aio import AsyncioStream, connect, connect_stdio, serve
from asyncio.subprocess import PIPE
import acp

async def main(proc):
    await serve(AsyncioStream(proc.stdout, proc.stdin), {{v1: lambda conn: X(conn)}}, max_line=9)
    {TODO}`env` replaces the environment: also pass this process's variables.
    async with connect_stdio(["agent", *args], X(), env={{"A": "b"}}, stderr=PIPE) as peer:
        conn = v1.AgentStub(peer, check_capabilities=False)
        await conn.session_cancel(v1.CancelNotification(session_id="s"))
    {TODO}acp.AgentSideConnection: `connect` and `serve` create the connection.
    other = acp.AgentSideConnection(X(), proc.stdin, proc.stdout)
    async with connect(AsyncioStream(proc.stdout, proc.stdin), X()) as peer:
        conn = v1.AgentStub(peer, check_capabilities=False)
        # still open
        await peer.close()

async def open(proc):
    {TODO}`connect` is a context manager; see AsyncExitStack in the guide. \
To send calls without checking capabilities, use `AgentStub(peer, check_capabilities=False)`.
    conn = acp.connect_to_agent(X(), proc.stdin, proc.stdout)
    return conn
""",
    ),
    "values": (
        """
from acp.schema import PromptRequest, ToolCallUpdate

def read(call: ToolCallUpdate, own, data) -> object:
    title = call.title
    if call.status is None or title is not None or own.status is None:
        return getattr(call, "content", None), PromptRequest.model_validate(data)
    if own.type == "text" or call.type == "text":
        return call.model_dump(by_alias=True), own.model_dump()
""",
        f"""
{V1}from acp_bindings.runtime import UNSET

def read(call: v1.ToolCallUpdate, own, data) -> object:
    title = call.title
    if call.status in (None, UNSET) or title not in (None, UNSET) or own.status is None:
        return (None if getattr(call, "content", None) \
is UNSET else getattr(call, "content", None)), v1.decode(v1.PromptRequest, data)
    {TODO}the tag `type` is not a field: use `isinstance` with v1.TextContent.
    if own.type == "text" or call.type == "text":
        return v1.encode(call), own.model_dump()
""",
    ),
    "left": (
        """
from acp import Agent, RequestError, stdio_streams
from acp.schema import ModelInfo, NewSessionResponse

__all__ = ["RequestError", "NewSessionResponse"]

class Models(Agent):
    async def set_session_model(self, model_id, session_id):
        return ModelInfo(modelId=model_id)
""",
        f"""
{V1}from acp.schema import ModelInfo
from acp_bindings.v1 import NewSessionResponse

__all__ = ["RequestError", "NewSessionResponse"]

class Models(v1.AgentHandler):
    {TODO}set_session_model: No longer in the schema; see three alternatives in the guide. \
A session's models are now a config option.
    async def set_session_model(self, model_id, session_id):
        {TODO}acp.schema.ModelInfo: No longer in the schema. A model is now a \
`SessionConfigSelectOption`.
        return ModelInfo(modelId=model_id)
""",
    ),
    "lazy": (
        """
'''Imports the SDK where it needs it.'''
from __future__ import annotations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import acp

def main(v1: acp.RequestError) -> None:
    from acp.schema import Terminal
    return Terminal
""",
        """
'''Imports the SDK where it needs it.'''
from __future__ import annotations
from typing import TYPE_CHECKING
from acp_bindings import v1 as acp_v1
from acp_bindings.runtime import RequestError

if TYPE_CHECKING:
    pass

def main(v1: RequestError) -> None:
    return acp_v1.Terminal
""",
    ),
    "none": (
        "\nfrom .acp import Agent\nacp = Agent()\n",
        "\nfrom .acp import Agent\nacp = Agent()\n",
    ),
}


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Port]:
    folder = tmp_path_factory.mktemp("program")
    for name, (before, _) in SAMPLES.items():
        (folder / f"{name}.py").write_text(before, "utf-8")
    (folder / ".venv").mkdir()
    shutil.copy(folder / "types.py", folder / ".venv" / "other.py")
    ported = port(folder)
    ported.write()
    return folder, ported


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name: str, moved: tuple[Path, Port]) -> None:
    assert (moved[0] / f"{name}.py").read_text("utf-8") == SAMPLES[name][1]


def test_again_changes_nothing(moved: tuple[Path, Port]) -> None:
    folder, first = moved
    again = port(folder)
    assert again.moved == []
    assert again.left == first.left
    assert len(first.left) == sum(after.count(TODO) for _, after in SAMPLES.values())
    assert (folder / ".venv" / "other.py").read_text("utf-8") == SAMPLES["types"][0]


def test_an_unstable_name_moves_the_program_to_the_unstable_surface(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("from acp.schema import AgentPlanContentUpdate as P\nP\n")
    (tmp_path / "two.py").write_text("import acp\nacp.text_block('a')\n")
    port(tmp_path).write()
    texts = [(tmp_path / name).read_text().splitlines() for name in ("one.py", "two.py")]
    assert texts == [
        ["from acp_bindings import v1_unstable as v1", "v1.PlanUpdate"],
        ["from acp_bindings import v1_unstable as v1", "v1.TextContent(text='a')"],
    ]


def test_the_argument_for_the_unstable_protocol_moves_every_module(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import acp\nacp.run_agent(x, use_unstable_protocol=True)\n")
    (tmp_path / "b.py").write_text("import acp\nacp.text_block('a')\n")
    ported = port(tmp_path)
    assert [moved.new.decode().splitlines()[-1] for moved in ported.moved] == [
        "serve_stdio(x)",
        "v1.TextContent(text='a')",
    ]
    assert (ported.surface, ported.left) == ("v1_unstable", [])


def test_the_command_shows_a_patch_or_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "program.py"
    program.write_text("import acp\nacp.text_block('a')\nacp.stdio_streams()\n")
    shown = CliRunner().invoke(app, ["port", ".", "--diff"])
    advice = (
        "acp.stdio_streams: use `runtime.aio.serve_stdio`. Reserves standard output for the "
        "protocol, so `print` writes to standard error."
    )
    lines = [
        *("--- program.py", "+++ program.py", "@@ -1,3 +1,5 @@"),
        *("+from acp_bindings import v1", " import acp", "-acp.text_block('a')"),
        *("+v1.TextContent(text='a')", f"+{TODO}{advice}", " acp.stdio_streams()"),
    ]
    assert shown.stdout == "".join(f"{line}\n" for line in lines)
    place = f"program.py:4: {advice}"
    assert shown.stderr.splitlines() == [
        place,
        "1 file would be migrated to v1; 1 manual decision left",
    ]
    assert "text_block" in program.read_text()
    written = CliRunner().invoke(app, ["port", "."]).stdout.splitlines()
    assert written == [
        *("program.py: +3 -1 lines", place),
        "1 file migrated to v1; 1 manual decision left",
    ]
    report = json.loads(CliRunner().invoke(app, ["port", "program.py", "--json"]).stdout)
    assert (report["moved"], [place["line"] for place in report["left"]]) == ([], [4])


@pytest.mark.parametrize(
    ("files", "decisions", "counts"),
    [
        (0, 0, "0 files migrated to v1; 0 manual decisions left"),
        (1, 0, "1 file migrated to v1; 0 manual decisions left"),
        (2, 1, "2 files migrated to v1; 2 manual decisions left"),
    ],
)
def test_the_command_counts_files_and_decisions(
    files: int, decisions: int, counts: str, tmp_path: Path
) -> None:
    text = "import acp\nacp.text_block('a')\n" + "acp.stdio_streams()\n" * decisions
    for number in range(files):
        (tmp_path / f"{number}.py").write_text(text, "utf-8")
    assert CliRunner().invoke(app, ["port", str(tmp_path)]).stdout.splitlines()[-1] == counts


def test_the_json_report_has_the_changes_and_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import acp\nacp.text_block('a')\nacp.stdio_streams()\n"
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    report = json.loads(CliRunner().invoke(app, ["port", ".", "--json"]).stdout)
    comment = (tmp_path / "program.py").read_text(encoding="utf-8").splitlines()[3]
    left = {"file": "program.py", "line": 4, "text": comment.removeprefix(TODO)}
    assert report == {
        "surface": "v1",
        "moved": [{"file": "program.py", "added": 3, "removed": 1}],
        "left": [left],
        "handed": [],
    }


def test_nothing_is_written_if_a_module_cannot_be_parsed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import acp\nacp.text_block('a')\n")
    (tmp_path / "b.py").write_text("import acp\nx = (\n")
    with pytest.raises(InputError) as caught:
        port(tmp_path)
    [problem] = caught.value.problems
    start, _, advice = re.split(r" \((parser error: .*)\)", problem.line())
    assert start == f"error[invalid-python]: {tmp_path}/b.py:2: is not valid Python"
    assert advice == "; fix the file and run this command again"
    assert (tmp_path / "a.py").read_text() == "import acp\nacp.text_block('a')\n"
    missing = CliRunner().invoke(app, ["port", str(tmp_path / "missing")])
    assert missing.exit_code == 2
    message = "does not exist; pass the program's directory"
    assert missing.stderr.splitlines() == [f"error[missing-file]: {tmp_path}/missing: {message}"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x", {"x"}),
        ("def f(): return x", {"x"}),
        ("def f(x): return x", set()),
        ("def f():\n    x = 1\n    return x", set()),
        ("def f():\n    global x\n    x = 1\nx", set()),
        ("def f():\n    x = 1\nx", {"x"}),
        ("def f():\n    def g(): return x\n    x = 1", set()),
        ("class A:\n    x = y", {"y"}),
        ("class A: ...\ndef f(): ...\nimport b\nfrom c import d\nA, f, b, d", set()),
        ("import a.b as c\na", {"a"}),
        ("print(__name__, __file__, __path__, __annotations__, __builtins__)", set()),
        ("from a import *\nx", set()),
    ],
)
def test_undefined_names_are_found(text: str, names: set[str]) -> None:
    assert undefined_names(text.encode()) == names


_RUNNING = """
import acp
from acp.schema import ToolCallProgress

class Terminals(acp.Client):
    async def create_terminal(self, command, session_id, args=None, cwd=None, **kwargs):
        return args, cwd

    async def session_update(self, session_id: str, update: ToolCallProgress, **kwargs):
        return f"{update.title}"
"""


@pytest.mark.filterwarnings("ignore:Terminals advertises")
def test_values_that_count_as_false_stay(tmp_path: Path) -> None:
    """Only UNSET becomes None. Empty lists and strings are kept."""
    (tmp_path / "main.py").write_text(_RUNNING, "utf-8")
    port(tmp_path).write()
    names: dict[str, Any] = {}
    exec((tmp_path / "main.py").read_text("utf-8"), names)
    terminals = names["Terminals"]()
    create = v1.CreateTerminalRequest(session_id="s", command="ls", args=[], cwd="")
    assert asyncio.run(terminals.terminal_create(create)) == ([], "")
    absent = v1.CreateTerminalRequest(session_id="s", command="ls")
    assert asyncio.run(terminals.terminal_create(absent)) == (None, None)
    for title, text in (("", ""), (UNSET, "None")):
        update = v1.ToolCallUpdate(tool_call_id="t", title=title)
        shown = v1.SessionNotification(session_id="s", update=update)
        assert asyncio.run(terminals.session_update(shown)) == text


_CALLING = """
import acp
from acp.interfaces import Client

class Agent(acp.Agent):
    def on_connect(self, conn: Client) -> None:
        self.conn = conn

    async def prompt(self, prompt, session_id, **kwargs):
        await self.conn.read_text_file(path="/a", session_id=session_id)
        return acp.PromptResponse(stop_reason="end_turn")
"""


class Reader(v1.ClientHandler):
    """A client that handles file requests but doesn't advertise the capability."""

    asked: ClassVar[list[str]] = []

    async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> v1.ReadTextFileResponse:
        self.asked.append(params.path)
        return v1.ReadTextFileResponse(content="")


def test_calls_are_sent_without_the_capability(tmp_path: Path) -> None:
    """The SDK sends requests without checking capabilities, so ported programs must do the same."""
    (tmp_path / "main.py").write_text(_CALLING, "utf-8")
    port(tmp_path).write()
    names: dict[str, Any] = {}
    exec((tmp_path / "main.py").read_text("utf-8"), names)
    prompt = v1.PromptRequest(session_id="s", prompt=[])

    async def ask() -> None:
        near, far = memory_streams()
        serving = asyncio.create_task(serve(far, names["Agent"]))
        async with connect(near, Reader) as peer:
            await peer.initialize(v1.InitializeRequest(protocol_version=1))
            await v1.AgentStub(peer).session_prompt(prompt)
        await serving

    asyncio.run(ask())
    assert Reader.asked == ["/a"]
