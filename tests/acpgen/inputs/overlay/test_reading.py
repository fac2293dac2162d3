"""Tests of the reader for overlay files and of the errors that it reports."""

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
    """The working directory, which contains empty overlay files."""
    for name in FILES:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problems(folder: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_overlay(folder)
    return str(caught.value).splitlines()


def test_the_schema_defines_each_file_of_the_project() -> None:
    schema = json.loads(OVERLAY_SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert {name for name in schema["$defs"] if name.endswith(".toml")} == set(FILES)
    assert {path.name for path in (paths.SCHEMA / "overlay").iterdir()} == set(FILES)


TABLE, STRING = (f"must be a {kind}; fix the entry" for kind in ("table", "string"))


EMPTY = "is empty; fill it in"


LEVEL = "[agent.x.y]\nlevel = 'MAY'\nwords = 'w'\npages.v1 = 'p'\n"


SECTIONS = "unknown section; use one of types, classes, members, values, methods"


@pytest.mark.parametrize(
    ("file", "text", "place", "problem"),
    [
        ("names", "[class.X]\n", "class", "unknown section; use one of classes, deprecated"),
        ("names", "[classes.X]\n", "classes/X", "lacks name and reason"),
        ("names", "[deprecated.X]\nname = 'Y'\n", "deprecated/X", "lacks since"),
        ("summaries", "[class]\nX = 'x'\n", "class", SECTIONS),
        ("summaries", "[classes]\nX = 3\n", "classes/X", STRING),
        ("summaries", "[members]\nX = 'x'\n", "members/X", TABLE),
        ("summaries", "[members]\nX.y = 3\n", "members/X/y", STRING),
        ("summaries", "[members]\nX.y = ''\n", "members/X/y", EMPTY),
        ("summaries", "[members]\nX.v1 = 'x'\n", "members/X/v1", TABLE),
        ("summaries", "[members]\nX.v1.y.z = 'x'\n", "members/X/v1/y", STRING),
        ("policy", "[closed.X]\n", "closed/X", "lacks reason; an entry needs reason"),
        ("policy", "[closed.X]\nreason = ''\n", "closed/X/reason", EMPTY),
        ("policy", "closed = 3\n", "closed", TABLE),
        ("pages", "[v1]\n'a/b' = 3\n", "v1/a~1b", STRING),
        ("capabilities", "[v1]\nagent = 'x'\n", "v1/agent", TABLE),
        ("capabilities", "[v1.agent]\nx = ['y']\n", "v1/agent/x", STRING),
        ("requirements", "[agent.x]\ny = 'z'\n", "agent/x/y", TABLE),
        (
            "requirements",
            f"{LEVEL.replace('MAY', 'MUST')}methods = 'a/b'\n",
            "agent/x/y/methods",
            "must be a list of strings; fix the entry",
        ),
        ("requirements", LEVEL, "agent/x/y/level", "must be MUST or SHOULD; fix the entry"),
        ("requirements", "[untested.agent.v1]\nx = ''\n", "untested/agent/v1/x", EMPTY),
        ("kit", "[1]\n", "1", "unknown key; use a protocol version, such as v2"),
        ("updates", "[v1]\nx = 'keep'\n", "v1/x", TABLE),
        ("updates", "[v1.x]\nkey = 'y'\n", "v1/x", "lacks op; an entry needs op"),
        ("updates", "[v1.x]\nop = 1\n", "v1/x/op", STRING),
        ("updates", "[v1.x]\nop = 'patch'\ndefaults = ['y']\n", "v1/x/defaults", TABLE),
        ("updates", "[v1.x]\nop = 'set'\ncarries = ['y', 1]\n", "v1/x/carries/1", STRING),
    ],
)
def test_what_does_not_match_the_schema(
    file: str, text: str, place: str, problem: str, folder: Path
) -> None:
    (folder / f"{file}.toml").write_text(text, encoding="utf-8")
    [line] = problems(folder)
    expected = f"error[overlay]: {file}.toml#/{place}: {problem}"
    assert line == expected or line.startswith(f"{expected}; an entry needs name and ")


def test_the_keys_of_an_entry_are_listed(folder: Path) -> None:
    text = "[classes.'X/y']\nname = 'Y'\nreason = 'r'\nsince = '1'\n"
    (folder / "names.toml").write_text(text, encoding="utf-8")
    place = "error[overlay]: names.toml#/classes/X~1y/since"
    assert problems(folder) == [f"{place}: unknown key; use one of name, reason"]


def test_the_problems_of_all_files_are_listed(folder: Path) -> None:
    (folder / "names.toml").write_text("class = 1\nother = 2\n", encoding="utf-8")
    (folder / "policy.toml").write_text("closed = 1\n", encoding="utf-8")
    assert [": ".join(line.split(": ")[:2]) for line in problems(folder)] == [
        "error[overlay]: names.toml#/class",
        "error[overlay]: names.toml#/other",
        "error[overlay]: policy.toml#/closed",
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[closed", "error[overlay]: policy.toml: is not valid TOML ("),
        (b"a = '\xff'", "error[overlay]: policy.toml: is not valid TOML ("),
        (None, "error[missing-file]: policy.toml: cannot be read ("),
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
