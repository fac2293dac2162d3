"""The package runs anywhere: under another name, from a zip, in two copies, on its own."""

from __future__ import annotations

import ast
import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.paths import PACKAGE

SURFACES = {
    "v1": "v1/schema.json",
    "v1_unstable": "v1/schema.unstable.json",
    "v2": "v2/schema.json",
    "v2_unstable": "v2/schema.unstable.json",
}
FILES = sorted(PACKAGE.rglob("*.py"))
each_surface = pytest.mark.parametrize("surface", SURFACES)
# One worker runs these: what one test finds out, the next one needs.
about_imports = pytest.mark.xdist_group("what an import loads")
about_files = pytest.mark.xdist_group("what the files say")

# Exercises a surface called `surface`: classes, a union, an error, text, and UNSET.
# It does not `assert`, which -O would leave out.
WORK = """
def check(what, truth):
    if not truth:
        raise SystemExit("not so: " + what)

data = {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "title": None, "x": 1}
value = surface.loads(surface.SessionUpdate, json.dumps(data), strict=True)
expected = surface.ToolCallUpdate(tool_call_id="call_1", title=None, unknown_fields={"x": 1})
check("decoded", value == expected)
check("absent", value.status is surface.UNSET and not value.status)
check("encoded", json.loads(surface.dumps(value, surface.SessionUpdate)) == data)
try:
    surface.decode(surface.SessionUpdate, {**data, "toolCallId": 5})
except surface.DecodeError as error:
    check("pointer", error.pointer == "/toolCallId")
else:
    check("refused", False)
"""


def run(path: Path, code: str, *options: str) -> Any:
    """Run code in a bare interpreter with one more path entry. Return the JSON that it prints."""
    prelude = (
        f"import json, sys\nsys.path.insert(0, {str(path)!r})\nsys.dont_write_bytecode = True\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", *options, "-c", prelude + code],
        cwd=path if path.is_dir() else path.parent,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def works(path: Path, statement: str, *options: str) -> bool:
    """Whether the work succeeds, with the surface that a statement imports."""
    return run(path, f"{statement}\n{WORK}\nprint('true')", *options) is True


def copy_package(target: Path, *parts: str) -> None:
    """Copy the package with its bytecode, or only the named parts of it."""
    wanted = {"__init__.py", *parts} if parts else {each.name for each in PACKAGE.iterdir()}

    def unwanted(folder: str, names: list[str]) -> set[str]:
        return set(names) - wanted if Path(folder) == PACKAGE else set()

    shutil.copytree(PACKAGE, target, ignore=unwanted)


