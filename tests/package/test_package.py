"""Tests of the package's public names, and of copies that run standalone or under another name."""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import acp_bindings
import acpgen
import pytest
from acp_bindings import runtime, v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import aio, jsonrpc, session

from tests.support.paths import PACKAGE

SURFACES = ("v1", "v1_unstable", "v2", "v2_unstable")
FILES = sorted(PACKAGE.rglob("*.py"))
each_surface = pytest.mark.parametrize("surface", SURFACES)
# Each group runs on a single worker, since its tests reuse the results of earlier tests.
about_imports = pytest.mark.xdist_group("what an import loads")
about_files = pytest.mark.xdist_group("what the files say")

# A program that tests classes, a union, an error, JSON text and UNSET in the module `surface`.
# It contains no `assert` statements, since `-O` removes them.
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
    """Run code in an isolated interpreter that can import from `path`. Return the printed JSON."""
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


def copy_package(target: Path, *parts: str) -> None:
    """Copy the package, including its bytecode, or only the named parts of it."""
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
    """The copy contains only one of the surfaces."""
    vendored = make_package(make_package(tmp_path / "host") / "vendor") / "acp"
    copy_package(vendored, "runtime", surface)
    assert {each.name for each in vendored.iterdir()} == {"__init__.py", "runtime", surface}
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
    code = f"from acp_bindings import v2_unstable as surface\n{WORK}\nprint('true')"
    assert run(PACKAGE.parent, code, *options) is True


# --- modules loaded by an import -----------------------------------------------------------------


@functools.cache
def modules_after(statement: str) -> set[str]:
    code = f"{statement}\nprint(json.dumps(sorted(sys.modules)))"
    return set(run(PACKAGE.parent, code))


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


# --- contents of the files -----------------------------------------------------------------------


@about_files
def test_the_package_holds_what_these_tests_look_at() -> None:
    folders = {file.parent.relative_to(PACKAGE).as_posix() for file in FILES}
    parts = ("values", "jsonrpc", "aio", "session", "bridge")
    directions = ("v1_client_v2_agent", "v2_client_v1_agent")
    runtime = {
        *(f"runtime/{name}" for name in parts),
        *(f"runtime/bridge/{name}" for name in directions),
    }
    assert folders == {".", "bridge", "kit", "remote", "runtime", "testing", *runtime, *SURFACES}
    assert (PACKAGE / "py.typed").is_file()


@about_files
def test_every_file_says_where_it_comes_from() -> None:
    source = r"# Code generated by acpgen \d+\.\d+\.\d+ from \S.*\. DO NOT EDIT\."
    for file in FILES:
        first, second, *_ = file.read_text("utf-8").splitlines()
        assert re.fullmatch(source, first), file
        assert "`acpgen generate`" in second, file


# --- public names ------------------------------------------------------------------------------

MODULES = [v1, v1_unstable, v2, v2_unstable]


@pytest.mark.parametrize("surface", MODULES)
def test_dir_has_the_public_names_only(surface: ModuleType) -> None:
    names = [name for name in dir(surface) if not name.startswith("__")]
    assert names == sorted(surface.__all__)
    assert "__doc__" in dir(surface)


@pytest.mark.parametrize("surface", MODULES)
def test_every_public_name_is_there(surface: ModuleType) -> None:
    missing = [name for name in surface.__all__ if not hasattr(surface, name)]
    assert missing == []
    assert len(set(surface.__all__)) == len(surface.__all__)


@pytest.mark.parametrize("surface", MODULES)
def test_a_name_that_is_not_there_is_an_error(surface: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{surface.__name__}' has no attribute 'No'"):
        _ = surface.No


@pytest.mark.parametrize("side", ["Agent", "Client"])
@pytest.mark.parametrize("surface", MODULES)
def test_stubs_and_handlers_have_the_methods_of_their_side(surface: ModuleType, side: str) -> None:
    protocol = getattr(surface, f"{side}Methods")
    methods = {name for name in vars(protocol) if not name.startswith("_")}
    assert {each.handler for each in surface.METHODS[side.lower()].values()} <= methods
    for kind in ("Handler", "Stub"):
        assert methods <= set(dir(getattr(surface, f"{side}{kind}")))


def test_what_is_for_type_checkers_is_loaded_at_first_use() -> None:
    code = """
from acp_bindings import v1
before = ["acp_bindings.v1.protocols" in sys.modules, "AgentMethods" in dir(v1)]
print(json.dumps([*before, v1.AgentMethods.__module__, "AgentMethods" in vars(v1)]))
"""
    assert run(PACKAGE.parent, code) == [False, True, "acp_bindings.v1.protocols", True]


# The exceptions and error codes that agents and clients share. Only `runtime` exports them.
ERRORS = {
    *("CapabilityError", "ConnectionClosed", "DecodeError", "EncodeError", "LimitExceeded"),
    *("RequestError", "VersionMismatch", "INTERNAL_ERROR", "REQUEST_CANCELLED"),
}


def test_errors_have_one_home() -> None:
    assert set(runtime.__all__) >= ERRORS
    assert not ERRORS & {*dir(aio), *aio.__all__, *dir(jsonrpc), *jsonrpc.__all__}


def test_what_users_of_sessions_name_is_in_one_module() -> None:
    names = {name: getattr(session, name) for name in session.__all__}
    assert names.keys() == {"Change", "Message", "Role", "Subscriber"}
    with pytest.raises(AttributeError, match=r"module '.*\.session' has no attribute 'No'"):
        _ = session.No


@about_imports
def test_the_package_alone_has_the_version_of_the_generator_and_loads_no_surface() -> None:
    modules = modules_after("import acp_bindings")
    assert {name for name in modules if name.startswith("acp_bindings")} == {"acp_bindings"}
    assert acp_bindings.__version__ == acpgen.__version__
