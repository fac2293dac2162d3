"""Tests of the rules that convert between two versions. Undecided differences are errors."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.surface import understand
from acpgen.commands import generation
from acpgen.commands.overlay_skeleton import write_skeleton
from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.diff.bridge_rules.build import build_bridge
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.ir.bridge import Bridge, Call
from acpgen.ir.surface import Surface

from tests.support.paths import SCHEMA

Json = Any
Edit = Callable[[dict[str, Json]], None]

OVERLAY = load_overlay(SCHEMA / "overlay").bridge
FILES = {"v1": "v1/schema.json", "v2": "v2/schema.json"}


def built(folder: Path | None = None, overlay: Json = OVERLAY) -> Bridge:
    surfaces, _ = understand(folder, ["v1", "v2"])
    bridge = build_bridge(surfaces, overlay)
    assert bridge is not None
    return bridge


def edited(folder: Path, surface: str, edit: Edit) -> Path:
    """Copy the schemas to a folder on the first call, edit one of them, and return the folder."""
    if not (folder / "schema").exists():
        shutil.copytree(SCHEMA, folder / "schema")
    file = folder / "schema" / FILES[surface]
    schema = json.loads(file.read_text(encoding="utf-8"))
    edit(schema["$defs"])
    file.write_text(json.dumps(schema), encoding="utf-8")
    return folder / "schema"


def lines(error: pytest.ExceptionInfo[InputError]) -> list[str]:
    return [problem.line() for problem in error.value.problems]


def complaints(folder: Path, surface: str, edit: Edit) -> list[str]:
    """Return the lines that report the problems in a changed schema."""
    with pytest.raises(InputError) as error:
        built(edited(folder, surface, edit))
    return lines(error)


def at(pointer: str, message: str, code: str = "missing-decision") -> str:
    return f"error[{code}]: schema/overlay/bridge.toml#{pointer}: {message}"


# --- detected differences -----------------------------------------------------------------------


def test_every_method_has_a_route() -> None:
    surfaces, _ = understand(None, ["v1", "v2"])
    routes = [route.arguments for route in built().routes]
    for surface, named in zip(
        surfaces,
        ([older for _, _, older, *_ in routes], [newer for _, _, _, newer, *_ in routes]),
        strict=True,
    ):
        wires = sorted(method.wire for method in surface.methods if method.wire)
        assert sorted(name for name in named if name) == wires


def test_every_update_is_decided() -> None:
    bridge = built()
    for direction, section in ((bridge.to_newer, "to_newer"), (bridge.to_older, "to_older")):
        assert direction.updates.keys() == OVERLAY["updates"][section].keys()


def test_rules_are_those_of_what_differs() -> None:
    bridge = built()
    for direction in (bridge.to_newer, bridge.to_older):
        assert direction.rules.keys() <= direction.counterparts.keys()
    assert "ImageContent" in bridge.to_newer.rules  # only the types of its annotations differ
    assert "HttpHeader" in bridge.to_newer.counterparts.keys() - bridge.to_newer.rules.keys()


# --- additions ----------------------------------------------------------------------------------


def test_new_member_stops(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        definitions["PlanEntry"]["properties"]["due"] = {"type": "string"}

    assert complaints(tmp_path, "v2", edit) == [
        at(
            "/to_older/PlanEntry",
            "field 'due' is missing in the other version; map it in `renamed`, or give a "
            "reason in `lost`",
        )
    ]


def test_new_member_that_code_would_have_to_take_stops(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        definitions["PromptResponse"]["properties"]["position"] = {"type": "integer"}

    assert complaints(tmp_path, "v2", edit) == [
        at(
            "/to_older/PromptResponse",
            "'position' is new; handle it in templates/runtime/bridge, and list it in `taken`",
        )
    ]


def test_new_required_member_stops(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        definitions["PlanEntry"]["required"].append("due")
        definitions["PlanEntry"]["properties"]["due"] = {"type": "string"}

    assert at(
        "/to_newer/PlanEntry",
        "the other version requires 'due'; set its value in `added`",
    ) in complaints(tmp_path, "v2", edit)


def test_new_definition_in_what_code_takes_apart_stops(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        definitions["PromptImageCapabilities"]["properties"]["formats"] = {"type": "string"}

    assert complaints(tmp_path, "v2", edit) == [
        at(
            "/to_older/PromptImageCapabilities",
            "has no rule; add it to `parts`, or list in `taken` the fields, tags or constants "
            "that code handles",
        )
    ]


def test_null_in_a_list_stops(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        prompt = definitions["PromptRequest"]["properties"]["prompt"]
        prompt["items"] = {"anyOf": [prompt["items"], {"type": "null"}]}

    assert complaints(tmp_path, "v1", edit)[0] == at(
        "/to_newer/PromptRequest",
        "has values of another kind in the other version; specify their `code`",
    )
    # Null is the same in both versions, but the rule for the other items cannot convert null.
    message = "has nullable list or map items that differ; specify their `code`"
    assert complaints(tmp_path, "v2", edit) == [
        at("/to_newer/PromptRequest", message),
        at("/to_older/PromptRequest", message),
    ]


def test_new_arm_stops(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        arm = copy.deepcopy(definitions["ContentBlock"]["anyOf"][0])
        arm["properties"]["type"]["const"] = "video"
        definitions["ContentBlock"]["anyOf"].insert(0, arm)
        listed = definitions["ContentBlock"]["anyOf"][-1]["not"]["anyOf"]
        listed.append(
            {"properties": {"type": {"const": "video", "type": "string"}}, "required": ["type"]}
        )

    assert complaints(tmp_path, "v2", edit) == [
        at(
            "/to_older/ContentBlock",
            "variant 'video' is missing in the other version; give a reason in `lost`",
        )
    ]


def test_new_update_stops(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        arm = copy.deepcopy(definitions["SessionUpdate"]["oneOf"][-1])
        arm["properties"]["sessionUpdate"]["const"] = "mood_update"
        definitions["SessionUpdate"]["oneOf"].append(arm)

    assert at(
        "/updates/to_newer/mood_update",
        "the update is new; add `translated` (how code handles it) or `absent` (the reason), or an "
        "empty entry if rules suffice",
    ) in complaints(tmp_path, "v1", edit)


def test_new_method_stops(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        params = {"type": "object", "x-side": "agent", "x-method": "session/forget"}
        definitions["ForgetNotification"] = params
        [known, _] = definitions["ClientNotification"]["properties"]["params"]["anyOf"]
        known["anyOf"].append({"allOf": [{"$ref": "#/$defs/ForgetNotification"}]})

    assert at(
        "/methods/agent/session~1forget",
        "the method is new; add `newer` (its counterpart), `translated` (how code handles it) or "
        "`absent` (the reason), or an empty entry if rules suffice",
    ) in complaints(tmp_path, "v1", edit)


def test_new_values_are_converted_as_unlisted_ones_are(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        definitions["ToolKind"]["anyOf"].insert(0, {"type": "string", "const": "paint"})

    assert built(edited(tmp_path, "v2", edit)).to_older.rules == built().to_older.rules


def with_fields(folder: Path, **fields: tuple[Json, Json]) -> Path:
    """Add fields to PlanEntry, each with an older and a newer schema, and return the folder."""
    for index, surface in enumerate(FILES):

        def edit(definitions: dict[str, Json], index: int = index) -> None:
            added = {name: schemas[index] for name, schemas in fields.items()}
            definitions["PlanEntry"]["properties"] |= added

        schema = edited(folder, surface, edit)
    return schema


STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def listed(items: Json, **limits: int) -> Json:
    return {"type": "array", "items": items, **limits}


def mapped(values: Json) -> Json:
    return {"type": "object", "additionalProperties": values}


def test_values_outside_the_limits_of_the_other_version_are_converted(tmp_path: Path) -> None:
    schema = with_fields(
        tmp_path,
        least=({**INTEGER, "minimum": 1}, {**INTEGER, "minimum": 3}),
        most=({**INTEGER, "maximum": 9}, {**INTEGER, "maximum": 7}),
        both=({"type": "number"}, {"type": "number", "minimum": 1, "maximum": 2}),
        equal=(INTEGER, INTEGER),
        wider=({**INTEGER, "minimum": 3}, {**INTEGER, "minimum": 1}),
        items=(listed(INTEGER), listed({**INTEGER, "minimum": 3})),
        length=(listed(STRING, minItems=1), listed(STRING, minItems=2)),
        shorter=(listed(STRING, minItems=2), listed(STRING, minItems=1)),
        entries=(mapped(INTEGER), mapped({**INTEGER, "minimum": 3})),
    )
    rule = built(schema).to_newer.rules["PlanEntry"]
    assert isinstance(rule, Call)
    assert rule.keywords["fields"] == {
        "least": Call("Range", keywords={"minimum": 3}),
        "most": Call("Range", keywords={"maximum": 7}),
        "both": Call("Range", keywords={"minimum": 1, "maximum": 2}),
        "items": Call("Items", keywords={"rule": Call("Range", keywords={"minimum": 3})}),
        "length": Call("Items", keywords={"least": 2}),
        "entries": Call("Entries", keywords={"rule": Call("Range", keywords={"minimum": 3})}),
    }


def test_a_rule_for_another_definition_than_the_one_of_the_same_name_is_inline(
    tmp_path: Path,
) -> None:
    any_number = {"type": "object", "properties": {"n": INTEGER}}
    large_number = {"type": "object", "properties": {"n": {**INTEGER, "minimum": 3}}}

    def edit(definitions: dict[str, Json]) -> None:
        definitions |= {"AnyNumber": any_number, "LargeNumber": large_number}

    for surface in FILES:
        edited(tmp_path, surface, edit)
    number = ({"$ref": "#/$defs/AnyNumber"}, {"$ref": "#/$defs/LargeNumber"})
    rules = built(with_fields(tmp_path, number=number)).to_newer.rules
    assert "AnyNumber" not in rules
    rule = rules["PlanEntry"]
    assert isinstance(rule, Call)
    inside = {"n": Call("Range", keywords={"minimum": 3})}
    assert rule.keywords["fields"] == {"number": Call("Members", keywords={"fields": inside})}


@pytest.mark.parametrize(
    ("older", "newer", "to_newer", "to_older"),
    [
        (STRING, INTEGER, "values that are invalid", "values that are invalid"),
        (STRING, listed(STRING), "values that are invalid", "values of another kind"),
        (
            {"anyOf": [STRING, INTEGER]},
            {"type": "boolean"},
            "variants that are invalid",
            "variants that are invalid",
        ),
        ({"anyOf": [STRING, INTEGER]}, STRING, "variants that are invalid", None),
    ],
)
def test_values_that_no_rule_converts_stop(
    older: Json, newer: Json, to_newer: str, to_older: str | None, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        built(with_fields(tmp_path, x=(older, newer)))
    assert lines(error) == [
        at(f"/{direction}/PlanEntry", f"has {lack} in the other version; specify their `code`")
        for direction, lack in (("to_newer", to_newer), ("to_older", to_older))
        if lack is not None
    ]


THING = {"$ref": "#/$defs/Thing"}
LISTED = {"type": "string", "enum": ["a"]}
UNKNOWN = (
    "has values that are unknown in the other version; map them in `instead`, or give a reason in "
    "`left_out`"
)
SUBTYPES = "has subtypes, which rules cannot convert; specify its `code`"


@pytest.mark.parametrize(
    ("older", "newer", "found"),
    [
        # In default mode, version 1 accepts strings that its enumerations do not list.
        (LISTED, LISTED, {"to_newer/Thing": UNKNOWN, "to_older/Thing": UNKNOWN}),
        (
            {"type": "object", "properties": {"n": INTEGER}},
            STRING,
            {
                "to_newer/Thing": "is of another kind in the other version; specify its `code`",
                "to_older/PlanEntry": "has values that are invalid in the other version; specify "
                "their `code`",
            },
        ),
        (
            {"type": "object", "properties": {"stopReason": STRING}},
            "IdleStateUpdate",
            {"to_newer/Thing": SUBTYPES, "to_older/Thing": SUBTYPES},
        ),
    ],
)
def test_definitions_that_no_rule_converts_stop(
    older: Json, newer: Json, found: dict[str, str], tmp_path: Path
) -> None:
    for surface, schema in zip(FILES, (older, newer), strict=True):

        def edit(definitions: dict[str, Json], schema: Json = schema) -> None:
            copied = isinstance(schema, str)  # the name of another definition
            definitions["Thing"] = copy.deepcopy(definitions[schema]) if copied else schema
            if copied:
                del definitions["Thing"]["properties"]["background"]

        edited(tmp_path, surface, edit)
    with pytest.raises(InputError) as error:
        built(with_fields(tmp_path, x=(THING, THING)))
    assert lines(error) == [at(f"/{place}", message) for place, message in found.items()]


# --- decisions ----------------------------------------------------------------------------------


def test_missing_decision_about_values_is_a_problem() -> None:
    overlay = copy.deepcopy(OVERLAY)
    del overlay["to_older"]["ToolKind"]
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    assert lines(error) == [
        at(
            "/to_older/ToolKind",
            "has values that are unknown in the other version; map them in `instead`, or give a "
            "reason in `left_out`",
        )
    ]


def test_skeleton_has_a_table_for_each_missing_decision(tmp_path: Path) -> None:
    overlay = copy.deepcopy(OVERLAY)
    del overlay["methods"]["agent"]["session/delete"]
    del overlay["to_older"]["ToolKind"], overlay["to_newer"]["PromptResponse"]
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    assert write_skeleton(tmp_path / "missing.toml", error.value.problems) > 3
    assert (
        (tmp_path / "missing.toml")
        .read_text(encoding="utf-8")
        .startswith(
            "# Missing in schema/overlay/bridge.toml: fill in, uncomment and move to that file.\n\n"
            '# [methods.agent."session/delete"]\n# # the method is new; add `newer` (its counter'
        )
    )


def test_skeleton_has_one_table_for_problems_of_different_kinds(tmp_path: Path) -> None:
    file, path = "schema/overlay/capabilities.toml", tmp_path / "missing.toml"
    codes = {"a": "missing-capability", "a#member": "missing-entry", "b": "missing-capability"}
    problems = [Problem(file, f"/v3/agent/{name}", code, "") for name, code in codes.items()]
    assert write_skeleton(path, problems) == 3
    text = path.read_text(encoding="utf-8")
    assert text.count("# Missing in") == text.count("# [v3.agent]") == 1
    assert [line.split(" ")[1] for line in text.splitlines()[3:]] == ["a", '"a#member"', "b"]


@pytest.mark.parametrize(
    "path",
    [
        ("methods", "agent", "session/forget"),
        ("updates", "to_newer", "mood_update"),
        ("capabilities", "to_older", "/capabilities/mood"),
        ("promises", "to_newer", "session/forget"),
        ("to_newer", "Nothing", "lost"),
        ("to_older", "ToolKind", "lost"),
    ],
)
def test_entry_that_matches_nothing_is_a_problem(path: tuple[str, ...]) -> None:
    overlay = copy.deepcopy(OVERLAY)
    section, group, key = path
    overlay[section].setdefault(group, {})[key] = {}
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    pointer = "/" + "/".join(part.replace("/", "~1") for part in path)
    message = "matches nothing in the schema; remove the entry"
    assert lines(error) == [at(pointer, message, "overlay")]


@pytest.mark.parametrize(
    ("definition", "to_older"),
    [
        ("AuthMethod", "variant 'agent' is missing in the other version; give a reason in `lost`"),
        (
            "AvailableCommand",
            "has objects with a tag in only one version; specify that tag in `tag`",
        ),
    ],
)
def test_missing_decision_about_a_tag_is_a_problem(definition: str, to_older: str) -> None:
    overlay = copy.deepcopy(OVERLAY)
    del overlay["to_newer"][definition]["tag"]
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    assert lines(error) == [
        at(
            f"/to_newer/{definition}",
            "has objects with a tag in only one version; specify that tag in `tag`",
        ),
        at(f"/to_older/{definition}", to_older),
    ]


def test_decision_for_a_tag_without_a_variant_is_a_problem() -> None:
    overlay = copy.deepcopy(OVERLAY)
    overlay["to_newer"]["AvailableCommand"]["tag"] = "art"
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    message = "has objects with a tag in only one version; specify that tag in `tag`"
    assert lines(error) == [
        at("/to_newer/AvailableCommand", message),
        at("/to_older/AvailableCommand", message),
    ]


@pytest.mark.parametrize(
    ("definition", "key", "value", "message"),
    [
        ("ResourceLink", "lost", {"icons": "-", "art": "-"}, "no field is named 'art'"),
        ("McpServerHttp", "added", {"headers": [], "art": []}, "no field in the other version is"),
        ("ToolCallContent", "code_of", {"diff": "f", "art": "f"}, "no variant is named 'art'"),
        ("ToolKind", "instead", "art", "no value in the other version is named 'art'"),
        ("PromptResponse", "taken", ["messageId", "art"], "'art' no longer exists"),
    ],
)
def test_decision_that_names_what_is_not_there_is_a_problem(
    definition: str, key: str, value: Json, message: str
) -> None:
    overlay = copy.deepcopy(OVERLAY)
    overlay["to_older"].setdefault(definition, {})[key] = value
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    [line] = lines(error)
    assert message in line


# --- capabilities -------------------------------------------------------------------------------


def test_capability_that_one_version_alone_requires_stops() -> None:
    overlay = copy.deepcopy(OVERLAY)
    del overlay["promises"]["to_newer"]["session/new#mcpServers/stdio"]
    del overlay["promises"]["to_older"]["auth/logout"]
    del overlay["capabilities"]["to_older"]["/capabilities/session/delete"]
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    decide = "specify whether it is passed, replaced, refused or translated"
    assert sorted(lines(error)) == sorted(
        at(
            f"/promises/{direction}/{key}",
            f"can be sent although the receiver does not advertise {capability}; {decide}",
        )
        for direction, key, capability in [
            ("to_newer", "session~1new#mcpServers~1stdio", "/capabilities/session/mcp/stdio"),
            ("to_older", "auth~1logout", "/agentCapabilities/auth/logout"),
            ("to_older", "session~1delete", "/agentCapabilities/sessionCapabilities/delete"),
        ]
    )


@pytest.mark.parametrize(
    ("key", "entry", "message"),
    [
        ("SessionUpdate/mood", {}, "'SessionUpdate' has no variant 'mood'"),
        ("SessionUpdate/notice", {"needs": "/mood"}, "unknown capability /mood"),
        ("SessionUpdate/notice", {"translated": None}, "has `needs` but no decision"),
    ],
)
def test_promise_of_a_variant_that_does_not_fit_is_a_problem(
    key: str, entry: Json, message: str
) -> None:
    overlay = copy.deepcopy(OVERLAY)
    known = overlay["promises"]["to_older"]["SessionUpdate/notice"]
    changed = {name: value for name, value in (known | entry).items() if value is not None}
    overlay["promises"]["to_older"][key] = changed
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    pointer = f"/promises/to_older/{key.replace('/', '~1')}"
    assert lines(error) == [at(pointer, message)]


# --- commands -----------------------------------------------------------------------------------


def test_vendored_schema_cannot_be_generated_without_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(SCHEMA, tmp_path / "schema")
    file = tmp_path / "schema" / "overlay" / "bridge.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"session/delete" = {}\n', ""), encoding="utf-8")
    monkeypatch.setattr(paths, "SCHEMA", tmp_path / "schema")
    with pytest.raises(InputError) as error:
        generation.generate(None, ["v1", "v2"])
    [problem] = error.value.problems
    assert problem.pointer == "/methods/agent/session~1delete"


@pytest.fixture
def unrendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip rendering, which is slow and irrelevant for these tests."""

    def render(surface: Surface, *_: object) -> tuple[generation.SurfaceResult, dict[str, str]]:
        return generation.SurfaceResult(surface.name, surface.origin, {}, 0), {}

    monkeypatch.setattr(generation, "_render_one", render)


