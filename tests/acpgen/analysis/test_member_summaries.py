"""Descriptions of fields, from their own entries or by a rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from acpgen.analysis.member_summaries import members_by_class
from acpgen.analysis.surface import Built, build
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.wording import describe_member
from acpgen.schema.document import load_document

from tests.acpgen.diff.small import STRING, record, ref, save, tagged, union

OWN = ref("PartId")
SCHEMA: dict[str, Any] = {
    "PartId": STRING,
    "Part": record("partId", "otherId", partId=OWN, otherId=OWN, title=STRING),
    "Optional": record(partId=OWN, _meta={"type": "object"}),
    "Shape": union(tagged("round", "Part"), tagged("square", "Part")),
    "Described": record(title={**STRING, "description": "From the schema."}),
}


def built(tmp_path: Path, version: str, **lines: str) -> Built:
    """Build the schema with entries such as `Part__v1__title`."""
    members = {tuple(key.split("__")): line for key, line in lines.items()}
    overlay = Overlay(members=members, summaries={"PartId": "The id of a part."})
    return build(load_document(save(tmp_path / "schema.json", SCHEMA)), overlay, version)


def line_of(made: Built, name: str, wire: str) -> str:
    """Return the description of a field of a class."""
    members = members_by_class(made.surface.definitions)
    [member] = [each for owner, each in members if (owner, each.wire) == (name, wire)]
    return describe_member(made.surface, name, member)


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
    assert line_of(second, "Round", "title") == "Part 2."  # the definition itself has the field
    assert line_of(second, "Square", "title") == "Square."
    assert line_of(second, "Described", "title") == "From the schema."
    assert ("members", "Part", "v2", "title") in second.matched
    assert ("members", "Part", "title") in first.matched - second.matched


def test_a_required_member_named_after_its_type_has_the_line_of_the_type(tmp_path: Path) -> None:
    made = built(tmp_path, "v1")
    assert line_of(made, "Part", "partId") == "The id of a part."
    assert line_of(made, "Part", "otherId") == ""  # has another name
    assert line_of(made, "Optional", "partId") == ""  # must state the meaning of an absent value
    assert line_of(built(tmp_path, "v1", Part__partId="Own."), "Part", "partId") == "Own."


def test_an_entry_under_a_star_is_for_all_definitions(tmp_path: Path) -> None:
    made = built(tmp_path, "v1", **{"*___meta": "Free."})
    assert line_of(made, "Optional", "_meta") == "Free."
