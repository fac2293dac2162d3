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


@pytest.fixture(autouse=True)
def _foreign() -> Iterator[None]:
    runtime.set_json(loads=orjson.loads, dumps=orjson.dumps)
    yield
    runtime.set_json()


Word = Enum("Word", {"END": "end_turn"}, type=str)
Number = IntEnum("Number", ["ONE"])
Text, Count = type("Text", (str,), {}), type("Count", (int,), {})
REFUSED = object()
# Texts that make the encoder search for invalid values, and one that does not.
BESIDE: list[Any] = ["plain", "a null pointer", None, "NaN", "Infinity", "UNSET", "unknown_fields"]


@each_version
@pytest.mark.parametrize("beside", BESIDE, ids=str)
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
        (float("nan"), REFUSED),
        ((float("inf"),), REFUSED),
        ([{"deep": (1, -float("inf"))}], REFUSED),
        ({1}, REFUSED),
        (b"x", REFUSED),
        (object(), REFUSED),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_can_be_written_does_not_depend_on_the_text_beside_it(
    surface: ModuleType, value: Any, written: Any, beside: Any
) -> None:
    content = surface.TextContent(text="t", meta={"value": value, "beside": beside})
    if written is REFUSED:
        with pytest.raises(EncodeError):
            surface.dumps(content)
    else:
        assert json.loads(surface.dumps(content))["_meta"] == {"value": written, "beside": beside}
