"""Tests of errors about unused and missing overlay entries."""

from __future__ import annotations

import shutil
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from acpgen.analysis.overlay_checks import (
    find_left_behind,
    find_unfit,
    find_unmatched,
    find_without_capability,
)
from acpgen.analysis.surface import understand
from acpgen.common import paths
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.ir.surface import Surface

from tests.acpgen.analysis.refusals import append, problems, refused

OVERLAY = load_overlay(paths.SCHEMA / "overlay")


@cache
def surfaces() -> list[Surface]:
    return understand(None, [])[0]


def changed(path: str, value: Any) -> Any:
    """Return the overlay with a value in `kit.toml` replaced, or removed if `value` is None."""
    kit = deepcopy(OVERLAY.kit)
    *way, last = path.split("/")
    table: Any = kit
    for key in way:
        table = table[key.replace("~1", "/")]
    last = last.replace("~1", "/")
    if value is None:
        del table[last]
    else:
        table[last] = value
    return replace(OVERLAY, kit=kit)


def test_the_overlay_fits_the_vendored_schemas() -> None:
    assert find_unfit(OVERLAY, surfaces()) == []


STALE: list[tuple[str, Any, str]] = [
    ("v2/tool/kind", "Missing", "v2/tool/kind"),
    ("v2/tool/option/more", "$kind", "v2/tool/option/more"),
    ("v2/tool/location/more", "$path", "v2/tool/location/more"),
    ("v2/tool/begin/sessionUpdate", "missing", "v2/tool/begin/sessionUpdate"),
    ("v2/tool/change/more", "$title", "v2/tool/change/more"),
    ("v2/tool/question/subject/toolCall/more", "$id", "v2/tool/question/subject/toolCall/more"),
    ("v2/tool/content/edit/patch/more", "$patch", "v2/tool/content/edit/patch/more"),
    ("v1/tool/content/command/content/more", "$id", "v1/tool/content/command/content/more"),
    ("v2/tool/terminal/show/exitStatus/more", 1, "v2/tool/terminal/show/exitStatus/more"),
    ("v2/cancelling/missing", "toolCallId", "v2/cancelling/missing"),
    ("v2/cancelling/tool_call~1cancel", "missing", "v2/cancelling/tool_call~1cancel"),
    ("v2/saved/info/more", "$title", "v2/saved/info/more"),
    ("v2/saved/prompts", [{"sessionUpdate": "x"}], "v2/saved/prompts/0/sessionUpdate"),
    ("v2/saved/listed/more", "$cwd", "v2/saved/listed/more"),
    ("v2/saved/methods/missing", {"operation": "list"}, "v2/saved/methods/missing"),
    (
        "v2/saved/methods/session~1request_permission",
        {},
        "v2/saved/methods/session~1request_permission",
    ),
    ("v1/saved/methods/session~1cancel", {}, "v1/saved/methods/session~1cancel"),
    ("v2/saved/stated/config_options/type", "X", "v2/saved/stated/config_options/type"),
    ("v2/saved/stated/config_options/update", "x", "v2/saved/stated/config_options/update"),
    ("v2/saved/stated/config_options/key", "x", "v2/saved/stated/config_options/key"),
    ("v1/workspace/capabilities/fs/more", True, "v1/workspace/capabilities/fs/more"),
    (
        "v1/workspace/methods/terminal~1output/result/exitStatus/more",
        1,
        "v1/workspace/methods/terminal~1output/result/exitStatus/more",
    ),
]


@pytest.mark.parametrize(("path", "value", "place"), STALE, ids=[each[0] for each in STALE])
def test_entries_that_name_nothing_are_reported(path: str, value: Any, place: str) -> None:
    found = {(each.pointer, each.message) for each in find_unfit(changed(path, value), surfaces())}
    assert (f"/{place}", "matches nothing in the schema; fix or remove the entry") in found


