"""Tests of the descriptions of definitions, methods and fields in `acpgen inspect`."""

from __future__ import annotations

import json

from acpgen.cli.app import app
from typer.testing import CliRunner, Result

from tests.support.paths import GOLDEN

GOLDEN_SCHEMA = GOLDEN / "schema.json"
ALTERNATIVES = "exactly one of ElicitationSessionScope or ElicitationRequestScope"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_inspect_shows_a_record() -> None:
    result = run("inspect", "Annotations", "--surface", "v1", "--json")
    shown = json.loads(result.stdout)
    assert (shown["kind"], shown["methods"]) == ("record", [])
    members = {member["wire"]: member for member in shown["members"]}
    assert members["lastModified"]["python"] == "last_modified"
    assert members["audience"]["description"].startswith("The roles that the content is meant for")
    assert members["audience"]["keywords"] == {
        "x-deserialize-default-on-error": "absent",
        "x-deserialize-skip-invalid-items": True,
    }
    assert shown["python"].startswith(
        "@dataclass(slots=True, kw_only=True, repr=False)\nclass Annotations(Record)"
    )


def test_inspect_shows_a_union() -> None:
    shown = json.loads(run("inspect", "StateUpdate", "--surface", "v2", "--json").stdout)
    assert (shown["tag"], shown["methods"]) == ("state", [])
    assert {"tag": "idle", "type": "IdleStateUpdate"} in shown["arms"]
    assert "ErrorIdleStateUpdate" in shown["classes"]
    text = run("inspect", "StateUpdate").stdout
    assert text.startswith("StateUpdate: tagged union of v2\n")


def test_inspect_shows_where_an_arm_without_a_tag_takes_other_tags_too() -> None:
    shown = json.loads(run("inspect", "AuthMethod", "--surface", "v1", "--json").stdout)
    assert {"tag": "none or other", "type": "object"} in shown["arms"]
    shown = json.loads(run("inspect", "MultiSelectItems", "--surface", "v1", "--json").stdout)
    assert [arm["tag"] for arm in shown["arms"]][-2:] == [None, "other"]


def test_inspect_says_what_may_be_null() -> None:
    found: dict[str, bool] = {}
    methods = {"CancelRequestNotification": "$/cancel_request", "PromptRequest": "session/prompt"}
    for name, method in methods.items():
        shown = json.loads(run("inspect", name, "--surface", "v1", "--json").stdout)
        assert shown["methods"] == [method]
        found |= {each["wire"]: each["nullable"] for each in shown["members"]}
    # `requestId` is nullable because its type is an alias that includes null.
    assert (found["requestId"], found["_meta"], found["sessionId"]) == (True, True, False)


def test_inspect_shows_the_class_for_other_tags() -> None:
    shown = json.loads(run("inspect", "UnknownCreateElicitationRequest", "--json").stdout)
    assert shown["kind"] == "class for other tags"
    assert (shown["union"], shown["tag"], shown["kept"]) == (
        "CreateElicitationRequest",
        "mode",
        False,
    )
    assert {each["wire"]: each["required"] for each in shown["members"]}["message"]
    assert all(each["description"] for each in shown["members"])
    assert shown["alternatives"] == ALTERNATIVES
    assert shown["python"].startswith(
        "@dataclass(slots=True)\nclass UnknownCreateElicitationRequest(Unknown)"
    )


def test_inspect_says_which_other_tags_only_the_default_mode_keeps() -> None:
    text = run("inspect", "UnknownSessionUpdate", "--surface", "v1").stdout
    assert text.startswith("UnknownSessionUpdate: class for other tags of v1\n")
    assert "\nany other sessionUpdate of SessionUpdate (accepted in default mode)\n" in text


def test_inspect_of_an_unknown_name_suggests_one() -> None:
    result = run("inspect", "StateUpdat")
    assert result.exit_code == 2
    assert (
        "error[unknown-name]: the schema: no definition, class or method 'StateUpdat'; try"
        in result.stderr
    )
    assert "StateUpdate" in result.stderr.partition("; try ")[2].split(", ")


def test_inspect_of_an_unknown_member_suggests_one_of_that_record() -> None:
    for name, similar in (
        ("ToolCallUpdate.titel", "ToolCallUpdate.title"),
        ("ToolCallUpdate.raw_inptu", "ToolCallUpdate.rawInput"),
        ("InitializeRequest.info.nam", "InitializeRequest.info.name"),
    ):
        result = run("inspect", name, "--surface", "v2")
        assert f"'{name}'; try {similar}" in result.stderr


