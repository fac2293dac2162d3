"""The rules of a few definitions, by hand: as much as the tests of `NewerClient` need."""

from __future__ import annotations

from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime.bridge.rules import (
    LOST,
    Arms,
    ByMember,
    Code,
    Conversion,
    Items,
    Members,
    Route,
)
from acp_bindings.runtime.bridge.translating import Correspondence
from acp_bindings.runtime.values.errors import Path


def _environment(value: Any, path: Path, to: Conversion) -> Any:
    return [{"name": name, "value": text} for name, text in value.items()]


def _line(value: Any, path: Path, to: Conversion) -> Any:
    return value or LOST


def _diff(value: Any, path: Path, to: Conversion) -> Any:
    rest = {name: value[name] for name in value if name not in ("path", "oldText", "newText")}
    operation = "add" if value.get("oldText") is None else "modify"
    return {**rest, "changes": [{"operation": operation, "path": value["path"]}]}


_METHOD = {"renamed": {"id": "methodId"}}
_GROUPS = Items(ByMember({"group": Members(renamed={"group": "groupId"})}))
_UPDATES = (
    "agent_message_chunk",
    "agent_thought_chunk",
    "user_message_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "current_mode_update",
)
_EQUAL = (
    "usage_update",
    "session_info_update",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
)
TO_NEWER: Any = {
    "SessionUpdate": Arms(
        "sessionUpdate",
        {
            **dict.fromkeys(_EQUAL),
            "available_commands_update": Members(
                fields={"availableCommands": Items("AvailableCommand")}
            ),
            "config_option_update": Members(fields={"configOptions": Items("SessionConfigOption")}),
        },
        is_open=True,
        known=frozenset((*_UPDATES, "state_update", "plan_update")),
    ),
    "SessionConfigOption": Members(renamed={"id": "configId"}, fields={"options": _GROUPS}),
    "AvailableCommand": Members(
        added={"type": "command"}, fields={"input": Members(added={"type": "text"})}
    ),
    "AuthMethod": Arms(
        "type",
        {"terminal": Members(**_METHOD, fields={"env": Code(_environment)})},
        default=Members(**_METHOD, added={"type": "agent"}),
    ),
    **dict.fromkeys(
        (
            "NewSessionResponse",
            "LoadSessionResponse",
            "ResumeSessionResponse",
            "SetSessionConfigOptionResponse",
        ),
        Members(
            fields={"configOptions": Items("SessionConfigOption")},
            not_null=frozenset({"configOptions"}),
        ),
    ),
    "ToolCallUpdate": Members(
        fields={
            "content": Items(Arms("type", {"content": None, "diff": Code(_diff)})),
            "locations": Items(Members(fields={"line": Code(_line)})),
        }
    ),
    "RequestPermissionRequest": Members(
        foreign=frozenset({"title", "description", "subject"}),
    ),
}
_SERVERS = Arms(
    "type",
    {
        "http": Members(added={"headers": []}),
        "stdio": Members(implied=frozenset({"type"}), added={"args": [], "env": []}),
    },
)
_BLOCKS = ("text", "image", "audio", "resource", "resource_link")
_VALUE = {"id": Members(implied=frozenset({"type"})), "boolean": None}
TO_OLDER: Any = {
    "McpServer": _SERVERS,
    "NewSessionRequest": Members(fields={"mcpServers": Items("McpServer")}),
    "ResumeSessionRequest": Members(fields={"mcpServers": Items("McpServer")}),
    "PromptRequest": Members(fields={"prompt": Items(Arms("type", dict.fromkeys(_BLOCKS)))}),
    "SetSessionConfigOptionRequest": Arms("type", _VALUE),
    "RequestPermissionResponse": Members(
        fields={"outcome": Arms("outcome", {"selected": None, "cancelled": None})},
        required=frozenset({"outcome"}),
    ),
}


def _carried(older: str, newer: str, params: tuple[str, str], result: Any = None) -> Route:
    kind = "notification" if result is None else "request"
    side = "client" if older == "elicitation/complete" else "agent"
    return Route(side, kind, older, newer, "carried", params, result)


_NONE = ("", "")
CORRESPONDENCE = Correspondence(
    v1,
    v2,
    TO_NEWER,
    TO_OLDER,
    (
        _carried(
            "authenticate",
            "auth/login",
            ("AuthenticateRequest", "LoginAuthRequest"),
            ("AuthenticateResponse", "LoginAuthResponse"),
        ),
        _carried(
            "logout",
            "auth/logout",
            ("LogoutRequest", "LogoutAuthRequest"),
            ("LogoutResponse", "LogoutAuthResponse"),
        ),
        _carried(
            "elicitation/complete",
            "elicitation/complete",
            ("CompleteElicitationNotification",) * 2,
        ),
        Route(
            "client",
            "request",
            "fs/read_text_file",
            None,
            "absent",
            _NONE,
            reason="a newer client has no files",
        ),
        Route(
            "agent",
            "request",
            None,
            "tool_call/cancel",
            "absent",
            _NONE,
            reason="an older agent cannot cancel a single tool call",
        ),
    ),
)
