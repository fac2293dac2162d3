"""Tests that context managers replace calls that open connections."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import Port, port


def spawned(arguments: str, variables: str, folder: Path) -> tuple[Port, list[str]]:
    """Port a program that starts an agent. Return the result and the program's last lines."""
    text = f"""
import acp

async def run():
    async with acp.spawn_agent_process({arguments}){variables}:
        pass
"""
    (folder / "a.py").write_text(text, encoding="utf-8")
    ported = port(folder)
    lines = ported.moved[0].new.decode().splitlines() if ported.moved else text.splitlines()
    return ported, [line.strip() for line in lines[lines.index("async def run():") + 1 :]]


@pytest.mark.parametrize(
    ("arguments", "converted", "marks"),
    [
        ('X(), "a", use_unstable_protocol=False', '["a"], X()', []),
        ('X(), command="a"', '["a"], X()', []),
        ('to_client=X(), command="a"', '["a"], X()', []),
        (
            'X(), "a", color=1',
            '["a"], X()',
            ["the argument `color` has no counterpart; see the guide."],
        ),
        ("", "[], ...", ["pass a handler instead of `...`."]),
        (
            'X(), "a", **more',
            '["a"], X(), **more',
            ["cannot resolve `more`: pass each argument explicitly."],
        ),
        ('X(), "a", *more', '["a", *more], X()', []),
        ('X(), "a", cwd="/"', '["a"], X(), cwd="/"', []),
        ('X(), "a", env=None', '["a"], X(), env=None', []),
    ],
)
def test_the_arguments_of_an_agents_process_are_passed_on(
    arguments: str, converted: str, marks: list[str], tmp_path: Path
) -> None:
    ported, lines = spawned(arguments, " as (conn, process)", tmp_path)
    assert ported.surface == "v1"
    assert [place.text for place in ported.left] == marks
    assert [line for line in lines if not line.startswith("#")] == [
        f"async with connect_stdio({converted}, stderr=PIPE) as peer:",
        "conn, process = v1.AgentStub(peer, check_capabilities=False), peer.process",
        "pass",
    ]


def test_the_unstable_protocol_moves_the_program_to_the_unstable_surface(tmp_path: Path) -> None:
    ported, _ = spawned('X(), "a", use_unstable_protocol=True', " as (conn, process)", tmp_path)
    assert (ported.surface, ported.left) == ("v1_unstable", [])


def test_an_agent_without_variables_is_started(tmp_path: Path) -> None:
    ported, lines = spawned('X(), "a"', "", tmp_path)
    assert ported.left == []
    assert lines == ['async with connect_stdio(["a"], X(), stderr=PIPE) as peer:', "pass"]


@pytest.mark.parametrize(
    ("variables", "mark"),
    [
        (
            " as pair",
            "`connect_stdio` returns the peer, which provides the process as `peer.process`; use a "
            "stub to call the agent.",
        ),
        (
            " as (conn, process), other",
            "acp.spawn_agent_process: use `runtime.aio.connect_stdio`. A context manager that "
            "returns the peer. `peer.process` is the process.",
        ),
    ],
)
def test_an_agent_that_is_started_in_another_way_is_marked(
    variables: str, mark: str, tmp_path: Path
) -> None:
    ported, lines = spawned('X(), "a"', variables, tmp_path)
    assert lines[-2:] == [f'async with acp.spawn_agent_process(X(), "a"){variables}:', "pass"]
    assert [place.text for place in ported.left] == [mark]
    assert ported.moved[0].new.decode().splitlines()[1] == "import acp"


@pytest.mark.parametrize("statement", ['acp.spawn_agent_process(X(), "a")', "with lock: pass"])
def test_other_statements_stay(statement: str, tmp_path: Path) -> None:
    text = f"import acp\n\nprint(acp.PROTOCOL_VERSION)\n{statement}\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-1] == statement
    assert len(ported.left) == ("acp" in statement)


@pytest.mark.parametrize(
    ("arguments", "converted"),
    [
        ("X()", "serve_stdio(X())"),
        ("X(), stream", "serve(stream, X())"),
        ("X(), None, None", "serve_stdio(X())"),
        ("X(), input_stream=None", "serve_stdio(X())"),
        ("X(), writer, reader", "serve(AsyncioStream(reader, writer), X())"),
        ("X(), output_stream=reader", "serve_stdio(X())"),
        ("lambda conn: X(conn)", "serve_stdio({v1: lambda conn: X(conn)})"),
    ],
)
def test_an_agent_is_served_on_its_streams(arguments: str, converted: str, tmp_path: Path) -> None:
    text = f"import acp\n\nasyncio.run(acp.run_agent({arguments}))\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    assert ported.moved[0].new.decode().splitlines()[-1] == f"asyncio.run({converted})"


@pytest.mark.parametrize(
    ("call", "converted", "mark"),
    [
        (
            "run_agent(X(), writer, reader, more)",
            "serve(AsyncioStream(reader, writer), X(), more)",
            "cannot resolve `more`: pass each argument explicitly.",
        ),
        (
            "run_agent(*more)",
            "serve_stdio(..., *more)",
            "cannot resolve `more`: pass each argument explicitly.",
        ),
        (
            "run_agent(X(), color=1)",
            "serve_stdio(X())",
            "the argument `color` has no counterpart; see the guide.",
        ),
        ("run_agent()", "serve_stdio(...)", "pass a handler instead of `...`."),
    ],
)
def test_an_argument_of_run_agent_that_cannot_be_passed_on_is_marked(
    call: str, converted: str, mark: str, tmp_path: Path
) -> None:
    text = f"import acp\n\nasyncio.run(acp.{call})\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert mark in [place.text for place in ported.left]
    assert ported.moved[0].new.decode().splitlines()[-1] == f"asyncio.run({converted})"
