"""Tests that handlers and SDK calls are identified by types or, as a fallback, by parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import port

from tests.acpport.single import TODO, ported_body, ported_lines

START = (
    "import acp\nfrom acp.schema import TextContentBlock\n\nasync def f(other, value):\n    await "
)


def called(call: str, folder: Path) -> str:
    """Port a program with a call on an object of unknown type, and return the resulting call."""
    (folder / "a.py").write_text(f"{START}{call}\n", encoding="utf-8")
    ported = port(folder)
    return ported.moved[0].new.decode().splitlines()[-1].removeprefix("    await ")


@pytest.mark.parametrize(
    "call",
    [
        'other.load_session("s", cwd="/", mcp_servers=[])',  # the first argument can be anything
        'other.load_session(value, cwd="/", mcp_servers=[])',
        'other.load_session(cwd="/", mcp_servers=[])',  # a required argument is missing
        'other.new_session(cwd="/", color="red")',  # not an argument of the SDK's method
        "other.cancel()",
        "other.new_session",
    ],
)
def test_calls_that_only_share_a_name_stay(call: str, tmp_path: Path) -> None:
    assert called(call, tmp_path) == call


@pytest.mark.parametrize(
    ("call", "rewritten"),
    [
        (
            'other.load_session(cwd="/", session_id="s", mcp_servers=[])',
            'other.session_load(v1.LoadSessionRequest(cwd="/", session_id="s", mcp_servers=[]))',
        ),
        (
            'other.prompt([TextContentBlock(text="Hi")], session_id="s")',
            'other.session_prompt(v1.PromptRequest(prompt=[v1.TextContent(text="Hi")], '
            'session_id="s"))',
        ),
    ],
)
def test_calls_with_the_parameters_of_the_method_are_rewritten(
    call: str, rewritten: str, tmp_path: Path
) -> None:
    assert called(call, tmp_path) == rewritten


@pytest.mark.parametrize(
    ("parameters", "is_handler"),
    [
        ("path, session_id", True),
        ("path, **kwargs", True),
        ("path", False),  # a required parameter is missing
        ("name, **kwargs", False),
    ],
)
def test_a_class_without_a_base_is_a_handler_if_its_methods_fit(
    parameters: str, is_handler: bool, tmp_path: Path
) -> None:
    text = f"""
import acp

class Files:
    async def read_text_file(self, {parameters}): ...
    async def write_text_file(self, content, {parameters}): ...

print(acp.text_block("a"))
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    new = port(tmp_path).moved[0].new.decode()
    assert ("class Files(v1.ClientHandler):" in new) is is_handler
    assert ("class Files:" in new) is not is_handler


@pytest.mark.parametrize("name", ["Agent", "ClientSideConnection"])
def test_a_connection_to_an_agent_is_a_stub(name: str, tmp_path: Path) -> None:
    start = f"import acp\n\ndef f(conn: acp.{name}):"
    assert ported_body(start, 'conn.cancel("s")', tmp_path) == [
        'conn.session_cancel(v1.CancelNotification(session_id="s"))'
    ]


@pytest.mark.parametrize("name", ["Client", "AgentSideConnection"])
def test_a_connection_to_a_client_is_a_stub(name: str, tmp_path: Path) -> None:
    start = f"import acp\n\ndef f(conn: acp.{name}):"
    assert ported_body(start, 'conn.kill_terminal("s", "t")', tmp_path) == [
        'conn.terminal_kill(v1.KillTerminalRequest(session_id="s", terminal_id="t"))'
    ]


@pytest.mark.parametrize("name", ["Agent", "Client", "AgentSideConnection", "ClientSideConnection"])
def test_a_connection_that_is_constructed_is_marked(name: str, tmp_path: Path) -> None:
    start = "import acp\n\ndef f(x):"
    assert ported_body(start, f"acp.{name}(x).close()", tmp_path) == [
        f"{TODO}acp.{name}: `connect` and `serve` create the connection.",
        f"{TODO}leaving the `connect` block closes the connection.",
        f"acp.{name}(x).close()",
    ]


@pytest.mark.parametrize("receiver", ["self", "super()"])
def test_a_handler_calls_its_own_methods(receiver: str, tmp_path: Path) -> None:
    text = f"""
import acp

class Base(acp.Agent):
    async def cancel(self, session_id): ...

class Own(Base):
    async def stop(self):
        await {receiver}.cancel("s")
"""
    last = ported_lines(text, tmp_path)[-1].strip()
    assert last == f'await {receiver}.session_cancel(v1.CancelNotification(session_id="s"))'


def test_the_object_of_a_nested_class_is_not_a_handler(tmp_path: Path) -> None:
    text = """
import acp

class Own(acp.Agent):
    async def prompt(self, prompt, session_id):
        class Stopped:
            async def stop(self):
                await self.cancel("s")
"""
    last = ported_lines(text, tmp_path)[-1].strip()
    assert last == 'await self.cancel("s")'
