"""Tests of the names in the generated code."""

from __future__ import annotations

import pytest
from acpgen.ir import naming


@pytest.mark.parametrize(
    ("text", "pascal", "snake"),
    [
        ("tool_call_update", "ToolCallUpdate", "tool_call_update"),
        ("stopReason", "StopReason", "stop_reason"),
        ("searchAndReplace", "SearchAndReplace", "search_and_replace"),
        ("_meta", "Meta", "meta"),
        ("HTTPHeader", "HTTPHeader", "http_header"),
        ("x9Y", "X9Y", "x9_y"),
        ("a b-c/d", "ABCD", "a_b_c_d"),
        ("é", "", ""),
    ],
)
def test_cases_are_converted(text: str, pascal: str, snake: str) -> None:
    assert (naming.pascal(text), naming.snake(text)) == (pascal, snake)


@pytest.mark.parametrize(
    ("member", "taken", "name"),
    [
        ("agent_info", (), "info"),
        ("agent_info", ("info",), "agent_info"),
        ("info", (), "info"),
        ("agent_peer", (), "agent_peer"),  # an attribute of handlers
        ("agent_request", (), "agent_request"),  # a name in the bodies of handlers
        ("agent_peer", ("agent_peer",), "agent_peer_"),
    ],
)
def test_an_attribute_for_a_field_of_initialize_shadows_nothing(
    member: str, taken: tuple[str, ...], name: str
) -> None:
    assert naming.statement_name("agent", member, taken) == name


@pytest.mark.parametrize(("wire", "name"), [("from", "from_"), ("fromId", "from_id")])
def test_fields_are_never_named_like_keywords(wire: str, name: str) -> None:
    assert naming.member_name(wire) == name


@pytest.mark.parametrize(
    ("definition", "name"),
    [
        ("ToolCall", "ToolCall"),
        ("Tool_call", "ToolCall"),
        ("Tool_Call", "Tool_Call"),
        ("Tool_", "Tool"),
        ("tool_call", "ToolCall"),
        ("two words", "two words"),
    ],
)
def test_definitions_keep_their_names_if_possible(definition: str, name: str) -> None:
    assert naming.definition_class(definition) == name


def test_names_are_derived_from_other_names() -> None:
    assert naming.arm_class("tool_call", "SessionUpdate") == "ToolCallSessionUpdate"
    assert naming.unknown_class("Shape") == "UnknownShape"
    assert naming.known_alias("Shape") == "KnownShape"
    assert naming.inline_class("Shape", "innerSize") == "ShapeInnerSize"
    assert naming.object_class("Shape") == "ShapeObject"
    assert naming.meta_record("Shape") == "ShapeMeta"
    assert naming.meta_view("Shape") == "ShapeMetaView"
    assert naming.meta_entry("acme.dev/lineNumber") == "line_number"
    assert naming.output_name("terminals") == "terminal_output"
    assert naming.extension_name("request") == "ext_request"
    assert naming.rule_name("usage-update") == "_USAGE_UPDATE"
    assert naming.qualified("v2", "ToolCall") == "v2.ToolCall"
    assert naming.unqualified("v2.ToolCall") == naming.unqualified("ToolCall") == "ToolCall"


@pytest.mark.parametrize(
    ("wire", "twin", "name"),
    [
        ("session/set_mode", False, "session_set_mode"),
        ("session/set_mode", True, "session_set_mode_notification"),
        ("import", False, "import_"),
        ("import", True, "import_notification"),
    ],
)
def test_methods_are_named_after_their_wire_names(wire: str, twin: bool, name: str) -> None:
    assert naming.method_name(wire, twin=twin) == name
    assert naming.method_name(wire) == naming.method_name(wire, twin=False)


def test_methods_reserve_the_names_of_their_side() -> None:
    assert naming.names_reserved_by("http_proxy", "import_") == (
        "HTTP_PROXY_IMPORT",
        "HTTP_PROXY_METHODS",
        "HttpProxyHandler",
        "HttpProxyMethods",
        "HttpProxyStub",
    )


@pytest.mark.parametrize(
    ("wire", "name", "taken", "expected"),
    [
        ("session/set_mode", "session_set_mode", (), "set_mode"),
        ("session/config/list", "session_config_list", (), "config_list"),
        ("session/set_mode", "session_set_mode", ("set_mode",), "session_set_mode"),
        (
            "session/set_mode",
            "session_set_mode",
            ("set_mode", "session_set_mode"),
            "session_set_mode_",
        ),
        ("tool_call/cancel_all", "tool_call_cancel_all", (), "tool_call_cancel_all"),
        ("session/create", "session_create", (), "session_create"),
        ("session/list_sessions", "session_list_sessions", (), "session_list_sessions"),
    ],
)
def test_methods_of_client_sessions_have_short_names_if_free(
    wire: str, name: str, taken: tuple[str, ...], expected: str
) -> None:
    assert naming.session_method(wire, name, taken) == expected


def test_calls_of_agent_sessions_keep_their_names_if_free() -> None:
    assert naming.session_call("fs/read", "fs_read", ()) == "fs_read"
    assert naming.session_call("fs/read", "fs_read", ["fs_read"]) == "fs_read_"
    permission = "session/request_permission"
    assert naming.session_call(permission, "anything", ()) == "ask_permission"


@pytest.mark.parametrize(
    ("member", "taken", "name"),
    [
        ("agent_info", (), "info"),
        ("agent_info", ("info",), "agent_info"),
        ("agent_info", ("info", "agent_info"), "agent_info_"),
        ("client_info", (), "client_info"),
    ],
)
def test_attributes_of_handlers_omit_the_side(
    member: str, taken: tuple[str, ...], name: str
) -> None:
    assert naming.statement_name("agent", member, taken) == name


@pytest.mark.parametrize(
    ("name", "is_class"),
    [
        ("ToolCall", True),
        ("ToolCALL_2", True),
        ("Tool_Call", True),
        ("Tool_", False),
        ("Tool_call", False),
        ("toolCall", False),
        ("_Tool", False),
        ("None", False),
        ("Tool Call", False),
        ("Tōol", False),
        ("Literal", False),
    ],
)
def test_classes_are_capitalized_identifiers(name: str, is_class: bool) -> None:
    assert naming.is_class_name(name) is is_class


@pytest.mark.parametrize(
    ("name", "is_method"),
    [
        ("tool_call", True),
        ("_tool_call", False),
        ("ext_request", False),
        ("ext_notification", False),
        ("import", False),
    ],
)
def test_methods_of_handlers_have_public_names(name: str, is_method: bool) -> None:
    assert naming.is_method_name(name) is is_method


@pytest.mark.parametrize(("name", "is_side"), [("proxy", True), ("codec", False), ("in", False)])
def test_sides_do_not_hide_modules(name: str, is_side: bool) -> None:
    assert naming.is_side_name(name) is is_side