@pytest.mark.parametrize("part", ["session", "session_update"])
def test_a_kit_is_not_checked_without_sessions(part: str) -> None:
    without: list[Surface] = [replace(surface, **{part: None}) for surface in surfaces()]
    assert find_unfit(changed("v2/tool/kind", "Missing"), without) == []


def test_entries_about_a_version_without_a_schema_are_reported() -> None:
    found = find_unfit(changed("v9", OVERLAY.kit["v2"]), surfaces())
    assert {each.pointer.split("/")[1] for each in found} == {"v9"}


@pytest.mark.parametrize(
    "path",
    [
        "v2/tool",
        "v2/saved",
        "v2/saved/info",
        "v2/saved/methods/session~1list",
        "v2/saved/methods/session~1resume",
        "v2/saved/stated/config_options",
    ],
)
def test_entries_that_the_version_before_has_are_asked_for(path: str) -> None:
    [found] = find_left_behind(changed(path, None), surfaces())
    name = path.rpartition("/")[2].replace("~1", "/")
    assert found.line() == (
        f"error[missing-entry]: schema/overlay/kit.toml#/{path}: is missing, but the previous"
        f" version has {name!r}; add it, or an empty table"
    )


def test_a_version_without_a_kit_lacks_its_parts() -> None:
    found = find_left_behind(changed("v2", None), surfaces())
    assert {each.pointer for each in found} == {"/v2/tool", "/v2/saved"}


Key: TypeAlias = str | tuple[str, ...]


def without(table: str, *keys: Key) -> Overlay:
    """Return the overlay without some entries of a table."""
    entries = getattr(OVERLAY, table)
    assert entries.keys() >= {*keys}
    return replace(
        OVERLAY, **{table: {key: each for key, each in entries.items() if key not in keys}}
    )


def without_page(version: int) -> Overlay:
    """Return the overlay without the page of the first requirement in a protocol version."""
    requirements = OVERLAY.requirements
    first, *others = requirements.demands
    pages = {key: page for key, page in first.pages.items() if key != version}
    demands = (replace(first, pages=pages), *others)
    return replace(OVERLAY, requirements=replace(requirements, demands=demands))


@pytest.mark.parametrize(
    ("overlay", "missing"),
    [
        (
            replace(OVERLAY, batches={"v1": "a reason"}),
            [
                "policy.toml#/batches/v2: is missing, but the previous version has 'a reason'; add"
                " it, or 'none'"
            ],
        ),
        (
            without("pages", ("v2", "session/prompt")),
            [
                "pages.toml#/v2/session~1prompt: is missing, but the previous version has"
                " 'prompt-turn'; add it, or 'none'"
            ],
        ),
        (
            without_page(2),
            [
                "requirements.toml#/agent/messages/json-lines/pages/v2: is missing, but the"
                " previous version has 'transports#stdio'; add it, or 'none'"
            ],
        ),
        (without_page(1), []),
        (
            without("members", ("ToolCallUpdate", "v2", "kind")),
            [
                "summaries.toml#/members/ToolCallUpdate/v2/kind: is missing, but the previous"
                " version has 'The kind of action, a hint for display; absent or null keeps it.';"
                " add it"
            ],
        ),
        (
            without("capabilities", ("v2", "agent", "session/prompt")),
            [
                f"capabilities.toml#/v2/agent/session~1prompt#prompt~1{kind}: is missing, but the"
                f" previous version has '/agentCapabilities/promptCapabilities/{name}'; add it,"
                " or 'none'"
                for kind, name in (
                    ("audio", "audio"),
                    ("image", "image"),
                    ("resource", "embeddedContext"),
                )
            ],
        ),
        (
            without("implied_updates", "v2_unstable"),
            [
                "updates.toml#/implied_updates/v2_unstable/session~1fork/config_option_update: is"
                " missing, but the previous version has {'configOptions': 'result/configOptions'};"
                " add it, or an empty table",
                "updates.toml#/implied_updates/v2_unstable/session~1set_title/session_info_update:"
                " is missing, but the previous version has {'title': 'result/title'}; add it, or"
                " an empty table",
            ],
        ),
        (
            replace(OVERLAY, ends_updates=OVERLAY.ends_updates - {("v1", "session/prompt")}),
            [
                "policy.toml#/ends_updates/v1/session~1prompt: is missing, but updates about this"
                " request precede its response; add an entry that describes them"
            ],
        ),
    ],
    ids=range(8),
)
def test_what_another_version_has_is_asked_for(overlay: Overlay, missing: list[str]) -> None:
    assert [problem.line() for problem in find_left_behind(overlay, surfaces())] == [
        f"error[missing-entry]: schema/overlay/{line}" for line in missing
    ]


