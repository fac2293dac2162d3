"""Oracles that decide whether values are valid, and a source of values to test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

from tests.package.laws.instances import Choices, Drawn, Pins, anything, generate
from tests.package.laws.mutations import Mutation, mutations
from tests.package.laws.schemas import CompiledOracle, Oracle
from tests.package.laws.schemas import Surface as Drawable
from tests.package.laws.walk import facts
from tests.tools.evolution.draft import LISTS, MAPS, REF, Schema, copied, tags_of


def judge(definitions: dict[str, Schema]) -> Oracle | CompiledOracle:
    """Return the fastest oracle that interprets regular expressions as Python does."""
    return Oracle(definitions) if has_patterns(definitions) else CompiledOracle(definitions)


def has_patterns(schema: Any) -> bool:
    if isinstance(schema, dict):
        is_stated = isinstance(schema.get("pattern"), str) or "patternProperties" in schema
        return is_stated or any(map(has_patterns, schema.values()))
    return isinstance(schema, list) and any(map(has_patterns, schema))


def stated(definitions: dict[str, Schema]) -> dict[str, Schema]:
    """Return a copy of the definitions without `format`, except in schemas of integers.

    The keywords that identify a schema or its dialect are also removed.
    """
    made = copied(definitions)
    for schema in _schemas(made):
        schema.pop("$id", None)
        schema.pop("$schema", None)
        kinds = schema.get("type", ())
        if "integer" not in ([kinds] if isinstance(kinds, str) else kinds):
            schema.pop("format", None)
    return made


# --- the amendment of law 5 ------------------------------------------------------------------


def amended(definitions: dict[str, Schema]) -> dict[str, Schema]:
    """Return a copy in which variants without a tag reject the tags of other variants.

    Therefore, a known tag with an invalid payload is invalid, as in strict mode. In all other
    respects, strict mode agrees with the schema.
    """
    made = copied(definitions)
    for schema in _schemas(made):
        for keyword in ("anyOf", "oneOf"):
            _amend(schema.get(keyword, ()))
    return made


def _amend(arms: Any) -> None:
    names = {name for arm in arms for name, value in _tags(arm).items() if isinstance(value, str)}
    for name in names:
        known = [_tags(arm)[name] for arm in arms if name in _tags(arm)]
        member = {"properties": {name: {"enum": known}}}
        refused = {"type": "object", "required": [name], **member}
        for index, arm in enumerate(arms):
            if arm is True:
                arms[index] = {"not": refused}
            elif isinstance(arm, dict) and not _tags(arm):
                arm.setdefault("allOf", []).append({"not": refused})


def _tags(arm: Any) -> dict[str, Any]:
    """Return the tags of a variant. An `enum` with a single value is also a tag."""
    if not isinstance(arm, dict):
        return {}
    listed = {
        name: member["enum"][0]
        for name, member in arm.get("properties", {}).items()
        if name in arm.get("required", ())
        and isinstance(member, dict)
        and len(member.get("enum", ())) == 1
    }
    return {**tags_of(arm), **listed}


def _schemas(definitions: dict[str, Schema]) -> Iterator[Schema]:
    pending: list[Any] = list(definitions.values())
    while pending:
        schema = pending.pop()
        if isinstance(schema, dict):
            yield schema
            pending += [each for key in MAPS for each in schema.get(key, {}).values()]
            pending += [each for key in LISTS for each in schema.get(key, ())]
            pending += [schema.get("items"), schema.get("additionalProperties")]


# --- drawing ---------------------------------------------------------------------------------


def _values(misses: list[Mutation]) -> list[Any]:
    """Return the mutated values. Skip mutations that remove a missing field.

    A value that was drawn for one variant might be valid only for another variant, so a field that
    the first variant requires might already be missing.
    """
    found: list[Any] = []
    for miss in misses:
        with suppress(KeyError):
            found.append(miss.value)
    return found


# The numbers of values to draw for each definition: random instances, near misses of each instance,
# instances that reach a particular part of the definition, and unrelated values.
RANDOM, MISSES, FACTS, UNRELATED = 4, 8, 36, 3


class Drawer:
    """A source of instances and near misses of definitions.

    Values are drawn from a simplified schema, which contains only the keywords that `generate`
    supports. Therefore, some of the values violate the full schema. An oracle decides which values
    are valid.
    """

    def __init__(self, definitions: dict[str, Schema]) -> None:
        plain = {name: _plain(schema) for name, schema in definitions.items()}
        self._surface = Drawable("evolved", plain, tuple(plain))

    def values(self, name: str, chance: Random, *, changed: bool) -> list[Any]:
        pins: list[Pins] = [{}] * RANDOM
        if changed:
            stated = facts(self._surface, name)
            pins += [fact.pins for fact in chance.sample(stated, min(FACTS, len(stated)))]
        drawn = [each for each in (self._draw(name, chance, pin) for pin in pins) if each]
        found = [each.value for each in drawn]
        for each in drawn[:RANDOM]:
            misses = list(mutations(each))
            found += _values(chance.sample(misses, min(MISSES, len(misses))))
        return found + [anything(Choices(chance.randbytes(64))) for _ in range(UNRELATED)]

    def _draw(self, name: str, chance: Random, pins: Pins) -> Drawn | None:
        """Return an instance, or None if `generate` can't satisfy the schema."""
        try:
            return generate(self._surface, name, Choices(chance.randbytes(128)), pins)
        except (AssertionError, ArithmeticError, RecursionError):
            return None


_KNOWN = {
    *("$ref", "type", "const", "enum", "format", "minimum", "maximum", "minLength", "minItems"),
    *("required", "x-deserialize-default-on-error", "x-deserialize-default-on-null"),
    "x-deserialize-skip-invalid-items",
}


def _plain(schema: Any) -> Schema:
    """Return a schema with only the keywords that `generate` supports."""
    if not isinstance(schema, dict):
        return {}
    plain = {key: value for key, value in schema.items() if key in _KNOWN}
    if schema.get("$dynamicRef", "").startswith(REF):
        plain["$ref"] = schema["$dynamicRef"]
    if "properties" in schema:
        members = schema["properties"].items()
        plain["properties"] = {name: _plain(member) for name, member in members}
    for keyword in ("allOf", "anyOf", "oneOf"):
        if keyword in schema:
            plain[keyword] = [_plain(part) for part in schema[keyword]]
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            plain[keyword] = _plain(schema[keyword])
    cases = schema.get("not", {})
    cases = cases.get("anyOf", [cases]) if isinstance(cases, dict) else []
    for keyword in ("minLength", "minItems"):
        if keyword in plain:
            plain[keyword] = int(plain[keyword])
    if cases and all(map(_is_tag, cases)):
        plain["not"] = {"anyOf": cases}
    if len(plain.get("type", ())) > 5 and isinstance(plain["type"], list):
        del plain["type"]
    return plain


def _is_tag(case: Any) -> bool:
    values = list(tags_of(case).values())
    return [str] == [value.__class__ for value in values] and len(case["properties"]) == 1
