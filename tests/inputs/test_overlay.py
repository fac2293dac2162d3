"""The overlay files: each is checked against its definition in `overlay.schema.json`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.overlay.decisions import CapabilityEntry
from acpgen.inputs.overlay.reading import FILES, OVERLAY_SCHEMA, load_overlay
from jsonschema import Draft202012Validator


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with overlay files that say nothing."""
    for name in FILES:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problems(folder: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_overlay(folder)
    return str(caught.value).splitlines()


def test_the_schema_is_valid_and_defines_each_file() -> None:
    schema = json.loads(OVERLAY_SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert {name for name in schema["$defs"] if name.endswith(".toml")} == set(FILES)


def test_the_files_of_the_project_are_those_that_are_read() -> None:
    found = {path.name for path in (paths.SCHEMA / "overlay").iterdir()}
    assert found == set(FILES)


def test_files_that_say_nothing_are_fine(folder: Path) -> None:
    assert load_overlay(folder).names == {}


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (
            "names.toml",
            "[class.X]\nname = 'Y'\nreason = 'r'\n",
            "#/class: unknown section; use one of classes, deprecated",
        ),
        (
            "summaries.toml",
            "[class]\nX = 'x'\n",
            "#/class: unknown section; use one of types, classes, members, values, methods",
        ),
        (
            "names.toml",
            "[classes.'X/y']\nname = 'Y'\nreason = 'r'\nsince = '1'\n",
            "#/classes/X~1y/since: unknown key; use one of name, reason",
        ),
        (
            "names.toml",
            "[classes.X]\n",
            "#/classes/X: lacks name and reason; an entry needs name and reason",
        ),
        (
            "names.toml",
            "[deprecated.X]\nname = 'Y'\n",
            "#/deprecated/X: lacks since; an entry needs name and since",
        ),
        ("policy.toml", "[closed.X]\n", "#/closed/X: lacks reason; an entry needs reason"),
        ("policy.toml", "[closed.X]\nreason = ''\n", "#/closed/X/reason: is empty; fill it in"),
        ("policy.toml", "closed = 3\n", "#/closed: must be a table; fix the entry"),
        ("summaries.toml", "[classes]\nX = 3\n", "#/classes/X: must be a string; fix the entry"),
        ("summaries.toml", "[members]\nX = 'x'\n", "#/members/X: must be a table; fix the entry"),
        (
            "summaries.toml",
            "[members]\nX.y = 3\n",
            "#/members/X/y: must be a string; fix the entry",
        ),
        ("summaries.toml", "[members]\nX.y = ''\n", "#/members/X/y: is empty; fill it in"),
        (
            "summaries.toml",
            "[members]\nX.v1 = 'x'\n",
            "#/members/X/v1: must be a table; fix the entry",
        ),
        (
            "summaries.toml",
            "[members]\nX.v1.y.z = 'x'\n",
            "#/members/X/v1/y: must be a string; fix the entry",
        ),
        ("pages.toml", "[v1]\n'a/b' = 3\n", "#/v1/a~1b: must be a string; fix the entry"),
        ("capabilities.toml", "[v1]\nagent = 'x'\n", "#/v1/agent: must be a table; fix the entry"),
        (
            "capabilities.toml",
            "[v1.agent]\nx = ['y']\n",
            "#/v1/agent/x: must be a string; fix the entry",
        ),
        ("updates.toml", "[v1]\nx = 'keep'\n", "#/v1/x: must be a table; fix the entry"),
        ("updates.toml", "[v1.x]\nkey = 'y'\n", "#/v1/x: lacks op; an entry needs op"),
        ("updates.toml", "[v1.x]\nop = 1\n", "#/v1/x/op: must be a string; fix the entry"),
        (
            "updates.toml",
            "[v1.x]\nop = 'patch'\ndefaults = ['y']\n",
            "#/v1/x/defaults: must be a table; fix the entry",
        ),
        (
            "updates.toml",
            "[v1.x]\nop = 'set'\ncarries = ['y', 1]\n",
            "#/v1/x/carries/1: must be a string; fix the entry",
        ),
    ],
)
def test_what_does_not_match_the_schema(file: str, text: str, expected: str, folder: Path) -> None:
    (folder / file).write_text(text, encoding="utf-8")
    assert problems(folder) == [f"error overlay at {file}{expected}"]


def test_the_problems_of_all_files_are_listed(folder: Path) -> None:
    (folder / "names.toml").write_text("class = 1\nother = 2\n", encoding="utf-8")
    (folder / "policy.toml").write_text("closed = 1\n", encoding="utf-8")
    assert [line.partition(": ")[0] for line in problems(folder)] == [
        "error overlay at names.toml#/class",
        "error overlay at names.toml#/other",
        "error overlay at policy.toml#/closed",
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[closed", "error overlay at policy.toml#: is not valid TOML ("),
        (b"a = '\xff'", "error overlay at policy.toml#: is not valid TOML ("),
        (None, "error missing-file at policy.toml#: cannot be read ("),
    ],
    ids=["not TOML", "not UTF-8", "missing"],
)
def test_a_file_that_cannot_be_read(content: bytes | None, expected: str, folder: Path) -> None:
    path = folder / "policy.toml"
    path.unlink() if content is None else path.write_bytes(content)
    [line] = problems(folder)
    assert line.startswith(expected)


def test_an_unstable_surface_inherits_from_the_stable_one(folder: Path) -> None:
    (folder / "capabilities.toml").write_text(
        "[v1.agent]\n'a/b' = '/x'\n'a/b#member/tag' = '/y'\n"
        "[v1_unstable.agent]\n'a/b#other' = '/z'\n[v2.agent]\n'a/b' = '/no'\n",
        encoding="utf-8",
    )
    (folder / "updates.toml").write_text(
        "[v1.one]\nop = 'passthrough'\n[v1.two]\nop = 'passthrough'\n"
        "[v1_unstable.two]\nop = 'set'\n",
        encoding="utf-8",
    )
    overlay = load_overlay(folder)
    stable = (
        CapabilityEntry(("v1", "agent", "a/b"), None, "/x"),
        CapabilityEntry(("v1", "agent", "a/b#member/tag"), "member/tag", "/y"),
    )
    unstable = CapabilityEntry(("v1_unstable", "agent", "a/b#other"), "other", "/z")
    assert overlay.capabilities_of("v1", "agent", "a/b") == stable
    assert overlay.capabilities_of("v1_unstable", "agent", "a/b") == (*stable, unstable)
    assert overlay.capabilities_of("v1", "client", "a/b") == ()
    assert overlay.updates_of("v1_unstable") == {
        "one": (("v1", "one"), {"op": "passthrough"}),
        "two": (("v1_unstable", "two"), {"op": "set"}),
    }