@pytest.mark.usefixtures("unrendered")
def test_other_schema_that_does_not_fit_has_no_bridge(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Json]) -> None:
        definitions["PlanEntry"]["properties"]["due"] = {"type": "string"}

    package = generation.generate(edited(tmp_path, "v2", edit), ["v1", "v2"])
    assert not [path for path in package.files if path.startswith("bridge/")]


@pytest.mark.usefixtures("unrendered")
def test_other_schema_that_fits_has_a_bridge(tmp_path: Path) -> None:
    package = generation.generate(edited(tmp_path, "v2", lambda definitions: None), ["v1", "v2"])
    assert {"bridge/__init__.py", "bridge/tables.py"} <= package.files.keys()


def test_one_surface_has_no_bridge() -> None:
    surfaces, _ = understand(None, ["v2"])
    assert build_bridge(surfaces, OVERLAY) is None


@pytest.mark.parametrize(
    ("section", "key", "entry", "pointer", "message"),
    [
        (
            "methods",
            "session/prompt",
            {"newer": "session/ask"},
            "/methods/agent/session~1prompt",
            "the newer version has no request 'session/ask'; correct the name",
        ),
        (
            "methods",
            "session/prompt",
            {"newer": "session/cancel"},
            "/methods/agent/session~1prompt",
            "the newer version has no request 'session/cancel'; correct the name",
        ),
        (
            "methods",
            "tool_call/cancel",
            {},
            "/methods/agent/tool_call~1cancel",
            "does not exist in the older version; give the reason in `absent`",
        ),
    ],
)
def test_a_method_without_its_counterpart_is_a_problem(
    section: str, key: str, entry: Json, pointer: str, message: str
) -> None:
    overlay = copy.deepcopy(OVERLAY)
    overlay[section]["agent"][key] = entry
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    assert at(pointer, message) in lines(error)


def test_a_part_without_its_counterpart_is_a_problem() -> None:
    overlay = copy.deepcopy(OVERLAY)
    name = next(iter(overlay["parts"]["to_newer"]))
    overlay["parts"]["to_newer"][name] = "Nothing"
    with pytest.raises(InputError) as error:
        built(overlay=overlay)
    message = "is in `parts`, but the other version does not define 'Nothing'; fix the entry"
    assert at(f"/to_newer/{name}", message) in lines(error)
