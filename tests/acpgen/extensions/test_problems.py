"""Tests of the exact error lines for mistakes in the schemas of extensions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.extension import read_source
from acpgen.common.problems import InputError

from tests.acpgen.diff.small import ref
from tests.acpgen.extensions.packages import Schema, build, imported

OBJECT = {"type": "object"}
COST = {"$ref": "acp:Cost"}
TRACE_KEYS = ["baggage", "traceparent", "tracestate"]


def methods(**rows: Any) -> Schema:
    return {"x-methods": {name.replace("__", "/"): row for name, row in rows.items()}}


def call(params: Schema = COST, side: str = "agent", **more: Any) -> Schema:
    return {"side": side, "params": params, **more}


ONE = methods(_a__b=call())
# Schemas, each with the code, the pointer and the message of its problems.
CASES: list[tuple[Any, ...]] = [
    ([], "invalid-schema #: must be an object; fix the schema"),
    ({**ONE, "title": 1}, "invalid-schema #/title: must be a string; fix the schema"),
    (
        {"$defs": {}},
        "invalid-schema #: adds nothing to the protocol; add x-methods, x-meta or x-variants",
    ),
    (
        {**ONE, "x-method": {}},
        "invalid-schema #/x-method: is not a known key; use one of $schema, $id, $comment,"
        " title, description, $defs, x-methods, x-meta, x-variants, x-names",
    ),
    (methods(_a__b={"params": COST}), "invalid-schema #/x-methods/_a~1b: lacks side; add it"),
    (
        methods(_a__b=call(side="proxy")),
        "invalid-schema #/x-methods/_a~1b/side: 'proxy' is not one of ['agent', 'client',"
        " 'both']; fix the schema",
    ),
    (
        methods(_a__b=call(OBJECT)),
        "invalid-schema #/x-methods/_a~1b/params/type: is not a known key; use one of $ref",
        "invalid-schema #/x-methods/_a~1b/params: lacks $ref; add it",
    ),
    (
        {**ONE, "$defs": {"X": {"type": "thing"}}},
        "invalid-schema #/$defs/X/type: 'thing' is not valid under any of the given schemas; fix"
        " the schema",
    ),
    (
        {**ONE, "$defs": {"X": []}},
        "invalid-schema #/$defs/X: [] is not of type 'object', 'boolean'; fix the schema",
    ),
    (
        methods(_a__b=call({"$ref": "other.json#/$defs/X"})),
        "unresolved-ref #/x-methods/_a~1b/params/$ref: 'other.json#/$defs/X' is neither"
        " #/$defs/NAME nor acp:NAME; fix the reference",
    ),
    (
        {**ONE, "$defs": {"X": {"$ref": "https://example.com/x.json"}}},
        "unresolved-ref #/$defs/X/$ref: 'https://example.com/x.json' is neither #/$defs/NAME nor"
        " acp:NAME; fix the name",
    ),
    (
        {**ONE, "$defs": {"X": {"$ref": "#/$defs/X/properties/y"}}},
        "unresolved-ref #/$defs/X/$ref: '#/$defs/X/properties/y' is not in $defs; fix the name",
    ),
    (
        methods(_a__b=call(result=ref("X"))),
        "unresolved-ref #/x-methods/_a~1b/result/$ref: '#/$defs/X' is not in $defs; fix the name",
    ),
    (
        {"x-meta": {"Cost": {"a/x": ref("X")}}},
        "unresolved-ref #/x-meta/Cost/a~1x/$ref: '#/$defs/X' is not in $defs; fix the name",
    ),
    (
        {"x-variants": {"SessionUpdate": {"_a/b": ref("X")}}},
        "unresolved-ref #/x-variants/SessionUpdate/_a~1b/$ref: '#/$defs/X' is not in $defs; fix"
        " the name",
    ),
    (
        methods(_a__b=call({"$ref": "acp:ToolCal"})),
        "unresolved-ref #/x-methods/_a~1b/params/$ref: 'acp:ToolCal' is not a type of v2; did you"
        " mean ToolCallId or ToolCallUpdate or ToolCallStatus?",
    ),
    (
        methods(_a__b=call({"$ref": "acp:AgentRequest"})),
        "unresolved-ref #/x-methods/_a~1b/params/$ref: 'acp:AgentRequest' is not a type of v2; did"
        " you mean ExtRequest or LoginAuthRequest or RequestId?",
    ),
    (
        methods(_a__b=call({"$ref": "acp:SessionId"})),
        "unsupported #/x-methods/_a~1b/params: params must be objects; refer to a definition of"
        " an object",
    ),
    (
        methods(session__prompt=call()),
        "unprefixed #/x-methods/session~1prompt: is a method of the protocol; rename it, or pass"
        " --allow-unprefixed",
    ),
    (
        methods(a__b=call()),
        "unprefixed #/x-methods/a~1b: must begin with an underscore, like every method of an"
        " extension; rename it, or pass --allow-unprefixed",
    ),
    (
        methods(_session__prompt=call()),
        "name-collision #/x-methods/_session~1prompt: has the same Python name as"
        " 'session/prompt', 'session_prompt'; add a name for agent:_session/prompt to x-names",
    ),
    (
        methods(_cancel_request=call()),
        "name-collision #/x-methods/_cancel_request: has the same Python name as"
        " '$/cancel_request', 'cancel_request'; add a name for agent:_cancel_request to x-names",
    ),
    (
        methods(_a__b=call(), _a_b=call()),
        "name-collision #/x-methods/_a_b: has the same Python name as '_a/b', 'a_b'; add a name"
        " for agent:_a_b to x-names",
    ),
    (
        methods(_handle=call(), _=call(), _extensions=call()),
        "bad-name #/x-methods/_: has no valid Python name; add a name for agent:_ to x-names",
        "bad-name #/x-methods/_extensions: has no valid Python name; add a name for"
        " agent:_extensions to x-names",
        "bad-name #/x-methods/_handle: has no valid Python name; add a name for"
        " agent:_handle to x-names",
    ),
    (
        methods(_a__b=call(capability="/capabilities/tools/acme")),
        "unknown-name #/x-methods/_a~1b/capability: '/capabilities/tools/acme' is not in the"
        " result of initialize; fix the name, or use _meta",
    ),
    (
        methods(_a__b=call(side="client", capability="/capabilities/tools/acme")),
        "unknown-name #/x-methods/_a~1b/capability: '/capabilities/tools/acme' is not in the"
        " params of initialize; fix the name, or use _meta",
    ),
    (
        {
            "x-meta": {"Cost": {"a/x": {"type": "string"}, "b/y": {"type": "string"}}},
            "x-names": {"CostMeta.b/y": "meta_source"},
        },
        "bad-name #/x-meta/Cost/b~1y: has no valid Python name; add a name for CostMeta.b/y to"
        " x-names",
    ),
    (
        methods(_a__b=call(capability="capabilities")),
        "invalid-schema #/x-methods/_a~1b/capability: 'capabilities' is not a JSON pointer; use"
        " a pointer such as /capabilities/_meta/acme",
    ),
    (
        {"x-meta": {"ToolCalls": {"k": {"type": "string"}}}},
        "unknown-name #/x-meta/ToolCalls: is not a v2 type with _meta; did you mean"
        " ToolCallUpdate or ToolCallLocation or ToolCallCapabilities?",
    ),
    (
        {"x-meta": {"ToolCallUpdate": {key: {"type": "string"} for key in TRACE_KEYS}}},
        *(
            f"unprefixed #/x-meta/ToolCallUpdate/{key}: is a key of the protocol; rename it, or"
            " pass --allow-unprefixed"
            for key in TRACE_KEYS
        ),
    ),
    (
        {"x-meta": {"Cost": {"a/x": {"type": "string"}, "b/x": {"type": "string"}}}},
        "name-collision #/x-meta/Cost: entries a/x, b/x have the same Python name, 'x'; add a"
        " name for CostMeta.a/x to x-names",
    ),
    (
        {"x-meta": {"Cost": {"a/x": {"type": "string", "x-deserialize-thing": 1}}}},
        "unknown-vendor-keyword #/x-meta/Cost/a~1x/x-deserialize-thing: unknown keyword"
        " 'x-deserialize-thing'; add a rule for it to the generator",
    ),
    ({"x-meta": {"Cost": {}}}, "invalid-schema #/x-meta/Cost: is empty; add an entry or remove it"),
    (
        {"x-variants": {"ToolCallUpdate": {"_a": ref("X")}}, "$defs": {"X": OBJECT}},
        "unknown-name #/x-variants/ToolCallUpdate: is not an open union of v2; did you mean"
        " ToolCallContent?",
    ),
    (
        {"x-variants": {"SessionUpdate": {"plan_update": ref("X")}}, "$defs": {"X": OBJECT}},
        "unprefixed #/x-variants/SessionUpdate/plan_update: is a tag of the protocol; rename it,"
        " or pass --allow-unprefixed",
    ),
    (
        {"x-variants": {"SessionUpdate": {"_a": COST}}},
        "unsupported #/x-variants/SessionUpdate/_a/$ref: is a type of the protocol; wrap it in a"
        " definition with allOf",
    ),
    (
        {
            "x-variants": {"SessionUpdate": {"_a": ref("X")}, "ContentBlock": {"_a": ref("X")}},
            "$defs": {"X": {"type": "object", "properties": {}}},
        },
        "ambiguous-union #/x-variants/SessionUpdate: X is also a variant of ContentBlock; define"
        " a class for each union",
    ),
    (
        {
            "x-variants": {"SessionUpdate": {"_a": ref("X")}},
            "$defs": {"X": {"type": "object", "properties": {"sessionUpdate": {"type": "string"}}}},
        },
        "unsupported #/x-variants/SessionUpdate: a variant must be an object without the field"
        " 'sessionUpdate'; fix the variant",
    ),
    (
        {
            "x-variants": {"SessionUpdate": {"_a": ref("X")}},
            "$defs": {"X": OBJECT, "SessionUpdate": OBJECT},
        },
        "name-collision #/x-variants/SessionUpdate: needs the name 'SessionUpdate', which is"
        " already in $defs; rename that definition",
    ),
    (
        {**ONE, "$defs": dict.fromkeys(("v2", "meta", "AgentHandler", "MetaView"), OBJECT)},
        "bad-name #/$defs/AgentHandler: 'AgentHandler' cannot be a class name; rename it in the"
        " schema",
        "bad-name #/$defs/MetaView: 'MetaView' cannot be a class name; rename it in the schema",
        "bad-name #/$defs/meta: 'meta' cannot be a class name; rename it in the schema",
        "bad-name #/$defs/v2: 'v2' cannot be a class name; rename it in the schema",
    ),
    (
        {**ONE, "$defs": {"X": ref("Y"), "Y": ref("X")}},
        "unsupported #/$defs/X: refers to itself; break the cycle",
    ),
    (
        {**ONE, "$defs": {"X": {"type": "object", "x-method": "_x"}}},
        "misplaced-keyword #/$defs/X/x-method: has no effect here; define methods in x-methods",
    ),
    (
        {**ONE, "$defs": {"X": {"type": "object", "x-side": "agent"}}},
        "misplaced-keyword #/$defs/X/x-side: has no effect here; define methods in x-methods",
    ),
    (
        {"x-meta": {"Cost": {"a/x": {"type": "string"}}}, "$defs": {"CostMeta": OBJECT}},
        "name-collision #/x-meta/Cost: needs the name 'CostMeta', which is already in $defs;"
        " rename that definition",
    ),
    (
        {**ONE, "x-names": {"X.y": "z"}},
        "unknown-name #/x-names/X.y: matches nothing in this schema; fix or remove the entry",
    ),
    (
        {**ONE, "x-names": {"agent:_a/b": "import os"}},
        "bad-name #/x-methods/_a~1b: has no valid Python name; add a name for agent:_a/b to"
        " x-names",
    ),
    (
        {**ONE, "$defs": {"a b": OBJECT, "é": OBJECT}},
        "bad-name #/$defs/a b: is not an ASCII identifier; rename the definition",
        "bad-name #/$defs/é: is not an ASCII identifier; rename the definition",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_problems(case: tuple[Any, ...]) -> None:
    schema, *expected = case
    with pytest.raises(InputError) as caught:
        build(schema)
    found = [f"{each.code} #{each.pointer}: {each.message}" for each in caught.value.problems]
    assert sorted(found) == sorted(expected)


def test_unprefixed_names_can_be_allowed() -> None:
    schema = {
        **methods(session__set_model=call(), session__prompt=call()),
        "x-variants": {"SessionUpdate": {"later": ref("X"), "plan_update": ref("Y")}},
        "$defs": {
            "X": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "Y": {"type": "object", "properties": {"m": {"type": "integer"}}},
        },
    }
    built = build(schema, unprefixed=True)
    assert {(each.code, each.pointer) for each in built.notes} == {
        ("unprefixed", "/x-methods/session~1set_model"),
        ("unprefixed", "/x-methods/session~1prompt"),
        ("unprefixed", "/x-variants/SessionUpdate/later"),
        ("unprefixed", "/x-variants/SessionUpdate/plan_update"),
    }
    with imported(built.surface, "unprefixed") as module:
        update = module.decode(module.SessionUpdate, {"sessionUpdate": "plan_update", "m": 1})
        assert update == module.Y(m=1)


HOSTILE = "x\"\"\"\n'''\\ {{ 1 }} {% x %} \\N{BULLET} \x00 ‮ # */ import os"


def test_text_never_becomes_code(tmp_path: Path) -> None:
    """All strings in the schema would break out of their context if they weren't quoted."""
    tag = "_" + HOSTILE
    schema = {
        "title": HOSTILE,
        "description": HOSTILE,
        "x-methods": {
            tag: {
                "side": "agent",
                "params": ref("X"),
                "result": ref("X"),
                "capability": "/capabilities/_meta/" + HOSTILE.replace("/", ""),
                "description": HOSTILE,
                "page": HOSTILE,
            }
        },
        "x-meta": {"Cost": {HOSTILE: {"type": "string", "description": HOSTILE}}},
        "x-variants": {"SessionUpdate": {tag: ref("X")}},
        "x-names": {f"agent:{tag}": "hostile", f"CostMeta.{HOSTILE}": "hostile"},
        "$defs": {
            "X": {
                "description": HOSTILE,
                "type": "object",
                "properties": {"a": {"enum": [HOSTILE], "description": HOSTILE}},
            }
        },
    }
    built = build(json.loads(json.dumps(schema)))
    with imported(built.surface, "hostile") as module:
        value = {"sessionUpdate": tag, "a": HOSTILE}
        update = module.decode(module.SessionUpdate, value)
        assert update == module.X(a=HOSTILE)
        assert module.encode(update, module.SessionUpdate) == value
        cost = module.SURFACE.Cost(amount=1, currency="EUR")
        module.meta(cost).hostile = "safe"
        assert cost.meta == {HOSTILE: "safe"}
        assert list(module.AGENT_METHODS) == [tag]


@pytest.mark.parametrize(
    ("files", "found"), [((), "none"), (("a.json", "b.json"), "a.json, b.json")]
)
@pytest.mark.parametrize("folder", ["", "schema"])
def test_a_folder_must_contain_one_schema(
    folder: str, files: tuple[str, ...], found: str, tmp_path: Path
) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    for name in files:
        (tmp_path / folder / name).write_text(json.dumps(ONE), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_source(str(tmp_path), "v2")
    [problem] = caught.value.problems
    assert (problem.file, problem.message) == (
        str(tmp_path / folder),
        f"must contain exactly one JSON file, the schema (found {found}); pass a file",
    )


@pytest.mark.parametrize("path", ["own.json", "schema/own.json"])
def test_the_only_schema_in_a_folder_is_read(path: str, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(json.dumps(ONE), encoding="utf-8")
    origin = read_source(str(tmp_path), "v2").surface.origin
    assert (origin.label, origin.path) == ("own.json", path)
