"""Tests that the table that maps the official SDK's names to ours is complete."""

from __future__ import annotations

import ast
import dataclasses
import json
import pkgutil
import re
import subprocess
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pytest
from acp_bindings.runtime import Record
from acpport.counterparts import names
from acpport.counterparts.names import Row

from tests.interop.environments import Unavailable, command, required, sdist, variables

# Run all these tests in one worker, so that the SDKs are imported only once.
pytestmark = pytest.mark.xdist_group("sdk names")

VERSIONS = ("0.12.1", "1.0.0rc3")
ROWS = [row for row in names.rows() if not row.until]
# Names that only earlier SDK versions have. Each name exists in at least one of `FORMER_VERSIONS`.
FORMER = [row for row in names.rows() if row.until]
FORMER_VERSIONS = ("0.6.3", "0.7.1", "0.10.1")
# Each connection class provides the methods of the peer's interface.
CALLED = {"AgentSideConnection": "Client", "ClientSideConnection": "Agent"}
OWN = ("attach", "close", "listen")
# Fields that were removed from the schema.
GONE = {"connection_id", "nes", "position_encoding", "position_encodings"}


@cache
def installed(version: str) -> dict[str, list[str] | None]:
    """Return the public names of the SDK, each with its fields if it is a model."""
    try:
        program = command(version, "tests.interop.peers.sdk_names")
    except Unavailable as reason:
        (pytest.fail if required() else pytest.skip)(str(reason))
    done = subprocess.run(
        program, env=variables(), capture_output=True, text=True, check=True, timeout=120
    )
    public: dict[str, list[str] | None] = json.loads(done.stdout)
    return public


@dataclasses.dataclass(frozen=True)
class Name:
    """An SDK name, in the form that the table uses."""

    key: str
    version: int  # the protocol version that the name belongs to
    is_schema: bool  # whether the name is in the SDK's schema module

    @classmethod
    def of(cls, full: str) -> Name:
        key = full.removeprefix("acp.")
        version = 2 if key.startswith("experimental.v2.") else 1
        key = key.removeprefix("experimental.v2.")
        if key.startswith("schema."):
            return cls(key.removeprefix("schema."), version, True)
        key = re.sub(r"^(agent|client)\.(?=\w+SideConnection)", "", key)
        owner, _, method = key.partition(".")
        if owner in CALLED and method and method not in OWN:
            snake = re.sub(r"[A-Z]", lambda each: f"_{each[0].lower()}", method)
            key = f"{CALLED[owner]}.{snake}"
        return cls(key, version, False)

    def is_same_here(self) -> bool:
        return self.is_schema and bool(find(self.key, self.version))

    def row(self) -> Row | None:
        exact = [row for row in ROWS if row.sdk == self.key]
        matching = (row for row in ROWS if fnmatchcase(self.key, row.sdk))
        return exact[0] if exact else next(matching, None)

    def here(self) -> list[Any]:
        row = self.row()
        ours = (self.key,) if self.is_same_here() else row.here if row else ()
        return [each for name in ours for each in find(name, self.version)]


def find(name: str, version: int) -> list[Any]:
    """Return the objects that a name in the table refers to, on all surfaces of a version."""
    surfaces = [f"acp_bindings.v{version}.", f"acp_bindings.v{version}_unstable."]
    found: list[Any] = []
    for root in ["acp_bindings."] if name.startswith("runtime.") else surfaces:
        with suppress(ImportError, AttributeError):
            found.append(pkgutil.resolve_name(root + name))
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_every_name_of_the_sdk_is_covered(version: str) -> None:
    public = installed(version)
    assert len(public) >= {"0.12.1": 530, "1.0.0rc3": 983}[version]
    found = ((full, Name.of(full)) for full in public)
    assert [full for full, name in found if not name.is_same_here() and name.row() is None] == []


def test_no_row_is_left_over() -> None:
    found = [Name.of(full) for version in VERSIONS for full in installed(version)]
    needed = [name.row() for name in found if not name.is_same_here()]
    assert [row for row in ROWS if row not in needed] == []
    assert len({row.sdk for row in names.rows()}) == len(names.rows()) > 200


