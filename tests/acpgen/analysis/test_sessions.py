"""Tests that surfaces omit unsupported parts of sessions and include a note about each of them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.jsonrpc import Connection, Refused, Request
from acp_bindings.v1.agent_session import AgentSession as AgentSessionV1
from acp_bindings.v1.client_session import ClientSession as ClientSessionV1
from acp_bindings.v2.agent_session import AgentSession as AgentSessionV2
from acp_bindings.v2.client_session import ClientSession as ClientSessionV2
from acpgen.analysis.surface import Built, build
from acpgen.emit.contexts.methods import MethodIndex
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.ir import naming, reserved
from acpgen.schema.document import load_document

from tests.acpgen.diff.small import STRING, ref
from tests.support.paths import SCHEMA
from tests.tools.evolution.packages import imported

OVERLAY = load_overlay(SCHEMA / "overlay")
FILES = {"v1": "v1/schema.json", "v2": "v2/schema.json"}
UNSTABLE = {"v2_unstable": "v2/schema.unstable.json"}
NONE = "agent and client sessions are omitted"
ADAPT = "fix the schema, or adapt acpgen.analysis.sessions"


Change: TypeAlias = Callable[[dict[str, Any]], None]


def built(
    folder: Path,
    surface: str,
    change: Change = lambda definitions: None,
    overlay: Overlay = OVERLAY,
) -> Built:
    """Build a surface from its vendored schema after changing the definitions."""
    root = json.loads((SCHEMA / {**FILES, **UNSTABLE}[surface]).read_text(encoding="utf-8"))
    change(root["$defs"])
    path = folder / "changed.json"
    path.write_text(json.dumps(root), encoding="utf-8")
    return build(load_document(path), overlay, surface)


def rename(name: str, wire: str) -> Change:
    def change(definitions: dict[str, Any]) -> None:
        schema = definitions[name]
        schema["properties"]["renamed"] = schema["properties"].pop(wire)
        schema["required"] = [
            "renamed" if each == wire else each for each in schema.get("required", [])
        ]

    return change


def require(name: str, wire: str = "brandNew") -> Change:
    """Make a field required. Add the field if it doesn't exist."""

    def change(definitions: dict[str, Any]) -> None:
        schema = definitions[name]
        schema["properties"].setdefault(wire, {"type": "string"})
        schema["required"] = [*schema.get("required", []), wire]

    return change


def state(name: str, wire: str, schema: Any) -> Change:
    """Replace the schema of a field."""

    def change(definitions: dict[str, Any]) -> None:
        definitions[name]["properties"][wire] = schema

    return change


def drop_arm(name: str, key: str, tag: str) -> Change:
    """Remove a variant from a union, and remove its tag from the last variant's exclusions."""

    def is_it(arm: Any) -> bool:
        return isinstance(arm, dict) and arm.get("properties", {}).get(key, {}).get("const") == tag

    def without(schema: Any) -> Any:
        if isinstance(schema, list):
            return [without(each) for each in schema if not is_it(each)]
        if isinstance(schema, dict):
            return {name: without(value) for name, value in schema.items()}
        return schema

    def change(definitions: dict[str, Any]) -> None:
        changed = without(definitions[name])
        assert changed != definitions[name]
        definitions[name] = changed

    return change


def give_prompts_their_own_content(definitions: dict[str, Any]) -> None:
    definitions["PromptContent"] = definitions["ContentBlock"]
    prompt = {"type": "array", "items": ref("PromptContent")}
    definitions["PromptRequest"]["properties"]["prompt"] = prompt


@pytest.mark.parametrize("surface", FILES)
def test_the_vendored_schema_lacks_nothing(surface: str, tmp_path: Path) -> None:
    made = built(tmp_path, surface)
    assert made.notes == ()
    assert made.surface.session is not None


def remove_methods(*wires: str) -> Change:
    """Turn the params and results of methods into plain types."""

    def change(definitions: dict[str, Any]) -> None:
        for schema in definitions.values():
            if schema.get("x-method") in wires:
                del schema["x-method"]

    return change


def no_field(name: str, wire: str) -> tuple[str, str]:
    return f"/$defs/{name}", f"{name} has no field {wire!r}"


