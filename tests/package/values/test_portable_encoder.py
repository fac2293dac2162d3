"""Tests of the JSON encoder for interpreters without the C encoder of `json`, such as PyPy."""

from __future__ import annotations

import json.encoder
import math
from types import GeneratorType, ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, EncodeError, set_json
from acp_bindings.runtime.values import jsontext

from tests.package.test_backends import MESSAGES

STANDARD_ENCODE = jsontext._encode  # as imported, with the C encoder
each_message = pytest.mark.parametrize(("surface", "name", "data"), MESSAGES)


@pytest.fixture(autouse=True)
def _without_c_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)
    monkeypatch.setattr(jsontext, "_encode", jsontext._make_encoder())
    set_json()


def test_it_is_the_encoder_in_use() -> None:
    assert isinstance(jsontext._encode({}, 0), GeneratorType)


@each_message
def test_it_writes_what_the_c_encoder_writes(surface: ModuleType, name: str, data: Any) -> None:
    value = surface.decode(surface.TYPES[name], data)
    text = surface.dumps(value, surface.TYPES[name])
    encoded = surface.encode(value, surface.TYPES[name])
    assert text == "".join(STANDARD_ENCODE(encoded, 0))
    assert surface.loads(surface.TYPES[name], text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, 2.5, None, True, False]}, '{"a":[1,2.5,null,true,false]}'),
        ([], "[]"),
        ({}, "{}"),
        ("é\n\u2028\x7f", '"é\\n\u2028\x7f"'),
        ('"\\', '"\\"\\\\"'),
        (10**30, "1" + "0" * 30),
        (1e300, "1e+300"),
    ],
    ids=ascii,
)
def test_it_writes_one_line_without_blanks(value: Any, text: str) -> None:
    assert jsontext.dumps(value) == text


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, {1, 2}, b"x", object(), UNSET],
    ids=["nan", "inf", "-inf", "set", "bytes", "object", "UNSET"],
)
def test_it_refuses_what_is_not_json(value: Any) -> None:
    with pytest.raises(EncodeError):
        v2.dumps(v2.ToolCallUpdate(tool_call_id="c", raw_input=[{"deep": value}]))


def test_it_refuses_what_has_no_end() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(EncodeError, match="nested too deeply"):
        jsontext.dumps(circle)


@pytest.mark.parametrize("text", [r'"\ud800é"', r'{"\udc00x":1}', r'["a","\udbff"]'])
def test_it_escapes_halves_of_surrogate_pairs(text: str) -> None:
    text = f'{{"sessionId":"s","x":{text}}}'
    assert v1.dumps(v1.loads(v1.CancelNotification, text)) == text
