"""The guide to a client: what its program prints, with the agent of the other guide."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from examples.driving import Program, running
from support.guides import only_block, python, write_files

GUIDE = "client.md"
CLEAR = "\x1b[2J\x1b[H"
EDIT = "replace two three notes.txt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the programs of both guides, and a file to edit."""
    path = tmp_path / "work"
    path.mkdir()
    assert "viewer.py" in write_files(GUIDE, path)
    assert "helper.py" in write_files("agent.md", path)
    (path / "notes.txt").write_text("one\ntwo\n", "utf-8")
    return path


VIEWER = (sys.executable, "viewer.py", sys.executable)


def screen(program: Program) -> str:
    """What is on the screen."""
    return program.output.rpartition(CLEAR)[2]


def test_the_screens_are_those_of_the_guides(folder: Path) -> None:
    with running([*VIEWER, "helper.py"], folder) as program:
        program.type(EDIT)
        program.wait_for("Choose: ")
        assert screen(program) == only_block(GUIDE, "text").removesuffix("\n")
        program.type("1")
        program.wait_for("[end_turn]\n")
        assert screen(program) == only_block("agent.md", "text")
        assert (folder / "notes.txt").read_text("utf-8") == "one\nthree\n"
        assert program.end() == 0


@pytest.mark.parametrize("typed", ["3", "yes"])
def test_only_a_choice_allows(folder: Path, typed: str) -> None:
    with running([*VIEWER, "helper.py"], folder) as program:
        program.type(EDIT)
        program.wait_for("Choose: ")
        program.type(typed)
        program.wait_for("[end_turn]\n")
        assert "That failed: the user said no" in screen(program)
        assert (folder / "notes.txt").read_text("utf-8") == "one\ntwo\n"


def test_ctrl_c_cancels_and_the_next_prompt_works(folder: Path) -> None:
    with running([*VIEWER, "helper.py"], folder) as program:
        program.type(EDIT)
        program.wait_for("Choose: ")
        program.interrupt()
        program.wait_for("[cancelled]\n")
        assert "✗ Edit notes.txt" in screen(program)
        program.type(EDIT)
        program.wait_for("Choose: ")


# An agent whose turns are given: lines that use `session`.
SCRIPTED = """
import asyncio
from acp_bindings import v1
from acp_bindings.runtime import RequestError
from helper import Helper
from acp_bindings.runtime.aio import serve_stdio

class Scripted(Helper):
    async def turn(self, session, params):
        {turn}

asyncio.run(serve_stdio(Scripted))
"""
Prompting = Callable[..., str]


@pytest.fixture
def prompted(folder: Path) -> Prompting:
    """Prompt an agent with a given turn, and return the last screen."""

    def prompt(turn: str, end: str = "[end_turn]\n") -> str:
        (folder / "scripted.py").write_text(SCRIPTED.format(turn=turn), "utf-8")
        with running([*VIEWER, "scripted.py"], folder) as program:
            program.type("go")
            program.wait_for(end)
            return screen(program)

    return prompt


def test_files_outside_are_refused(folder: Path, prompted: Prompting) -> None:
    secret = folder.parent / "secret.txt"
    secret.write_text("secret", "utf-8")
    os.symlink(secret, folder / "link.txt")
    refused = "invalid params (-32602)"
    for path, shown in (
        (secret, refused),
        (folder / "link.txt", refused),
        (folder / ".." / "secret.txt", refused),
        (folder / "no.txt", "resource not found"),
    ):
        assert shown in prompted(f"await session.fs_read_text_file(path={str(path)!r})", "]\n")
    write = f"await session.fs_write_text_file(path={str(folder / 'link.txt')!r}, content='')"
    assert refused in prompted(write, "]\n")
    assert secret.read_text("utf-8") == "secret"


def test_parts_of_files_are_read(folder: Path, prompted: Prompting) -> None:
    parts: tuple[dict[str, int | None], ...]
    parts = ({}, {"line": 2}, {"line": 1, "limit": 1}, {"limit": 0}, {"line": 9}, {"line": None})
    read = f"session.fs_read_text_file(path={str(folder / 'notes.txt')!r}, **part)"
    shown = prompted(f"for part in {parts}: await session.say(repr((await {read}).content))")
    expected = ("one\ntwo\n", "two\n", "one\n", "", "", "one\ntwo\n")
    assert "".join(map(repr, expected)) in shown


def test_text_cannot_control_the_terminal(prompted: Prompting) -> None:
    shown = prompted(r"await session.say('\x1b]0;owned\x07 \x1b[2Jhidden')")
    assert "]0;owned [2Jhidden\n" in shown
    shown = prompted(r"raise RequestError.internal_error(message='\x1b[2J')", "]\n")
    assert "[[2J (-32603)]\n" in shown


def test_a_view_attaches_to_a_session_of_its_own_class(folder: Path) -> None:
    code = f"""
import asyncio, os, sys
from acp_bindings import v1
from acp_bindings.runtime.aio import connect_stdio
from answering import Answering
from drawing import draw
from windows import Window, Windows

shown = []

class Asking(Windows):
    fs_read_text_file = Answering.fs_read_text_file
    fs_write_text_file = Answering.fs_write_text_file
    find = Answering.find

    async def session_request_permission(self, params):
        window = self.session_for(params.session_id)
        assert window.unread == 2  # the plan and the tool call
        window.attach(shown.append)
        assert window.unread == 0
        print(*shown)
        outcome = v1.SelectedPermissionOutcome(option_id="yes")
        return v1.RequestPermissionResponse(outcome=outcome)

async def main():
    async with connect_stdio([sys.executable, "helper.py"], Asking) as peer:
        await peer.initialize()
        able = {{"cwd": os.getcwd(), "mcp_servers": []}}
        window = await Window.create(peer, **able)
        async with window.prompt({EDIT!r}):
            pass
        assert shown[-1] == draw(window.state), shown[-1]
        end, unread, changes = shown[-1], window.unread, len(shown)
        assert unread > 0
        again = await Window.load(peer, session_id=window.session_id, **able)
        assert again is window and window.unread == unread
        assert shown[-1] == end and len(shown) > changes
        print(end)

asyncio.run(main())
"""
    asked, _, _ = only_block(GUIDE, "text").partition("  1  Yes")
    end = only_block("agent.md", "text").removesuffix("[end_turn]\n")
    assert python(folder, ["-c", code]) == f"{asked}? Yes, Always, No\n{end}"
