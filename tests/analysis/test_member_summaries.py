"""Every member has a line that says what it means, of its own or by a rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.member_summaries import members_by_class
from acpgen.analysis.surface import Built, build, understand
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe_member
from acpgen.schema.document import load_document


@pytest.fixture(scope="module")
def surfaces() -> list[Surface]:
    found, _ = understand(None, [])
    return found


def described(surface: Surface) -> Iterator[tuple[str, str, str]]:
    """The class, the wire name and the line of each member."""
    for name, member in members_by_class(surface.definitions):
        yield name, member.wire, describe_member(surface, name, member)


# --- the vendored schema ---------------------------------------------------------------------


def test_every_member_has_a_line(surfaces: list[Surface]) -> None:
    pairs = {(name, wire) for each in surfaces for name, wire, _ in described(each)}
    assert len(pairs) > 750
    assert sum(1 for name, _ in pairs if name.startswith("Unknown")) > 10
    for surface in surfaces:
        lines = list(described(surface))
        assert len(lines) > 400
        assert [(name, wire) for name, wire, line in lines if not line] == []


# --- how a line is found ---------------------------------------------------------------------

OWN = {"$ref": "#/$defs/PartId"}
SCHEMA: dict[str, Any] = {
    "$defs": {
        "PartId": {"type": "string"},
        "Part": {
            "type": "object",
            "properties": {"partId": OWN, "otherId": OWN, "title": {"type": "string"}},
            "required": ["partId", "otherId"],
        },
        "Optional": {"type": "object", "properties": {"partId": OWN, "_meta": {"type": "object"}}},
        "Shape": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": kind, "type": "string"}},
                    "required": ["kind"],
                    "allOf": [{"$ref": "#/$defs/Part"}],
                }
                for kind in ("round", "square")
            ]
        },
        "Described": {
            "type": "object",
            "properties": {"title": {"type": "string", "description": "From the schema."}},
        },
    }
}


def built(tmp_path: Path, version: str, **lines: str) -> Built:
    """Build the schema with entries such as `Part__v1__title`."""
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(SCHEMA), encoding="utf-8")
    members = {tuple(key.split("__")): line for key, line in lines.items()}
    overlay = Overlay(members=members, summaries={"PartId": "The id of a part."})
    return build(load_document(path), overlay, version)


def line_of(made: Built, name: str, wire: str) -> str:
    return {(n, w): line for n, w, line in described(made.surface)}[name, wire]


def test_the_closest_entry_is_taken(tmp_path: Path) -> None:
    lines = {
        "*__title": "Any.",
        "Part__title": "Part.",
        "Part__v2__title": "Part 2.",
        "Square__title": "Square.",
    }
    first, second = built(tmp_path, "v1", **lines), built(tmp_path, "v2", **lines)
    assert line_of(first, "Part", "title") == "Part."
    assert line_of(second, "Part", "title") == "Part 2."
    assert line_of(second, "Round", "title") == "Part 2."  # the definition states the member
    assert line_of(second, "Square", "title") == "Square."
    assert line_of(second, "Described", "title") == "From the schema."
    assert ("members", "Part", "v2", "title") in second.matched
    assert ("members", "Part", "title") in first.matched - second.matched


def test_a_required_member_named_after_its_type_has_the_line_of_the_type(tmp_path: Path) -> None:
    made = built(tmp_path, "v1")
    assert line_of(made, "Part", "partId") == "The id of a part."
    assert line_of(made, "Part", "otherId") == ""  # has another name
    assert line_of(made, "Optional", "partId") == ""  # has to say what absent means
    assert line_of(built(tmp_path, "v1", Part__partId="Own."), "Part", "partId") == "Own."


def test_an_entry_under_a_star_is_for_all_definitions(tmp_path: Path) -> None:
    made = built(tmp_path, "v1", **{"*___meta": "Free."})
    assert line_of(made, "Optional", "_meta") == "Free."