def no_value(name: str, wire: str) -> tuple[str, str]:
    return f"/$defs/{name}", f"{name} requires {wire!r}, for which there is no value"


def no_variants(*tags: str) -> list[tuple[str, str]]:
    return [("/$defs", f"a union has no variant {tag!r}") for tag in tags]


NO_END = (
    "/$defs/PromptResponse",
    "PromptResponse has no field 'stopReason', and no update has both a variant with that field"
    " and a variant 'running'",
)
NO_CHUNKS = [f"no rule for chunks of the role {role}" for role in ("user", "agent")]


# Changes to the schema, each with the pointers and messages of the notes.
@pytest.mark.parametrize(
    ("surface", "change", "lacks"),
    [
        (
            "v2",
            drop_arm("IdleStateUpdate", "stopReason", "error"),
            [
                (
                    "/$defs/IdleStateUpdate",
                    "IdleStateUpdate has no variant for the stop reason 'error'",
                )
            ],
        ),
        (
            "v1",
            drop_arm("RequestPermissionOutcome", "outcome", "cancelled"),
            [
                (
                    "/$defs/RequestPermissionOutcome",
                    "RequestPermissionOutcome has no variant 'cancelled'",
                )
            ],
        ),
        (
            "v2",
            give_prompts_their_own_content,
            [("/v2", "messages contain ContentBlock, but prompts contain PromptContent")],
        ),
        (
            "v2",
            drop_arm("SessionUpdate", "sessionUpdate", "user_message"),
            [("/v2", "no rule for complete messages of the role user")],
        ),
        ("v2", drop_arm("StateUpdate", "state", "running"), [NO_END]),
        ("v2", rename("IdleStateUpdate", "stopReason"), [NO_END]),
        (
            "v1",
            rename("PromptResponse", "stopReason"),
            [no_field("PromptResponse", "messageId"), NO_END],
        ),
        ("v2", rename("ContentChunk", "content"), [("/v2", lack) for lack in NO_CHUNKS]),
        ("v1", rename("ContentChunk", "content"), [("/v1", lack) for lack in NO_CHUNKS]),
        *(
            (surface, rename(name, wire), [no_field(name, wire)])
            for surface, name, wire in [
                ("v2", "PromptResponse", "messageId"),
                ("v2", "TextContent", "text"),
                ("v1", "TextContent", "text"),
                ("v1", "InitializeRequest", "protocolVersion"),
                ("v1", "InitializeResponse", "protocolVersion"),
                ("v1", "NewSessionResponse", "sessionId"),
                ("v1", "CancelNotification", "sessionId"),
                ("v1", "SessionNotification", "sessionId"),
                ("v1", "SessionNotification", "_meta"),
                ("v1", "RequestPermissionRequest", "sessionId"),
                ("v1", "SelectedPermissionOutcome", "optionId"),
                ("v1", "PromptRequest", "_meta"),
                ("v2", "PromptRequest", "_meta"),
                ("v2", "Error", "code"),
                ("v2", "Error", "message"),
                ("v2", "Error", "data"),
            ]
        ),
        *(
            (surface, require(name, wire), [no_value(name, wire)])
            for surface, name, wire in [
                ("v1", "CloseSessionResponse", "brandNew"),
                ("v1", "PromptRequest", "brandNew"),
                ("v1", "PromptResponse", "brandNew"),
                ("v2", "PromptResponse", "brandNew"),
                ("v1", "CancelNotification", "brandNew"),
                ("v1", "SessionNotification", "brandNew"),
                ("v1", "RequestPermissionResponse", "brandNew"),
                ("v2", "IdleStateUpdate", "stopReason"),
                ("v2", "RunningStateUpdate", "background"),
                ("v2", "RequiresActionStateUpdate", "background"),
                ("v1", "CloseSessionRequest", "_meta"),
                ("v2", "CloseSessionRequest", "_meta"),
                ("v2", "RunningStateUpdate", "brandNew"),
                ("v2", "RequiresActionStateUpdate", "brandNew"),
                ("v2", "Error", "brandNew"),
            ]
        ),
        (
            "v2",
            require("IdleStateUpdate"),
            [
                no_value("IdleStateUpdate", "brandNew"),
                (
                    "/$defs/IdleStateUpdate/anyOf/5",
                    "ErrorIdleStateUpdate requires 'brandNew', for which there is no value",
                ),
            ],
        ),
        (
            "v1",
            rename("PromptRequest", "prompt"),
            [no_field("PromptRequest", "prompt"), *no_variants("text")],
        ),
        (
            "v1",
            rename("RequestPermissionResponse", "outcome"),
            [
                no_field("RequestPermissionResponse", "outcome"),
                *no_variants("cancelled", "selected"),
            ],
        ),
        (
            "v1",
            state("PromptRequest", "sessionId", STRING),
            [
                (
                    "/$defs/PromptRequest",
                    "'sessionId' of PromptRequest does not refer to a definition",
                )
            ],
        ),
        (
            "v1",
            state("SessionNotification", "update", ref("TextContent")),
            [
                (
                    "/$defs/SessionNotification",
                    "'update' of SessionNotification is not a tagged union",
                )
            ],
        ),
        (
            "v1",
            state("PromptResponse", "stopReason", {"type": "string", "enum": ["refusal"]}),
            [
                (
                    "/$defs/PromptResponse",
                    "'stopReason' of PromptResponse does not list cancelled, end_turn",
                )
            ],
        ),
        (
            "v2",
            drop_arm("IdleStateUpdate", "stopReason", "cancelled"),
            [
                (
                    "/$defs/IdleStateUpdate",
                    "'stopReason' of IdleStateUpdate does not list cancelled",
                )
            ],
        ),
        (
            "v1",
            rename("ToolCallUpdate", "status"),
            [("/v1", "ToolCallUpdate has no field 'status', which cancellation must set")],
        ),
        (
            "v1",
            remove_methods("session/cancel", "session/new"),
            [
                (
                    "/$defs",
                    "the schema does not define request session/new, notification session/cancel",
                )
            ],
        ),
    ],
)
def test_without_a_part_there_are_no_sessions_and_a_note_says_so(
    surface: str, change: Any, lacks: list[tuple[str, str]], tmp_path: Path
) -> None:
    made = built(tmp_path, surface, change)
    assert made.surface.session is None
    notes = [
        (Path(note.file).name, note.code, note.pointer, note.message)
        for note in made.notes
        if NONE in note.message
    ]
    assert notes == [
        (
            ("changed.json", "unsupported", at, f"{lack}, so {NONE}; {ADAPT}")
            if at.startswith("/$defs")
            else ("updates.toml", "overlay", at, f"{lack}, so {NONE}; fix the rules")
        )
        for at, lack in lacks
    ]