def test_the_capability_of_each_method_is_asked_for() -> None:
    overlay = without(
        "capabilities", ("v2", "agent", "session/new"), ("v2_unstable", "agent", "session/fork")
    )
    assert [problem.line() for problem in find_without_capability(overlay, surfaces())] == [
        f"error[missing-capability]: schema/overlay/capabilities.toml#/{place}: has no entry for"
        " the method; add its capability, or 'none'"
        for place in ("v2_unstable/agent/session~1fork", "v2/agent/session~1new")
    ]


# --- unused entries, and summaries --------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        (
            "names",
            "[classes.'Nothing/other']\nname = 'N'\nreason = 'r'",
            "/classes/Nothing~1other",
        ),
        (
            "names",
            "[deprecated.Was]\nname = 'Nothing'\nsince = '0.9'",
            "/deprecated/Was",
        ),
        ("policy", "[closed.Nothing]\nreason = 'r'", "/closed/Nothing"),
        ("policy", "[directions.No]\nreason = 'r'", "/directions/No"),
        (
            "policy",
            "[without_default.v2]\n'session/list' = 'r'",
            "/without_default/v2/session~1list",
        ),
        ("pages", "[v3]\n'a/b' = 'c'", "/v3/a~1b"),
        ("capabilities", "[v1.x]\n'a/b' = '/c'", "/v1/x/a~1b"),
        # The last table in the file is `methods`, so the appended entry belongs to it.
        ("summaries", "Nothing = 'x'", "/methods/Nothing"),
        ("updates", "[v1.no]\nop = 'passthrough'", "/v1/no"),
        (
            "updates",
            "[implied_updates.v1.'a/b']\nx = { y = 'result/y' }",
            "/implied_updates/v1/a~1b/x",
        ),
    ],
    ids=range(10),
)
def test_bad_entry(file: str, text: str, place: str, overlay: Path) -> None:
    append(overlay / f"{file}.toml", text)
    assert problems(overlay) == [
        f"error[overlay]: schema/overlay/{file}.toml#{place}: matches nothing in the schema; remove"
        " the entry"
    ]


def test_entries_of_policy_about_missing_versions_and_methods_are_unused() -> None:
    overlay = Overlay(batches={"v9": "A reason."}, ends_updates=frozenset({("v9", "a/b")}))
    assert [problem.line() for problem in find_unmatched(overlay, [], set())] == [
        f"error[overlay]: schema/overlay/policy.toml#/{place}: matches nothing in the schema;"
        " remove the entry"
        for place in ("batches/v9", "ends_updates/v9/a~1b")
    ]
    matched = {("batches", "v9"), ("ends_updates", "v9", "a/b")}
    assert find_unmatched(overlay, [], matched) == []


def test_requirements_for_missing_methods_are_unused() -> None:
    first, *_ = OVERLAY.requirements.demands
    demands = tuple(replace(first, methods=methods) for methods in (("no",), ("session/new",)))
    untested = {("agent", 2): {"no": "A reason.", "session/new": "A reason."}}
    requirements = replace(OVERLAY.requirements, demands=demands, untested=untested)
    found = find_unmatched(Overlay(requirements=requirements), surfaces(), set())
    assert [each.pointer for each in found if each.file.endswith("requirements.toml")] == [
        f"/{first.side}/{first.area}/{first.id}",
        "/untested/agent/v2/no",
    ]