def test_a_row_says_what_is_here_or_what_to_do() -> None:
    assert [row.sdk for row in names.rows() if not row.here and not row.note] == []


def test_the_names_of_this_package_exist() -> None:
    named = [name for row in names.rows() for name in row.here]
    assert [name for name in named if not find(name, 1) and not find(name, 2)] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_the_replacement_speaks_the_same_protocol(version: str) -> None:
    """Replacements belong to the same protocol version, unless the row has a note."""
    found = [Name.of(full) for full in installed(version)]
    rows = {name: name.row() for name in found if not name.is_same_here()}
    noted = [name for name, row in rows.items() if row is not None and row.note]
    assert [name.key for name in found if name not in noted and not name.here()] == []


@cache
def declared(version: str) -> tuple[frozenset[str], dict[str, tuple[str, ...]]]:
    """Return an SDK version's schema classes, and the parameters of all methods."""
    try:
        source = sdist(version) / "src" / "acp"
    except Unavailable as reason:
        (pytest.fail if required() else pytest.skip)(str(reason))
    schema = ast.parse((source / "schema.py").read_text("utf-8")).body
    classes = {node.name for node in schema if isinstance(node, ast.ClassDef)}
    for node in schema:
        if isinstance(node, ast.Assign):
            classes.update(each.id for each in node.targets if isinstance(each, ast.Name))
    package = ast.parse((source / "__init__.py").read_text("utf-8")).body
    imports = [node for node in package if isinstance(node, ast.ImportFrom)]
    classes.update(alias.name for node in imports for alias in node.names)
    methods = {
        f"{interface.name}.{method.name}": tuple(arg.arg for arg in method.args.args[1:])
        for interface in ast.parse((source / "interfaces.py").read_text("utf-8")).body
        if isinstance(interface, ast.ClassDef)
        for method in interface.body
        if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    return frozenset(classes), methods


@pytest.mark.parametrize("version", FORMER_VERSIONS)
def test_names_of_earlier_versions_are_covered(version: str) -> None:
    classes, methods = declared(version)
    # In version 0.6, each method exists in both camel case and snake case.
    found = [*classes, *(re.sub(r"[A-Z](?!\w*\.)", lower, name) for name in methods)]
    unknown = [name for name in found if names.find(name) is None and not find(name, 1)]
    assert [name for name in unknown if not name.startswith("_")] == []


def lower(letter: re.Match[str]) -> str:
    return f"_{letter[0].lower()}"


def test_no_row_of_earlier_versions_is_left_over() -> None:
    found = {name for version in FORMER_VERSIONS for part in declared(version) for name in part}
    assert [row.sdk for row in FORMER if not any(fnmatchcase(n, row.sdk) for n in found)] == []


@pytest.mark.parametrize("version", [*FORMER_VERSIONS[1:], *VERSIONS])
def test_the_order_of_parameters_is_that_of_some_version(version: str) -> None:
    orders = {row.sdk: row.params for row in names.rows() if row.params}
    _, methods = declared(version)
    compared = {name: params for name, params in methods.items() if name in orders}
    assert {name: params for name, params in compared.items() if params not in orders[name]} == {}
    assert len(compared) > 17


@pytest.mark.parametrize("version", VERSIONS)
def test_the_replacement_of_a_class_has_its_members(version: str) -> None:
    compared = 0
    for full, fields in installed(version).items():
        name = Name.of(full)
        here = [each for each in name.here() if isinstance(each, type)]
        classes = [each for each in here if issubclass(each, Record) and each is not Record]
        if not name.is_schema or fields is None or not classes:
            continue
        compared += 1
        ours = {field.name.rstrip("_") for each in classes for field in dataclasses.fields(each)}
        missing = {field.rstrip("_") for field in fields} - ours - names.tags() - GONE
        assert missing - {"field_meta"} == set(), full
    assert compared > {"0.12.1": 180, "1.0.0rc3": 390}[version]
