"""Messages written by another JSON backend."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum, IntEnum
from types import ModuleType
from typing import Any

import orjson
import pytest
from acp_bindings import runtime
from acp_bindings.runtime import EncodeError
from package.jsonrpc.wire import each_version


@pytest.fixture
def _foreign() -> Iterator[None]:
    runtime.set_json(loads=orjson.loads, dumps=orjson.dumps)
    yield
    runtime.set_json()


class Word(str, Enum):
    END = "end_turn"


class Number(IntEnum):
    ONE = 1


class Text(str):
    pass


class Count(int):
    pass


# Texts that make the encoder search for invalid values, and one that does not.
BESIDE: list[Any] = ["plain", "a null pointer", None, "NaN", "Infinity", "UNSET", "unknown_fields"]
each_text = pytest.mark.parametrize("beside", BESIDE, ids=str)


@pytest.mark.usefixtures("_foreign")
@each_version
@each_text
@pytest.mark.parametrize(
    ("value", "written"),
    [
        ((1, (2, None)), [1, [2, None]]),
        (Word.END, "end_turn"),
        (Number.ONE, 1),
        (Text("text"), "text"),
        (Count(2), 2),
        ([{"deep": (Word.END, Number.ONE)}], [{"deep": ["end_turn", 1]}]),
        (1.5, 1.5),
        (True, True),
    ],
    ids=repr,
)
def test_what_can_be_written_does_not_depend_on_the_text_beside_it(
    surface: ModuleType, value: Any, written: Any, beside: Any
) -> None:
    meta = {"value": value, "beside": beside}
    text = surface.dumps(surface.TextContent(text="t", meta=meta))
    assert json.loads(text)["_meta"] == {"value": written, "beside": beside}


@pytest.mark.usefixtures("_foreign")
@each_version
@each_text
@pytest.mark.parametrize(
    "value",
    [float("nan"), (float("inf"),), [{"deep": (1, -float("inf"))}], {1}, b"x", object()],
    ids=["nan", "inf", "deep", "set", "bytes", "object"],
)
def test_what_cannot_be_written_does_not_depend_on_the_text_beside_it(
    surface: ModuleType, value: Any, beside: Any
) -> None:
    meta = {"value": value, "beside": beside}
    with pytest.raises(EncodeError):
        surface.dumps(surface.TextContent(text="t", meta=meta))
