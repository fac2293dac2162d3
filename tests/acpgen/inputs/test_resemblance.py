"""Tests that schemas for the wrong protocol version are detected, regardless of their revision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import Problem
from acpgen.inputs.resemblance import ENOUGH, find_gaps, find_other_versions, names_in
from acpgen.inputs.sources.files import Source, locate_schemas

from tests.acpgen.diff.npm import revision
from tests.acpgen.diff.small import STRING, method, record, save
from tests.support.paths import GOLDEN, SURFACES

OTHER = {"v1": "v2", "v1_unstable": "v2_unstable", "v2": "v1", "v2_unstable": "v1_unstable"}


def noted(surface: str, path: Path) -> list[str]:
    """Return the notes about using a file as the schema of a surface."""
    problems = find_other_versions([Source(surface, path)], paths.SCHEMA)
    messages = [problem.message for problem in problems]
    place = display_path(path)
    assert problems == [Problem(place, "", "other-version", message) for message in messages]
    return messages


@pytest.mark.parametrize("surface", SURFACES)
def test_a_vendored_schema_is_of_its_version_only(surface: str) -> None:
    path = paths.SCHEMA / SURFACES[surface]
    assert noted(surface, path) == []
    [message] = noted(OTHER[surface], path)
    assert f"looks like {surface[:2]}, not {OTHER[surface][:2]}: " in message
    assert message.endswith(f"use `--surface {surface}`")


@pytest.mark.parametrize("surface", SURFACES)
def test_stable_and_unstable_are_not_told_apart(surface: str) -> None:
    version, _, stability = surface.partition("_")
    sibling = version if stability else f"{version}_unstable"
    assert noted(sibling, paths.SCHEMA / SURFACES[surface]) == []


@pytest.mark.parametrize("version", ["0.4.5", "0.12.0", "1.4.0", "1.9.0", "2.0.0", "2.4.0"])
def test_no_revision_is_mistaken(version: str) -> None:
    sources = locate_schemas(revision(version), [])
    assert sources
    assert find_other_versions(sources, paths.SCHEMA) == []
    swapped = [Source(OTHER[each.surface], each.path) for each in sources]
    assert len(find_other_versions(swapped, paths.SCHEMA)) == len(sources)


def only_in(version: str, count: int) -> dict[str, Any]:
    """Return `count` definitions with names that only one protocol version uses."""

    def definitions(version: str) -> dict[str, Any]:
        files = [file for name, file in SURFACES.items() if name.startswith(version)]
        texts = [(paths.SCHEMA / file).read_text("utf-8") for file in files]
        return {name: each for text in texts for name, each in json.loads(text)["$defs"].items()}

    own, others = definitions(version), definitions(OTHER[version])
    names = sorted(own.keys() - others.keys())
    assert len(names) >= count
    return dict.fromkeys(names[:count], STRING)


@pytest.mark.parametrize(
    ("theirs", "own", "told"), [(9, 0, 0), (10, 0, 1), (20, 10, 1), (20, 11, 0)]
)
def test_it_takes_enough_names_and_twice_as_many(
    theirs: int, own: int, told: int, tmp_path: Path
) -> None:
    assert ENOUGH == 10
    path = save(tmp_path / "schema.json", {**only_in("v2", theirs), **only_in("v1", own)})
    assert len(noted("v1", path)) == told


def test_the_most_similar_version_is_likely(tmp_path: Path) -> None:
    first, second = ({f"{kind}{n}": STRING for n in range(10)} for kind in "AB")
    third = {**second, "More": STRING}
    for version, definitions in (("v1", first), ("v2", second), ("v3", third)):
        save(tmp_path / version / "schema.json", definitions)
    path = save(tmp_path / "schema.json", third)
    [note] = find_other_versions([Source("v1_unstable", path)], tmp_path)
    assert note.message == (
        "looks like v3, not v1: 11 of its definitions, fields and methods are only in the vendored"
        " v3, 0 only in v1; if it is v3, use `--surface v3_unstable`"
    )
    assert find_other_versions([Source("v9", path)], tmp_path) == []


def test_schemas_of_something_else_are_of_no_version() -> None:
    assert noted("v1", GOLDEN / "schema.json") == noted("v2", GOLDEN / "schema.json") == []


def test_a_stable_schema_has_no_name_that_the_unstable_one_lacks(tmp_path: Path) -> None:
    assert find_gaps(locate_schemas(paths.SCHEMA, [])) == []
    thing, other = record(a=STRING), record(a=STRING, b=STRING)
    save(tmp_path / SURFACES["v2_unstable"], {"Thing": thing, "More": STRING})
    save(tmp_path / SURFACES["v2"], {"Thing": other, "Own": other})
    message = (
        "does not contain these names from v2: Own, Thing.b; make the same change to both schemas"
    )
    assert find_gaps(locate_schemas(tmp_path, [])) == [
        Problem(display_path(tmp_path / SURFACES["v2_unstable"]), "", "unstable-lacks", message)
    ]


@pytest.mark.parametrize(("count", "rest"), [(5, ""), (6, " and others")])
def test_a_message_lists_a_few_of_the_names(count: int, rest: str, tmp_path: Path) -> None:
    save(tmp_path / SURFACES["v2_unstable"], {})
    save(tmp_path / SURFACES["v2"], {f"A{n}": STRING for n in range(count)})
    [note] = find_gaps(locate_schemas(tmp_path, []))
    assert note.message == (
        f"does not contain these names from v2: A0, A1, A2, A3, A4{rest}; make the same change to"
        " both schemas"
    )


def test_names_are_of_definitions_members_and_methods() -> None:
    definitions = {"Ask": method("a/ask", what=STRING), "Thing": record(a=STRING), "Any": True}
    assert names_in({"$defs": definitions}) == {
        ("definition", "Ask"),
        ("member", "Ask", "what"),
        ("method", "agent", "a/ask"),
        ("definition", "Thing"),
        ("member", "Thing", "a"),
        ("definition", "Any"),
    }


@pytest.mark.parametrize(
    "schema", [None, [], 1, {}, {"$defs": []}, {"$defs": {"A": {"properties": 5}}}]
)
def test_what_is_no_schema_has_few_names(schema: Any) -> None:
    assert names_in(schema) <= {("definition", "A")}


@pytest.mark.parametrize("text", ["{", "\xff", "5"])
def test_a_file_that_cannot_be_read_is_not_judged(text: str, tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text(text, encoding="latin-1")
    assert noted("v1", path) == []
