"""The constants of error codes, against the schemas that name them."""

from __future__ import annotations

import json

import pytest
from acp_bindings import runtime, v2
from acp_bindings.runtime import UNSET, RequestError
from acp_bindings.runtime.jsonrpc.messages import error_response
from support.paths import SCHEMA

COUNTS = {
    "v1/schema.json": 8,
    "v1/schema.unstable.json": 8,
    "v2/schema.json": 9,
    "v2/schema.unstable.json": 9,
}


def codes(name: str) -> dict[str, int]:
    """The named error codes of a schema, by the name of their constant."""
    arms = json.loads((SCHEMA / name).read_text(encoding="utf-8"))["$defs"]["ErrorCode"]["anyOf"]
    return {arm["title"].upper().replace(" ", "_"): arm["const"] for arm in arms if "const" in arm}


def test_all_vendored_schemas_are_looked_at() -> None:
    found = {path.relative_to(SCHEMA).as_posix() for path in SCHEMA.glob("*/schema*.json")}
    assert found == set(COUNTS)


@pytest.mark.parametrize("name", COUNTS)
def test_each_code_of_the_schema_has_its_constant(name: str) -> None:
    expected = codes(name)
    assert len(expected) == COUNTS[name]
    assert {title: getattr(runtime, title) for title in expected} == expected
    assert set(expected) <= set(runtime.__all__)
    assert {title: getattr(runtime, title) for title in expected} == expected


@pytest.mark.parametrize("name", COUNTS)
def test_each_code_of_the_schema_has_a_class_method(name: str) -> None:
    for title, code in codes(name).items():
        make = getattr(RequestError, title.lower())
        words = title.lower().replace("_", " ")
        assert make().args == (code, words, UNSET)
        assert make({"a": 1}, "say more").args == (code, "say more", {"a": 1})


def test_authentication_has_the_usual_short_name() -> None:
    assert RequestError.auth_required().code == runtime.AUTHENTICATION_REQUIRED


def test_data_that_is_left_out_is_absent_and_none_is_null() -> None:
    for error, expected in (
        (RequestError.invalid_params(), {}),
        (RequestError.invalid_params(None), {"data": None}),
    ):
        sent = json.loads(error_response(1, error, v2))["error"]
        assert sent == {"code": -32602, "message": "invalid params", **expected}


def test_there_is_no_constant_that_no_schema_has() -> None:
    named = {title for name in COUNTS for title in codes(name)}
    constants = {name for name in runtime.__all__ if name.isupper() and name != "UNSET"}
    assert constants == named
