"""Parts of vendored schemas in which one keyword has a random, often invalid value."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

from acpgen.schema import keywords
from jsonschema import Draft202012Validator
from jsonschema_specifications import REGISTRY

from tests.acpgen.diff.small import method
from tests.support.paths import SURFACES
from tests.tools.evolution.draft import Draft, Schema, pick, references
from tests.tools.evolution.evolve import Evolution, Step, vendored

_META = Draft202012Validator.META_SCHEMA


def _of_the_meta_schema() -> Iterator[str]:
    """Yield the keywords of the meta-schema and of its vocabularies."""
    yield from _META["properties"]
    resolver = REGISTRY.resolver(_META["$id"])
    for part in _META["allOf"]:
        yield from resolver.lookup(part["$ref"]).contents["properties"]


KEYWORDS = sorted({*_of_the_meta_schema(), *keywords.KNOWN, *keywords.UNREAD})
# Values of every kind that a keyword can accept, and values that contain an invalid part.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2.5, 10**30, "", "a", "string", "date", "uint8", "(", "^a"),
    *("#", "#/$defs/Missing", "#/$defs/Role", "https://json-schema.org/draft/2020-12/schema"),
    *([], [None], ["a"], ["a", "a"], [1], [True], [{}], [[]], ["string", "null"]),
    *([{"type": "string"}, {"type": "null"}], [{"const": "a"}, {"const": "b"}]),
    *({}, {"a": None}, {"a": 1}, {"a": []}, {"a": ["b"]}, {"a": {}}, {"a": "x"}, {"a": True}),
    *({"type": "integer"}, {"type": "object", "properties": {"a": {"type": "string"}}}),
    *([{"$defs": "a"}], {"$defs": 1}, {"properties": []}, {"properties": None}, {"anyOf": 3}),
    *({"$ref": 3}, {"$ref": "#/$defs/Missing"}, {"not": {"allOf": "a"}}, {"propertyName": "type"}),
)


def mutant(number: int) -> Evolution:
    """Return the mutant with the given number. Consecutive numbers select different keywords."""
    chance = Random(f"mutant {number}")
    keyword = KEYWORDS[number % len(KEYWORDS)]
    surface = chance.choice(list(SURFACES))
    draft = Draft(_part(surface, chance))
    places = [("", draft.root), *((str(place), place.schema) for place in draft.places())]
    at, schema = chance.choice(places)
    schema[keyword] = value = copy.deepcopy(chance.choice(VALUES))
    step = Step(f"set {keyword}", f"set {keyword} to {value!r} at {at}")
    return Evolution(number, surface, (step,), draft.root)


def _part(surface: str, chance: Random) -> Schema:
    """Return a type, its dependencies and a method. Checking an entire schema takes seconds."""
    whole = Draft(vendored(surface))
    needed, pending = set[str](), [pick(chance, whole.types())]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += references(whole.definitions[name])
    part = {name: whole.definitions[name] for name in sorted(needed)}
    return {"$defs": {"Request": method("some/method"), **part}}


def is_schema(root: Any) -> bool:
    """Return whether the meta-schema accepts a document."""
    return Draft202012Validator(_META).is_valid(root)
