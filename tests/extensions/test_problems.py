"""Mistakes in the schemas of extensions, each with its exact line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from acpgen.common.problems import InputError
from extensions.packages import Schema, build, imported

OBJECT = {"type": "object"}
COST = {"$ref": "acp:Cost"}


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def methods(**rows: Any) -> Schema:
    return {"x-methods": {name.replace("__", "/"): row for name, row in rows.items()}}


def call(params: Schema = COST, side: str = "agent", **more: Any) -> Schema:
    return {"side": side, "params": params, **more}


ONE = methods(_a__b=call())
CASES: dict[str, tuple[Any, list[str]]] = {
    "no object": ([], ["invalid-schema at #: must be an object; fix the schema"]),
    "nothing": (
        {"$defs": {}},
        [
            "invalid-schema at #: adds nothing to the protocol; give it x-methods, x-meta or"
            " x-variants"
        ],
    ),
    "unknown part": (
        {**ONE, "x-method": {}},
        [
            "invalid-schema at #/x-method: is not part of the form; use one of $schema, $id,"
            " $comment, title, description, $defs, x-methods, x-meta, x-variants, x-names"
        ],
    ),
    "no side": (
        methods(_a__b={"params": COST}),
        ["invalid-schema at #/x-methods/_a~1b: lacks side; add it"],
    ),
    "a side that there is not": (
        methods(_a__b=call(side="proxy")),
        [
            "invalid-schema at #/x-methods/_a~1b/side: 'proxy' is not one of ['agent', 'client',"
            " 'both']; fix the schema"
        ],
    ),
    "params in place": (
        methods(_a__b=call(OBJECT)),
        [
            "invalid-schema at #/x-methods/_a~1b/params/type: is not part of the form; use one of"
            " $ref",
            "invalid-schema at #/x-methods/_a~1b/params: lacks $ref; add it",
        ],
    ),
    "no schema": (
        {**ONE, "$defs": {"X": {"type": "thing"}}},
        [
            "invalid-schema at #/$defs/X/type: 'thing' is not valid under any of the given"
            " schemas; fix the schema"
        ],
    ),
    "a list as schema": (
        {**ONE, "$defs": {"X": []}},
        [
            "invalid-schema at #/$defs/X: [] is not of type 'object', 'boolean'; fix the schema",
        ],
    ),
    "reference to another file": (
        methods(_a__b=call({"$ref": "other.json#/$defs/X"})),
        [
            "unresolved-ref at #/x-methods/_a~1b/params/$ref: 'other.json#/$defs/X' is neither"
            " #/$defs/NAME nor acp:NAME; fix the reference"
        ],
    ),
    "reference to another file in a definition": (
        {**ONE, "$defs": {"X": {"$ref": "https://example.com/x.json"}}},
        [
            "unresolved-ref at #/$defs/X/$ref: 'https://example.com/x.json' is neither"
            " #/$defs/NAME nor acp:NAME; fix the name"
        ],
    ),
    "reference into a definition": (
        {**ONE, "$defs": {"X": {"$ref": "#/$defs/X/properties/y"}}},
        [
            "unresolved-ref at #/$defs/X/$ref: '#/$defs/X/properties/y' is not in $defs; fix the"
            " name"
        ],
    ),
    "a type that the protocol has not": (
        methods(_a__b=call({"$ref": "acp:ToolCal"})),
        [
            "unresolved-ref at #/x-methods/_a~1b/params/$ref: 'acp:ToolCal' is no type of v2; did"
            " you mean ToolCallId or ToolCallUpdate or ToolCallStatus?"
        ],
    ),
    "an envelope of the protocol": (
        methods(_a__b=call({"$ref": "acp:AgentRequest"})),
        [
            "unresolved-ref at #/x-methods/_a~1b/params/$ref: 'acp:AgentRequest' is no type of v2;"
            " did you mean ExtRequest or LoginAuthRequest or RequestId?"
        ],
    ),
    "params that are no objects": (
        methods(_a__b=call({"$ref": "acp:SessionId"})),
        [
            "unsupported at #/x-methods/_a~1b/params: params must be objects; refer to a"
            " definition of an object"
        ],
    ),
    "a method of the protocol": (
        methods(session__prompt=call()),
        [
            "unprefixed at #/x-methods/session~1prompt: is a method of the protocol; rename it, or"
            " pass --allow-unprefixed"
        ],
    ),
    "a method without a prefix": (
        methods(a__b=call()),
        [
            "unprefixed at #/x-methods/a~1b: has no underscore, as the methods of extensions"
            " have; rename it, or pass --allow-unprefixed"
        ],
    ),
    "a method called as one of the protocol": (
        methods(_session__prompt=call()),
        [
            "name-collision at #/x-methods/_session~1prompt: is 'session_prompt' in Python, as"
            " 'session/prompt' is; name it in x-names as agent:_session/prompt"
        ],
    ),
    "two methods of one name": (
        methods(_a__b=call(), _a_b=call()),
        [
            "name-collision at #/x-methods/_a_b: is 'a_b' in Python, as '_a/b' is; name it in"
            " x-names as agent:_a_b"
        ],
    ),
    "a method called as a part of handlers": (
        methods(_handle=call(), _=call(), _extensions=call()),
        [
            "bad-name at #/x-methods/_: cannot be a Python method; name it in x-names as agent:_",
            "bad-name at #/x-methods/_extensions: cannot be a Python method; name it in x-names as"
            " agent:_extensions",
            "bad-name at #/x-methods/_handle: cannot be a Python method; name it in x-names as"
            " agent:_handle",
        ],
    ),
    "a capability that there is not": (
        methods(_a__b=call(capability="/capabilities/tools/acme")),
        [
            "unknown-name at #/x-methods/_a~1b/capability: '/capabilities/tools/acme' is not in"
            " the result of initialize; fix it, or use _meta"
        ],
    ),
    "a capability that is no pointer": (
        methods(_a__b=call(capability="capabilities")),
        [
            "invalid-schema at #/x-methods/_a~1b/capability: 'capabilities' is no JSON pointer;"
            " write one like /capabilities/_meta/acme"
        ],
    ),
    "entries of what the protocol has not": (
        {"x-meta": {"ToolCalls": {"k": {"type": "string"}}}},
        [
            "unknown-name at #/x-meta/ToolCalls: is no type of v2 that has _meta; did you mean"
            " ToolCallUpdate or"
        ],
    ),
    "reserved entries": (
        {"x-meta": {"ToolCallUpdate": {"traceparent": {"type": "string"}}}},
        [
            "unprefixed at #/x-meta/ToolCallUpdate/traceparent: is a key of the protocol; rename"
            " it, or pass --allow-unprefixed"
        ],
    ),
    "two entries of one name": (
        {"x-meta": {"Cost": {"a/x": {"type": "string"}, "b/x": {"type": "string"}}}},
        [
            "name-collision at #/x-meta/Cost: entries a/x, b/x are all 'x' in Python; name one of"
            " them in x-names, as CostMeta.a/x"
        ],
    ),
    "a bad schema of an entry": (
        {"x-meta": {"Cost": {"a/x": {"type": "string", "x-deserialize-thing": 1}}}},
        [
            "unknown-vendor-keyword at #/x-meta/Cost/a~1x/x-deserialize-thing: unknown keyword"
            " 'x-deserialize-thing'; add a rule for it to the generator"
        ],
    ),
    "no entries": (
        {"x-meta": {"Cost": {}}},
        ["invalid-schema at #/x-meta/Cost: is empty; add an entry or remove it"],
    ),
    "variants of a closed union": (
        {"x-variants": {"ToolCallUpdate": {"_a": ref("X")}}, "$defs": {"X": OBJECT}},
        ["unknown-name at #/x-variants/ToolCallUpdate: is no open union of v2; did you mean"],
    ),
    "a tag of the protocol": (
        {"x-variants": {"SessionUpdate": {"plan_update": ref("X")}}, "$defs": {"X": OBJECT}},
        [
            "unprefixed at #/x-variants/SessionUpdate/plan_update: is a tag of the protocol; rename"
            " it, or pass --allow-unprefixed"
        ],
    ),
    "a variant of the protocol's": (
        {"x-variants": {"SessionUpdate": {"_a": COST}}},
        [
            "unsupported at #/x-variants/SessionUpdate/_a/$ref: is a type of the protocol; wrap it"
            " in a definition with allOf"
        ],
    ),
    "a variant of two unions": (
        {
            "x-variants": {"SessionUpdate": {"_a": ref("X")}, "ContentBlock": {"_a": ref("X")}},
            "$defs": {"X": {"type": "object", "properties": {}}},
        },
        [
            "ambiguous-union at #/x-variants/SessionUpdate: X is a variant of ContentBlock, too;"
            " define it once for each"
        ],
    ),
    "a variant that states its tag": (
        {
            "x-variants": {"SessionUpdate": {"_a": ref("X")}},
            "$defs": {"X": {"type": "object", "properties": {"sessionUpdate": {"type": "string"}}}},
        },
        [
            "unsupported at #/x-variants/SessionUpdate: a variant must be an object without a"
            " member 'sessionUpdate'; fix it"
        ],
    ),
    "a definition called as a union with variants": (
        {
            "x-variants": {"SessionUpdate": {"_a": ref("X")}},
            "$defs": {"X": OBJECT, "SessionUpdate": OBJECT},
        },
        [
            "name-collision at #/x-variants/SessionUpdate: needs the name 'SessionUpdate', which"
            " $defs has already; rename that definition"
        ],
    ),
    "a definition called as a module": (
        {**ONE, "$defs": {"v2": OBJECT, "meta": OBJECT, "AgentHandler": OBJECT}},
        [
            "bad-name at #/$defs/AgentHandler: 'AgentHandler' cannot be a class; rename it in the"
            " schema",
            "bad-name at #/$defs/meta: 'meta' cannot be a class; rename it in the schema",
            "bad-name at #/$defs/v2: 'v2' cannot be a class; rename it in the schema",
        ],
    ),
    "a cycle": (
        {**ONE, "$defs": {"X": ref("Y"), "Y": ref("X")}},
        [
            "unsupported at #/$defs/X: refers to itself; break the cycle",
        ],
    ),
    "a method in a definition": (
        {**ONE, "$defs": {"X": {"type": "object", "x-method": "_x"}}},
        [
            "misplaced-keyword at #/$defs/X/x-method: has no meaning here; state methods in"
            " x-methods"
        ],
    ),
    "a bad default": (
        {
            **ONE,
            "$defs": {
                "X": {"type": "object", "properties": {"a": {"type": "string", "default": 5}}}
            },
        },
        [
            "bad-default at #/$defs/X/properties/a/default: 5 is not of type 'string'; fix the"
            " default"
        ],
    ),
    "a name for nothing": (
        {**ONE, "x-names": {"X.y": "z"}},
        ["unknown-name at #/x-names/X.y: names nothing in this schema; fix or remove the entry"],
    ),
    "a name that is none": (
        {**ONE, "x-names": {"agent:_a/b": "import os"}},
        [
            "bad-name at #/x-methods/_a~1b: cannot be a Python method; name it in x-names as"
            " agent:_a/b"
        ],
    ),
    "a definition that is no identifier": (
        {**ONE, "$defs": {"a b": OBJECT}},
        ["bad-name at #/$defs/a b: is not an ASCII identifier; rename the definition"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_problems(case: str) -> None:
    schema, expected = CASES[case]
    with pytest.raises(InputError) as caught:
        build(schema)
    found = [f"{each.code} at #{each.pointer}: {each.message}" for each in caught.value.problems]
    assert len(found) == len(expected), found
    for line, start in zip(sorted(found), sorted(expected), strict=True):
        assert line.startswith(start), line
        assert "; " in line, line  # what to do about it


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
    """Names, keys, tags, descriptions, capabilities and pages that try to get out of strings."""
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