def test_a_name_is_found_on_the_surface_that_has_it() -> None:
    assert run("inspect", "ToolCall").stdout.startswith("ToolCall: record of v1\n")
    only = run("inspect", "ToolCall", "--surface", "v2")
    assert only.exit_code == 2
    assert "no definition, class or method 'ToolCall'; try " in only.stderr
    assert only.stderr.endswith(", or omit --surface to look in all surfaces\n")


def test_a_method_is_shown() -> None:
    shown = json.loads(run("inspect", "session/prompt", "--json").stdout)
    [call] = shown["calls"]
    assert (shown["kind"], shown["surface"]) == ("method", "v2")
    assert (call["side"], call["kind"]) == ("agent", "request")
    assert (call["params"], call["result"]) == ("PromptRequest", "PromptResponse")
    text = run("inspect", "session/prompt").stdout
    assert "request to agent: session_prompt(PromptRequest) -> PromptResponse\n" in text


def test_members_and_names_of_other_schemas_are_shown() -> None:
    for path in ("ToolCall.toolCallId", "ToolCall.tool_call_id"):
        shown = json.loads(run("inspect", path, "--json").stdout)
        assert (shown["name"], shown["kind"]) == ("ToolCall.toolCallId", "member")
        assert [each["wire"] for each in shown["members"]] == ["toolCallId"]
    shown = json.loads(run("inspect", "InitializeRequest.info.name", "--json").stdout)
    assert shown["pointer"] == "/$defs/Implementation/properties/name"
    result = run("inspect", f"{GOLDEN_SCHEMA}#/$defs/DrawRequest")
    assert result.stdout.startswith("DrawRequest: record of v2\n"), result.stderr


def test_with_a_schema_a_name_has_no_source() -> None:
    name = f"{GOLDEN_SCHEMA}#/$defs/DrawRequest"
    result = run("inspect", name, "--schema", str(GOLDEN_SCHEMA))
    assert result.exit_code == 2
    assert f"no definition, class or method '{name}'" in result.stderr


def test_inspect_shows_a_union_without_a_tag() -> None:
    shown = json.loads(run("inspect", "EmbeddedResourceResource", "--json").stdout)
    assert shown["kind"] == "untagged union"
    assert shown["classes"] == ["TextResourceContents", "BlobResourceContents"]
    text = run("inspect", "RequestId", "--surface", "v2").stdout
    assert "\nvalues: integer or string\n" in text


def test_inspect_shows_the_subtypes_of_a_record() -> None:
    shown = json.loads(run("inspect", "IdleStateUpdate", "--surface", "v2", "--json").stdout)
    assert (shown["kind"], shown["tag"]) == ("record", "stopReason")
    assert {"tag": "error", "type": "ErrorIdleStateUpdate"} in shown["arms"]


def test_inspect_prints_what_it_knows() -> None:
    text = run("inspect", "UnknownCreateElicitationRequest").stdout
    assert f"\nalternatives: {ALTERNATIVES}\n" in text
    described = json.loads(run("inspect", "ToolCall.title", "--json").stdout)["members"][0]
    assert f"\n{described['description']}\n" in run("inspect", "ToolCall.title").stdout
    text = run("inspect", "StateUpdate", "--surface", "v2").stdout
    assert any(line.split() == ["idle", "IdleStateUpdate"] for line in text.splitlines())
    assert "ErrorIdleStateUpdate" in text[text.index("\nclasses: ") :].splitlines()[1]
    text = run("inspect", "PromptRequest", "--surface", "v2").stdout
    assert "\nwire\tpython\ttype\trequired\tnullable\tvendor keywords\n" in text
    assert "\nsessionId\tsession_id\tstring\tyes\t\t\n" in text
    assert "\n_meta\tmeta\tobject or null\t\tyes\tdefault-on-error: absent\n" in text


def test_a_schema_and_an_extension_cannot_be_inspected_together() -> None:
    result = run("inspect", "A", "--schema", "a.json", "--extension", "b.json")
    assert result.exit_code == 2
    assert "cannot be used together; choose one" in result.stderr
