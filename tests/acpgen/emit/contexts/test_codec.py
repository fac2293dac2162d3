"""Tests of generated decoders."""

from __future__ import annotations

from typing import Any

from tests.acpgen.diff.small import STRING, method, record, ref, tagged, union
from tests.tools.evolution.packages import build_surface, imported

# Item types, each with valid items.
ITEMS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "Tagged": (union(tagged("a"), rest=True), [{"kind": "a"}, {"kind": "b"}]),
    "OrText": (union(tagged("a"), STRING), [{"kind": "a"}, "text"]),
    "OrOther": (union(tagged("a"), record("id", id=STRING)), [{"kind": "a"}, {"id": "x"}]),
    "OrOthers": (
        union(tagged("a"), record("id", id=STRING), record("name", name=STRING)),
        [{"kind": "a"}, {"id": "x"}, {"name": "y"}],
    ),
    "OrOptional": (record("id", id=STRING, title=STRING), [{"id": "x"}, {"id": "y", "title": "z"}]),
    "Constants": ({"oneOf": [{"const": 1}, {"const": 2}]}, [1, 2]),
}


def test_the_valid_items_after_an_invalid_one_are_kept() -> None:
    made: dict[str, Any] = {"Request": method("some/method")}
    for name, (schema, _) in ITEMS.items():
        items = {"type": "array", "items": ref(name), "x-deserialize-skip-invalid-items": True}
        made |= {name: schema, f"{name}List": record(items=items)}
    with imported(build_surface({"$defs": made}, "v2").surface, "items", formatted=False) as module:
        for name, (_, items) in ITEMS.items():
            kind = module.TYPES[f"{name}List"]
            decoded = module.decode(kind, {"items": [None, *items, None]})
            assert module.encode(decoded) == {"items": items}
