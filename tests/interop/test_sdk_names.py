"""The table of the official SDK's names covers the installed SDK, and its other side exists."""

from __future__ import annotations

import dataclasses
import json
import pkgutil
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pytest
from acp_bindings.runtime import Record
from acpdocs.pages.guides import name_rows
from acpgen.common import paths

from interop.environments import Unavailable, command, required, variables

VERSIONS = ("0.12.1", "1.0.0rc3")
ROWS = name_rows(paths.TEMPLATES / "reference" / "guides")
# A caller has the methods of the interface that it calls.
CALLED = {"AgentSideConnection": "Client", "ClientSideConnection": "Agent"}
OWN = ("attach", "close", "listen")
# The members that tell classes apart are no fields here: the union writes them.
TAGS = {"action", "mode", "operation", "outcome", "root", "session_update", "state", "type"}
# The members that the schema no longer has.
GONE = {"connection_id", "nes", "position_encoding", "position_encodings"}


@cache
def installed(version: str) -> dict[str, list[str] | None]:
    """The public names of the SDK, each with its fields if it is a model."""
    try:
        program = command(version, "interop.peers.sdk_names")
    except Unavailable as reason:
        (pytest.fail if required() else pytest.skip)(str(reason))
    done = subprocess.run(
        program, env=variables(), capture_output=True, text=True, check=True, timeout=120
    )
    names: dict[str, list[str] | None] = json.loads(done.stdout)
    return names


@dataclasses.dataclass(frozen=True)
class Name:
    """A name of the SDK, as the table writes it."""

    key: str
    version: int  # the protocol version that it is about
    is_schema: bool  # whether the schema has it

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

    def row(self) -> dict[str, str] | None:
        exact = [row for row in ROWS if row["sdk"] == self.key]
        matching = (row for row in ROWS if fnmatchcase(self.key, row["sdk"]))
        return exact[0] if exact else next(matching, None)

    def here(self) -> list[Any]:
        row = {"here": self.key} if self.is_same_here() else self.row() or {}
        names = row["here"].split(", ") if "here" in row else []
        return [each for name in names for each in find(name, self.version)]


def find(name: str, version: int) -> list[Any]:
    """What a name of the table means, on each surface of a protocol version that has it."""
    surfaces = [f"acp_bindings.v{version}.", f"acp_bindings.v{version}_unstable."]
    found: list[Any] = []
    for root in ["acp_bindings."] if name.startswith("runtime.") else surfaces:
        with suppress(ImportError, AttributeError):
            found.append(pkgutil.resolve_name(root + name))
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_every_name_of_the_sdk_is_covered(version: str) -> None:
    names = installed(version)
    assert len(names) >= {"0.12.1": 530, "1.0.0rc3": 983}[version]
    found = ((full, Name.of(full)) for full in names)
    assert [full for full, name in found if not name.is_same_here() and name.row() is None] == []


def test_no_row_is_left_over() -> None:
    names = [Name.of(full) for version in VERSIONS for full in installed(version)]
    needed = [name.row() for name in names if not name.is_same_here()]
    assert [row for row in ROWS if row not in needed] == []
    assert len({row["sdk"] for row in ROWS}) == len(ROWS) > 200


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["sdk"])
def test_the_names_of_this_package_exist(row: Mapping[str, str]) -> None:
    assert row.keys() - {"sdk"}, "say what is here, or what to do"
    for name in row["here"].split(", ") if "here" in row else ():
        assert find(name, 1) or find(name, 2), name


@pytest.mark.parametrize("version", VERSIONS)
def test_the_replacement_speaks_the_same_protocol(version: str) -> None:
    """What replaces a name of a protocol version is on its surfaces, unless a note says more."""
    names = [Name.of(full) for full in installed(version)]
    noted = [name for name in names if "note" in (name.row() or {}) and not name.is_same_here()]
    assert [name.key for name in names if name not in noted and not name.here()] == []


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
        missing = {field.rstrip("_") for field in fields} - ours - TAGS - GONE
        assert missing - {"field_meta"} == set(), full
    assert compared > {"0.12.1": 180, "1.0.0rc3": 390}[version]