def make_package(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    return folder


# --- places ------------------------------------------------------------------------------------


@each_surface
def test_it_runs_under_another_name_inside_another_package(tmp_path: Path, surface: str) -> None:
    copy_package(make_package(make_package(tmp_path / "host") / "vendor") / "acp")
    loaded = run(
        tmp_path,
        f"""
import asyncio
from host.vendor.acp import {surface} as surface
{WORK}
from host.vendor.acp.runtime import aio

class Agent(surface.AgentHandler):
    async def ext_request(self, method, params):
        return [method, params]

async def main():
    async with aio.connect_memory(Agent, surface.ClientHandler) as peer:
        return await surface.AgentStub(peer).ext_request("_echo", {{"a": None}})

answer = asyncio.run(main())
print(json.dumps([answer, surface.__name__, value.__class__.__module__, sorted(sys.modules)]))
""",
    )
    name = f"host.vendor.acp.{surface}"
    assert loaded[:3] == [["_echo", {"a": None}], name, f"{name}.types"]
    assert "acp_bindings" not in loaded[3]


@each_surface
def test_one_surface_runs_without_the_others(tmp_path: Path, surface: str) -> None:
    copy_package(tmp_path / "acp_bindings", "runtime", surface)
    names = {each.name for each in (tmp_path / "acp_bindings").iterdir()}
    assert names == {"__init__.py", "runtime", surface}
    assert works(tmp_path, f"from acp_bindings import {surface} as surface")


def test_two_copies_in_one_process_keep_apart(tmp_path: Path) -> None:
    copy_package(tmp_path / "first")
    copy_package(make_package(tmp_path / "host") / "second")
    found = run(
        tmp_path,
        f"""
from first import runtime, v2 as one
from host.second import v2 as two
for surface in (one, two):
    {WORK.strip().replace(chr(10), chr(10) + "    ")}
call = one.ToolCallUpdate(tool_call_id="call_1")
apart = [
    one.UNSET is not two.UNSET,
    one.DecodeError is not two.DecodeError,
    call != two.ToolCallUpdate(tool_call_id="call_1"),
]
for attempt, error in (
    (lambda: two.encode(call), two.EncodeError),
    (lambda: two.encode(call, two.ToolCallUpdate), two.EncodeError),
    (lambda: two.encode(call, two.SessionUpdate), two.EncodeError),
    (lambda: two.decode(one.ToolCallUpdate, {{"toolCallId": "call_1"}}), TypeError),
):
    try:
        attempt()
    except error:
        apart.append(True)
runtime.set_json(loads=lambda text: {{"text": "from the backend"}})
text = '{{"text": "from the text"}}'
print(json.dumps([*apart, *(each.loads(each.TextContent, text).text for each in (one, two))]))
""",
    )
    assert found == [*[True] * 7, "from the backend", "from the text"]


@pytest.mark.parametrize("options", [("-O",), ("-OO",), ("-W", "error"), ("-bb",)], ids=" ".join)
def test_it_runs_with_other_interpreter_options(options: tuple[str, ...]) -> None:
    assert works(PACKAGE.parent, "from acp_bindings import v2_unstable as surface", *options)


# --- what an import loads ------------------------------------------------------------------------


@functools.cache
def modules_after(statement: str) -> set[str]:
    code = f"{statement}\nprint(json.dumps(sorted(sys.modules)))"
    return set(run(PACKAGE.parent, code))


@about_imports
def test_the_package_alone_loads_no_surface() -> None:
    modules = modules_after("import acp_bindings")
    assert {name for name in modules if name.startswith("acp_bindings")} == {"acp_bindings"}


SLOW = (
    "asyncio argparse concurrent.futures email http importlib.metadata logging multiprocessing "
    "socket ssl subprocess threading typing_extensions unittest urllib.request"
)


@about_imports
@each_surface
def test_a_surface_loads_itself_the_runtime_and_nothing_foreign_or_slow(surface: str) -> None:
    modules = modules_after(f"import acp_bindings.{surface}")
    ours = {name for name in modules if name.startswith("acp_bindings.")}
    assert {name.split(".")[1] for name in ours} == {surface, "runtime"}
    assert f"acp_bindings.{surface}.codec" in ours
    roots = {name.partition(".")[0] for name in modules - modules_after("pass")}
    assert roots - sys.stdlib_module_names == {"acp_bindings"}
    assert not modules & set(SLOW.split())


# --- what the files say --------------------------------------------------------------------------


@about_files
def test_the_package_holds_what_these_tests_look_at() -> None:
    folders = {file.parent.relative_to(PACKAGE).as_posix() for file in FILES}
    runtime = {f"runtime/{name}" for name in ("values", "jsonrpc", "aio", "session")}
    assert folders == {".", "runtime", *runtime, *SURFACES}
    assert (PACKAGE / "py.typed").is_file()


@about_files
def test_every_file_says_where_it_comes_from() -> None:
    source = r"# Code generated by acpgen \d+\.\d+\.\d+ from \S.*\. DO NOT EDIT\."
    for file in FILES:
        first, second, *_ = file.read_text("utf-8").splitlines()
        assert re.fullmatch(source, first), file
        assert "`acpgen generate`" in second, file


def imported(file: Path, node: ast.Import | ast.ImportFrom) -> set[str]:
    """The packages that an import names; those of relative ones, from the package's root."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    parts = (node.module or "").split(".")
    if node.level:
        folder = file.relative_to(PACKAGE).parent.parts
        assert node.level - 1 <= len(folder), "leaves the package"
        parts = [*folder[: len(folder) - node.level + 1], *parts]
        return {f"./{parts[0]}"}
    return {parts[0]}


@about_files
def test_imports_are_of_the_surface_itself_the_runtime_or_the_standard_library() -> None:
    for file in FILES:
        tree = ast.parse(file.read_text("utf-8"), str(file))
        own = {f"./{file.relative_to(PACKAGE).parts[0]}", "./runtime"}
        for_checkers = {
            id(each)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for statement in node.body
            for each in ast.walk(statement)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                foreign = imported(file, node) - own - sys.stdlib_module_names
                assert foreign <= ({"typing_extensions"} if id(node) in for_checkers else set())
