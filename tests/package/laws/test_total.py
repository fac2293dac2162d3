"""Law 8: for any JSON, of any shape and depth, decoding returns a value or raises DecodeError."""

from __future__ import annotations

import functools

import pytest
from acp_bindings.runtime import DecodeError, EncodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.package.laws.budget import LAWS, N, each_surface, each_type, entropy, named, rotated
from tests.package.laws.instances import Choices, Drawn, Path, generate
from tests.package.laws.library import Outcome, decode, encode, same
from tests.package.laws.mutations import MISSING, put
from tests.package.laws.schemas import Json, Surface
from tests.package.laws.walk import cases

DEPTH = 100_000
WORDS = ("type", "state", "sessionUpdate", "_meta", "text", "a/b~c", "line\nbreak", "")

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from((0, 1, 2**63, -(2**63) - 1, 2**64, 10**400, -1, 65536))
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(WORDS)
)
any_json = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@each_surface
@settings(LAWS, max_examples=5 * N)
@given(value=any_json)
def test_any_json(surface: Surface, value: Json) -> None:
    for name in surface.names:
        with named((surface, name)):
            for strict in (True, False):
                _assert_total(surface, name, value, strict)


@each_surface
@LAWS
@given(
    first=entropy,
    second=entropy,
    others=st.lists(any_json | st.just(MISSING), min_size=24, max_size=24),
)
def test_confused_types(surface: Surface, first: bytes, second: bytes, others: list[Json]) -> None:
    for start, name in enumerate(surface.names):
        with named((surface, name)):
            drawn = generate(surface, name, Choices(rotated(first, start)))
            picks = Choices(rotated(second, start))
            value = _confused(drawn, picks, others)
            for strict in (True, False):
                _assert_total(surface, name, value, strict)


def _confused(drawn: Drawn, picks: Choices, others: list[Json]) -> Json:
    value = drawn.value
    paths = sorted(drawn.nodes, key=repr)
    for _ in range(picks.below(5)):
        path = picks.of(paths)
        if path and _has(value, path):
            value = put(value, path, picks.of(others))
    return value


def _has(value: Json, path: Path) -> bool:
    for part in path:
        if not isinstance(value, list | dict):
            return False
        try:
            value = value[part]
        except (LookupError, TypeError):
            return False
    return True


def _assert_total(surface: Surface, name: str, value: Json, strict: bool) -> Outcome:
    outcome = decode(surface, name, value, strict)
    if outcome.error is not None:
        assert str(outcome.error).isprintable(), repr(str(outcome.error))
        assert surface.module.TYPES[outcome.error.type_name] == surface.module.TYPES[name]
        assert outcome.error.pointer == "" or outcome.error.pointer.startswith("/")
    else:
        # Every decoded value can be encoded.
        back = encode(surface, name, outcome.value)
        if not outcome.issues:
            assert same(back, value)
    return outcome


# --- depth and size --------------------------------------------------------------------------


@functools.cache
def nested(kind: str) -> Json:
    value: Json = None
    for _ in range(DEPTH):
        value = [value] if kind == "array" else {"_meta": value, "type": "text", "content": []}
    return value


@each_type
def test_depth(surface: Surface, name: str) -> None:
    drawn = max(cases(surface, name), key=lambda each: len(each.nodes))
    for kind in ("array", "object"):
        for path in [(), *drawn.nodes]:
            value = put(drawn.value, path, nested(kind))
            for strict in (True, False):
                decode(surface, name, value, strict)  # must not raise anything except DecodeError


@each_surface
@pytest.mark.parametrize(
    "text",
    ["[" * DEPTH, "[" * DEPTH + "]" * DEPTH, '{"a":' * DEPTH],
    ids=["arrays", "closed arrays", "objects"],
)
def test_depth_of_text(surface: Surface, text: str) -> None:
    form = surface.module.TYPES["ExtRequest"]
    with pytest.raises(DecodeError):
        surface.module.loads(form, text)


@each_surface
@pytest.mark.parametrize("kind", ["array", "object"])
def test_depth_that_cannot_be_written(surface: Surface, kind: str) -> None:
    deep = nested(kind)
    with pytest.raises(EncodeError):
        surface.module.dumps(deep, surface.module.TYPES["ExtRequest"])


@each_surface
def test_size(surface: Surface) -> None:
    wide = {"sessionId": "x" * 1_000_000, "_meta": {str(n): n for n in range(100_000)}}
    outcome = decode(surface, "SessionInfoUpdate", {"title": "x" * 1_000_000, **wide})
    assert outcome.error is None
    assert encode(surface, "SessionInfoUpdate", outcome.value)["_meta"] == wide["_meta"]


@each_surface
@LAWS
@given(text=st.text() | st.binary() | any_json.map(repr))
def test_any_text(surface: Surface, text: str | bytes) -> None:
    form = surface.module.TYPES["ExtRequest"]
    try:
        value = surface.module.loads(form, text)
    except DecodeError:
        return
    assert same(surface.module.loads(form, surface.module.dumps(value, form)), value)
