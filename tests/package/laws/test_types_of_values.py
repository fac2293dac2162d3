"""Law 7: no coercion. `True` is not 1, `"5"` is not 5; 1 is fine for a number, and stays 1."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from package.laws.budget import each_type
from package.laws.exclusions import law
from package.laws.instances import Drawn, Path
from package.laws.library import decode, encode, pointer, same
from package.laws.mutations import get, put
from package.laws.schemas import SURFACES, Json, Schema, Surface
from package.laws.walk import cases, schema_counts

# Values that a careless decoder would accept for a type.
CONFUSED: dict[str, tuple[Json, ...]] = {
    "boolean": (0, 1, 1.0, "true", "", [], {}),
    "integer": (True, False, "5", "", 1.5, [1], {}),
    "number": (True, False, "5", "1.5", "", [1.5], {}),
    "string": (5, 1.5, True, ["a"], {"a": "b"}),
}


@each_type
def test_no_coercion(surface: Surface, name: str) -> None:
    """At every scalar of a definition, a value that only resembles one is rejected or repaired."""
    for path, kind, drawn in _scalars(surface, name):
        for confused in CONFUSED[kind]:
            value = put(drawn.value, path, confused)
            if law(surface).is_valid(name, value):
                # Only where a union around it has another arm for the value.
                around = (drawn.nodes[path[:length]] for length in range(len(path) + 1))
                assert any(node.arms for node in around), (drawn, path, confused)
                continue
            strict = decode(surface, name, value, strict=True)
            assert strict.error is not None, (drawn, path, confused)
            lenient = decode(surface, name, value)
            if lenient.error is None:
                places = [issue.pointer for issue in lenient.issues]
                assert any(pointer(path).startswith(place) for place in places)


@each_type
def test_numbers_keep_their_type(surface: Surface, name: str) -> None:
    """Both 1 and 1.0 are integers and numbers by JSON Schema; neither becomes the other."""
    for path, kind, drawn in _scalars(surface, name):
        if kind in ("integer", "number"):
            for number in (1, 1.0, 0, -0.0):
                value = put(drawn.value, path, number)
                if law(surface).is_valid(name, value):
                    outcome = decode(surface, name, value, strict=True)
                    assert outcome.error is None, (drawn, path, number)
                    back = encode(surface, name, outcome.value)
                    assert same(get(back, path), number), (drawn, path, number)


def _scalars(surface: Surface, name: str) -> Iterator[tuple[Path, str, Drawn]]:
    """One path for each scalar that the definition itself describes."""
    seen: set[str] = set()
    for drawn in cases(surface, name):
        for path, node in drawn.nodes.items():
            for pointer_, schema in node.fragments.items():
                if pointer_ not in seen and _is_own(pointer_, name):
                    for kind in set(node.types) & CONFUSED.keys() & _types(schema):
                        seen.add(pointer_)
                        yield path, kind, drawn


def _is_own(at: str, name: str) -> bool:
    return at == f"#/$defs/{name}" or at.startswith(f"#/$defs/{name}/")


def _types(schema: Schema) -> set[str]:
    listed = schema.get("type", ())
    return {listed} if isinstance(listed, str) else set(listed)


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_every_scalar_is_tried(surface: Surface) -> None:
    """As many paths as the schema has scalars, including constants of tags and enumerations."""
    tried = sum(len(list(_scalars(surface, name))) for name in surface.names)
    assert tried == schema_counts(surface)["scalars"]
    assert tried > 250