@pytest.mark.parametrize(
    ("surface", "name", "wire", "tag"),
    [
        ("v2", "ToolCallContentChunk", "content", "tool_call_content_chunk"),
        ("v2", "TerminalOutputChunk", "data", "terminal_output_chunk"),
        ("v2", "CompactionSummaryChunk", "content", "compaction_summary_chunk"),
        ("v1", "ContentChunk", "messageId", "agent_message_chunk"),
    ],
)
def test_a_rule_whose_members_are_not_there_is_left_out(
    surface: str, name: str, wire: str, tag: str, tmp_path: Path
) -> None:
    made = built(tmp_path, surface, rename(name, wire))
    assert tag not in {update.tag for update in made.surface.updates}
    notes = {note.pointer: note.message for note in made.notes}
    assert f"has no field {wire!r}" in notes[f"/{surface}/{tag}"]


def test_a_rule_whose_entry_needs_more_than_the_update_has_is_left_out(tmp_path: Path) -> None:
    made = built(tmp_path, "v1", require("ToolCallUpdate", "kind"))
    assert "tool_call" not in {update.tag for update in made.surface.updates}
    notes = {note.pointer: note.message for note in made.notes}
    lack = "ToolCallUpdate requires 'kind', which ToolCall might not contain"
    assert lack in notes["/v1/tool_call"]


def test_a_rule_is_also_for_the_arm_that_no_tag_selects(tmp_path: Path) -> None:
    def change(definitions: dict[str, Any]) -> None:
        arms = definitions["StateUpdate"]["anyOf"]
        arms[-1] = {"$ref": "#/$defs/Pause"}
        definitions["Pause"] = {"type": "object", "properties": {"until": {"type": "string"}}}

    rules = {rule.tag: rule for rule in built(tmp_path, "v2", change).surface.updates}
    assert "Pause" in rules["state_update"].classes


