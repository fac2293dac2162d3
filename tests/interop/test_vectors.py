"""Recorded conversations with the official SDKs: every line decodes, and encodes to the same JSON.

The lines are in tests/support/data/vectors; `python tests/interop/record.py` records them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.jsonrpc import Connection, Ignored, Refused, classify
from acp_bindings.runtime.jsonrpc.method import Method

from interop.combinations import COMBINATIONS
from interop.vectors import FOLDER, RECORDED, read

SURFACES: dict[int, ModuleType] = {1: v1, 2: v2}
OTHER = {"client": "agent", "agent": "client"}
# Methods that no side has; they stand for methods of later versions.
UNKNOWN = {"no/such_method"}
# (combination, pointer) of expected repairs -> why they are expected.
ISSUES: dict[tuple[str, str], str] = {}
LARGEST = 60_000

Line = tuple[str, Any]


def lines(name: str) -> list[Line]:
    """The sender and the message of each line."""
    return [(entry["from"], json.loads(entry["line"])) for entry in read(name)]


def surface_of(name: str) -> ModuleType:
    """The surface that a conversation speaks."""
    return SURFACES[COMBINATIONS[name].version]


def find(surface: ModuleType, handler: str, method: str, kind: str) -> Method[Any, Any] | None:
    """The method that a message calls, in the table of the side that handles it."""
    tables = {"agent": surface.AGENT_METHODS, "client": surface.CLIENT_METHODS}
    found = tables[handler].get(method) or surface.PROTOCOL_METHODS.get(method)
    if found is None and method.startswith("_"):
        found = surface.EXTENSIONS[handler, kind].named(method)
    assert found is None or found.kind == kind
    return found


def payloads(name: str) -> Iterator[tuple[Any, Any]]:
    """The params and results of each line, with their types."""
    surface = surface_of(name)
    asked: dict[tuple[str, Any], Method[Any, Any] | None] = {}
    for side, message in lines(name):
        kind = classify(message)
        if kind in ("request", "notification"):
            method = find(surface, OTHER[side], message["method"], kind)
            assert (method is None) == (message["method"] in UNKNOWN), message["method"]
            if kind == "request":
                asked[side, message["id"]] = method
            yield (method.params if method else surface.ExtRequest), message["params"]
        elif kind == "result":
            method = asked.pop((OTHER[side], message["id"]))
            assert method is not None, "a method that nobody has was answered with a result"
            yield method.result, message["result"]
        else:
            assert kind == "error"
            del asked[OTHER[side], message["id"]]
            yield surface.Error, message["error"]


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same; 1, 1.0 and true differ."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@pytest.mark.parametrize("name", RECORDED)
def test_each_line_encodes_to_the_json_it_came_from(name: str) -> None:
    surface = surface_of(name)
    issues: list[Any] = []
    count = 0
    for type_, data in payloads(name):
        again = surface.encode(surface.decode(type_, data, on_issue=issues.append), type_)
        assert same(again, data)
        count += 1
    assert count == len(lines(name)) > 0
    assert [issue for issue in issues if (name, issue.pointer) not in ISSUES] == []


@pytest.mark.parametrize("name", RECORDED)
def test_each_line_is_valid_in_strict_mode(name: str) -> None:
    surface = surface_of(name)
    for type_, data in payloads(name):
        surface.decode(type_, data, strict=True)


@pytest.mark.parametrize("name", RECORDED)
def test_kinds_of_lines(name: str) -> None:
    kinds = {side: Counter[str]() for side in OTHER}
    for side, message in lines(name):
        kinds[side][classify(message)] += 1
    for counts in kinds.values():
        assert set(counts) == {"request", "notification", "result", "error"}


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("side", ["agent", "client"])
def test_connection_takes_what_the_other_side_wrote(name: str, side: str) -> None:
    connection = Connection(side, surface_of(name))
    written = [entry["line"] for entry in read(name) if entry["from"] == OTHER[side]]
    calls = [line for line in written if "method" in json.loads(line)]
    events = connection.receive("".join(f"{line}\n" for line in calls).encode())
    refused = [event.error.code for event in events if isinstance(event, Refused)]
    assert refused == [-32601]  # the answer to the unknown method
    assert not [event for event in events if isinstance(event, Ignored)]


@pytest.mark.parametrize("name", RECORDED)
def test_files_are_small_and_say_nothing_of_the_machine(name: str) -> None:
    text = (FOLDER / f"{name}.jsonl").read_text("utf-8")
    assert len(text.encode()) < LARGEST
    paths = re.findall(r'(?:"|file://)(/[^"\\]+)', text)
    assert {path.split("/")[1] for path in paths} == {"project"}
    for trace in ("/home", "/root", "/tmp", "/usr", "/Users"):
        assert trace not in text


def test_there_is_a_file_for_each_combination_and_no_other() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(RECORDED)


def test_issues_name_combinations() -> None:
    assert {name for name, _ in ISSUES} <= set(RECORDED)