@pytest.mark.parametrize(
    "entry",
    [
        "classes/Annotations",  # summaries of protocol types belong under `types`
        "members/Annotations/nothing",
        "members/Annotations/v3/audience",
        "members/Nothing/audience",
        "values/StopReason/bored",
        "values/Nothing/end_turn",
    ],
)
def test_unused_summary(entry: str, overlay: Path) -> None:
    section, _, name = entry.partition("/")
    path = overlay / "summaries.toml"
    added = f"[{section}]\n{name.replace('/', '.')} = 'x'\n"
    path.write_text(path.read_text("utf-8").replace(f"[{section}]\n", added), encoding="utf-8")
    assert problems(overlay) == [
        f"error[overlay]: schema/overlay/summaries.toml#/{entry}: matches nothing in the schema;"
        " remove the entry"
    ]


def test_a_summary_has_no_use_beside_one_for_each_version(
    overlay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("v1", "v2"):
        shutil.copytree(paths.SCHEMA / version, overlay.parent / version)
    shutil.copy(paths.SCHEMA / "sources.json", overlay.parent)
    monkeypatch.setattr(paths, "SCHEMA", overlay.parent)
    path = overlay / "summaries.toml"
    added = "[members]\nAnnotations.v1.audience = 'x'\nAnnotations.v2.audience = 'x'\n"
    path.write_text(path.read_text("utf-8").replace("[members]\n", added), encoding="utf-8")
    assert refused() == (
        "error[overlay]: schema/overlay/summaries.toml#/members/Annotations/audience: matches"
        " nothing in the schema; remove the entry\n"
    )


@pytest.mark.parametrize(
    "entry",
    [
        "types/Annotations",
        "classes/UserMessageChunk",
        "methods/logout",
        "members/Annotations/audience",
        "members/ContentChunk/content",  # on a base class
        "members/CreateElicitationRequest/message",  # in the variants and the fallback class
        "values/StopReason/refusal",
        "values/ErrorCode/-32601",
    ],
)
def test_missing_summary(entry: str, overlay: Path) -> None:
    name = entry.partition("/")[2].replace("/", ".")
    path = overlay / "summaries.toml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.split(" = ")[0].strip('"') != name]
    assert len(kept) == len(lines) - 1
    path.write_text("".join(kept), encoding="utf-8")
    assert problems(overlay, "v1_unstable") == [
        f"error[missing-summary]: schema/overlay/summaries.toml#/{entry}: has no summary;"
        " write one line that describes it"
    ]


def test_entries_that_a_promotion_made_superfluous_are_reported() -> None:
    (tag, rule), *_ = OVERLAY.updates["v2"].items()
    (_, side, wire), entries = next(
        (key, each) for key, each in OVERLAY.capabilities.items() if key[0] == "v2"
    )
    moved = tuple(replace(e, path=("v2_unstable", *e.path[1:])) for e in entries)
    unstable = {**OVERLAY.updates.get("v2_unstable", {}), tag: rule}
    overlay = replace(
        OVERLAY,
        updates={**OVERLAY.updates, "v2_unstable": unstable},
        capabilities={**OVERLAY.capabilities, ("v2_unstable", side, wire): moved},
    )
    found = {
        problem.pointer: problem.message
        for problem in find_unmatched(overlay, [], set())
        if "repeats" in problem.message
    }
    message = "repeats the stable surface's entry, which also applies here; remove this entry"
    assert found == dict.fromkeys(found, message)
    assert len(found) == 1 + len(moved)
    assert f"/v2_unstable/{tag}" in found
    assert not [p for p in find_unmatched(OVERLAY, [], set()) if "repeats" in p.message]
