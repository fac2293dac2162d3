"""Tests that recorded conversations with the official SDKs round-trip to the same JSON.

`vectors.py` records the conversations, which are in tests/support/data/vectors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.jsonrpc import Connection, Ignored, Refused, classify

from tests.interop.combinations import COMBINATIONS
from tests.interop.vectors import FOLDER, RECORDED, read

SURFACES: dict[int, Any] = {1: v1, 2: v2}
OTHER = {"client": "agent", "agent": "client"}
# A method that neither side defines, such as a method from a later version.
UNKNOWN = "no/such_method"
LARGEST = 60_000
recorded = pytest.mark.parametrize("name", RECORDED)


def surface_of(name: str) -> Any:
    return SURFACES[COMBINATIONS[name].version]


def payloads(name: str) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield the sender and the kind of each line, its params or result, and their type."""
    surface = surface_of(name)
    tables = {"agent": surface.AGENT_METHODS, "client": surface.CLIENT_METHODS}
    asked: dict[tuple[str, Any], Any] = {}
    for entry in read(name):
        side, message = entry["from"], json.loads(entry["line"])
        kind, other = classify(message), OTHER[side]
        if kind in ("request", "notification"):
            called = message["method"]
            method = tables[other].get(called) or surface.PROTOCOL_METHODS.get(called)
            if called.startswith("_"):
                method = surface.EXTENSIONS[other, kind].named(called)
            assert (method is None) == (called == UNKNOWN), called
            assert method is None or method.kind == kind
            if kind == "request":
                asked[side, message["id"]] = method
            yield side, kind, (method.params if method else surface.ExtRequest), message["params"]
            continue
        method = asked.pop((other, message["id"]))
        if kind == "result":
            assert method is not None, "an unknown method got a result as its response"
        yield side, kind, surface.Error if kind == "error" else method.result, message[kind]


@recorded
def test_each_line_is_valid_and_encodes_to_the_json_it_came_from(name: str) -> None:
    surface = surface_of(name)
    kinds: dict[str, set[str]] = {"client": set(), "agent": set()}
    issues: list[Any] = []
    for side, kind, type_, data in payloads(name):
        kinds[side].add(kind)
        again = surface.encode(surface.decode(type_, data, on_issue=issues.append), type_)
        # 1, 1.0 and true differ.
        assert json.dumps(again, sort_keys=True) == json.dumps(data, sort_keys=True)
        surface.decode(type_, data, strict=True)
    assert issues == []
    all_kinds = {"request", "notification", "result", "error"}
    assert kinds == {"client": all_kinds, "agent": all_kinds}


@recorded
@pytest.mark.parametrize("side", ["agent", "client"])
def test_connection_takes_what_the_other_side_wrote(
    name: str, side: Literal["agent", "client"]
) -> None:
    connection = Connection(side, surface_of(name))
    written = [entry["line"] for entry in read(name) if entry["from"] == OTHER[side]]
    calls = [line for line in written if "method" in json.loads(line)]
    events = connection.receive("".join(f"{line}\n" for line in calls).encode())
    refused = [event.error.code for event in events if isinstance(event, Refused)]
    assert refused == [-32601]  # the response to the unknown method
    assert not [event for event in events if isinstance(event, Ignored)]


@recorded
def test_files_are_small_and_say_nothing_of_the_machine(name: str) -> None:
    text = (FOLDER / f"{name}.jsonl").read_text("utf-8")
    assert len(text.encode()) < LARGEST
    paths = re.findall(r'(?:"|file://)(/[^"\\]+)', text)
    assert {path.split("/")[1] for path in paths} == {"project"}


def test_there_is_a_file_for_each_combination_and_no_other() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(RECORDED)
