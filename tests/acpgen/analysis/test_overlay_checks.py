"""Entries of `kit.toml` that the schema does not fit, and entries that a version lacks."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from acpgen.analysis.overlay_checks import find_left_behind, find_unfit
from acpgen.analysis.surface import understand
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.ir.surface import Surface

OVERLAY = load_overlay(paths.SCHEMA / "overlay")


@cache
def surfaces() -> list[Surface]:
    return understand(None, [])[0]


def changed(path: str, value: Any) -> Any:
    """Return the overlay with another value at a path of `kit.toml`; None removes it."""
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
    assert (f"/{place}", "names nothing in the schema; fix or remove the entry") in found


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
    assert (found.file, found.pointer) == ("schema/overlay/kit.toml", f"/{path}")
    assert found.message.endswith("add it, or an empty table")


def test_a_version_without_a_kit_lacks_its_parts() -> None:
    found = find_left_behind(changed("v2", None), surfaces())
    assert {each.pointer for each in found} == {"/v2/tool", "/v2/saved"}
