"""Tests that any schema name results in a working package or an error that suggests a fix."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from acpgen.analysis.surface import build
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir import reserved
from acpgen.ir.model import Origin
from acpgen.schema.document import Document

from tests.acpgen.diff.small import INTEGER, STRING, envelopes, method, record, ref, tagged, union
from tests.acpgen.extensions.packages import build as build_extension
from tests.acpgen.extensions.packages import imported as imported_extension
from tests.tools.evolution.draft import Draft, Schema
from tests.tools.evolution.evolve import vendored
from tests.tools.evolution.packages import build_surface, imported

# Built-in names, keywords, names of special methods, and names that generated modules use.
NAMES = sorted(
    {
        *dir(builtins),
        *keyword.kwlist,
        *keyword.softkwlist,
        *dir(object),
        *("__slots__", "__getattr__", "__all__", "__name__", "__dict__"),
        *reserved.module_names(),
        *reserved.record_members(),
        *("tool_meta", "toolMeta", "ToolMeta", "TOOL_META", "tool__meta", "Tool_meta", "tool_"),
        *("int_aliased", "decode_x", "encode_X", "_", "__", "A1", "a1", "v2", "V2", "VALUE"),
        *("none", "NONE", "true", "TRUE", "Str", "STR", "LIST", "List", "Self", "SELF"),
    }
)

Definitions: TypeAlias = dict[str, Schema]
ARRAY: Schema = {"type": "array", "items": STRING}
MAP: Schema = {"type": "object", "additionalProperties": STRING}
# Fields annotated with built-in types, and a value for each field.
OTHERS: dict[str, tuple[Schema, Any]] = {
    "of_str": (STRING, "a"),
    "of_int": (INTEGER, 1),
    "of_list": (ARRAY, ["a"]),
    "of_dict": (MAP, {"a": "b"}),
    "of_bool": ({"type": "boolean"}, True),
    "of_float": ({"type": "number"}, 1.5),
}
MIXED = {name: schema for name, (schema, _) in OTHERS.items()}


def definitions() -> Definitions:
    uses = record(*NAMES, **{name: ref(name) for name in NAMES})
    return {"Uses": uses, **{name: record("a", a=STRING) for name in NAMES}}


def aliases() -> Definitions:
    return {name: {"type": "string", "minLength": 1} for name in NAMES}


def members() -> Definitions:
    parts = [NAMES[start::12] for start in range(12)]
    return {f"Part{i}": record(**MIXED, **dict.fromkeys(e, ARRAY)) for i, e in enumerate(parts)}


def values() -> Definitions:
    return {"Listed": {"type": "string", "enum": NAMES}}


def tags() -> Definitions:
    """Return two unions that use the names as tags, with inline variants or a shared record."""
    own = union(*(tagged(name) for name in NAMES))
    return {"Own": own, "Part": record(), "Shared": union(*(tagged(n, "Part") for n in NAMES))}


def methods() -> Definitions:
    made: Definitions = {}
    for index, name in enumerate(NAMES):
        wire = f"session/{name}" if index % 4 == 0 else name
        made |= {f"Params{index}": method(wire, a=STRING), f"Result{index}": method(wire)}
    return {**made, **envelopes({f"Params{i}": f"Result{i}" for i in range(len(NAMES))})}


ROLES: dict[str, Callable[[], Definitions]] = {
    each.__name__: each for each in (definitions, aliases, members, values, tags, methods)
}


def examples(schema: Schema) -> list[Any]:
    if "enum" in schema:
        return list(schema["enum"])
    if "anyOf" in schema:
        return [{"kind": arm["properties"]["kind"]["const"]} for arm in schema["anyOf"]]
    if schema["type"] == "string":
        return ["a"]
    values = [value for each, value in OTHERS.values()]
    schemas = [each for each, value in OTHERS.values()]
    return [
        {
            name: {"a": "b"} if "$ref" in member else values[schemas.index(member)]
            for name, member in schema["properties"].items()
        }
    ]


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_any_name_becomes_a_package_that_works(role: str) -> None:
    made = {"Request": method("some/method"), **ROLES[role]()}
    surface = build_surface({"$defs": made}, "v2").surface
    with imported(surface, f"names_{role}", formatted=False) as module:
        for name, schema in made.items():
            if "x-docs-ignore" in schema:
                continue
            kind = module.TYPES[name]
            for value in examples(schema):
                decoded = module.decode(kind, value, strict=True)
                assert module.encode(decoded, kind) == value
                assert module.loads(kind, module.dumps(decoded, kind)) == decoded
        wires = {schema.get("x-method") for schema in made.values()} - {None, "some/method"}
        assert module.AGENT_METHODS.keys() == wires


@pytest.mark.parametrize("role", ["definitions", "members", "tags", "methods"])
def test_an_error_names_the_entry_that_renames(role: str) -> None:
    """The surface can be built once `names.toml` contains every requested entry."""
    made = {"Request": method("some/method"), **ROLES[role]()}
    document = Document("bad.json", {"$defs": made}, Origin("", "", ""))
    names = entries_for("names.toml", lambda names: build(document, Overlay(names=names), "v2"))
    assert names


def entries_for(file: str, make: Callable[[dict[str, str]], Any]) -> dict[str, str]:
    """Add the entries that error messages request, until no errors remain, and return them."""
    names: dict[str, str] = {}
    while problems := problems_of(make, names):
        assert {problem.code for problem in problems} <= {"bad-name", "name-collision"}
        asked = {problem.message.split("add a name for ")[1] for problem in problems}
        assert all(each.endswith(f" to {file}") for each in asked)
        asked = {each.removesuffix(f" to {file}") for each in asked}
        assert not asked & names.keys()
        names |= {key: f"Renamed{len(names) + i}" for i, key in enumerate(sorted(asked))}
    return names


def problems_of(make: Callable[[dict[str, str]], Any], names: dict[str, str]) -> list[Problem]:
    try:
        make(names)
    except InputError as error:
        return error.problems
    return []


@pytest.mark.slow
def test_members_of_updates_and_params_may_have_any_name() -> None:
    """The names become parameters of session methods."""
    draft = Draft(vendored("v2"))
    for name in ("ToolCallUpdate", "PromptRequest", "NewSessionRequest", "InitializeResponse"):
        stated = draft.definitions[name]["properties"]
        stated |= {each: ARRAY for each in NAMES if each not in stated}
    surface = build_surface(draft.root, "v2").surface
    value = {
        **{name: ["a"] for name in NAMES},
        "sessionId": "s",
        "prompt": [{"type": "text", "text": "a"}],
    }
    with imported(surface, "names_parameters", formatted=False) as module:
        assert module.AgentSession
        assert module.ClientSession
        assert module.encode(module.decode(module.PromptRequest, value)) == value


def test_extensions_may_have_any_name() -> None:
    some = NAMES[::4]
    schema: Schema = {
        "$defs": {"Cost": record(a=STRING)},
        "x-methods": {f"_{n}": {"side": "agent", "params": ref("Cost")} for n in some},
        "x-meta": {"ToolCallUpdate": dict.fromkeys(some, STRING)},
        "x-variants": {"SessionUpdate": {f"_{name}": ref("Cost") for name in some}},
    }
    names = entries_for("x-names", lambda names: build_extension({**schema, "x-names": names}))
    surface = build_extension({**schema, "x-names": names}).surface
    with imported_extension(surface, "names_of_extension") as module:
        assert module.AGENT_METHODS.keys() == schema["x-methods"].keys()
