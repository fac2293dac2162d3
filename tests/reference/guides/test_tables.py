"""The tables of the shorter guides are those of the code."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
from typing import Any, get_args, get_type_hints

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect_stdio, serve
from acp_bindings.runtime.jsonrpc import Limits
from acp_bindings.runtime.jsonrpc.limits import MAX_LINE
from acp_bindings.runtime.session.turns import Turn
from acpgen.cli import arguments, interruption
from support.paths import GUIDE_TEMPLATES, ROOT, SCHEMA

TEXTS = {path.name: path.read_text(encoding="utf-8") for path in GUIDE_TEMPLATES.glob("*.md")}
SURFACES = ["v1", "v1_unstable", "v2", "v2_unstable"]


def cells(guide: str, heading: str, pattern: str = r"(.*?)") -> list[Any]:
    """What is in the first cells of the rows of the table with a heading."""
    table = TEXTS[guide].split(f"| {heading} |", 1)[1].split("\n\n")[0]
    return re.findall(rf"^\| {pattern} \|", table, re.M)


# --- limits --------------------------------------------------------------------------------------


def test_the_limits_are_those_of_the_code() -> None:
    found = {
        name: int(number.replace(",", "")) * (1024**2 if unit else 1)
        for name, number, unit in cells("limits.md", "limit", r"`(\w+)` \| ([\d,]+)( MiB)?\b.*?")
    }
    assert found == {"max_line": MAX_LINE, **dataclasses.asdict(Limits())}


@pytest.mark.parametrize(
    ("words", "function", "name", "default"),
    [
        ("a second to finish (`linger`)", serve, "linger", 1.0),
        ("dropped after five seconds (`grace`)", serve, "grace", 5.0),
        ("120 seconds (`timeout`)", Peer.initialize, "timeout", 120.0),
        ("an hour (`silence`", connect_stdio, "silence", 3600.0),
        ("10 seconds (`grace`)", Turn.stop, "grace", 10.0),
    ],
)
def test_the_times_are_those_of_the_code(
    words: str, function: Any, name: str, default: float
) -> None:
    assert words in " ".join(TEXTS["limits.md"].split())
    assert inspect.signature(function).parameters[name].default == default


# --- states --------------------------------------------------------------------------------------


def test_the_actions_are_those_of_issues() -> None:
    listed = re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \|$", TEXTS["states.md"], re.M)
    assert listed == list(get_args(get_type_hints(v1.Issue)["action"]))


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_keywords_are_those_of_the_schema(version: str) -> None:
    schema = (SCHEMA / version / "schema.json").read_text(encoding="utf-8")
    used = set(re.findall(r'"(x-deserialize-[a-z-]+)"', schema))
    assert set(re.findall(r"`(x-deserialize-[a-z-]+)`", TEXTS["states.md"])) == used


# --- what there is -------------------------------------------------------------------------------


def test_each_target_is_listed() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):.*## ", makefile, re.M)
    listed = re.findall(r"`make ([a-z-]+)`", " ".join(cells("maintainers.md", "target")))
    assert sorted([*listed, "all"]) == sorted(targets)


def test_each_file_of_the_overlay_is_listed() -> None:
    files = sorted(path.name for path in (SCHEMA / "overlay").iterdir())
    assert sorted(cells("maintainers.md", "file", "`(.*?)`")) == files


def test_each_surface_has_what_the_guide_lists() -> None:
    text = TEXTS["getting-started.md"]
    assert re.findall(r"^\| `acp_bindings\.(\w+)` \|", text, re.M) == SURFACES
    table = text.split("Every surface has the same things")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.M)
    names = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(names) > 20
    for surface in SURFACES:
        module = importlib.import_module(f"acp_bindings.{surface}")
        assert [name for name in names if not hasattr(module, name)] == []


# --- copies of the package -----------------------------------------------------------------------


def test_exit_codes_are_those_of_the_commands() -> None:
    listed = [int(code) for code in cells("vendoring.md", "code | meaning", r"(\d+)")]
    statuses = [arguments.SAME, arguments.CHANGED, arguments.ERROR, arguments.BREAKING]
    assert listed == [*statuses, interruption.EXIT_CODE]


def test_codes_of_problems_are_those_of_the_generator() -> None:
    listed = set(re.findall("`(.*?)`", " ".join(cells("vendoring.md", "code | the input"))))
    assert len(listed) > 20
    trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "generator").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assert listed <= {node.value for node in nodes if isinstance(node, ast.Constant)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    problems = [call for call in calls if getattr(call.func, "id", "") == "Problem"]
    codes = [call.args[2] for call in problems if len(call.args) > 2]
    made = {code.value for code in codes if isinstance(code, ast.Constant)}
    assert len(made) > 15
    assert made <= listed | {"decide", "other-version", "unchecked"}