@pytest.mark.parametrize("slot", [None, "phase"])
def test_without_a_rule_for_the_state_there_are_no_sessions(
    slot: str | None, tmp_path: Path
) -> None:
    rules = dict(OVERLAY.updates["v2"])
    rule = rules.pop("state_update")
    if slot is not None:
        rules["state_update"] = {**rule, "slot": slot}
    overlay = replace(OVERLAY, updates={**OVERLAY.updates, "v2": rules})
    made = built(tmp_path, "v2", overlay=overlay)
    assert made.surface.session is None
    [note] = [note for note in made.notes if NONE in note.message]
    assert note.message == f"no rule sets 'state' to IdleStateUpdate, so {NONE}; fix the rules"


@pytest.mark.parametrize(
    "name", ["IdleStateUpdate", "RunningStateUpdate", "RequiresActionStateUpdate"]
)
def test_background_work_is_reported_only_if_all_states_can_mention_it(
    name: str, tmp_path: Path
) -> None:
    session = built(tmp_path, "v2", rename(name, "background")).surface.session
    assert session is not None
    assert session.activity is not None
    assert not session.activity.has_background


@pytest.mark.parametrize("name", ["SessionInfo", "SessionInfoUpdate"])
def test_listed_sessions_have_titles_only_if_updates_have_them(name: str, tmp_path: Path) -> None:
    session = built(tmp_path, "v2", rename(name, "title")).surface.session
    assert session is not None
    assert session.defaults.page is not None
    assert not session.defaults.page.has_title


def test_only_messages_of_the_agent_decide_whether_ids_are_required(tmp_path: Path) -> None:
    def change(definitions: dict[str, Any]) -> None:
        arms = definitions["SessionUpdate"]["oneOf"]
        text = "user_message_chunk"
        [arm] = [each for each in arms if each["properties"]["sessionUpdate"]["const"] == text]
        arm["required"].append("messageId")

    session = built(tmp_path, "v1", change).surface.session
    assert session is not None
    assert not session.names_messages


def test_inline_stop_reasons_are_strings(tmp_path: Path) -> None:
    reasons = {"type": "string", "enum": ["end_turn", "cancelled"]}
    session = built(tmp_path, "v1", state("PromptResponse", "stopReason", reasons)).surface.session
    assert session is not None
    assert (session.stop_reason, session.stop_reasons) == ("str", ("end_turn", "cancelled"))


def test_prompts_never_open_sessions(tmp_path: Path) -> None:
    made = built(tmp_path, "v1", state("PromptResponse", "sessionId", ref("SessionId")))
    assert made.surface.session is not None
    assert "session/prompt" not in {method.wire for method in made.surface.session.openers}


