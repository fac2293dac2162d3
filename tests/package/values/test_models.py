"""Our types as members of pydantic's models."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import Record
from pydantic import BaseModel, TypeAdapter, ValidationError

COST = {"amount": 1.5, "currency": "EUR", "x": [1]}
TEXT = {"type": "text", "text": "t"}
RUNNING = {"sessionUpdate": "state_update", "state": "running"}


class Model(BaseModel):
    cost: v2.Cost | None = None
    blocks: list[v2.ContentBlock] = []
    update: v2.SessionUpdate | str = ""
    state: v2.RunningStateUpdate | None = None


def test_json_data_is_decoded() -> None:
    model = Model.model_validate({"cost": COST, "blocks": [TEXT], "update": RUNNING})
    assert model.cost == v2.Cost(amount=1.5, currency="EUR", unknown_fields={"x": [1]})
    assert model.blocks == [v2.TextContent(text="t")]
    assert model.update == v2.RunningStateUpdate()


def test_an_object_is_taken_as_it_is() -> None:
    cost = v2.Cost(amount=1, currency="EUR")
    assert Model(cost=cost).cost is cost


@pytest.mark.parametrize(
    "data",
    [
        {"cost": COST, "blocks": [TEXT, {"type": "_x", "a": 1}], "update": RUNNING},
        {"cost": None, "blocks": [], "update": "text", "state": RUNNING},
        {"update": {"sessionUpdate": "session_info_update", "title": None}},
        {"update": {"sessionUpdate": "_x"}},
    ],
    ids=repr,
)
def test_json_comes_back(data: dict[str, Any]) -> None:
    model = Model.model_validate_json(json.dumps(data))
    assert model.model_dump(exclude_unset=True) == data
    assert json.loads(model.model_dump_json(exclude_unset=True)) == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"cost": {"amount": 1}}, "Cost at /currency: expected string, found nothing"),
        (
            {"state": {"sessionUpdate": "state_update", "state": "idle"}},
            "expected RunningStateUpdate, found IdleStateUpdate",
        ),
        ({"state": {}}, "SessionUpdate at /sessionUpdate: expected "),
    ],
)
def test_what_does_not_match_is_an_error(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=f"\n  {message}"):
        Model.model_validate(data)


def test_a_member_of_no_surface_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"^Record belongs to no surface$"):
        TypeAdapter(Record)


def test_a_model_has_a_json_schema() -> None:
    schema = Model.model_json_schema(mode="serialization")
    assert schema["properties"]["cost"]["anyOf"][0] == {"title": "Cost", "type": "object"}
    assert Model.model_json_schema().keys() == schema.keys()


def test_the_package_does_not_import_pydantic() -> None:
    code = "import sys; from acp_bindings import v2; print('pydantic_core' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
