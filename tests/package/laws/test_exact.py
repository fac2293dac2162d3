"""Tests that encoding is exact: only values that decoding can reproduce are encoded and written.

Values are decoded from instances of the schema and then changed in one place. The expected output
is the instance with the same change, so the tests don't need a second encoder.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import itertools
import json
import math
from collections import Counter, OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_bindings import v2
from acp_bindings.runtime import UNSET, EncodeError, Record, Unknown

from tests.package.laws.budget import N, each_surface, each_type_drawn
from tests.package.laws.build import classes
from tests.package.laws.exclusions import law
from tests.package.laws.instances import Choices, Drawn, Node, Path, generate
from tests.package.laws.library import decode, pointer, same
from tests.package.laws.mutations import MISSING, get, put
from tests.package.laws.reference import is_ambiguous
from tests.package.laws.schemas import DISTINCT, Json, Surface
from tests.package.laws.walk import cases

# JSON values of every type, some of which are valid.
PLAIN: tuple[Json, ...] = (
    None, True, 0, -1, 1.5, 2**70, "text", "", "\ud800", [], {}, [None], [0], ["text"], {"k": None},
    {"k": "text"}, {"type": "text"},
)  # fmt: skip
UNKNOWN_FIELDS: tuple[Any, ...] = ("text", "", [], ["text"], 0, 5, False, UNSET, {1: 2})


@dataclasses.dataclass
class Stranger(Record):
    text: str = "text"
    unknown_fields: dict[str, Any] | None = None


# Values that can't be represented in JSON.
ALIEN: tuple[Any, ...] = (
    math.nan, -math.inf, object(), {1: 2}, [{None: 2}], {"k": {True: 2}}, {5}, b"text",
    Stranger(),
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Change:
    drawn: Drawn  # the instance
    steps: tuple[Any, ...]  # the attributes, indexes and keys on the path to the part
    place: Path  # the part's path in the instance's JSON
    new: Any  # the replacement
    json: Json = MISSING  # the replacement as JSON, or MISSING if it can't be represented in JSON
    removed: tuple[str, ...] = ()  # the fields at that path to omit

    @property
    def value(self) -> Any:
        surface = self.drawn.surface
        before = surface.module.decode(surface.module.TYPES[self.drawn.name], self.drawn.value)
        return replaced(before, self.steps, self.new)

    def __repr__(self) -> str:
        return f"{self.drawn!r} with {self.new!r} at {self.steps}"


def replaced(part: Any, steps: tuple[Any, ...], new: Any) -> Any:
    if not steps:
        return new
    made = copy.copy(part)
    first, *rest = steps
    if isinstance(part, Record | Unknown):
        setattr(made, first, replaced(getattr(part, first), tuple(rest), new))
    else:
        made[first] = replaced(part[first], tuple(rest), new)
    return made


class Spot(NamedTuple):
    """A part of a value that can be replaced (see `Change`), and the value that contains it."""

    part: Any
    steps: tuple[Any, ...]
    place: Path
    owner: Any


def spots(drawn: Drawn, only_own: bool = False) -> Iterator[Spot]:
    """Yield the replaceable parts of an instance, optionally excluding referenced definitions."""
    own = f"#/$defs/{drawn.name}/"

    def walk(spot: Spot) -> Iterator[Spot]:
        part, steps, place, _ = spot
        node = drawn.nodes.get(place)
        if node is None:  # free-form JSON
            return
        found: list[Spot] = []
        if isinstance(part, Record):
            wires = {letters(each): each for each in node.members}
            for field in dataclasses.fields(part):
                name = field.name
                at = place if name == "unknown_fields" else (*place, wires[letters(name)])
                found.append(Spot(getattr(part, name), (*steps, name), at, part))
        elif isinstance(part, list | dict):
            for key, item in enumerate(part) if isinstance(part, list) else part.items():
                found.append(Spot(item, (*steps, key), (*place, key), part))
        elif isinstance(part, Unknown):
            found = [
                Spot(part.raw[each], (*steps, "raw", each), (*place, each), part.raw)
                for each in part.raw
            ]
            found += [
                Spot(getattr(part, each), (*steps, each), place, part) for each in ("tag", "raw")
            ]
        if not only_own or any(f"{each}/".startswith(own) for each in node.fragments):
            yield from found
        for each in found:
            if not isinstance(part, Unknown) and each.steps[-1] != "unknown_fields":
                yield from walk(each)

    surface = drawn.surface
    root = Spot(surface.module.decode(surface.module.TYPES[drawn.name], drawn.value), (), (), None)
    yield root
    yield from walk(root)


def letters(name: str) -> str:
    return name.replace("_", "").lower()


def changes(drawn: Drawn, spot: Spot) -> Iterator[Change]:
    part, steps, place, owner = spot
    if isinstance(owner, Unknown):
        for new in (*PLAIN, *ALIEN):
            if new != part:
                yield Change(drawn, steps, place, new)
    elif isinstance(owner, Record) and steps[-1] == "unknown_fields":
        for new in UNKNOWN_FIELDS:
            yield Change(drawn, steps, place, new)
        node = drawn.nodes[place]
        for wire in node.members:
            yield Change(drawn, steps, place, {wire: "text"})
        for new in (None, {}):
            rest = get(drawn.value, place)
            rest = {name: rest[name] for name in rest if name not in (part or ())}
            yield Change(drawn, steps, place, new, rest)
    else:
        for new in PLAIN:
            yield Change(drawn, steps, place, new, new)
        for new in (*ALIEN, *doubles(drawn.surface, part, drawn.nodes.get(place))):
            yield Change(drawn, steps, place, new)
        if isinstance(owner, Record):
            yield Change(drawn, steps, place, UNSET, UNSET)
        else:
            yield Change(drawn, steps, place, UNSET)


def data_of(change: Change) -> Json:
    if change.json is UNSET:
        try:
            return put(change.drawn.value, change.place, MISSING)
        except KeyError:  # the part is already absent
            return change.drawn.value
    if change.json is MISSING:
        return MISSING
    return put(change.drawn.value, change.place, change.json)


def doubles(surface: Surface, part: Any, node: Node | None) -> Iterator[Any]:
    """Yield copies of a part in other classes with the same fields, unless it is in a union."""
    if isinstance(part, Record) and node is not None and not node.arms:
        members = {each.name: getattr(part, each.name) for each in dataclasses.fields(part)}
        for cls in sorted(classes(surface), key=lambda each: each.__name__):
            is_alike = [each.name for each in dataclasses.fields(cls)] == [*members]
            if is_alike and not issubclass(cls, part.__class__):
                yield cls(**members)


def is_right(change: Change, value: Any, data: Json) -> bool:
    """Return whether the changed value is valid according to the schema and the decoder."""
    if data is MISSING:
        return False
    surface, name = change.drawn.surface, change.drawn.name
    outcome = decode(surface, name, data)
    # A repair can replace an array with an empty array that is shorter than the schema allows.
    repairs = [
        each
        for each in outcome.issues
        if each.action != "unknown_kept" and (each.raw, each.action) != ([], "defaulted")
    ]
    if outcome.error is not None or repairs:
        return False
    assert outcome.issues or law(surface).is_valid(name, data), change
    return repr(outcome.value) == repr(value)


def check(change: Change) -> bool:
    surface = change.drawn.surface
    form = surface.module.TYPES[change.drawn.name]
    value, data = change.value, data_of(change)
    outcomes: list[Any] = []
    for function in (surface.module.encode, surface.module.dumps):
        try:
            outcomes.append(function(value, form))
        except EncodeError as error:
            outcomes.append(error)
    encoded, written = outcomes
    if is_right(change, value, data):
        assert not isinstance(encoded, EncodeError), f"{change}: {encoded}"
        assert not isinstance(written, EncodeError), f"{change}: {written}"
        assert same(encoded, data), change
        assert same(json.loads(written), data), change
        return True
    assert isinstance(encoded, EncodeError), f"{change} is encoded as {encoded!r}"
    assert isinstance(written, EncodeError), f"{change} is written as {written}"
    assert str(written) == str(encoded), change
    assert encoded.type_name
    assert encoded.reason
    place = pointer(change.place)
    is_there = encoded.pointer == place or encoded.pointer.startswith(f"{place}/")
    assert is_there or _is_in_choice(change, encoded.pointer), f"{change}: {encoded}"
    return False


def _is_in_choice(change: Change, found: str) -> bool:
    """Return whether the error concerns an enclosing union without a variant for the value."""
    nodes = change.drawn.nodes
    around = (change.place[:length] for length in range(len(change.place) + 1))
    return any(
        each in nodes and is_ambiguous(nodes[each]) and found.startswith(pointer(each))
        for each in around
    )


# Each test tries null, omission, and one in `STRIDE` of the other known changes. With
# `LAWS_N=100`, it tries all of them.
STRIDE = max(1, 100 // N)


@each_surface
def test_each_part(surface: Surface) -> None:
    counts: Counter[bool] = Counter()
    known = itertools.count()
    names = [name for owner, name in DISTINCT if owner is surface]
    for name in names:
        seen: set[str] = set()
        for drawn in cases(surface, name):
            for spot in spots(drawn, only_own=True):
                for change in changes(drawn, spot):
                    what = (spot.owner.__class__, spot.steps[-1:], change.new, drawn.nodes[()].arms)
                    if repr(what) not in seen:
                        seen.add(repr(what))
                        is_basic = change.new is None or change.new is UNSET
                        if is_basic or next(known) % STRIDE == 0:
                            counts[check(change)] += 1
    assert counts[True] > 20 * len(names) / STRIDE
    assert counts[False] > 120 * len(names) / STRIDE


@each_type_drawn
def test_deep_inside(surface: Surface, name: str, choices: Choices, picks: Choices) -> None:
    drawn = generate(surface, name, choices)
    found = list(spots(drawn))
    for _ in range(2):
        check(picks.of(list(changes(drawn, picks.of(found)))))


def test_values_of_other_types_in_json_are_no_strangers() -> None:
    """Subclasses of JSON types are written like their base classes, and tuples like lists."""

    class Kind(str, enum.Enum):
        EDIT = "edit"

    update = v2.ToolCallUpdate(
        tool_call_id=Kind.EDIT,
        kind=Kind.EDIT,
        locations=(v2.ToolCallLocation(path="/a", line=enum.IntEnum("Line", "ONE")(1)),),  # type: ignore[arg-type]
        raw_input=OrderedDict(a=(1, 2)),
    )
    assert json.loads(v2.dumps(update)) == {
        "toolCallId": "edit",
        "kind": "edit",
        "locations": [{"path": "/a", "line": 1}],
        "rawInput": {"a": [1, 2]},
    }
    assert v2.encode(update)["kind"] == "edit"
