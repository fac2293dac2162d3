"""Tests of the package's types as fields of pydantic models."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Annotated, Any, Union

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import Record
from acpgen.common.paths import SCHEMA
from fastapi import FastAPI
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from tests.acpgen.extensions.packages import package
from tests.package.laws.instances import Choices, generate
from tests.package.laws.schemas import SURFACES

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
        (
            {"state": {"sessionUpdate": "_x"}},
            "expected RunningStateUpdate, found sessionUpdate = '_x'",
        ),
    ],
)
def test_what_does_not_match_is_an_error(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=f"\n  {message}"):
        Model.model_validate(data)


def test_a_value_of_another_class_is_dumped_with_a_warning() -> None:
    other: Any = 5
    with pytest.warns(UserWarning, match="int is not Cost"):
        assert Model.model_construct(cost=other).model_dump()["cost"] == 5


def test_a_value_that_does_not_encode_is_not_dumped() -> None:
    cost = v2.Cost(amount=float("nan"), currency="EUR")
    with pytest.raises(PydanticSerializationError, match="Cost at /amount: expected finite float"):
        Model(cost=cost).model_dump()


def test_a_member_of_no_surface_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"^Record does not belong to a surface$"):
        TypeAdapter(Record)


def test_the_package_does_not_import_pydantic() -> None:
    code = "import sys; from acp_bindings import v2; print('pydantic_core' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# --- fields of one class, and of unions --------------------------------------------------------


@pytest.mark.parametrize("name", ["v1", "v2"])
def test_a_field_of_a_class_holds_what_encode_writes(name: str) -> None:
    surface = SURFACES[name]
    types = surface.module
    classes = {name: each for name, each in types.TYPES.items() if isinstance(each, type)}
    assert len(classes) > 100
    for definition, cls in classes.items():
        value = types.decode(cls, generate(surface, definition, Choices()).value)
        adapter: TypeAdapter[Any] = TypeAdapter(cls)
        data = types.encode(value, cls)
        assert adapter.validate_python(data) == value
        assert adapter.validate_json(json.dumps(data)) == value
        assert adapter.dump_python(value) == adapter.dump_python(value, mode="json") == data
        assert Draft202012Validator(adapter.json_schema()).is_valid(data)


def test_a_class_without_a_definition_has_the_tag_of_its_union() -> None:
    chunk = v2.AgentMessageChunk(content=v2.TextContent(text="t"), message_id="m")
    data = v2.encode(chunk, v2.SessionUpdate)
    adapter = TypeAdapter(v2.AgentMessageChunk)
    assert adapter.dump_python(chunk) == data
    assert adapter.validate_python(data) == chunk


@pytest.mark.parametrize(
    ("annotation", "data", "value"),
    [
        (v2.StateUpdate, {"state": "running"}, v2.RunningStateUpdate()),
        (v2.SessionUpdate, RUNNING, v2.RunningStateUpdate()),
        (v2.SessionUpdate | str, "text", "text"),
        (v2.TextContent | v2.ImageContent, TEXT, v2.TextContent(text="t")),
        (v2.TextContent | None, {"text": "t"}, v2.TextContent(text="t")),
        (v2.TextContent | int, {"text": "t"}, v2.TextContent(text="t")),
        (list[v2.TextContent], [{"text": "t"}], [v2.TextContent(text="t")]),
        (dict[str, v2.ContentBlock], {"a": TEXT}, {"a": v2.TextContent(text="t")}),
        (list[v2.TextContent] | v2.ContentBlock, [{"text": "t"}], [v2.TextContent(text="t")]),
        (list[v2.TextContent] | v2.ContentBlock, TEXT, v2.TextContent(text="t")),
        (Annotated[v2.ContentBlock, "a"] | None, TEXT, v2.TextContent(text="t")),
        (Union["v2.TextContent", "v2.ImageContent"], TEXT, v2.TextContent(text="t")),
        (v2.RequestPermissionOutcome, {"outcome": "cancelled"}, v2.CancelledPermissionOutcome()),
    ],
    ids=repr,
)
def test_a_tag_belongs_to_fields_of_unions(annotation: Any, data: Any, value: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    assert adapter.validate_python(data) == value
    assert adapter.validate_json(json.dumps(data)) == value
    assert adapter.validate_python(value) == value
    assert adapter.dump_python(value) == data
    assert json.loads(adapter.dump_json(value)) == data


def test_a_field_of_a_nested_model_is_no_part_of_the_union_around_it() -> None:
    class Outer(BaseModel):
        either: Inner | v2.TextContent | v2.ImageContent

    class Inner(BaseModel):
        block: v2.TextContent

    Outer.model_rebuild(_types_namespace={"Inner": Inner, "v2": v2})
    outer = Outer.model_validate({"either": {"block": {"text": "t"}}})
    assert outer == Outer(either=Inner(block=v2.TextContent(text="t")))


@pytest.mark.parametrize(
    ("annotation", "data", "messages"),
    [
        (list[v2.ContentBlock], [TEXT, {"text": "t"}], ["ContentBlock at /type: expected string"]),
        (list[v2.ContentBlock], [{"type": "text"}], ["ContentBlock at /text: expected string"]),
        (list[v2.ContentBlock], [{"type": "text"}, 4], ["ContentBlock at /text", "ContentBlock: "]),
        (v2.SessionUpdate, {"toolCallId": "t"}, ["SessionUpdate at /sessionUpdate: expected"]),
        (v1.PlanEntry | None, {}, ["PlanEntry at /content: expected string, found nothing"]),
        (
            v2.TextContent | v2.ImageContent,
            {"type": "resource_link", "name": "n", "uri": "u"},
            ["expected TextContent or ImageContent, found ResourceLink"],
        ),
        (v2.StateUpdate, v2.TextContent(text="t"), ["StateUpdate: expected object"]),
        (
            v1.RequestPermissionOutcome,
            {"outcome": "sure"},
            ["RequestPermissionOutcome at /outcome"],
        ),
    ],
    ids=repr,
)
def test_a_wrong_item_of_a_union_is_one_error(
    annotation: Any, data: Any, messages: list[str]
) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    for validate in (adapter.validate_python, lambda each: adapter.validate_json(json.dumps(each))):
        if validate != adapter.validate_python and isinstance(data, Record):
            continue  # no JSON
        with pytest.raises(ValidationError) as raised:
            validate(data)
        found = [error["msg"] for error in raised.value.errors()]
        assert len(found) == len(messages)
        for message, start in zip(found, messages, strict=True):
            assert message.startswith(start)


def test_an_object_of_another_class_is_reported() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(v2.TextContent)
    with pytest.warns(UserWarning, match="Cost is not TextContent"):
        adapter.dump_python(v2.Cost(amount=1, currency="EUR"))


def test_copies_of_models_have_copies_of_objects() -> None:
    model = Model.model_validate({"cost": COST, "blocks": [TEXT]})
    copy = model.model_copy(deep=True, update={"update": v2.RunningStateUpdate()})
    assert copy.cost == model.cost
    assert copy.cost is not model.cost
    assert copy.model_dump(exclude_unset=True) == {
        "cost": COST,
        "blocks": [TEXT],
        "update": RUNNING,
    }


# --- JSON Schema -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_a_model_has_the_schemas_of_its_fields(mode: Any) -> None:
    schema = Model.model_json_schema(mode=mode)
    own = json.loads((SCHEMA / "v2" / "schema.json").read_text("utf-8"))["$defs"]
    found = {name: schema["$defs"][name] for name in ("Cost", "ContentBlock", "SessionUpdate")}
    assert found == {name: own[name] for name in found}
    assert schema["properties"]["cost"]["anyOf"][0] == {"$ref": "#/$defs/Cost"}
    assert schema["properties"]["blocks"]["items"] == {"$ref": "#/$defs/ContentBlock"}
    assert schema["properties"]["update"]["anyOf"][0] == {"$ref": "#/$defs/SessionUpdate"}


@pytest.mark.parametrize(
    ("annotation", "valid", "invalid"),
    [
        (v2.ToolCallUpdate, {"toolCallId": "t"}, {}),
        (v2.ContentBlock, TEXT, {"type": "text"}),
        (v2.ContentBlock | None, None, {"text": "t"}),
        (v2.TextContent, {"text": "t"}, {"text": 1}),
        (v2.TextContent | v2.ImageContent, TEXT, {**TEXT, "type": "_x"}),
        (v2.UnknownContentBlock, {"type": "_x"}, TEXT),
        (
            v2.AgentMessageChunk,
            {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": TEXT},
            {"sessionUpdate": "user_message_chunk", "messageId": "m", "content": TEXT},
        ),
        (v1.McpServer, {"name": "n", "command": "/c", "args": [], "env": []}, {"name": "n"}),
        (v2.SelectSessionConfigOption | v2.BooleanSessionConfigOption, None, {"type": "_x"}),
    ],
    ids=repr,
)
def test_the_schema_of_a_field_tells_its_values_apart(
    annotation: Any, valid: Any, invalid: Any
) -> None:
    validator = Draft202012Validator(TypeAdapter(annotation).json_schema())
    assert valid is None or validator.is_valid(valid)
    assert not validator.is_valid(invalid)


def test_models_with_classes_of_two_versions_have_both_schemas() -> None:
    class Both(BaseModel):
        older: v1.ToolCallUpdate
        newer: v2.ToolCallUpdate

    schema = Both.model_json_schema()
    older, newer = (schema["properties"][name]["$ref"] for name in ("older", "newer"))
    assert older != newer
    Draft202012Validator(schema).validate(
        {"older": {"toolCallId": "t"}, "newer": {"toolCallId": "t"}}
    )


def test_extensions_have_the_schemas_of_what_they_extend() -> None:
    acme = package("acme")
    step = v2.Cost(amount=1, currency="EUR")
    data = acme.encode(acme.IndexedNotification(session_id="s", steps=[step]))
    validator = Draft202012Validator(TypeAdapter(acme.IndexedNotification).json_schema())
    assert validator.is_valid(data)
    assert not validator.is_valid({**data, "steps": [{"amount": 1}]})


def test_fastapi_reads_writes_and_shows_the_types() -> None:
    app = FastAPI()

    @app.post("/prompts")
    def prompt(blocks: list[v2.ContentBlock], cost: v2.Cost) -> v2.SessionUpdate:
        return v2.AgentMessageChunk(content=blocks[0], message_id=cost.currency)

    client = TestClient(app)
    done = client.post("/prompts", json={"blocks": [TEXT], "cost": COST})
    assert done.json() == {
        "sessionUpdate": "agent_message_chunk",
        "messageId": "EUR",
        "content": TEXT,
    }
    refused = client.post("/prompts", json={"blocks": [{"type": "text"}], "cost": COST})
    assert refused.status_code == 422
    [error] = refused.json()["detail"]
    assert error["msg"] == "ContentBlock at /text: expected string, found nothing"

    page = client.get("/openapi.json").json()
    schemas = page["components"]["schemas"]
    assert schemas["Cost"]["required"] == ["amount", "currency"]
    body = schemas["Body_prompt_prompts_post"]["properties"]
    assert body["blocks"]["items"] == {"$ref": "#/components/schemas/ContentBlock"}
    response = page["paths"]["/prompts"]["post"]["responses"]["200"]["content"]
    assert response["application/json"]["schema"]["$ref"] == "#/components/schemas/SessionUpdate"
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(page)))
    assert named <= schemas.keys()