def test_a_schema_without_sessions_needs_no_note(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    ping = {"type": "object", "x-side": "agent", "x-method": "ping"}
    path.write_text(json.dumps({"$defs": {"Ping": ping}}), encoding="utf-8")
    made = build(load_document(path), OVERLAY, "v1")
    assert not any(NONE in note.message for note in made.notes)
    assert made.surface.session is None


# --- names of client sessions --------------------------------------------------------------------


def add_twins(wires: list[str], of: str = "ListSessions") -> Change:
    """Add methods with the params and result of another method, by default `session/list`."""

    def change(definitions: dict[str, Any]) -> None:
        for index, wire in enumerate(wires):
            for kind, sender in (("Request", "ClientRequest"), ("Response", "AgentResponse")):
                old, new = f"{of}{kind}", f"Twin{index}{kind}"
                definitions[new] = {**definitions[old], "x-method": wire}
                arms = arms_of(definitions[sender])
                arm = next(text for text in map(json.dumps, arms) if f"/{old}" in text)
                arms.append(json.loads(arm.replace(f"/{old}", f"/{new}")))

    def arms_of(envelope: dict[str, Any]) -> list[Any]:
        """Return the list of references to params or results in an envelope."""
        found: Any = envelope
        while not (isinstance(found, list) and all("$ref" in json.dumps(each) for each in found)):
            values = found.values() if isinstance(found, dict) else found
            found = next(each for each in values if of in json.dumps(each))
        arms: list[Any] = found
        return arms

    return change


def test_methods_of_sessions_get_names_that_are_free(tmp_path: Path) -> None:
    """If a name is taken, a longer one is used. If both are taken, an underscore is added."""
    names = {
        "session/config/list": "config_list",
        "session/session_state": "session_state",
        "session/state": "session_state_",
    }
    made = built(tmp_path, "v1", add_twins([*names]))
    session = made.surface.session
    assert session is not None
    assert session.names == {**session.names, **names, "session/list": "list_sessions"}
    assert len(set(session.names.values())) == len(session.names)
    assert set(names) <= {method.wire for method in session.lists}
    assert made.notes == ()


def actions(made: Built) -> dict[str, tuple[str, ...]]:
    """Return the names of each session method's params classes."""
    session = made.surface.session
    assert session is not None
    return {each.name: each.arms for each in session.actions}


@pytest.mark.parametrize("surface", ["v1", "v2"])
def test_a_call_is_one_method_if_a_value_tells_its_arms_apart(surface: str, tmp_path: Path) -> None:
    found = actions(built(tmp_path, surface))["set_config_option"]
    assert len(found) == 2
    assert found[0] == "BooleanSetSessionConfigOptionRequest"


@pytest.mark.parametrize(
    "value",
    [
        {"type": "string", "minLength": 1},
        ref("SessionConfigValueId"),
        {"type": "array", "items": STRING},
    ],
)
def test_a_call_is_several_methods_if_no_value_tells_its_arms_apart(
    value: Any, tmp_path: Path
) -> None:
    def change(definitions: dict[str, Any]) -> None:
        first, second, _ = definitions["SetSessionConfigOptionRequest"]["anyOf"]
        first["properties"]["value"] = ref("SessionConfigValueId")
        second["properties"]["value"] = value

    found = actions(built(tmp_path, "v2", change))
    assert "set_config_option" not in found
    assert found["set_config_option_id"] == ("IdSetSessionConfigOptionRequest",)
    assert found["set_config_option_boolean"] == ("BooleanSetSessionConfigOptionRequest",)


def test_arms_with_other_fields_are_several_methods(tmp_path: Path) -> None:
    def change(definitions: dict[str, Any]) -> None:
        arms = definitions["SetSessionConfigOptionRequest"]["anyOf"]
        arms[1]["properties"]["more"] = {"type": "string"}

    found = actions(built(tmp_path, "v2", change))
    assert "set_config_option" not in found
    assert {"set_config_option_id", "set_config_option_boolean"} <= found.keys()


def test_calls_get_names_that_are_free(tmp_path: Path) -> None:
    wires = ["archive/session_now", "session/archive_session_now"]
    found = actions(built(tmp_path, "v1", add_twins(wires, of="SetSessionMode")))
    assert {"archive_session_now", "session_archive_session_now"} <= found.keys()


@pytest.mark.parametrize(
    "change",
    [
        remove_methods("session/close"),
        state("CloseSessionRequest", "reason", STRING),
    ],
)
def test_only_a_method_without_other_params_closes_sessions(change: Change, tmp_path: Path) -> None:
    session = built(tmp_path, "v1", change).surface.session
    assert session is not None
    assert session.close is None


def test_senders_get_names_that_are_free() -> None:
    tags = ["usage", "usage_update", "plan_update", "replay", "2x", "a b", "a-b"]
    senders: dict[str, str] = {}
    for tag in tags:
        senders[naming.sender_name(tag, tags, "TwiceUpdate", senders)] = tag
    names = ["usage", "usage_update", "plan", "replay_", "twice_update", "a_b", "a_b_"]
    assert list(senders) == names


@pytest.mark.parametrize("name", ["bool", "dict", "float", "int", "list", "str"])
def test_methods_of_sessions_do_not_shadow_types_in_annotations(name: str) -> None:
    assert naming.sender_name(name, [name], "NewUpdate", []) == f"{name}_"
    assert naming.session_method(f"session/{name}", f"new_{name}", []) == f"new_{name}"


@pytest.mark.parametrize(
    ("session", "members"),
    [
        (ClientSessionV1, reserved.client_session_members()),
        (ClientSessionV2, reserved.client_session_members()),
        (AgentSessionV1, reserved.agent_session_members()),
        (AgentSessionV2, reserved.agent_session_members()),
    ],
)
def test_what_sessions_have_is_reserved(session: Any, members: frozenset[str]) -> None:
    base = session.__mro__[1]
    own = set(dir(base))
    for cls in session.__mro__[:-2]:
        if "__init__" in vars(cls):
            own |= set(cls.__init__.__code__.co_names)
    # Ignore module-level names and attributes of other objects.
    own -= {"super", "set", "SessionState", "RunningCalls", "Foreground", "habits", "count"}
    own -= {"AgentSession", "type", "asyncio", "Lock", "is_recording"}
    assert {name for name in own if not name.startswith("_")} <= members


# --- parts of the surface that a connection uses -------------------------------------------------


def rename_definition(old: str, new: str) -> Change:
    """Rename a definition and update all references to it."""

    def change(definitions: dict[str, Any]) -> None:
        text = json.dumps(definitions).replace(f'#/$defs/{old}"', f'#/$defs/{new}"')
        changed = json.loads(text)
        changed[new] = changed.pop(old)
        definitions.clear()
        definitions.update(changed)

    return change


@pytest.mark.parametrize(("surface", "may_be_null"), [("v1", True), ("v2", False)])
def test_whether_ids_may_be_null_is_what_the_envelopes_say(
    surface: str, may_be_null: bool, tmp_path: Path
) -> None:
    made = built(tmp_path, surface, rename_definition("RequestId", "CallName"))
    assert MethodIndex(made.surface).takes_null_id() is may_be_null


def event_of(connection: Connection, id_: int | None, name: str) -> type:
    """Return the class of the event that a connection emits for a request."""
    params = {"cwd": "/", "mcpServers": []}
    message = {"jsonrpc": "2.0", "id": id_, "method": name, "params": params}
    [found] = connection.receive(json.dumps(message).encode() + b"\n")
    return type(found)


@pytest.mark.parametrize(("surface", "event"), [(v1, Request), (v2, Refused)])
def test_a_connection_asks_the_surface_about_null(surface: Any, event: type) -> None:
    assert surface.NULL_ID is (surface is v1)
    assert event_of(Connection("agent", surface), None, "session/new") is event


class Relayed:
    """Protocol 1 with an additional side, `relay`, that handles one method."""

    def __init__(self) -> None:
        method = v1.AGENT_METHODS["session/new"]
        self.METHODS = {**v1.METHODS, "relay": {"relay/new": method}}

    def __getattr__(self, name: str) -> Any:
        return getattr(v1, name)


@pytest.mark.parametrize("side", ["agent", "client"])
def test_methods_of_neither_side_reach_both(side: Any) -> None:
    theirs = "fs/read_text_file" if side == "agent" else "session/new"
    connection = Connection(side, Relayed())
    events = {"relay/new": Request, "relay/old": Refused, theirs: Refused}
    assert {name: event_of(connection, id_, name) for id_, name in enumerate(events)} == events


# --- requirements of handlers ---------------------------------------------------------------------


def replaced(name: str) -> Change:
    def change(definitions: dict[str, Any]) -> None:
        kept = {key: value for key, value in definitions[name].items() if key.startswith("x-")}
        definitions[name] = {**kept, "type": "string"}

    return change


@pytest.mark.parametrize("surface", FILES)
@pytest.mark.parametrize("name", ["InitializeRequest", "InitializeResponse"])
def test_handlers_can_be_extended_if_initialize_takes_no_object(
    surface: str, name: str, tmp_path: Path
) -> None:
    made = built(tmp_path, surface, replaced(name))
    assert made.surface.session is None
    assert any(f"{name} is not a class with 'protocolVersion'" in n.message for n in made.notes)
    if surface == "v2":  # the templates are the same as for v1
        return
    with imported(made.surface, f"{name}_{surface}", formatted=False) as module, no_warnings():
        for base in (module.AgentHandler, module.ClientHandler):
            assert type("Mine", (base,), {})


@contextmanager
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# Each change, with the definition, the method and the fault that the resulting note mentions.
WITHOUT_DEFAULT = [
    *(
        (change, name, f"'session/list' has no default: {name} {fault}")
        for change, name, fault in [
            (
                require("SessionInfo", "updatedAt"),
                "SessionInfo",
                "requires 'updatedAt', for which there is no value",
            ),
            (
                require("ListSessionsResponse"),
                "ListSessionsResponse",
                "requires 'brandNew', for which there is no value",
            ),
            *(
                (rename(name, wire), name, f"has no field {wire!r}")
                for name, wire in [
                    ("ListSessionsRequest", "cursor"),
                    ("ListSessionsRequest", "cwd"),
                    ("ListSessionsResponse", "nextCursor"),
                    ("SessionInfo", "cwd"),
                ]
            ),
        ]
    ),
    (
        require("ResumeSessionResponse"),
        "ResumeSessionResponse",
        "'session/resume' has no default: ResumeSessionResponse requires 'brandNew', for which"
        " there is no value",
    ),
    (
        rename("ResumeSessionRequest", "replayFrom"),
        "ResumeSessionRequest",
        "'session/resume' has no default: ResumeSessionRequest has no field 'replayFrom'",
    ),
    (
        state("ResumeSessionRequest", "replayFrom", ref("ContentBlock")),
        "ContentBlock",
        "'session/resume' has no default: ContentBlock has no variant 'start'",
    ),
    (
        require("NewSessionResponse"),
        "NewSessionRequest",
        "'session/new' has no default: the generator cannot implement it",
    ),
    (
        replaced("SetSessionConfigOptionRequest"),
        "SetSessionConfigOptionRequest",
        "'session/set_config_option' has no default: the generator cannot implement it",
    ),
]


@pytest.mark.parametrize(("change", "name", "fault"), WITHOUT_DEFAULT)
def test_a_method_that_lost_its_default_is_noted(
    change: Change, name: str, fault: str, tmp_path: Path
) -> None:
    """Generation from the vendored schema treats this note as an error."""
    made = built(tmp_path, "v2", change)
    assert made.surface.session is not None
    defaults = made.surface.session.defaults
    assert (defaults.page is None) is ("'session/list'" in fault)
    assert (defaults.resume is None) is ("'session/resume'" in fault)
    assert [(note.code, note.pointer, note.message) for note in made.notes] == [
        (
            "unsupported",
            f"/$defs/{name}",
            f"{fault}, so agents with sessions must define it; give a reason in policy.toml under"
            " /without_default/v2, or fix the schema",
        )
    ]


def test_classes_do_not_warn_about_their_own_methods_without_a_default(tmp_path: Path) -> None:
    changes = [
        require("SessionInfo", "updatedAt"),
        require("ResumeSessionResponse"),
        require("NewSessionResponse"),
        replaced("SetSessionConfigOptionRequest"),
    ]

    def change(definitions: dict[str, Any]) -> None:
        for each in changes:
            each(definitions)

    made = built(tmp_path, "v2", change)
    lost = {note.message.partition(" has no default")[0] for note in made.notes}
    methods = ("list", "resume", "new", "set_config_option")
    assert lost == {f"'session/{method}'" for method in methods}
    with no_warnings(), imported(made.surface, "without_default", formatted=False) as module:
        assert module.SessionAgent


@pytest.mark.parametrize("surface", ["v2", "v2_unstable"])
def test_policy_settles_that_a_method_has_no_default(surface: str, tmp_path: Path) -> None:
    key = ("v2", "agent", "session/delete")
    [entry] = OVERLAY.capabilities[key]
    needed = replace(entry, capability="/capabilities/session")
    undecided = replace(OVERLAY, capabilities={**OVERLAY.capabilities, key: (needed,)})
    [note] = built(tmp_path, surface, overlay=undecided).notes
    assert (note.code, note.pointer) == ("unsupported", "/$defs/DeleteSessionRequest")
    assert note.message == (
        "'session/delete' has no default: the generator cannot implement it, so agents with"
        " sessions must define it; give a reason in policy.toml under /without_default/v2, or fix"
        " the schema"
    )
    decided = replace(undecided, without_default=frozenset({("v2", "session/delete")}))
    made = built(tmp_path, surface, overlay=decided)
    assert not made.notes
    assert ("without_default", "v2", "session/delete") in made.matched
