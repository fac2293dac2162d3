"""The guide for the first day: its programs print what it says, and its tables are whole."""

from __future__ import annotations

import asyncio
import importlib
import re
from pathlib import Path

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import connect_memory
from acpgen.common.paths import PACKAGE
from support.guides import defining, python, write_files
from support.paths import GUIDE_TEMPLATES
from support.printed import fenced

GUIDE = "getting-started.md"
TEXT = (GUIDE_TEMPLATES / GUIDE).read_text(encoding="utf-8")
SURFACES = sorted(path.parent.name for path in PACKAGE.glob("v*/__init__.py"))


def test_the_client_of_the_guide_talks_to_its_agent(tmp_path: Path) -> None:
    assert write_files(GUIDE, tmp_path) == ["echo.py", "ask.py"]
    [_, console] = fenced(GUIDE_TEMPLATES / GUIDE, "console")
    command, _, printed = console.partition("\n")
    assert command == '$ python ask.py "Hello, agent!"'
    assert python(tmp_path, ["ask.py", "Hello, agent!"]) == printed


def test_the_handler_answers_the_stub() -> None:
    names = defining(GUIDE, "Listing")

    async def talk() -> None:
        async with connect_memory(names["Listing"], v1.SessionClient) as peer:
            await peer.initialize()
            session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
            assert await names["known_ids"](peer) == [session.session_id]

    asyncio.run(talk())


def test_the_guide_names_each_surface() -> None:
    assert re.findall(r"^\| `acp_bindings\.(\w+)` \|", TEXT, re.M) == SURFACES
    assert len(SURFACES) == 4


@pytest.mark.parametrize("surface", SURFACES)
def test_each_surface_has_what_the_guide_lists(surface: str) -> None:
    table = TEXT.split("Every surface has the same things")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.M)
    names = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(names) == 5 + 4 + 2 + 3 + 1 + 1 + 2 + 3 + 2
    module = importlib.import_module(f"acp_bindings.{surface}")
    for name in names:
        assert hasattr(module, name)
