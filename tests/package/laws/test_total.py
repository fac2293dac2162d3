"""Law 8: for any JSON, of any shape and depth, decoding returns a value or raises DecodeError."""

from __future__ import annotations

import pytest
from acp_bindings.runtime import DecodeError, EncodeError
from hypothesis import given
from hypothesis import strategies as st
from package.laws.budget import LAWS, each_type
from package.laws.instances import Path, instances
from package.laws.library import Outcome, decode, encode, same
from package.laws.mutations import MISSING, put
from package.laws.schemas import SURFACES, Json, Surface
from package.laws.walk import cases

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


@each_type
@LAWS
@given(value=any_json)
def test_any_json(surface: Surface, name: str, value: Json) -> None:
    """JSON that was not drawn for the type."""
    for strict in (True, False):
        _assert_total(surface, name, value, strict)


@each_type
@LAWS
@given(data=st.data())
def test_confused_types(surface: Surface, name: str, data: st.DataObject) -> None:
    """An instance with several of its parts replaced by anything, or removed."""
    drawn = data.draw(instances(surface, name))
    value = drawn.value
    for path in data.draw(st.lists(st.sampled_from(sorted(drawn.nodes, key=repr)), max_size=4)):
        if path and _has(value, path):
            new = data.draw(any_json | st.just(MISSING))
            value = put(value, path, new)
    for strict in (True, False):
        _assert_total(surface, name, value, strict)


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
        # A decoded value can be encoded.
        back = encode(surface, name, outcome.value)
        if not outcome.issues:
            assert same(back, value)
    return outcome


# --- depth and size --------------------------------------------------------------------------


def _nested(kind: str) -> Json:
    value: Json = None
    for _ in range(DEPTH):
        value = [value] if kind == "array" else {"_meta": value, "type": "text", "content": []}
    return value


@pytest.fixture(scope="module", params=["array", "object"])
def deep(request: pytest.FixtureRequest) -> Json:
    """A value nested deeper than the interpreter's stack."""
    return _nested(request.param)


@each_type
def test_depth(surface: Surface, name: str, deep: Json) -> None:
    """As the value itself, and in the place of each part of an instance."""
    drawn = max(cases(surface, name), key=lambda each: len(each.nodes))
    for path in [(), *drawn.nodes]:
        value = put(drawn.value, path, deep)
        for strict in (True, False):
            decode(surface, name, value, strict)  # raises anything but DecodeError


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
@pytest.mark.parametrize("text", ["[" * DEPTH, "[" * DEPTH + "]" * DEPTH, '{"a":' * DEPTH])
def test_depth_of_text(surface: Surface, text: str) -> None:
    """Text that is nested too deeply for the parser is rejected."""
    form = surface.module.TYPES["ExtRequest"]
    with pytest.raises(DecodeError):
        surface.module.loads(form, text)


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_depth_that_cannot_be_written(surface: Surface, deep: Json) -> None:
    """Encoding to text has a limit, too, and reports it."""
    with pytest.raises(EncodeError):
        surface.module.dumps(deep, surface.module.TYPES["ExtRequest"])


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_size(surface: Surface) -> None:
    """Wide values and long texts are accepted."""
    wide = {"sessionId": "x" * 1_000_000, "_meta": {str(n): n for n in range(100_000)}}
    outcome = decode(surface, "SessionInfoUpdate", {"title": "x" * 1_000_000, **wide})
    assert outcome.error is None
    assert encode(surface, "SessionInfoUpdate", outcome.value)["_meta"] == wide["_meta"]


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
@LAWS
@given(text=st.text() | st.binary() | any_json.map(repr))
def test_any_text(surface: Surface, text: str | bytes) -> None:
    """Texts, most of which are not JSON."""
    form = surface.module.TYPES["ExtRequest"]
    try:
        value = surface.module.loads(form, text)
    except DecodeError:
        return
    assert same(surface.module.loads(form, surface.module.dumps(value, form)), value)


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
@pytest.mark.parametrize(
    "text",
    ["", " ", "nul", "1" * 5_000, "1e400", "-1e400", "NaN", "Infinity", "{} {}", '"\\ud800"',
     "\x00", b"\xff", b"\xef\xbb\xbf{}", "01", "[1,]", "{'a':1}", '{"a":1,}', '"\n"', "\u00a0{}"],
    ids=repr,
)  # fmt: skip
def test_text_that_is_no_json(surface: Surface, text: str | bytes) -> None:
    """The usual suspects."""
    with pytest.raises(DecodeError):
        surface.module.loads(surface.module.TYPES["ExtRequest"], text)
