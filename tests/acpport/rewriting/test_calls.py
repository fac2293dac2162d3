"""Calls of constructors and methods are converted."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import port


def test_a_class_that_is_now_a_union_is_constructed_as_its_variant(tmp_path: Path) -> None:
    text = 'from acp.schema import AuthMethod\n\nmethod = AuthMethod(id="a", name="A")\n'
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    last = ported.moved[0].new.decode().splitlines()[-1]
    assert last == 'method = v1.AuthMethodAgent(id="a", name="A")'


@pytest.mark.parametrize("argument", ['"a"', "*texts", "**fields"])
def test_a_constructor_argument_without_a_keyword_is_marked(argument: str, tmp_path: Path) -> None:
    text = "from acp.schema import TextContentBlock\n\n"
    call = f"TextContentBlock({argument}, annotations=None)\n"
    (tmp_path / "a.py").write_text(text + call, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-1] == f"v1.TextContent({argument})"
    assert [place.text for place in ported.left] == [
        f"v1.TextContent accepts only keyword arguments: `{argument}`."
    ]


@pytest.mark.parametrize(
    ("arguments", "converted"),
    [
        ('"s", x, y', 'session_id="s", tool_call=x, options=y'),
        ('f"{x}", x, y', 'session_id=f"{x}", tool_call=x, options=y'),
        ("[], x, y", "options=[], session_id=x, tool_call=y"),
        ("x, y, []", "session_id=x, tool_call=y, options=[]"),
        ("x, y, tool_call", "options=x, session_id=y, tool_call=tool_call"),
    ],
)
def test_the_order_of_arguments_is_found_in_their_values_and_names(
    arguments: str, converted: str, tmp_path: Path
) -> None:
    text = "import acp\n\nasync def ask(conn: acp.Client, x, y, tool_call):\n"
    call = f"    await conn.request_permission({arguments})\n"
    (tmp_path / "a.py").write_text(text + call, encoding="utf-8")
    last = port(tmp_path).moved[0].new.decode().splitlines()[-1].strip()
    request = f"v1.RequestPermissionRequest({converted})"
    assert last == f"await conn.session_request_permission({request})"


@pytest.mark.parametrize("use", ["self.conn = conn", "return conn", "yield conn, proc"])
def test_a_connection_that_leaves_its_function_is_marked(use: str, tmp_path: Path) -> None:
    text = f"""
import acp

class Program:
    async def open(self, proc):
        conn = acp.connect_to_agent(X(), proc.stdin, proc.stdout)
        {use}
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-2:] == text.splitlines()[-2:]
    [left] = ported.left
    assert left.text.startswith("`connect` is a context manager; see AsyncExitStack in the guide.")


def test_a_connection_with_another_name_stays_in_its_function(tmp_path: Path) -> None:
    text = """
import acp

async def run(proc):
    conn = acp.connect_to_agent(X(), proc.stdin, proc.stdout)
    other = conn
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    assert ported.moved[0].new.decode().splitlines()[-1] == "        other = conn"
