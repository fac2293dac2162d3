# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.json (sha256 a3a5025f4cf7eb72fe64c9d3441913ce22a3b3f38e65ad74470485cc00919440).
# Do not edit it; make it again with acpgen.
"""Decoders and encoders of this surface: two functions for each type.

A decoder names every member it knows; what is left over goes to `unknown_fields`. An encoder
writes the members that are set, in the same order, and the unknown ones after them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from ..runtime.values.codec import Codec, SchemaInfo, alias, restrict_to_arm, record, union
from ..runtime.values.decoding import (
    Arm,
    ObjectDecoder,
    Tags,
    boolean,
    decode_untagged,
    default,
    default_member,
    entries,
    enumerated,
    integer,
    items,
    keep_unknown,
    missing,
    new,
    number,
    repaired,
    string,
    unknown,
    valid_items,
    wrong,
    wrong_member,
)
from ..runtime.values.encoding import (
    Json,
    ObjectEncoder,
    add_unknown,
    encode_choice,
    encode_unknown,
    find_class,
    refuse_tag,
    unshadowed,
)
from ..runtime.values.errors import DecodeError, Issues, Path
from ..runtime.values.unset import UNSET
from .types import (
    AcceptCreateElicitationResponse,
    AgentAuthCapabilities,
    AgentCapabilities,
    AgentMessageChunk,
    AgentThoughtChunk,
    Annotations,
    AudioContent,
    AuthCapabilities,
    AuthMethod,
    AuthMethodAgent,
    AuthMethodId,
    AuthMethodTerminal,
    AuthenticateRequest,
    AuthenticateResponse,
    AvailableCommand,
    AvailableCommandInput,
    AvailableCommandsUpdate,
    BlobResourceContents,
    BooleanConfigOptionCapabilities,
    BooleanPropertySchema,
    BooleanSessionConfigOption,
    BooleanSetSessionConfigOptionRequest,
    CancelCreateElicitationResponse,
    CancelNotification,
    CancelRequestNotification,
    CancelledRequestPermissionOutcome,
    ClientCapabilities,
    ClientSessionCapabilities,
    CloseSessionRequest,
    CloseSessionResponse,
    CompactionCapabilities,
    CompactionId,
    CompactionStatus,
    CompactionSummaryChunk,
    CompactionUpdate,
    CompleteElicitationNotification,
    ConfigOptionUpdate,
    Content,
    ContentBlock,
    ContentChunk,
    Cost,
    CreateElicitationRequest,
    CreateElicitationResponse,
    CreateTerminalRequest,
    CreateTerminalResponse,
    CurrentModeUpdate,
    DeclineCreateElicitationResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    Diff,
    ElicitationAcceptAction,
    ElicitationCapabilities,
    ElicitationContentValue,
    ElicitationFormCapabilities,
    ElicitationFormMode,
    ElicitationId,
    ElicitationPropertySchema,
    ElicitationRequestScope,
    ElicitationSchema,
    ElicitationSchemaType,
    ElicitationSessionScope,
    ElicitationUrlCapabilities,
    ElicitationUrlMode,
    EmbeddedResource,
    EmbeddedResourceResource,
    EnumOption,
    EnvVariable,
    Error,
    ErrorCode,
    ExtNotification,
    ExtRequest,
    ExtResponse,
    FileSystemCapabilities,
    FormCreateElicitationRequest,
    HttpHeader,
    ImageContent,
    Implementation,
    InitializeRequest,
    InitializeResponse,
    IntegerPropertySchema,
    KillTerminalRequest,
    KillTerminalResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoadSessionRequest,
    LoadSessionResponse,
    LogoutCapabilities,
    LogoutRequest,
    LogoutResponse,
    McpCapabilities,
    McpServer,
    McpServerHttp,
    McpServerSse,
    McpServerStdio,
    MessageId,
    MultiSelectItems,
    MultiSelectPropertySchema,
    NewSessionRequest,
    NewSessionResponse,
    Notice,
    NoticeCapabilities,
    NoticeSeverity,
    NumberPropertySchema,
    PermissionOption,
    PermissionOptionId,
    PermissionOptionKind,
    Plan,
    PlanEntry,
    PlanEntryPriority,
    PlanEntryStatus,
    PromptCapabilities,
    PromptRequest,
    PromptResponse,
    ProtocolVersion,
    ReadTextFileRequest,
    ReadTextFileResponse,
    ReleaseTerminalRequest,
    ReleaseTerminalResponse,
    RequestElicitationFormMode,
    RequestElicitationUrlMode,
    RequestFormCreateElicitationRequest,
    RequestId,
    RequestPermissionOutcome,
    RequestPermissionRequest,
    RequestPermissionResponse,
    RequestUrlCreateElicitationRequest,
    ResourceLink,
    ResumeSessionRequest,
    ResumeSessionResponse,
    Role,
    SelectSessionConfigOption,
    SelectedPermissionOutcome,
    SessionAdditionalDirectoriesCapabilities,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionConfigBoolean,
    SessionConfigGroupId,
    SessionConfigId,
    SessionConfigOption,
    SessionConfigOptionCategory,
    SessionConfigOptionsCapabilities,
    SessionConfigSelect,
    SessionConfigSelectGroup,
    SessionConfigSelectOption,
    SessionConfigSelectOptions,
    SessionConfigValueId,
    SessionDeleteCapabilities,
    SessionElicitationFormMode,
    SessionElicitationUrlMode,
    SessionFormCreateElicitationRequest,
    SessionId,
    SessionInfo,
    SessionInfoUpdate,
    SessionListCapabilities,
    SessionMode,
    SessionModeId,
    SessionModeState,
    SessionNotification,
    SessionResumeCapabilities,
    SessionUpdate,
    SessionUrlCreateElicitationRequest,
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
    SetSessionModeRequest,
    SetSessionModeResponse,
    StopReason,
    StringFormat,
    StringMultiSelectItems,
    StringPropertySchema,
    Terminal,
    TerminalExitStatus,
    TerminalId,
    TerminalOutputRequest,
    TerminalOutputResponse,
    TextContent,
    TextResourceContents,
    TitledMultiSelectItems,
    ToolCall,
    ToolCallContent,
    ToolCallId,
    ToolCallLocation,
    ToolCallStatus,
    ToolCallUpdate,
    ToolKind,
    UnknownContentBlock,
    UnknownCreateElicitationRequest,
    UnknownCreateElicitationResponse,
    UnknownElicitationPropertySchema,
    UnknownMultiSelectItems,
    UnknownSessionConfigOption,
    UnknownSessionUpdate,
    UnknownToolCallContent,
    UnstructuredCommandInput,
    UrlCreateElicitationRequest,
    UsageUpdate,
    UserMessageChunk,
    ValueIdSetSessionConfigOptionRequest,
    WaitForTerminalExitRequest,
    WaitForTerminalExitResponse,
    WriteTextFileRequest,
    WriteTextFileResponse,
)


def decode_AcceptCreateElicitationResponse(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> AcceptCreateElicitationResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(AcceptCreateElicitationResponse)
    o.meta = UNSET
    o.content = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if (value := d.get("content", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = entries(value, issues, (path, "content"), decode_ElicitationContentValue)
            o.content = value
        if rest:
            o.unknown_fields = unknown(d, _AcceptCreateElicitationResponse, tags)
    return o


def encode_AcceptCreateElicitationResponse(o: AcceptCreateElicitationResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.content is not UNSET:
        out["content"] = o.content
    if o.unknown_fields:
        add_unknown(out, o, _AcceptCreateElicitationResponse)
    return out


def decode_AgentAuthCapabilities(d: Any, issues: Issues, path: Path) -> AgentAuthCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(AgentAuthCapabilities)
    o.logout = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("logout", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_LogoutCapabilities(value, issues, (path, "logout"))
                except DecodeError as error:
                    value = default(issues, (path, "logout"), value, error, UNSET)
            o.logout = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AgentAuthCapabilities, ())
    return o


def encode_AgentAuthCapabilities(o: AgentAuthCapabilities, out: Json) -> Json:
    if o.logout is not UNSET:
        out["logout"] = None if o.logout is None else encode_LogoutCapabilities(o.logout, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AgentAuthCapabilities)
    return out


def decode_AgentCapabilities(d: Any, issues: Issues, path: Path) -> AgentCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(AgentCapabilities)
    o.load_session = UNSET
    o.prompt_capabilities = UNSET
    o.mcp_capabilities = UNSET
    o.session_capabilities = UNSET
    o.auth = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("loadSession", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "loadSession", path, "boolean", False)
            o.load_session = value
        if (value := d.get("promptCapabilities", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.prompt_capabilities = decode_PromptCapabilities(
                    value, issues, (path, "promptCapabilities")
                )
            except DecodeError as error:
                o.prompt_capabilities = default(
                    issues,
                    (path, "promptCapabilities"),
                    value,
                    error,
                    decode_PromptCapabilities(
                        {"image": False, "audio": False, "embeddedContext": False}, None, ()
                    ),
                )
        if (value := d.get("mcpCapabilities", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.mcp_capabilities = decode_McpCapabilities(
                    value, issues, (path, "mcpCapabilities")
                )
            except DecodeError as error:
                o.mcp_capabilities = default(
                    issues,
                    (path, "mcpCapabilities"),
                    value,
                    error,
                    decode_McpCapabilities({"http": False, "sse": False}, None, ()),
                )
        if (value := d.get("sessionCapabilities", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.session_capabilities = decode_SessionCapabilities(
                    value, issues, (path, "sessionCapabilities")
                )
            except DecodeError as error:
                o.session_capabilities = default(
                    issues,
                    (path, "sessionCapabilities"),
                    value,
                    error,
                    decode_SessionCapabilities({}, None, ()),
                )
        if (value := d.get("auth", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.auth = decode_AgentAuthCapabilities(value, issues, (path, "auth"))
            except DecodeError as error:
                o.auth = default(
                    issues, (path, "auth"), value, error, decode_AgentAuthCapabilities({}, None, ())
                )
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AgentCapabilities, ())
    return o


def encode_AgentCapabilities(o: AgentCapabilities, out: Json) -> Json:
    if o.load_session is not UNSET:
        out["loadSession"] = o.load_session
    if o.prompt_capabilities is not UNSET:
        out["promptCapabilities"] = encode_PromptCapabilities(o.prompt_capabilities, {})
    if o.mcp_capabilities is not UNSET:
        out["mcpCapabilities"] = encode_McpCapabilities(o.mcp_capabilities, {})
    if o.session_capabilities is not UNSET:
        out["sessionCapabilities"] = encode_SessionCapabilities(o.session_capabilities, {})
    if o.auth is not UNSET:
        out["auth"] = encode_AgentAuthCapabilities(o.auth, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AgentCapabilities)
    return out


def decode_AgentMessageChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> AgentMessageChunk:
    try:
        value = d["content"]
    except (KeyError, TypeError):
        raise missing(d, "content", path, "object") from None
    o = new(AgentMessageChunk)
    o.content = decode_ContentBlock(value, issues, (path, "content"))
    o.message_id = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("messageId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "messageId", path, "string or null", UNSET)
            o.message_id = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AgentMessageChunk, tags)
    return o


def encode_AgentMessageChunk(o: AgentMessageChunk, out: Json) -> Json:
    out["content"] = encode_ContentBlock(o.content, {})
    if o.message_id is not UNSET:
        out["messageId"] = o.message_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AgentMessageChunk)
    return out


def decode_AgentThoughtChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> AgentThoughtChunk:
    try:
        value = d["content"]
    except (KeyError, TypeError):
        raise missing(d, "content", path, "object") from None
    o = new(AgentThoughtChunk)
    o.content = decode_ContentBlock(value, issues, (path, "content"))
    o.message_id = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("messageId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "messageId", path, "string or null", UNSET)
            o.message_id = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AgentThoughtChunk, tags)
    return o


def encode_AgentThoughtChunk(o: AgentThoughtChunk, out: Json) -> Json:
    out["content"] = encode_ContentBlock(o.content, {})
    if o.message_id is not UNSET:
        out["messageId"] = o.message_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AgentThoughtChunk)
    return out


def decode_Annotations(d: Any, issues: Issues, path: Path) -> Annotations:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(Annotations)
    o.audience = UNSET
    o.last_modified = UNSET
    o.priority = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("audience", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "audience"), decode_Role)
                except DecodeError as error:
                    value = default(issues, (path, "audience"), value, error, UNSET)
            o.audience = value
        if (value := d.get("lastModified", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "lastModified", path, "string or null", UNSET)
            o.last_modified = value
        if (value := d.get("priority", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = number(value, issues, (path, "priority"))
                except DecodeError as error:
                    value = default(issues, (path, "priority"), value, error, UNSET)
            o.priority = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Annotations, ())
    return o


def encode_Annotations(o: Annotations, out: Json) -> Json:
    if o.audience is not UNSET:
        out["audience"] = o.audience
    if o.last_modified is not UNSET:
        out["lastModified"] = o.last_modified
    if o.priority is not UNSET:
        out["priority"] = o.priority
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Annotations)
    return out


def decode_AudioContent(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> AudioContent:
    try:
        value = d["data"]
    except (KeyError, TypeError):
        raise missing(d, "data", path, "string") from None
    o = new(AudioContent)
    if type(value) is not str:
        raise wrong_member(d, "data", path, "string")
    o.data = value
    value = d.get("mimeType")
    if type(value) is not str:
        raise wrong_member(d, "mimeType", path, "string")
    o.mime_type = value
    o.annotations = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("annotations", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Annotations(value, issues, (path, "annotations"))
                except DecodeError as error:
                    value = default(issues, (path, "annotations"), value, error, UNSET)
            o.annotations = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AudioContent, tags)
    return o


def encode_AudioContent(o: AudioContent, out: Json) -> Json:
    out["data"] = o.data
    out["mimeType"] = o.mime_type
    if o.annotations is not UNSET:
        out["annotations"] = (
            None if o.annotations is None else encode_Annotations(o.annotations, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AudioContent)
    return out


def decode_AuthCapabilities(d: Any, issues: Issues, path: Path) -> AuthCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(AuthCapabilities)
    o.terminal = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("terminal", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "terminal", path, "boolean", False)
            o.terminal = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AuthCapabilities, ())
    return o


def encode_AuthCapabilities(o: AuthCapabilities, out: Json) -> Json:
    if o.terminal is not UNSET:
        out["terminal"] = o.terminal
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthCapabilities)
    return out


def decode_AuthMethod(d: Any, issues: Issues, path: Path) -> AuthMethod:
    try:
        decode = _AuthMethod[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    return decode_AuthMethodAgent(d, issues, path)


def encode_AuthMethod(o: AuthMethod, out: Json) -> Json:
    encoders = _AuthMethod_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "AuthMethod")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_AuthMethod_default(o: Any, out: Json) -> Json:
    encode_AuthMethodAgent(o, out)
    return refuse_tag(out, "type", _AuthMethod, False, "AuthMethod")


def decode_AuthMethodAgent(d: Any, issues: Issues, path: Path) -> AuthMethodAgent:
    try:
        value = d["id"]
    except (KeyError, TypeError):
        raise missing(d, "id", path, "string") from None
    o = new(AuthMethodAgent)
    if type(value) is not str:
        raise wrong_member(d, "id", path, "string")
    o.id = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    o.description = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AuthMethodAgent, ())
    return o


def encode_AuthMethodAgent(o: AuthMethodAgent, out: Json) -> Json:
    out["id"] = o.id
    out["name"] = o.name
    if o.description is not UNSET:
        out["description"] = o.description
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthMethodAgent)
    return out


def decode_AuthMethodId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_AuthMethodTerminal(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> AuthMethodTerminal:
    try:
        value = d["id"]
    except (KeyError, TypeError):
        raise missing(d, "id", path, "string") from None
    o = new(AuthMethodTerminal)
    if type(value) is not str:
        raise wrong_member(d, "id", path, "string")
    o.id = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    o.description = UNSET
    o.args = UNSET
    o.env = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("args", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "args", path, "array", [])
            else:
                value = items(value, issues, (path, "args"), string)
            o.args = value
        if (value := d.get("env", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "env", path, "object", {})
            else:
                value = entries(value, issues, (path, "env"), string)
            o.env = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AuthMethodTerminal, tags)
    return o


def encode_AuthMethodTerminal(o: AuthMethodTerminal, out: Json) -> Json:
    out["id"] = o.id
    out["name"] = o.name
    if o.description is not UNSET:
        out["description"] = o.description
    if o.args is not UNSET:
        out["args"] = o.args
    if o.env is not UNSET:
        out["env"] = o.env
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthMethodTerminal)
    return out


def decode_AuthenticateRequest(d: Any, issues: Issues, path: Path) -> AuthenticateRequest:
    try:
        value = d["methodId"]
    except (KeyError, TypeError):
        raise missing(d, "methodId", path, "string") from None
    o = new(AuthenticateRequest)
    if type(value) is not str:
        raise wrong_member(d, "methodId", path, "string")
    o.method_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AuthenticateRequest, ())
    return o


def encode_AuthenticateRequest(o: AuthenticateRequest, out: Json) -> Json:
    out["methodId"] = o.method_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthenticateRequest)
    return out


def decode_AuthenticateResponse(d: Any, issues: Issues, path: Path) -> AuthenticateResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(AuthenticateResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AuthenticateResponse, ())
    return o


def encode_AuthenticateResponse(o: AuthenticateResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthenticateResponse)
    return out


def decode_AvailableCommand(d: Any, issues: Issues, path: Path) -> AvailableCommand:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(AvailableCommand)
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("description")
    if type(value) is not str:
        raise wrong_member(d, "description", path, "string")
    o.description = value
    o.input = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("input", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_AvailableCommandInput(value, issues, (path, "input"))
                except DecodeError as error:
                    value = default(issues, (path, "input"), value, error, UNSET)
            o.input = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AvailableCommand, ())
    return o


def encode_AvailableCommand(o: AvailableCommand, out: Json) -> Json:
    out["name"] = o.name
    out["description"] = o.description
    if o.input is not UNSET:
        out["input"] = None if o.input is None else encode_AvailableCommandInput(o.input, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AvailableCommand)
    return out


def decode_AvailableCommandInput(value: Any, issues: Issues, path: Path) -> Any:
    return decode_UnstructuredCommandInput(value, issues, path)


def encode_AvailableCommandInput(o: AvailableCommandInput, out: Json) -> Json:
    return encode_UnstructuredCommandInput(o, out)


def decode_AvailableCommandsUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> AvailableCommandsUpdate:
    try:
        value = d["availableCommands"]
    except (KeyError, TypeError):
        raise missing(d, "availableCommands", path, "array") from None
    o = new(AvailableCommandsUpdate)
    try:
        o.available_commands = valid_items(
            value, issues, (path, "availableCommands"), decode_AvailableCommand
        )
    except DecodeError as error:
        o.available_commands = default(issues, (path, "availableCommands"), value, error, [])
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AvailableCommandsUpdate, tags)
    return o


def encode_AvailableCommandsUpdate(o: AvailableCommandsUpdate, out: Json) -> Json:
    out["availableCommands"] = [encode_AvailableCommand(item, {}) for item in o.available_commands]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AvailableCommandsUpdate)
    return out


def decode_BlobResourceContents(d: Any, issues: Issues, path: Path) -> BlobResourceContents:
    try:
        value = d["blob"]
    except (KeyError, TypeError):
        raise missing(d, "blob", path, "string") from None
    o = new(BlobResourceContents)
    if type(value) is not str:
        raise wrong_member(d, "blob", path, "string")
    o.blob = value
    value = d.get("uri")
    if type(value) is not str:
        raise wrong_member(d, "uri", path, "string")
    o.uri = value
    o.mime_type = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("mimeType", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "mimeType", path, "string or null", UNSET)
            o.mime_type = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _BlobResourceContents, ())
    return o


def encode_BlobResourceContents(o: BlobResourceContents, out: Json) -> Json:
    out["blob"] = o.blob
    out["uri"] = o.uri
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _BlobResourceContents)
    return out


def decode_BooleanConfigOptionCapabilities(
    d: Any, issues: Issues, path: Path
) -> BooleanConfigOptionCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(BooleanConfigOptionCapabilities)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _BooleanConfigOptionCapabilities, ())
    return o


def encode_BooleanConfigOptionCapabilities(o: BooleanConfigOptionCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _BooleanConfigOptionCapabilities)
    return out


def decode_BooleanPropertySchema(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> BooleanPropertySchema:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(BooleanPropertySchema)
    o.title = UNSET
    o.description = UNSET
    o.default = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("default", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not bool:
                value = default_member(issues, d, "default", path, "boolean or null", UNSET)
            o.default = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _BooleanPropertySchema, tags)
    return o


def encode_BooleanPropertySchema(o: BooleanPropertySchema, out: Json) -> Json:
    if o.title is not UNSET:
        out["title"] = o.title
    if o.description is not UNSET:
        out["description"] = o.description
    if o.default is not UNSET:
        out["default"] = o.default
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _BooleanPropertySchema)
    return out


def decode_BooleanSessionConfigOption(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> BooleanSessionConfigOption:
    try:
        value = d["id"]
    except (KeyError, TypeError):
        raise missing(d, "id", path, "string") from None
    o = new(BooleanSessionConfigOption)
    if type(value) is not str:
        raise wrong_member(d, "id", path, "string")
    o.id = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("currentValue")
    if type(value) is not bool:
        raise wrong_member(d, "currentValue", path, "boolean")
    o.current_value = value
    o.description = UNSET
    o.category = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3 - len(tags)
    if rest:
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("category", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionConfigOptionCategory(value, issues, (path, "category"))
                except DecodeError as error:
                    value = default(issues, (path, "category"), value, error, UNSET)
            o.category = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _BooleanSessionConfigOption, tags)
    return o


def encode_BooleanSessionConfigOption(o: BooleanSessionConfigOption, out: Json) -> Json:
    out["id"] = o.id
    out["name"] = o.name
    out["currentValue"] = o.current_value
    if o.description is not UNSET:
        out["description"] = o.description
    if o.category is not UNSET:
        out["category"] = o.category
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _BooleanSessionConfigOption)
    return out


def decode_BooleanSetSessionConfigOptionRequest(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> BooleanSetSessionConfigOptionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(BooleanSetSessionConfigOptionRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("configId")
    if type(value) is not str:
        raise wrong_member(d, "configId", path, "string")
    o.config_id = value
    value = d.get("value")
    if type(value) is not bool:
        raise wrong_member(d, "value", path, "boolean")
    o.value = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _BooleanSetSessionConfigOptionRequest, tags)
    return o


def encode_BooleanSetSessionConfigOptionRequest(
    o: BooleanSetSessionConfigOptionRequest, out: Json
) -> Json:
    out["sessionId"] = o.session_id
    out["configId"] = o.config_id
    out["value"] = o.value
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _BooleanSetSessionConfigOptionRequest)
    return out


def decode_CancelCreateElicitationResponse(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> CancelCreateElicitationResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(CancelCreateElicitationResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CancelCreateElicitationResponse, tags)
    return o


def encode_CancelCreateElicitationResponse(o: CancelCreateElicitationResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CancelCreateElicitationResponse)
    return out


def decode_CancelNotification(d: Any, issues: Issues, path: Path) -> CancelNotification:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(CancelNotification)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CancelNotification, ())
    return o


def encode_CancelNotification(o: CancelNotification, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CancelNotification)
    return out


def decode_CancelRequestNotification(
    d: Any, issues: Issues, path: Path
) -> CancelRequestNotification:
    try:
        value = d["requestId"]
    except (KeyError, TypeError):
        raise missing(d, "requestId", path, "integer or string or null") from None
    o = new(CancelRequestNotification)
    o.request_id = decode_RequestId(value, issues, (path, "requestId"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CancelRequestNotification, ())
    return o


def encode_CancelRequestNotification(o: CancelRequestNotification, out: Json) -> Json:
    out["requestId"] = o.request_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CancelRequestNotification)
    return out


def decode_CancelledRequestPermissionOutcome(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> CancelledRequestPermissionOutcome:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(CancelledRequestPermissionOutcome)
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _CancelledRequestPermissionOutcome, tags)
    return o


def encode_CancelledRequestPermissionOutcome(
    o: CancelledRequestPermissionOutcome, out: Json
) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _CancelledRequestPermissionOutcome)
    return out


def decode_ClientCapabilities(d: Any, issues: Issues, path: Path) -> ClientCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ClientCapabilities)
    o.fs = UNSET
    o.terminal = UNSET
    o.session = UNSET
    o.auth = UNSET
    o.elicitation = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("fs", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.fs = decode_FileSystemCapabilities(value, issues, (path, "fs"))
            except DecodeError as error:
                o.fs = default(
                    issues,
                    (path, "fs"),
                    value,
                    error,
                    decode_FileSystemCapabilities(
                        {"readTextFile": False, "writeTextFile": False}, None, ()
                    ),
                )
        if (value := d.get("terminal", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "terminal", path, "boolean", False)
            o.terminal = value
        if (value := d.get("session", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ClientSessionCapabilities(value, issues, (path, "session"))
                except DecodeError as error:
                    value = default(issues, (path, "session"), value, error, UNSET)
            o.session = value
        if (value := d.get("auth", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.auth = decode_AuthCapabilities(value, issues, (path, "auth"))
            except DecodeError as error:
                o.auth = default(
                    issues,
                    (path, "auth"),
                    value,
                    error,
                    decode_AuthCapabilities({"terminal": False}, None, ()),
                )
        if (value := d.get("elicitation", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ElicitationCapabilities(value, issues, (path, "elicitation"))
                except DecodeError as error:
                    value = default(issues, (path, "elicitation"), value, error, UNSET)
            o.elicitation = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ClientCapabilities, ())
    return o


def encode_ClientCapabilities(o: ClientCapabilities, out: Json) -> Json:
    if o.fs is not UNSET:
        out["fs"] = encode_FileSystemCapabilities(o.fs, {})
    if o.terminal is not UNSET:
        out["terminal"] = o.terminal
    if o.session is not UNSET:
        out["session"] = (
            None if o.session is None else encode_ClientSessionCapabilities(o.session, {})
        )
    if o.auth is not UNSET:
        out["auth"] = encode_AuthCapabilities(o.auth, {})
    if o.elicitation is not UNSET:
        out["elicitation"] = (
            None if o.elicitation is None else encode_ElicitationCapabilities(o.elicitation, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ClientCapabilities)
    return out


def decode_ClientSessionCapabilities(
    d: Any, issues: Issues, path: Path
) -> ClientSessionCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ClientSessionCapabilities)
    o.compaction = UNSET
    o.config_options = UNSET
    o.notices = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("compaction", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_CompactionCapabilities(value, issues, (path, "compaction"))
                except DecodeError as error:
                    value = default(issues, (path, "compaction"), value, error, UNSET)
            o.compaction = value
        if (value := d.get("configOptions", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionConfigOptionsCapabilities(
                        value, issues, (path, "configOptions")
                    )
                except DecodeError as error:
                    value = default(issues, (path, "configOptions"), value, error, UNSET)
            o.config_options = value
        if (value := d.get("notices", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_NoticeCapabilities(value, issues, (path, "notices"))
                except DecodeError as error:
                    value = default(issues, (path, "notices"), value, error, UNSET)
            o.notices = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ClientSessionCapabilities, ())
    return o


def encode_ClientSessionCapabilities(o: ClientSessionCapabilities, out: Json) -> Json:
    if o.compaction is not UNSET:
        out["compaction"] = (
            None if o.compaction is None else encode_CompactionCapabilities(o.compaction, {})
        )
    if o.config_options is not UNSET:
        out["configOptions"] = (
            None
            if o.config_options is None
            else encode_SessionConfigOptionsCapabilities(o.config_options, {})
        )
    if o.notices is not UNSET:
        out["notices"] = None if o.notices is None else encode_NoticeCapabilities(o.notices, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ClientSessionCapabilities)
    return out


def decode_CloseSessionRequest(d: Any, issues: Issues, path: Path) -> CloseSessionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(CloseSessionRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CloseSessionRequest, ())
    return o


def encode_CloseSessionRequest(o: CloseSessionRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CloseSessionRequest)
    return out


def decode_CloseSessionResponse(d: Any, issues: Issues, path: Path) -> CloseSessionResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(CloseSessionResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CloseSessionResponse, ())
    return o


def encode_CloseSessionResponse(o: CloseSessionResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CloseSessionResponse)
    return out


def decode_CompactionCapabilities(d: Any, issues: Issues, path: Path) -> CompactionCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(CompactionCapabilities)
    o.unknown_fields = None
    rest = len(d)
    if rest:
        o.unknown_fields = unknown(d, _CompactionCapabilities, ())
    return o


def encode_CompactionCapabilities(o: CompactionCapabilities, out: Json) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _CompactionCapabilities)
    return out


def decode_CompactionId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_CompactionStatus(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_CompactionSummaryChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> CompactionSummaryChunk:
    try:
        value = d["compactionId"]
    except (KeyError, TypeError):
        raise missing(d, "compactionId", path, "string") from None
    o = new(CompactionSummaryChunk)
    if type(value) is not str:
        raise wrong_member(d, "compactionId", path, "string")
    o.compaction_id = value
    if (value := d.get("content", UNSET)) is UNSET:
        raise wrong_member(d, "content", path, "object")
    o.content = decode_ContentBlock(value, issues, (path, "content"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CompactionSummaryChunk, tags)
    return o


def encode_CompactionSummaryChunk(o: CompactionSummaryChunk, out: Json) -> Json:
    out["compactionId"] = o.compaction_id
    out["content"] = encode_ContentBlock(o.content, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CompactionSummaryChunk)
    return out


def decode_CompactionUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> CompactionUpdate:
    try:
        value = d["compactionId"]
    except (KeyError, TypeError):
        raise missing(d, "compactionId", path, "string") from None
    o = new(CompactionUpdate)
    if type(value) is not str:
        raise wrong_member(d, "compactionId", path, "string")
    o.compaction_id = value
    if (value := d.get("status", UNSET)) is UNSET:
        raise wrong_member(d, "status", path, "string")
    o.status = decode_CompactionStatus(value, issues, (path, "status"))
    o.summary = UNSET
    o.error = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("summary", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "summary"), decode_ContentBlock)
                except DecodeError as error:
                    value = default(issues, (path, "summary"), value, error, UNSET)
            o.summary = value
        if (value := d.get("error", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "error", path, "string or null", UNSET)
            o.error = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CompactionUpdate, tags)
    return o


def encode_CompactionUpdate(o: CompactionUpdate, out: Json) -> Json:
    out["compactionId"] = o.compaction_id
    out["status"] = o.status
    if o.summary is not UNSET:
        out["summary"] = (
            None if o.summary is None else [encode_ContentBlock(item, {}) for item in o.summary]
        )
    if o.error is not UNSET:
        out["error"] = o.error
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CompactionUpdate)
    return out


def decode_CompleteElicitationNotification(
    d: Any, issues: Issues, path: Path
) -> CompleteElicitationNotification:
    try:
        value = d["elicitationId"]
    except (KeyError, TypeError):
        raise missing(d, "elicitationId", path, "string") from None
    o = new(CompleteElicitationNotification)
    if type(value) is not str:
        raise wrong_member(d, "elicitationId", path, "string")
    o.elicitation_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CompleteElicitationNotification, ())
    return o


def encode_CompleteElicitationNotification(o: CompleteElicitationNotification, out: Json) -> Json:
    out["elicitationId"] = o.elicitation_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CompleteElicitationNotification)
    return out


def decode_ConfigOptionUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> ConfigOptionUpdate:
    try:
        value = d["configOptions"]
    except (KeyError, TypeError):
        raise missing(d, "configOptions", path, "array") from None
    o = new(ConfigOptionUpdate)
    try:
        o.config_options = valid_items(
            value, issues, (path, "configOptions"), decode_SessionConfigOption
        )
    except DecodeError as error:
        o.config_options = default(issues, (path, "configOptions"), value, error, [])
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ConfigOptionUpdate, tags)
    return o


def encode_ConfigOptionUpdate(o: ConfigOptionUpdate, out: Json) -> Json:
    out["configOptions"] = [encode_SessionConfigOption(item, {}) for item in o.config_options]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ConfigOptionUpdate)
    return out


def decode_Content(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> Content:
    try:
        value = d["content"]
    except (KeyError, TypeError):
        raise missing(d, "content", path, "object") from None
    o = new(Content)
    o.content = decode_ContentBlock(value, issues, (path, "content"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Content, tags)
    return o


def encode_Content(o: Content, out: Json) -> Json:
    out["content"] = encode_ContentBlock(o.content, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Content)
    return out


def decode_ContentBlock(d: Any, issues: Issues, path: Path) -> ContentBlock:
    try:
        decode = _ContentBlock[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        keep_unknown(
            issues, (path, "type"), tag, "one of text, image, audio, resource_link, resource"
        )
        return UnknownContentBlock(tag, d)
    raise wrong_member(d, "type", path, "string")


def encode_ContentBlock(o: ContentBlock, out: Json) -> Json:
    encoders = _ContentBlock_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "ContentBlock")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownContentBlock(o: UnknownContentBlock, out: Json) -> Json:
    return encode_unknown(o, out, "type", _ContentBlock, None)


def decode_ContentChunk(d: Any, issues: Issues, path: Path) -> ContentChunk:
    try:
        value = d["content"]
    except (KeyError, TypeError):
        raise missing(d, "content", path, "object") from None
    o = new(ContentChunk)
    o.content = decode_ContentBlock(value, issues, (path, "content"))
    o.message_id = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("messageId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "messageId", path, "string or null", UNSET)
            o.message_id = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ContentChunk, ())
    return o


def encode_ContentChunk(o: ContentChunk, out: Json) -> Json:
    out["content"] = encode_ContentBlock(o.content, {})
    if o.message_id is not UNSET:
        out["messageId"] = o.message_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ContentChunk)
    return out


def decode_Cost(d: Any, issues: Issues, path: Path) -> Cost:
    try:
        value = d["amount"]
    except (KeyError, TypeError):
        raise missing(d, "amount", path, "number") from None
    o = new(Cost)
    o.amount = number(value, issues, (path, "amount"))
    value = d.get("currency")
    if type(value) is not str:
        raise wrong_member(d, "currency", path, "string")
    o.currency = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Cost, ())
    return o


def encode_Cost(o: Cost, out: Json) -> Json:
    out["amount"] = o.amount
    out["currency"] = o.currency
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Cost)
    return out


def decode_CreateElicitationRequest(d: Any, issues: Issues, path: Path) -> CreateElicitationRequest:
    try:
        decode = _CreateElicitationRequest[d["mode"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("mode",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("mode")
    if type(tag) is str:
        return UnknownCreateElicitationRequest(
            tag, _check_UnknownCreateElicitationRequest(d, issues, path)
        )
    raise wrong_member(d, "mode", path, "string")


def encode_CreateElicitationRequest(o: CreateElicitationRequest, out: Json) -> Json:
    encoders = _CreateElicitationRequest_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "CreateElicitationRequest")
    if tag is not None:
        out["mode"] = tag
    return encode(o, out)


def _encode_UnknownCreateElicitationRequest(o: UnknownCreateElicitationRequest, out: Json) -> Json:
    return encode_unknown(
        o, out, "mode", _CreateElicitationRequest, _check_UnknownCreateElicitationRequest
    )


def _check_UnknownCreateElicitationRequest(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("message", UNSET)) is UNSET:
        raise wrong_member(d, "message", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "message", path, "string")
    _checked = value

    if (value := d.get("_meta", UNSET)) is not UNSET:
        mark = len(issues or ())
        if value is not None and value.__class__ is not dict:
            value = default_member(issues, d, "_meta", path, "object or null", UNSET)
        _checked = value
        if len(issues or ()) > mark:
            raw = repaired(raw, "_meta", _checked)

    mark = len(issues or ())
    _checked = decode_untagged(
        raw,
        issues,
        path,
        _UnknownCreateElicitationRequest_arms,
        "exactly one of: object with sessionId or object with requestId",
        True,
    )
    if len(issues or ()) > mark:
        raw = encode_choice(
            _checked,
            {
                ElicitationSessionScope: encode_ElicitationSessionScope,
                ElicitationRequestScope: encode_ElicitationRequestScope,
            },
        )
    return raw


def decode_CreateElicitationResponse(
    d: Any, issues: Issues, path: Path
) -> CreateElicitationResponse:
    try:
        decode = _CreateElicitationResponse[d["action"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("action",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("action")
    if type(tag) is str:
        return UnknownCreateElicitationResponse(
            tag, _check_UnknownCreateElicitationResponse(d, issues, path)
        )
    raise wrong_member(d, "action", path, "string")


def encode_CreateElicitationResponse(o: CreateElicitationResponse, out: Json) -> Json:
    encoders = _CreateElicitationResponse_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "CreateElicitationResponse")
    if tag is not None:
        out["action"] = tag
    return encode(o, out)


def _encode_UnknownCreateElicitationResponse(
    o: UnknownCreateElicitationResponse, out: Json
) -> Json:
    return encode_unknown(
        o, out, "action", _CreateElicitationResponse, _check_UnknownCreateElicitationResponse
    )


def _check_UnknownCreateElicitationResponse(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("_meta", UNSET)) is not UNSET:
        mark = len(issues or ())
        if value is not None and value.__class__ is not dict:
            value = default_member(issues, d, "_meta", path, "object or null", UNSET)
        _checked = value
        if len(issues or ()) > mark:
            raw = repaired(raw, "_meta", _checked)

    return raw


def decode_CreateTerminalRequest(d: Any, issues: Issues, path: Path) -> CreateTerminalRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(CreateTerminalRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("command")
    if type(value) is not str:
        raise wrong_member(d, "command", path, "string")
    o.command = value
    o.args = UNSET
    o.env = UNSET
    o.cwd = UNSET
    o.output_byte_limit = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("args", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "args", path, "array", [])
            else:
                value = items(value, issues, (path, "args"), string)
            o.args = value
        if (value := d.get("env", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "env", path, "array", [])
            else:
                value = items(value, issues, (path, "env"), decode_EnvVariable)
            o.env = value
        if (value := d.get("cwd", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                raise wrong_member(d, "cwd", path, "string or null")
            o.cwd = value
        if (value := d.get("outputByteLimit", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = integer(
                    value,
                    issues,
                    (path, "outputByteLimit"),
                    minimum=0,
                    maximum=18446744073709551615,
                )
            o.output_byte_limit = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CreateTerminalRequest, ())
    return o


def encode_CreateTerminalRequest(o: CreateTerminalRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["command"] = o.command
    if o.args is not UNSET:
        out["args"] = o.args
    if o.env is not UNSET:
        out["env"] = [encode_EnvVariable(item, {}) for item in o.env]
    if o.cwd is not UNSET:
        out["cwd"] = o.cwd
    if o.output_byte_limit is not UNSET:
        out["outputByteLimit"] = o.output_byte_limit
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CreateTerminalRequest)
    return out


def decode_CreateTerminalResponse(d: Any, issues: Issues, path: Path) -> CreateTerminalResponse:
    try:
        value = d["terminalId"]
    except (KeyError, TypeError):
        raise missing(d, "terminalId", path, "string") from None
    o = new(CreateTerminalResponse)
    if type(value) is not str:
        raise wrong_member(d, "terminalId", path, "string")
    o.terminal_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CreateTerminalResponse, ())
    return o


def encode_CreateTerminalResponse(o: CreateTerminalResponse, out: Json) -> Json:
    out["terminalId"] = o.terminal_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CreateTerminalResponse)
    return out


def decode_CurrentModeUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> CurrentModeUpdate:
    try:
        value = d["currentModeId"]
    except (KeyError, TypeError):
        raise missing(d, "currentModeId", path, "string") from None
    o = new(CurrentModeUpdate)
    if type(value) is not str:
        raise wrong_member(d, "currentModeId", path, "string")
    o.current_mode_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CurrentModeUpdate, tags)
    return o


def encode_CurrentModeUpdate(o: CurrentModeUpdate, out: Json) -> Json:
    out["currentModeId"] = o.current_mode_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CurrentModeUpdate)
    return out


def decode_DeclineCreateElicitationResponse(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> DeclineCreateElicitationResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(DeclineCreateElicitationResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _DeclineCreateElicitationResponse, tags)
    return o


def encode_DeclineCreateElicitationResponse(o: DeclineCreateElicitationResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _DeclineCreateElicitationResponse)
    return out


def decode_DeleteSessionRequest(d: Any, issues: Issues, path: Path) -> DeleteSessionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(DeleteSessionRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _DeleteSessionRequest, ())
    return o


def encode_DeleteSessionRequest(o: DeleteSessionRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _DeleteSessionRequest)
    return out


def decode_DeleteSessionResponse(d: Any, issues: Issues, path: Path) -> DeleteSessionResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(DeleteSessionResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _DeleteSessionResponse, ())
    return o


def encode_DeleteSessionResponse(o: DeleteSessionResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _DeleteSessionResponse)
    return out


def decode_Diff(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> Diff:
    try:
        value = d["path"]
    except (KeyError, TypeError):
        raise missing(d, "path", path, "string") from None
    o = new(Diff)
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    value = d.get("newText")
    if type(value) is not str:
        raise wrong_member(d, "newText", path, "string")
    o.new_text = value
    o.old_text = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("oldText", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "oldText", path, "string or null", UNSET)
            o.old_text = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Diff, tags)
    return o


def encode_Diff(o: Diff, out: Json) -> Json:
    out["path"] = o.path
    out["newText"] = o.new_text
    if o.old_text is not UNSET:
        out["oldText"] = o.old_text
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Diff)
    return out


def decode_ElicitationAcceptAction(d: Any, issues: Issues, path: Path) -> ElicitationAcceptAction:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ElicitationAcceptAction)
    o.content = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("content", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = entries(value, issues, (path, "content"), decode_ElicitationContentValue)
            o.content = value
        if rest:
            o.unknown_fields = unknown(d, _ElicitationAcceptAction, ())
    return o


def encode_ElicitationAcceptAction(o: ElicitationAcceptAction, out: Json) -> Json:
    if o.content is not UNSET:
        out["content"] = o.content
    if o.unknown_fields:
        add_unknown(out, o, _ElicitationAcceptAction)
    return out


def decode_ElicitationCapabilities(d: Any, issues: Issues, path: Path) -> ElicitationCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ElicitationCapabilities)
    o.form = UNSET
    o.url = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("form", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ElicitationFormCapabilities(value, issues, (path, "form"))
                except DecodeError as error:
                    value = default(issues, (path, "form"), value, error, UNSET)
            o.form = value
        if (value := d.get("url", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ElicitationUrlCapabilities(value, issues, (path, "url"))
                except DecodeError as error:
                    value = default(issues, (path, "url"), value, error, UNSET)
            o.url = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ElicitationCapabilities, ())
    return o


def encode_ElicitationCapabilities(o: ElicitationCapabilities, out: Json) -> Json:
    if o.form is not UNSET:
        out["form"] = None if o.form is None else encode_ElicitationFormCapabilities(o.form, {})
    if o.url is not UNSET:
        out["url"] = None if o.url is None else encode_ElicitationUrlCapabilities(o.url, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ElicitationCapabilities)
    return out


def decode_ElicitationContentValue(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _ElicitationContentValue_arms,
        "string or integer or number or boolean or array",
        False,
    )


def decode_ElicitationFormCapabilities(
    d: Any, issues: Issues, path: Path
) -> ElicitationFormCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ElicitationFormCapabilities)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ElicitationFormCapabilities, ())
    return o


def encode_ElicitationFormCapabilities(o: ElicitationFormCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ElicitationFormCapabilities)
    return out


def decode_ElicitationFormMode(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _ElicitationFormMode_arms,
        "exactly one of: object with sessionId or object with requestId",
        True,
    )


def encode_ElicitationFormMode(o: ElicitationFormMode, out: Json) -> Json:
    encode = find_class(o, _ElicitationFormMode_encoders, "ElicitationFormMode")
    return unshadowed(o, encode(o, out), decode_ElicitationFormMode, "ElicitationFormMode")


def decode_ElicitationId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_ElicitationPropertySchema(
    d: Any, issues: Issues, path: Path
) -> ElicitationPropertySchema:
    try:
        decode = _ElicitationPropertySchema[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownElicitationPropertySchema(tag, d)
    raise wrong_member(d, "type", path, "string")


def encode_ElicitationPropertySchema(o: ElicitationPropertySchema, out: Json) -> Json:
    encoders = _ElicitationPropertySchema_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "ElicitationPropertySchema")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownElicitationPropertySchema(
    o: UnknownElicitationPropertySchema, out: Json
) -> Json:
    return encode_unknown(o, out, "type", _ElicitationPropertySchema, None)


def decode_ElicitationRequestScope(d: Any, issues: Issues, path: Path) -> ElicitationRequestScope:
    try:
        value = d["requestId"]
    except (KeyError, TypeError):
        raise missing(d, "requestId", path, "integer or string or null") from None
    o = new(ElicitationRequestScope)
    o.request_id = decode_RequestId(value, issues, (path, "requestId"))
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _ElicitationRequestScope, ())
    return o


def encode_ElicitationRequestScope(o: ElicitationRequestScope, out: Json) -> Json:
    out["requestId"] = o.request_id
    if o.unknown_fields:
        add_unknown(out, o, _ElicitationRequestScope)
    return out


def decode_ElicitationSchema(d: Any, issues: Issues, path: Path) -> ElicitationSchema:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ElicitationSchema)
    o.type = UNSET
    o.title = UNSET
    o.properties = UNSET
    o.required = UNSET
    o.description = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("type", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.type = decode_ElicitationSchemaType(value, issues, (path, "type"))
            except DecodeError as error:
                o.type = default(issues, (path, "type"), value, error, "object")
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("properties", UNSET)) is not UNSET:
            rest -= 1
            o.properties = entries(
                value, issues, (path, "properties"), decode_ElicitationPropertySchema
            )
        if (value := d.get("required", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = items(value, issues, (path, "required"), string)
            o.required = value
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ElicitationSchema, ())
    return o


def encode_ElicitationSchema(o: ElicitationSchema, out: Json) -> Json:
    if o.type is not UNSET:
        out["type"] = o.type
    if o.title is not UNSET:
        out["title"] = o.title
    if o.properties is not UNSET:
        out["properties"] = {
            name: encode_ElicitationPropertySchema(item, {}) for name, item in o.properties.items()
        }
    if o.required is not UNSET:
        out["required"] = o.required
    if o.description is not UNSET:
        out["description"] = o.description
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ElicitationSchema)
    return out


def decode_ElicitationSchemaType(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(value, issues, path, ("object",), "object", False)


def decode_ElicitationSessionScope(d: Any, issues: Issues, path: Path) -> ElicitationSessionScope:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(ElicitationSessionScope)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.tool_call_id = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("toolCallId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "toolCallId", path, "string or null", UNSET)
            o.tool_call_id = value
        if rest:
            o.unknown_fields = unknown(d, _ElicitationSessionScope, ())
    return o


def encode_ElicitationSessionScope(o: ElicitationSessionScope, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.tool_call_id is not UNSET:
        out["toolCallId"] = o.tool_call_id
    if o.unknown_fields:
        add_unknown(out, o, _ElicitationSessionScope)
    return out


def decode_ElicitationUrlCapabilities(
    d: Any, issues: Issues, path: Path
) -> ElicitationUrlCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ElicitationUrlCapabilities)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ElicitationUrlCapabilities, ())
    return o


def encode_ElicitationUrlCapabilities(o: ElicitationUrlCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ElicitationUrlCapabilities)
    return out


def decode_ElicitationUrlMode(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _ElicitationUrlMode_arms,
        "exactly one of: object with sessionId or object with requestId",
        True,
    )


def encode_ElicitationUrlMode(o: ElicitationUrlMode, out: Json) -> Json:
    encode = find_class(o, _ElicitationUrlMode_encoders, "ElicitationUrlMode")
    return unshadowed(o, encode(o, out), decode_ElicitationUrlMode, "ElicitationUrlMode")


def decode_EmbeddedResource(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> EmbeddedResource:
    try:
        value = d["resource"]
    except (KeyError, TypeError):
        raise missing(
            d, "resource", path, "object with text and uri or object with blob and uri"
        ) from None
    o = new(EmbeddedResource)
    o.resource = decode_EmbeddedResourceResource(value, issues, (path, "resource"))
    o.annotations = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("annotations", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Annotations(value, issues, (path, "annotations"))
                except DecodeError as error:
                    value = default(issues, (path, "annotations"), value, error, UNSET)
            o.annotations = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _EmbeddedResource, tags)
    return o


def encode_EmbeddedResource(o: EmbeddedResource, out: Json) -> Json:
    out["resource"] = encode_EmbeddedResourceResource(o.resource, {})
    if o.annotations is not UNSET:
        out["annotations"] = (
            None if o.annotations is None else encode_Annotations(o.annotations, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _EmbeddedResource)
    return out


def decode_EmbeddedResourceResource(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _EmbeddedResourceResource_arms,
        "object with text and uri or object with blob and uri",
        False,
    )


def encode_EmbeddedResourceResource(o: EmbeddedResourceResource, out: Json) -> Json:
    encode = find_class(o, _EmbeddedResourceResource_encoders, "EmbeddedResourceResource")
    return unshadowed(
        o, encode(o, out), decode_EmbeddedResourceResource, "EmbeddedResourceResource"
    )


def decode_EnumOption(d: Any, issues: Issues, path: Path) -> EnumOption:
    try:
        value = d["const"]
    except (KeyError, TypeError):
        raise missing(d, "const", path, "string") from None
    o = new(EnumOption)
    if type(value) is not str:
        raise wrong_member(d, "const", path, "string")
    o.const = value
    value = d.get("title")
    if type(value) is not str:
        raise wrong_member(d, "title", path, "string")
    o.title = value
    o.description = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _EnumOption, ())
    return o


def encode_EnumOption(o: EnumOption, out: Json) -> Json:
    out["const"] = o.const
    out["title"] = o.title
    if o.description is not UNSET:
        out["description"] = o.description
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _EnumOption)
    return out


def decode_EnvVariable(d: Any, issues: Issues, path: Path) -> EnvVariable:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(EnvVariable)
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("value")
    if type(value) is not str:
        raise wrong_member(d, "value", path, "string")
    o.value = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _EnvVariable, ())
    return o


def encode_EnvVariable(o: EnvVariable, out: Json) -> Json:
    out["name"] = o.name
    out["value"] = o.value
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _EnvVariable)
    return out


def decode_Error(d: Any, issues: Issues, path: Path) -> Error:
    try:
        value = d["code"]
    except (KeyError, TypeError):
        raise missing(d, "code", path, "integer") from None
    o = new(Error)
    o.code = decode_ErrorCode(value, issues, (path, "code"))
    value = d.get("message")
    if type(value) is not str:
        raise wrong_member(d, "message", path, "string")
    o.message = value
    o.data = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("data", UNSET)) is not UNSET:
            rest -= 1
            o.data = value
        if rest:
            o.unknown_fields = unknown(d, _Error, ())
    return o


def encode_Error(o: Error, out: Json) -> Json:
    out["code"] = o.code
    out["message"] = o.message
    if o.data is not UNSET:
        out["data"] = o.data
    if o.unknown_fields:
        add_unknown(out, o, _Error)
    return out


def decode_ErrorCode(value: Any, issues: Issues, path: Path) -> Any:
    return integer(value, issues, path, minimum=-2147483648, maximum=2147483647)


def decode_ExtNotification(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_ExtRequest(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_ExtResponse(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_FileSystemCapabilities(d: Any, issues: Issues, path: Path) -> FileSystemCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(FileSystemCapabilities)
    o.read_text_file = UNSET
    o.write_text_file = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("readTextFile", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "readTextFile", path, "boolean", False)
            o.read_text_file = value
        if (value := d.get("writeTextFile", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "writeTextFile", path, "boolean", False)
            o.write_text_file = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _FileSystemCapabilities, ())
    return o


def encode_FileSystemCapabilities(o: FileSystemCapabilities, out: Json) -> Json:
    if o.read_text_file is not UNSET:
        out["readTextFile"] = o.read_text_file
    if o.write_text_file is not UNSET:
        out["writeTextFile"] = o.write_text_file
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _FileSystemCapabilities)
    return out


def decode_FormCreateElicitationRequest(
    value: Any, issues: Issues, path: Path, tags: Tags = ()
) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _FormCreateElicitationRequest_arms,
        "exactly one of: object with sessionId or object with requestId",
        True,
        tags,
    )


def encode_FormCreateElicitationRequest(o: FormCreateElicitationRequest, out: Json) -> Json:
    encode = find_class(o, _FormCreateElicitationRequest_encoders, "FormCreateElicitationRequest")
    return unshadowed(
        o, encode(o, out), decode_FormCreateElicitationRequest, "FormCreateElicitationRequest"
    )


def decode_HttpHeader(d: Any, issues: Issues, path: Path) -> HttpHeader:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(HttpHeader)
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("value")
    if type(value) is not str:
        raise wrong_member(d, "value", path, "string")
    o.value = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _HttpHeader, ())
    return o


def encode_HttpHeader(o: HttpHeader, out: Json) -> Json:
    out["name"] = o.name
    out["value"] = o.value
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _HttpHeader)
    return out


def decode_ImageContent(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> ImageContent:
    try:
        value = d["data"]
    except (KeyError, TypeError):
        raise missing(d, "data", path, "string") from None
    o = new(ImageContent)
    if type(value) is not str:
        raise wrong_member(d, "data", path, "string")
    o.data = value
    value = d.get("mimeType")
    if type(value) is not str:
        raise wrong_member(d, "mimeType", path, "string")
    o.mime_type = value
    o.annotations = UNSET
    o.uri = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("annotations", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Annotations(value, issues, (path, "annotations"))
                except DecodeError as error:
                    value = default(issues, (path, "annotations"), value, error, UNSET)
            o.annotations = value
        if (value := d.get("uri", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "uri", path, "string or null", UNSET)
            o.uri = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ImageContent, tags)
    return o


def encode_ImageContent(o: ImageContent, out: Json) -> Json:
    out["data"] = o.data
    out["mimeType"] = o.mime_type
    if o.annotations is not UNSET:
        out["annotations"] = (
            None if o.annotations is None else encode_Annotations(o.annotations, {})
        )
    if o.uri is not UNSET:
        out["uri"] = o.uri
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ImageContent)
    return out


def decode_Implementation(d: Any, issues: Issues, path: Path) -> Implementation:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(Implementation)
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("version")
    if type(value) is not str:
        raise wrong_member(d, "version", path, "string")
    o.version = value
    o.title = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Implementation, ())
    return o


def encode_Implementation(o: Implementation, out: Json) -> Json:
    out["name"] = o.name
    out["version"] = o.version
    if o.title is not UNSET:
        out["title"] = o.title
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Implementation)
    return out


def decode_InitializeRequest(d: Any, issues: Issues, path: Path) -> InitializeRequest:
    try:
        value = d["protocolVersion"]
    except (KeyError, TypeError):
        raise missing(d, "protocolVersion", path, "integer") from None
    o = new(InitializeRequest)
    o.protocol_version = decode_ProtocolVersion(value, issues, (path, "protocolVersion"))
    o.client_capabilities = UNSET
    o.client_info = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("clientCapabilities", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.client_capabilities = decode_ClientCapabilities(
                    value, issues, (path, "clientCapabilities")
                )
            except DecodeError as error:
                o.client_capabilities = default(
                    issues,
                    (path, "clientCapabilities"),
                    value,
                    error,
                    decode_ClientCapabilities(
                        {
                            "fs": {"readTextFile": False, "writeTextFile": False},
                            "terminal": False,
                            "auth": {"terminal": False},
                        },
                        None,
                        (),
                    ),
                )
        if (value := d.get("clientInfo", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Implementation(value, issues, (path, "clientInfo"))
                except DecodeError as error:
                    value = default(issues, (path, "clientInfo"), value, error, UNSET)
            o.client_info = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _InitializeRequest, ())
    return o


def encode_InitializeRequest(o: InitializeRequest, out: Json) -> Json:
    out["protocolVersion"] = o.protocol_version
    if o.client_capabilities is not UNSET:
        out["clientCapabilities"] = encode_ClientCapabilities(o.client_capabilities, {})
    if o.client_info is not UNSET:
        out["clientInfo"] = (
            None if o.client_info is None else encode_Implementation(o.client_info, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _InitializeRequest)
    return out


def decode_InitializeResponse(d: Any, issues: Issues, path: Path) -> InitializeResponse:
    try:
        value = d["protocolVersion"]
    except (KeyError, TypeError):
        raise missing(d, "protocolVersion", path, "integer") from None
    o = new(InitializeResponse)
    o.protocol_version = decode_ProtocolVersion(value, issues, (path, "protocolVersion"))
    o.agent_capabilities = UNSET
    o.auth_methods = UNSET
    o.agent_info = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("agentCapabilities", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.agent_capabilities = decode_AgentCapabilities(
                    value, issues, (path, "agentCapabilities")
                )
            except DecodeError as error:
                o.agent_capabilities = default(
                    issues,
                    (path, "agentCapabilities"),
                    value,
                    error,
                    decode_AgentCapabilities(
                        {
                            "loadSession": False,
                            "promptCapabilities": {
                                "image": False,
                                "audio": False,
                                "embeddedContext": False,
                            },
                            "mcpCapabilities": {"http": False, "sse": False},
                            "sessionCapabilities": {},
                            "auth": {},
                        },
                        None,
                        (),
                    ),
                )
        if (value := d.get("authMethods", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.auth_methods = valid_items(
                    value, issues, (path, "authMethods"), decode_AuthMethod
                )
            except DecodeError as error:
                o.auth_methods = default(issues, (path, "authMethods"), value, error, [])
        if (value := d.get("agentInfo", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Implementation(value, issues, (path, "agentInfo"))
                except DecodeError as error:
                    value = default(issues, (path, "agentInfo"), value, error, UNSET)
            o.agent_info = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _InitializeResponse, ())
    return o


def encode_InitializeResponse(o: InitializeResponse, out: Json) -> Json:
    out["protocolVersion"] = o.protocol_version
    if o.agent_capabilities is not UNSET:
        out["agentCapabilities"] = encode_AgentCapabilities(o.agent_capabilities, {})
    if o.auth_methods is not UNSET:
        out["authMethods"] = [encode_AuthMethod(item, {}) for item in o.auth_methods]
    if o.agent_info is not UNSET:
        out["agentInfo"] = None if o.agent_info is None else encode_Implementation(o.agent_info, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _InitializeResponse)
    return out


def decode_IntegerPropertySchema(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> IntegerPropertySchema:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(IntegerPropertySchema)
    o.title = UNSET
    o.description = UNSET
    o.minimum = UNSET
    o.maximum = UNSET
    o.default = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("minimum", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = integer(
                    value,
                    issues,
                    (path, "minimum"),
                    minimum=-9223372036854775808,
                    maximum=9223372036854775807,
                )
            o.minimum = value
        if (value := d.get("maximum", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = integer(
                    value,
                    issues,
                    (path, "maximum"),
                    minimum=-9223372036854775808,
                    maximum=9223372036854775807,
                )
            o.maximum = value
        if (value := d.get("default", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = integer(
                        value,
                        issues,
                        (path, "default"),
                        minimum=-9223372036854775808,
                        maximum=9223372036854775807,
                    )
                except DecodeError as error:
                    value = default(issues, (path, "default"), value, error, UNSET)
            o.default = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _IntegerPropertySchema, tags)
    return o


def encode_IntegerPropertySchema(o: IntegerPropertySchema, out: Json) -> Json:
    if o.title is not UNSET:
        out["title"] = o.title
    if o.description is not UNSET:
        out["description"] = o.description
    if o.minimum is not UNSET:
        out["minimum"] = o.minimum
    if o.maximum is not UNSET:
        out["maximum"] = o.maximum
    if o.default is not UNSET:
        out["default"] = o.default
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _IntegerPropertySchema)
    return out


def decode_KillTerminalRequest(d: Any, issues: Issues, path: Path) -> KillTerminalRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(KillTerminalRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("terminalId")
    if type(value) is not str:
        raise wrong_member(d, "terminalId", path, "string")
    o.terminal_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _KillTerminalRequest, ())
    return o


def encode_KillTerminalRequest(o: KillTerminalRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["terminalId"] = o.terminal_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _KillTerminalRequest)
    return out


def decode_KillTerminalResponse(d: Any, issues: Issues, path: Path) -> KillTerminalResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(KillTerminalResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _KillTerminalResponse, ())
    return o


def encode_KillTerminalResponse(o: KillTerminalResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _KillTerminalResponse)
    return out


def decode_ListSessionsRequest(d: Any, issues: Issues, path: Path) -> ListSessionsRequest:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ListSessionsRequest)
    o.cwd = UNSET
    o.cursor = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("cwd", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                raise wrong_member(d, "cwd", path, "string or null")
            o.cwd = value
        if (value := d.get("cursor", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                raise wrong_member(d, "cursor", path, "string or null")
            o.cursor = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ListSessionsRequest, ())
    return o


def encode_ListSessionsRequest(o: ListSessionsRequest, out: Json) -> Json:
    if o.cwd is not UNSET:
        out["cwd"] = o.cwd
    if o.cursor is not UNSET:
        out["cursor"] = o.cursor
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ListSessionsRequest)
    return out


def decode_ListSessionsResponse(d: Any, issues: Issues, path: Path) -> ListSessionsResponse:
    try:
        value = d["sessions"]
    except (KeyError, TypeError):
        raise missing(d, "sessions", path, "array") from None
    o = new(ListSessionsResponse)
    try:
        o.sessions = valid_items(value, issues, (path, "sessions"), decode_SessionInfo)
    except DecodeError as error:
        o.sessions = default(issues, (path, "sessions"), value, error, [])
    o.next_cursor = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("nextCursor", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "nextCursor", path, "string or null", UNSET)
            o.next_cursor = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ListSessionsResponse, ())
    return o


def encode_ListSessionsResponse(o: ListSessionsResponse, out: Json) -> Json:
    out["sessions"] = [encode_SessionInfo(item, {}) for item in o.sessions]
    if o.next_cursor is not UNSET:
        out["nextCursor"] = o.next_cursor
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ListSessionsResponse)
    return out


def decode_LoadSessionRequest(d: Any, issues: Issues, path: Path) -> LoadSessionRequest:
    try:
        value = d["mcpServers"]
    except (KeyError, TypeError):
        raise missing(d, "mcpServers", path, "array") from None
    o = new(LoadSessionRequest)
    if value is None:
        value = default_member(issues, d, "mcpServers", path, "array", [])
    else:
        value = items(value, issues, (path, "mcpServers"), decode_McpServer)
    o.mcp_servers = value
    value = d.get("cwd")
    if type(value) is not str:
        raise wrong_member(d, "cwd", path, "string")
    o.cwd = value
    value = d.get("sessionId")
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.additional_directories = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "additionalDirectories", path, "array", [])
            else:
                value = items(value, issues, (path, "additionalDirectories"), string)
            o.additional_directories = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _LoadSessionRequest, ())
    return o


def encode_LoadSessionRequest(o: LoadSessionRequest, out: Json) -> Json:
    out["mcpServers"] = [encode_McpServer(item, {}) for item in o.mcp_servers]
    out["cwd"] = o.cwd
    out["sessionId"] = o.session_id
    if o.additional_directories is not UNSET:
        out["additionalDirectories"] = o.additional_directories
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LoadSessionRequest)
    return out


def decode_LoadSessionResponse(d: Any, issues: Issues, path: Path) -> LoadSessionResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(LoadSessionResponse)
    o.modes = UNSET
    o.config_options = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("modes", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionModeState(value, issues, (path, "modes"))
                except DecodeError as error:
                    value = default(issues, (path, "modes"), value, error, UNSET)
            o.modes = value
        if (value := d.get("configOptions", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(
                        value, issues, (path, "configOptions"), decode_SessionConfigOption
                    )
                except DecodeError as error:
                    value = default(issues, (path, "configOptions"), value, error, UNSET)
            o.config_options = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _LoadSessionResponse, ())
    return o


def encode_LoadSessionResponse(o: LoadSessionResponse, out: Json) -> Json:
    if o.modes is not UNSET:
        out["modes"] = None if o.modes is None else encode_SessionModeState(o.modes, {})
    if o.config_options is not UNSET:
        out["configOptions"] = (
            None
            if o.config_options is None
            else [encode_SessionConfigOption(item, {}) for item in o.config_options]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LoadSessionResponse)
    return out


def decode_LogoutCapabilities(d: Any, issues: Issues, path: Path) -> LogoutCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(LogoutCapabilities)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _LogoutCapabilities, ())
    return o


def encode_LogoutCapabilities(o: LogoutCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LogoutCapabilities)
    return out


def decode_LogoutRequest(d: Any, issues: Issues, path: Path) -> LogoutRequest:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(LogoutRequest)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _LogoutRequest, ())
    return o


def encode_LogoutRequest(o: LogoutRequest, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LogoutRequest)
    return out


def decode_LogoutResponse(d: Any, issues: Issues, path: Path) -> LogoutResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(LogoutResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _LogoutResponse, ())
    return o


def encode_LogoutResponse(o: LogoutResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LogoutResponse)
    return out


def decode_McpCapabilities(d: Any, issues: Issues, path: Path) -> McpCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(McpCapabilities)
    o.http = UNSET
    o.sse = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("http", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "http", path, "boolean", False)
            o.http = value
        if (value := d.get("sse", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "sse", path, "boolean", False)
            o.sse = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _McpCapabilities, ())
    return o


def encode_McpCapabilities(o: McpCapabilities, out: Json) -> Json:
    if o.http is not UNSET:
        out["http"] = o.http
    if o.sse is not UNSET:
        out["sse"] = o.sse
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpCapabilities)
    return out


def decode_McpServer(d: Any, issues: Issues, path: Path) -> McpServer:
    try:
        decode = _McpServer[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    return decode_McpServerStdio(d, issues, path)


def encode_McpServer(o: McpServer, out: Json) -> Json:
    encoders = _McpServer_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "McpServer")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_McpServer_default(o: Any, out: Json) -> Json:
    encode_McpServerStdio(o, out)
    return refuse_tag(out, "type", _McpServer, False, "McpServer")


def decode_McpServerHttp(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> McpServerHttp:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(McpServerHttp)
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("url")
    if type(value) is not str:
        raise wrong_member(d, "url", path, "string")
    o.url = value
    if (value := d.get("headers", UNSET)) is UNSET:
        raise wrong_member(d, "headers", path, "array")
    if value is None:
        value = default_member(issues, d, "headers", path, "array", [])
    else:
        value = items(value, issues, (path, "headers"), decode_HttpHeader)
    o.headers = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _McpServerHttp, tags)
    return o


def encode_McpServerHttp(o: McpServerHttp, out: Json) -> Json:
    out["name"] = o.name
    out["url"] = o.url
    out["headers"] = [encode_HttpHeader(item, {}) for item in o.headers]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpServerHttp)
    return out


def decode_McpServerSse(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> McpServerSse:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(McpServerSse)
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("url")
    if type(value) is not str:
        raise wrong_member(d, "url", path, "string")
    o.url = value
    if (value := d.get("headers", UNSET)) is UNSET:
        raise wrong_member(d, "headers", path, "array")
    if value is None:
        value = default_member(issues, d, "headers", path, "array", [])
    else:
        value = items(value, issues, (path, "headers"), decode_HttpHeader)
    o.headers = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _McpServerSse, tags)
    return o


def encode_McpServerSse(o: McpServerSse, out: Json) -> Json:
    out["name"] = o.name
    out["url"] = o.url
    out["headers"] = [encode_HttpHeader(item, {}) for item in o.headers]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpServerSse)
    return out


def decode_McpServerStdio(d: Any, issues: Issues, path: Path) -> McpServerStdio:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(McpServerStdio)
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("command")
    if type(value) is not str:
        raise wrong_member(d, "command", path, "string")
    o.command = value
    if (value := d.get("args", UNSET)) is UNSET:
        raise wrong_member(d, "args", path, "array")
    if value is None:
        value = default_member(issues, d, "args", path, "array", [])
    else:
        value = items(value, issues, (path, "args"), string)
    o.args = value
    if (value := d.get("env", UNSET)) is UNSET:
        raise wrong_member(d, "env", path, "array")
    if value is None:
        value = default_member(issues, d, "env", path, "array", [])
    else:
        value = items(value, issues, (path, "env"), decode_EnvVariable)
    o.env = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 4
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _McpServerStdio, ())
    return o


def encode_McpServerStdio(o: McpServerStdio, out: Json) -> Json:
    out["name"] = o.name
    out["command"] = o.command
    out["args"] = o.args
    out["env"] = [encode_EnvVariable(item, {}) for item in o.env]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpServerStdio)
    return out


def decode_MessageId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_MultiSelectItems(d: Any, issues: Issues, path: Path) -> MultiSelectItems:
    try:
        decode = _MultiSelectItems[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownMultiSelectItems(tag, d)
    return decode_TitledMultiSelectItems(d, issues, path)


def encode_MultiSelectItems(o: MultiSelectItems, out: Json) -> Json:
    encoders = _MultiSelectItems_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "MultiSelectItems")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_MultiSelectItems_default(o: Any, out: Json) -> Json:
    encode_TitledMultiSelectItems(o, out)
    return refuse_tag(out, "type", _MultiSelectItems, True, "MultiSelectItems")


def _encode_UnknownMultiSelectItems(o: UnknownMultiSelectItems, out: Json) -> Json:
    return encode_unknown(o, out, "type", _MultiSelectItems, None)


def decode_MultiSelectPropertySchema(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> MultiSelectPropertySchema:
    try:
        value = d["items"]
    except (KeyError, TypeError):
        raise missing(d, "items", path, "object") from None
    o = new(MultiSelectPropertySchema)
    o.items = decode_MultiSelectItems(value, issues, (path, "items"))
    o.title = UNSET
    o.description = UNSET
    o.min_items = UNSET
    o.max_items = UNSET
    o.default = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("minItems", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = integer(
                    value, issues, (path, "minItems"), minimum=0, maximum=18446744073709551615
                )
            o.min_items = value
        if (value := d.get("maxItems", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = integer(
                    value, issues, (path, "maxItems"), minimum=0, maximum=18446744073709551615
                )
            o.max_items = value
        if (value := d.get("default", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "default"), string)
                except DecodeError as error:
                    value = default(issues, (path, "default"), value, error, UNSET)
            o.default = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _MultiSelectPropertySchema, tags)
    return o


def encode_MultiSelectPropertySchema(o: MultiSelectPropertySchema, out: Json) -> Json:
    out["items"] = encode_MultiSelectItems(o.items, {})
    if o.title is not UNSET:
        out["title"] = o.title
    if o.description is not UNSET:
        out["description"] = o.description
    if o.min_items is not UNSET:
        out["minItems"] = o.min_items
    if o.max_items is not UNSET:
        out["maxItems"] = o.max_items
    if o.default is not UNSET:
        out["default"] = o.default
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _MultiSelectPropertySchema)
    return out


def decode_NewSessionRequest(d: Any, issues: Issues, path: Path) -> NewSessionRequest:
    try:
        value = d["cwd"]
    except (KeyError, TypeError):
        raise missing(d, "cwd", path, "string") from None
    o = new(NewSessionRequest)
    if type(value) is not str:
        raise wrong_member(d, "cwd", path, "string")
    o.cwd = value
    if (value := d.get("mcpServers", UNSET)) is UNSET:
        raise wrong_member(d, "mcpServers", path, "array")
    if value is None:
        value = default_member(issues, d, "mcpServers", path, "array", [])
    else:
        value = items(value, issues, (path, "mcpServers"), decode_McpServer)
    o.mcp_servers = value
    o.additional_directories = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "additionalDirectories", path, "array", [])
            else:
                value = items(value, issues, (path, "additionalDirectories"), string)
            o.additional_directories = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _NewSessionRequest, ())
    return o


def encode_NewSessionRequest(o: NewSessionRequest, out: Json) -> Json:
    out["cwd"] = o.cwd
    out["mcpServers"] = [encode_McpServer(item, {}) for item in o.mcp_servers]
    if o.additional_directories is not UNSET:
        out["additionalDirectories"] = o.additional_directories
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _NewSessionRequest)
    return out


def decode_NewSessionResponse(d: Any, issues: Issues, path: Path) -> NewSessionResponse:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(NewSessionResponse)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.modes = UNSET
    o.config_options = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("modes", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionModeState(value, issues, (path, "modes"))
                except DecodeError as error:
                    value = default(issues, (path, "modes"), value, error, UNSET)
            o.modes = value
        if (value := d.get("configOptions", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(
                        value, issues, (path, "configOptions"), decode_SessionConfigOption
                    )
                except DecodeError as error:
                    value = default(issues, (path, "configOptions"), value, error, UNSET)
            o.config_options = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _NewSessionResponse, ())
    return o


def encode_NewSessionResponse(o: NewSessionResponse, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.modes is not UNSET:
        out["modes"] = None if o.modes is None else encode_SessionModeState(o.modes, {})
    if o.config_options is not UNSET:
        out["configOptions"] = (
            None
            if o.config_options is None
            else [encode_SessionConfigOption(item, {}) for item in o.config_options]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _NewSessionResponse)
    return out


def decode_Notice(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> Notice:
    try:
        value = d["severity"]
    except (KeyError, TypeError):
        raise missing(d, "severity", path, "string") from None
    o = new(Notice)
    o.severity = decode_NoticeSeverity(value, issues, (path, "severity"))
    if (value := d.get("title", UNSET)) is UNSET:
        raise wrong_member(d, "title", path, "string")
    o.title = string(value, issues, (path, "title"), min_length=1)
    o.description = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Notice, tags)
    return o


def encode_Notice(o: Notice, out: Json) -> Json:
    out["severity"] = o.severity
    out["title"] = o.title
    if o.description is not UNSET:
        out["description"] = o.description
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Notice)
    return out


def decode_NoticeCapabilities(d: Any, issues: Issues, path: Path) -> NoticeCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(NoticeCapabilities)
    o.unknown_fields = None
    rest = len(d)
    if rest:
        o.unknown_fields = unknown(d, _NoticeCapabilities, ())
    return o


def encode_NoticeCapabilities(o: NoticeCapabilities, out: Json) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _NoticeCapabilities)
    return out


def decode_NoticeSeverity(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_NumberPropertySchema(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> NumberPropertySchema:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(NumberPropertySchema)
    o.title = UNSET
    o.description = UNSET
    o.minimum = UNSET
    o.maximum = UNSET
    o.default = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("minimum", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = number(value, issues, (path, "minimum"))
            o.minimum = value
        if (value := d.get("maximum", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = number(value, issues, (path, "maximum"))
            o.maximum = value
        if (value := d.get("default", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = number(value, issues, (path, "default"))
                except DecodeError as error:
                    value = default(issues, (path, "default"), value, error, UNSET)
            o.default = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _NumberPropertySchema, tags)
    return o


def encode_NumberPropertySchema(o: NumberPropertySchema, out: Json) -> Json:
    if o.title is not UNSET:
        out["title"] = o.title
    if o.description is not UNSET:
        out["description"] = o.description
    if o.minimum is not UNSET:
        out["minimum"] = o.minimum
    if o.maximum is not UNSET:
        out["maximum"] = o.maximum
    if o.default is not UNSET:
        out["default"] = o.default
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _NumberPropertySchema)
    return out


def decode_PermissionOption(d: Any, issues: Issues, path: Path) -> PermissionOption:
    try:
        value = d["optionId"]
    except (KeyError, TypeError):
        raise missing(d, "optionId", path, "string") from None
    o = new(PermissionOption)
    if type(value) is not str:
        raise wrong_member(d, "optionId", path, "string")
    o.option_id = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    if (value := d.get("kind", UNSET)) is UNSET:
        raise wrong_member(
            d, "kind", path, "one of allow_once, allow_always, reject_once, reject_always"
        )
    o.kind = decode_PermissionOptionKind(value, issues, (path, "kind"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _PermissionOption, ())
    return o


def encode_PermissionOption(o: PermissionOption, out: Json) -> Json:
    out["optionId"] = o.option_id
    out["name"] = o.name
    out["kind"] = o.kind
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PermissionOption)
    return out


def decode_PermissionOptionId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_PermissionOptionKind(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(
        value,
        issues,
        path,
        ("allow_once", "allow_always", "reject_once", "reject_always"),
        "one of allow_once, allow_always, reject_once, reject_always",
        False,
    )


def decode_Plan(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> Plan:
    try:
        value = d["entries"]
    except (KeyError, TypeError):
        raise missing(d, "entries", path, "array") from None
    o = new(Plan)
    try:
        o.entries = valid_items(value, issues, (path, "entries"), decode_PlanEntry)
    except DecodeError as error:
        o.entries = default(issues, (path, "entries"), value, error, [])
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Plan, tags)
    return o


def encode_Plan(o: Plan, out: Json) -> Json:
    out["entries"] = [encode_PlanEntry(item, {}) for item in o.entries]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Plan)
    return out


def decode_PlanEntry(d: Any, issues: Issues, path: Path) -> PlanEntry:
    try:
        value = d["content"]
    except (KeyError, TypeError):
        raise missing(d, "content", path, "string") from None
    o = new(PlanEntry)
    if type(value) is not str:
        raise wrong_member(d, "content", path, "string")
    o.content = value
    if (value := d.get("priority", UNSET)) is UNSET:
        raise wrong_member(d, "priority", path, "one of high, medium, low")
    o.priority = decode_PlanEntryPriority(value, issues, (path, "priority"))
    if (value := d.get("status", UNSET)) is UNSET:
        raise wrong_member(d, "status", path, "one of pending, in_progress, completed")
    o.status = decode_PlanEntryStatus(value, issues, (path, "status"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _PlanEntry, ())
    return o


def encode_PlanEntry(o: PlanEntry, out: Json) -> Json:
    out["content"] = o.content
    out["priority"] = o.priority
    out["status"] = o.status
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PlanEntry)
    return out


def decode_PlanEntryPriority(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(
        value, issues, path, ("high", "medium", "low"), "one of high, medium, low", True
    )


def decode_PlanEntryStatus(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(
        value,
        issues,
        path,
        ("pending", "in_progress", "completed"),
        "one of pending, in_progress, completed",
        True,
    )


def decode_PromptCapabilities(d: Any, issues: Issues, path: Path) -> PromptCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(PromptCapabilities)
    o.image = UNSET
    o.audio = UNSET
    o.embedded_context = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("image", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "image", path, "boolean", False)
            o.image = value
        if (value := d.get("audio", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "audio", path, "boolean", False)
            o.audio = value
        if (value := d.get("embeddedContext", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                value = default_member(issues, d, "embeddedContext", path, "boolean", False)
            o.embedded_context = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _PromptCapabilities, ())
    return o


def encode_PromptCapabilities(o: PromptCapabilities, out: Json) -> Json:
    if o.image is not UNSET:
        out["image"] = o.image
    if o.audio is not UNSET:
        out["audio"] = o.audio
    if o.embedded_context is not UNSET:
        out["embeddedContext"] = o.embedded_context
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PromptCapabilities)
    return out


def decode_PromptRequest(d: Any, issues: Issues, path: Path) -> PromptRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(PromptRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    if (value := d.get("prompt", UNSET)) is UNSET:
        raise wrong_member(d, "prompt", path, "array")
    o.prompt = items(value, issues, (path, "prompt"), decode_ContentBlock)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _PromptRequest, ())
    return o


def encode_PromptRequest(o: PromptRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["prompt"] = [encode_ContentBlock(item, {}) for item in o.prompt]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PromptRequest)
    return out


def decode_PromptResponse(d: Any, issues: Issues, path: Path) -> PromptResponse:
    try:
        value = d["stopReason"]
    except (KeyError, TypeError):
        raise missing(
            d,
            "stopReason",
            path,
            "one of end_turn, max_tokens, max_turn_requests, refusal, cancelled",
        ) from None
    o = new(PromptResponse)
    o.stop_reason = decode_StopReason(value, issues, (path, "stopReason"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _PromptResponse, ())
    return o


def encode_PromptResponse(o: PromptResponse, out: Json) -> Json:
    out["stopReason"] = o.stop_reason
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PromptResponse)
    return out


def decode_ProtocolVersion(value: Any, issues: Issues, path: Path) -> Any:
    return integer(value, issues, path, minimum=0, maximum=65535)


def decode_ReadTextFileRequest(d: Any, issues: Issues, path: Path) -> ReadTextFileRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(ReadTextFileRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("path")
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    o.line = UNSET
    o.limit = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("line", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = integer(value, issues, (path, "line"), minimum=0, maximum=4294967295)
            o.line = value
        if (value := d.get("limit", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = integer(value, issues, (path, "limit"), minimum=0, maximum=4294967295)
            o.limit = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ReadTextFileRequest, ())
    return o


def encode_ReadTextFileRequest(o: ReadTextFileRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["path"] = o.path
    if o.line is not UNSET:
        out["line"] = o.line
    if o.limit is not UNSET:
        out["limit"] = o.limit
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ReadTextFileRequest)
    return out


def decode_ReadTextFileResponse(d: Any, issues: Issues, path: Path) -> ReadTextFileResponse:
    try:
        value = d["content"]
    except (KeyError, TypeError):
        raise missing(d, "content", path, "string") from None
    o = new(ReadTextFileResponse)
    if type(value) is not str:
        raise wrong_member(d, "content", path, "string")
    o.content = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ReadTextFileResponse, ())
    return o


def encode_ReadTextFileResponse(o: ReadTextFileResponse, out: Json) -> Json:
    out["content"] = o.content
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ReadTextFileResponse)
    return out


def decode_ReleaseTerminalRequest(d: Any, issues: Issues, path: Path) -> ReleaseTerminalRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(ReleaseTerminalRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("terminalId")
    if type(value) is not str:
        raise wrong_member(d, "terminalId", path, "string")
    o.terminal_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ReleaseTerminalRequest, ())
    return o


def encode_ReleaseTerminalRequest(o: ReleaseTerminalRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["terminalId"] = o.terminal_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ReleaseTerminalRequest)
    return out


def decode_ReleaseTerminalResponse(d: Any, issues: Issues, path: Path) -> ReleaseTerminalResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ReleaseTerminalResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ReleaseTerminalResponse, ())
    return o


def encode_ReleaseTerminalResponse(o: ReleaseTerminalResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ReleaseTerminalResponse)
    return out


def decode_RequestElicitationFormMode(
    d: Any, issues: Issues, path: Path
) -> RequestElicitationFormMode:
    try:
        value = d["requestedSchema"]
    except (KeyError, TypeError):
        raise missing(d, "requestedSchema", path, "object") from None
    o = new(RequestElicitationFormMode)
    o.requested_schema = decode_ElicitationSchema(value, issues, (path, "requestedSchema"))
    if (value := d.get("requestId", UNSET)) is UNSET:
        raise wrong_member(d, "requestId", path, "integer or string or null")
    o.request_id = decode_RequestId(value, issues, (path, "requestId"))
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        o.unknown_fields = unknown(d, _RequestElicitationFormMode, ())
    return o


def encode_RequestElicitationFormMode(o: RequestElicitationFormMode, out: Json) -> Json:
    out["requestedSchema"] = encode_ElicitationSchema(o.requested_schema, {})
    out["requestId"] = o.request_id
    if o.unknown_fields:
        add_unknown(out, o, _RequestElicitationFormMode)
    return out


def decode_RequestElicitationUrlMode(
    d: Any, issues: Issues, path: Path
) -> RequestElicitationUrlMode:
    try:
        value = d["elicitationId"]
    except (KeyError, TypeError):
        raise missing(d, "elicitationId", path, "string") from None
    o = new(RequestElicitationUrlMode)
    if type(value) is not str:
        raise wrong_member(d, "elicitationId", path, "string")
    o.elicitation_id = value
    value = d.get("url")
    if type(value) is not str:
        raise wrong_member(d, "url", path, "string")
    o.url = value
    if (value := d.get("requestId", UNSET)) is UNSET:
        raise wrong_member(d, "requestId", path, "integer or string or null")
    o.request_id = decode_RequestId(value, issues, (path, "requestId"))
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        o.unknown_fields = unknown(d, _RequestElicitationUrlMode, ())
    return o


def encode_RequestElicitationUrlMode(o: RequestElicitationUrlMode, out: Json) -> Json:
    out["elicitationId"] = o.elicitation_id
    out["url"] = o.url
    out["requestId"] = o.request_id
    if o.unknown_fields:
        add_unknown(out, o, _RequestElicitationUrlMode)
    return out


def decode_RequestFormCreateElicitationRequest(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> RequestFormCreateElicitationRequest:
    try:
        value = d["message"]
    except (KeyError, TypeError):
        raise missing(d, "message", path, "string") from None
    o = new(RequestFormCreateElicitationRequest)
    if type(value) is not str:
        raise wrong_member(d, "message", path, "string")
    o.message = value
    if (value := d.get("requestedSchema", UNSET)) is UNSET:
        raise wrong_member(d, "requestedSchema", path, "object")
    o.requested_schema = decode_ElicitationSchema(value, issues, (path, "requestedSchema"))
    if (value := d.get("requestId", UNSET)) is UNSET:
        raise wrong_member(d, "requestId", path, "integer or string or null")
    o.request_id = decode_RequestId(value, issues, (path, "requestId"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _RequestFormCreateElicitationRequest, tags)
    return o


def encode_RequestFormCreateElicitationRequest(
    o: RequestFormCreateElicitationRequest, out: Json
) -> Json:
    out["message"] = o.message
    out["requestedSchema"] = encode_ElicitationSchema(o.requested_schema, {})
    out["requestId"] = o.request_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _RequestFormCreateElicitationRequest)
    return out


def decode_RequestId(value: Any, issues: Issues, path: Path) -> Any:
    return (
        None
        if value is None
        else decode_untagged(
            value,
            issues,
            path,
            (
                Arm(
                    ("number",),
                    (),
                    partial(integer, minimum=-9223372036854775808, maximum=9223372036854775807),
                ),
                Arm(("string",), (), string),
            ),
            "integer or string",
            False,
        )
    )


def decode_RequestPermissionOutcome(d: Any, issues: Issues, path: Path) -> RequestPermissionOutcome:
    try:
        decode = _RequestPermissionOutcome[d["outcome"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("outcome",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    raise wrong_member(d, "outcome", path, "one of cancelled, selected")


def encode_RequestPermissionOutcome(o: RequestPermissionOutcome, out: Json) -> Json:
    encoders = _RequestPermissionOutcome_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "RequestPermissionOutcome")
    if tag is not None:
        out["outcome"] = tag
    return encode(o, out)


def decode_RequestPermissionRequest(d: Any, issues: Issues, path: Path) -> RequestPermissionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(RequestPermissionRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    if (value := d.get("toolCall", UNSET)) is UNSET:
        raise wrong_member(d, "toolCall", path, "object")
    o.tool_call = decode_ToolCallUpdate(value, issues, (path, "toolCall"))
    if (value := d.get("options", UNSET)) is UNSET:
        raise wrong_member(d, "options", path, "array")
    o.options = items(value, issues, (path, "options"), decode_PermissionOption)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _RequestPermissionRequest, ())
    return o


def encode_RequestPermissionRequest(o: RequestPermissionRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["toolCall"] = encode_ToolCallUpdate(o.tool_call, {})
    out["options"] = [encode_PermissionOption(item, {}) for item in o.options]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _RequestPermissionRequest)
    return out


def decode_RequestPermissionResponse(
    d: Any, issues: Issues, path: Path
) -> RequestPermissionResponse:
    try:
        value = d["outcome"]
    except (KeyError, TypeError):
        raise missing(d, "outcome", path, "object") from None
    o = new(RequestPermissionResponse)
    o.outcome = decode_RequestPermissionOutcome(value, issues, (path, "outcome"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _RequestPermissionResponse, ())
    return o


def encode_RequestPermissionResponse(o: RequestPermissionResponse, out: Json) -> Json:
    out["outcome"] = encode_RequestPermissionOutcome(o.outcome, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _RequestPermissionResponse)
    return out


def decode_RequestUrlCreateElicitationRequest(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> RequestUrlCreateElicitationRequest:
    try:
        value = d["message"]
    except (KeyError, TypeError):
        raise missing(d, "message", path, "string") from None
    o = new(RequestUrlCreateElicitationRequest)
    if type(value) is not str:
        raise wrong_member(d, "message", path, "string")
    o.message = value
    value = d.get("elicitationId")
    if type(value) is not str:
        raise wrong_member(d, "elicitationId", path, "string")
    o.elicitation_id = value
    value = d.get("url")
    if type(value) is not str:
        raise wrong_member(d, "url", path, "string")
    o.url = value
    if (value := d.get("requestId", UNSET)) is UNSET:
        raise wrong_member(d, "requestId", path, "integer or string or null")
    o.request_id = decode_RequestId(value, issues, (path, "requestId"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 4 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _RequestUrlCreateElicitationRequest, tags)
    return o


def encode_RequestUrlCreateElicitationRequest(
    o: RequestUrlCreateElicitationRequest, out: Json
) -> Json:
    out["message"] = o.message
    out["elicitationId"] = o.elicitation_id
    out["url"] = o.url
    out["requestId"] = o.request_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _RequestUrlCreateElicitationRequest)
    return out


def decode_ResourceLink(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> ResourceLink:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(ResourceLink)
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("uri")
    if type(value) is not str:
        raise wrong_member(d, "uri", path, "string")
    o.uri = value
    o.annotations = UNSET
    o.description = UNSET
    o.mime_type = UNSET
    o.size = UNSET
    o.title = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("annotations", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Annotations(value, issues, (path, "annotations"))
                except DecodeError as error:
                    value = default(issues, (path, "annotations"), value, error, UNSET)
            o.annotations = value
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("mimeType", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "mimeType", path, "string or null", UNSET)
            o.mime_type = value
        if (value := d.get("size", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = integer(
                        value,
                        issues,
                        (path, "size"),
                        minimum=-9223372036854775808,
                        maximum=9223372036854775807,
                    )
                except DecodeError as error:
                    value = default(issues, (path, "size"), value, error, UNSET)
            o.size = value
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ResourceLink, tags)
    return o


def encode_ResourceLink(o: ResourceLink, out: Json) -> Json:
    out["name"] = o.name
    out["uri"] = o.uri
    if o.annotations is not UNSET:
        out["annotations"] = (
            None if o.annotations is None else encode_Annotations(o.annotations, {})
        )
    if o.description is not UNSET:
        out["description"] = o.description
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.size is not UNSET:
        out["size"] = o.size
    if o.title is not UNSET:
        out["title"] = o.title
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ResourceLink)
    return out


def decode_ResumeSessionRequest(d: Any, issues: Issues, path: Path) -> ResumeSessionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(ResumeSessionRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("cwd")
    if type(value) is not str:
        raise wrong_member(d, "cwd", path, "string")
    o.cwd = value
    o.additional_directories = UNSET
    o.mcp_servers = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "additionalDirectories", path, "array", [])
            else:
                value = items(value, issues, (path, "additionalDirectories"), string)
            o.additional_directories = value
        if (value := d.get("mcpServers", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "mcpServers", path, "array", [])
            else:
                value = items(value, issues, (path, "mcpServers"), decode_McpServer)
            o.mcp_servers = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ResumeSessionRequest, ())
    return o


def encode_ResumeSessionRequest(o: ResumeSessionRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["cwd"] = o.cwd
    if o.additional_directories is not UNSET:
        out["additionalDirectories"] = o.additional_directories
    if o.mcp_servers is not UNSET:
        out["mcpServers"] = [encode_McpServer(item, {}) for item in o.mcp_servers]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ResumeSessionRequest)
    return out


def decode_ResumeSessionResponse(d: Any, issues: Issues, path: Path) -> ResumeSessionResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ResumeSessionResponse)
    o.modes = UNSET
    o.config_options = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("modes", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionModeState(value, issues, (path, "modes"))
                except DecodeError as error:
                    value = default(issues, (path, "modes"), value, error, UNSET)
            o.modes = value
        if (value := d.get("configOptions", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(
                        value, issues, (path, "configOptions"), decode_SessionConfigOption
                    )
                except DecodeError as error:
                    value = default(issues, (path, "configOptions"), value, error, UNSET)
            o.config_options = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ResumeSessionResponse, ())
    return o


def encode_ResumeSessionResponse(o: ResumeSessionResponse, out: Json) -> Json:
    if o.modes is not UNSET:
        out["modes"] = None if o.modes is None else encode_SessionModeState(o.modes, {})
    if o.config_options is not UNSET:
        out["configOptions"] = (
            None
            if o.config_options is None
            else [encode_SessionConfigOption(item, {}) for item in o.config_options]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ResumeSessionResponse)
    return out


def decode_Role(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(value, issues, path, ("assistant", "user"), "one of assistant, user", True)


def decode_SelectSessionConfigOption(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> SelectSessionConfigOption:
    try:
        value = d["id"]
    except (KeyError, TypeError):
        raise missing(d, "id", path, "string") from None
    o = new(SelectSessionConfigOption)
    if type(value) is not str:
        raise wrong_member(d, "id", path, "string")
    o.id = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("currentValue")
    if type(value) is not str:
        raise wrong_member(d, "currentValue", path, "string")
    o.current_value = value
    if (value := d.get("options", UNSET)) is UNSET:
        raise wrong_member(
            d,
            "options",
            path,
            "array of objects with value and name or array of objects with group and name and options",
        )
    o.options = decode_SessionConfigSelectOptions(value, issues, (path, "options"))
    o.description = UNSET
    o.category = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 4 - len(tags)
    if rest:
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("category", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionConfigOptionCategory(value, issues, (path, "category"))
                except DecodeError as error:
                    value = default(issues, (path, "category"), value, error, UNSET)
            o.category = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SelectSessionConfigOption, tags)
    return o


def encode_SelectSessionConfigOption(o: SelectSessionConfigOption, out: Json) -> Json:
    out["id"] = o.id
    out["name"] = o.name
    out["currentValue"] = o.current_value
    out["options"] = encode_SessionConfigSelectOptions(o.options)
    if o.description is not UNSET:
        out["description"] = o.description
    if o.category is not UNSET:
        out["category"] = o.category
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SelectSessionConfigOption)
    return out


def decode_SelectedPermissionOutcome(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> SelectedPermissionOutcome:
    try:
        value = d["optionId"]
    except (KeyError, TypeError):
        raise missing(d, "optionId", path, "string") from None
    o = new(SelectedPermissionOutcome)
    if type(value) is not str:
        raise wrong_member(d, "optionId", path, "string")
    o.option_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SelectedPermissionOutcome, tags)
    return o


def encode_SelectedPermissionOutcome(o: SelectedPermissionOutcome, out: Json) -> Json:
    out["optionId"] = o.option_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SelectedPermissionOutcome)
    return out


def decode_SessionAdditionalDirectoriesCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionAdditionalDirectoriesCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionAdditionalDirectoriesCapabilities)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionAdditionalDirectoriesCapabilities, ())
    return o


def encode_SessionAdditionalDirectoriesCapabilities(
    o: SessionAdditionalDirectoriesCapabilities, out: Json
) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionAdditionalDirectoriesCapabilities)
    return out


def decode_SessionCapabilities(d: Any, issues: Issues, path: Path) -> SessionCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionCapabilities)
    o.list = UNSET
    o.delete = UNSET
    o.additional_directories = UNSET
    o.resume = UNSET
    o.close = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("list", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionListCapabilities(value, issues, (path, "list"))
                except DecodeError as error:
                    value = default(issues, (path, "list"), value, error, UNSET)
            o.list = value
        if (value := d.get("delete", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionDeleteCapabilities(value, issues, (path, "delete"))
                except DecodeError as error:
                    value = default(issues, (path, "delete"), value, error, UNSET)
            o.delete = value
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionAdditionalDirectoriesCapabilities(
                        value, issues, (path, "additionalDirectories")
                    )
                except DecodeError as error:
                    value = default(issues, (path, "additionalDirectories"), value, error, UNSET)
            o.additional_directories = value
        if (value := d.get("resume", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionResumeCapabilities(value, issues, (path, "resume"))
                except DecodeError as error:
                    value = default(issues, (path, "resume"), value, error, UNSET)
            o.resume = value
        if (value := d.get("close", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionCloseCapabilities(value, issues, (path, "close"))
                except DecodeError as error:
                    value = default(issues, (path, "close"), value, error, UNSET)
            o.close = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionCapabilities, ())
    return o


def encode_SessionCapabilities(o: SessionCapabilities, out: Json) -> Json:
    if o.list is not UNSET:
        out["list"] = None if o.list is None else encode_SessionListCapabilities(o.list, {})
    if o.delete is not UNSET:
        out["delete"] = None if o.delete is None else encode_SessionDeleteCapabilities(o.delete, {})
    if o.additional_directories is not UNSET:
        out["additionalDirectories"] = (
            None
            if o.additional_directories is None
            else encode_SessionAdditionalDirectoriesCapabilities(o.additional_directories, {})
        )
    if o.resume is not UNSET:
        out["resume"] = None if o.resume is None else encode_SessionResumeCapabilities(o.resume, {})
    if o.close is not UNSET:
        out["close"] = None if o.close is None else encode_SessionCloseCapabilities(o.close, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionCapabilities)
    return out


def decode_SessionCloseCapabilities(d: Any, issues: Issues, path: Path) -> SessionCloseCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionCloseCapabilities)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionCloseCapabilities, ())
    return o


def encode_SessionCloseCapabilities(o: SessionCloseCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionCloseCapabilities)
    return out


def decode_SessionConfigBoolean(d: Any, issues: Issues, path: Path) -> SessionConfigBoolean:
    try:
        value = d["currentValue"]
    except (KeyError, TypeError):
        raise missing(d, "currentValue", path, "boolean") from None
    o = new(SessionConfigBoolean)
    if type(value) is not bool:
        raise wrong_member(d, "currentValue", path, "boolean")
    o.current_value = value
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _SessionConfigBoolean, ())
    return o


def encode_SessionConfigBoolean(o: SessionConfigBoolean, out: Json) -> Json:
    out["currentValue"] = o.current_value
    if o.unknown_fields:
        add_unknown(out, o, _SessionConfigBoolean)
    return out


def decode_SessionConfigGroupId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_SessionConfigId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_SessionConfigOption(d: Any, issues: Issues, path: Path) -> SessionConfigOption:
    try:
        decode = _SessionConfigOption[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        keep_unknown(issues, (path, "type"), tag, "one of select, boolean")
        return UnknownSessionConfigOption(tag, _check_UnknownSessionConfigOption(d, issues, path))
    raise wrong_member(d, "type", path, "string")


def encode_SessionConfigOption(o: SessionConfigOption, out: Json) -> Json:
    encoders = _SessionConfigOption_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "SessionConfigOption")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownSessionConfigOption(o: UnknownSessionConfigOption, out: Json) -> Json:
    return encode_unknown(o, out, "type", _SessionConfigOption, _check_UnknownSessionConfigOption)


def _check_UnknownSessionConfigOption(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("id", UNSET)) is UNSET:
        raise wrong_member(d, "id", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "id", path, "string")
    _checked = value

    if (value := d.get("name", UNSET)) is UNSET:
        raise wrong_member(d, "name", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    _checked = value

    if (value := d.get("description", UNSET)) is not UNSET:
        mark = len(issues or ())
        if value is not None and type(value) is not str:
            value = default_member(issues, d, "description", path, "string or null", UNSET)
        _checked = value
        if len(issues or ()) > mark:
            raw = repaired(raw, "description", _checked)

    if (value := d.get("category", UNSET)) is not UNSET:
        mark = len(issues or ())
        if value is not None:
            try:
                value = decode_SessionConfigOptionCategory(value, issues, (path, "category"))
            except DecodeError as error:
                value = default(issues, (path, "category"), value, error, UNSET)
        _checked = value
        if len(issues or ()) > mark:
            raw = repaired(raw, "category", _checked)

    if (value := d.get("_meta", UNSET)) is not UNSET:
        mark = len(issues or ())
        if value is not None and value.__class__ is not dict:
            value = default_member(issues, d, "_meta", path, "object or null", UNSET)
        _checked = value
        if len(issues or ()) > mark:
            raw = repaired(raw, "_meta", _checked)

    return raw


def decode_SessionConfigOptionCategory(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_SessionConfigOptionsCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionConfigOptionsCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionConfigOptionsCapabilities)
    o.boolean = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("boolean", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_BooleanConfigOptionCapabilities(value, issues, (path, "boolean"))
                except DecodeError as error:
                    value = default(issues, (path, "boolean"), value, error, UNSET)
            o.boolean = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionConfigOptionsCapabilities, ())
    return o


def encode_SessionConfigOptionsCapabilities(o: SessionConfigOptionsCapabilities, out: Json) -> Json:
    if o.boolean is not UNSET:
        out["boolean"] = (
            None if o.boolean is None else encode_BooleanConfigOptionCapabilities(o.boolean, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionConfigOptionsCapabilities)
    return out


def decode_SessionConfigSelect(d: Any, issues: Issues, path: Path) -> SessionConfigSelect:
    try:
        value = d["currentValue"]
    except (KeyError, TypeError):
        raise missing(d, "currentValue", path, "string") from None
    o = new(SessionConfigSelect)
    if type(value) is not str:
        raise wrong_member(d, "currentValue", path, "string")
    o.current_value = value
    if (value := d.get("options", UNSET)) is UNSET:
        raise wrong_member(
            d,
            "options",
            path,
            "array of objects with value and name or array of objects with group and name and options",
        )
    o.options = decode_SessionConfigSelectOptions(value, issues, (path, "options"))
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        o.unknown_fields = unknown(d, _SessionConfigSelect, ())
    return o


def encode_SessionConfigSelect(o: SessionConfigSelect, out: Json) -> Json:
    out["currentValue"] = o.current_value
    out["options"] = encode_SessionConfigSelectOptions(o.options)
    if o.unknown_fields:
        add_unknown(out, o, _SessionConfigSelect)
    return out


def decode_SessionConfigSelectGroup(d: Any, issues: Issues, path: Path) -> SessionConfigSelectGroup:
    try:
        value = d["group"]
    except (KeyError, TypeError):
        raise missing(d, "group", path, "string") from None
    o = new(SessionConfigSelectGroup)
    if type(value) is not str:
        raise wrong_member(d, "group", path, "string")
    o.group = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    if (value := d.get("options", UNSET)) is UNSET:
        raise wrong_member(d, "options", path, "array")
    try:
        o.options = valid_items(value, issues, (path, "options"), decode_SessionConfigSelectOption)
    except DecodeError as error:
        o.options = default(issues, (path, "options"), value, error, [])
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionConfigSelectGroup, ())
    return o


def encode_SessionConfigSelectGroup(o: SessionConfigSelectGroup, out: Json) -> Json:
    out["group"] = o.group
    out["name"] = o.name
    out["options"] = [encode_SessionConfigSelectOption(item, {}) for item in o.options]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionConfigSelectGroup)
    return out


def decode_SessionConfigSelectOption(
    d: Any, issues: Issues, path: Path
) -> SessionConfigSelectOption:
    try:
        value = d["value"]
    except (KeyError, TypeError):
        raise missing(d, "value", path, "string") from None
    o = new(SessionConfigSelectOption)
    if type(value) is not str:
        raise wrong_member(d, "value", path, "string")
    o.value = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    o.description = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionConfigSelectOption, ())
    return o


def encode_SessionConfigSelectOption(o: SessionConfigSelectOption, out: Json) -> Json:
    out["value"] = o.value
    out["name"] = o.name
    if o.description is not UNSET:
        out["description"] = o.description
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionConfigSelectOption)
    return out


def decode_SessionConfigSelectOptions(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _SessionConfigSelectOptions_arms,
        "array of objects with value and name or array of objects with group and name and options",
        False,
    )


def encode_SessionConfigSelectOptions(o: SessionConfigSelectOptions) -> Any:
    return unshadowed(
        o,
        encode_choice(o, _SessionConfigSelectOptions_encoders),
        decode_SessionConfigSelectOptions,
        "SessionConfigSelectOptions",
    )


def decode_SessionConfigValueId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_SessionDeleteCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionDeleteCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionDeleteCapabilities)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionDeleteCapabilities, ())
    return o


def encode_SessionDeleteCapabilities(o: SessionDeleteCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionDeleteCapabilities)
    return out


def decode_SessionElicitationFormMode(
    d: Any, issues: Issues, path: Path
) -> SessionElicitationFormMode:
    try:
        value = d["requestedSchema"]
    except (KeyError, TypeError):
        raise missing(d, "requestedSchema", path, "object") from None
    o = new(SessionElicitationFormMode)
    o.requested_schema = decode_ElicitationSchema(value, issues, (path, "requestedSchema"))
    value = d.get("sessionId")
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.tool_call_id = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("toolCallId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "toolCallId", path, "string or null", UNSET)
            o.tool_call_id = value
        if rest:
            o.unknown_fields = unknown(d, _SessionElicitationFormMode, ())
    return o


def encode_SessionElicitationFormMode(o: SessionElicitationFormMode, out: Json) -> Json:
    out["requestedSchema"] = encode_ElicitationSchema(o.requested_schema, {})
    out["sessionId"] = o.session_id
    if o.tool_call_id is not UNSET:
        out["toolCallId"] = o.tool_call_id
    if o.unknown_fields:
        add_unknown(out, o, _SessionElicitationFormMode)
    return out


def decode_SessionElicitationUrlMode(
    d: Any, issues: Issues, path: Path
) -> SessionElicitationUrlMode:
    try:
        value = d["elicitationId"]
    except (KeyError, TypeError):
        raise missing(d, "elicitationId", path, "string") from None
    o = new(SessionElicitationUrlMode)
    if type(value) is not str:
        raise wrong_member(d, "elicitationId", path, "string")
    o.elicitation_id = value
    value = d.get("url")
    if type(value) is not str:
        raise wrong_member(d, "url", path, "string")
    o.url = value
    value = d.get("sessionId")
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.tool_call_id = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("toolCallId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "toolCallId", path, "string or null", UNSET)
            o.tool_call_id = value
        if rest:
            o.unknown_fields = unknown(d, _SessionElicitationUrlMode, ())
    return o


def encode_SessionElicitationUrlMode(o: SessionElicitationUrlMode, out: Json) -> Json:
    out["elicitationId"] = o.elicitation_id
    out["url"] = o.url
    out["sessionId"] = o.session_id
    if o.tool_call_id is not UNSET:
        out["toolCallId"] = o.tool_call_id
    if o.unknown_fields:
        add_unknown(out, o, _SessionElicitationUrlMode)
    return out


def decode_SessionFormCreateElicitationRequest(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> SessionFormCreateElicitationRequest:
    try:
        value = d["message"]
    except (KeyError, TypeError):
        raise missing(d, "message", path, "string") from None
    o = new(SessionFormCreateElicitationRequest)
    if type(value) is not str:
        raise wrong_member(d, "message", path, "string")
    o.message = value
    if (value := d.get("requestedSchema", UNSET)) is UNSET:
        raise wrong_member(d, "requestedSchema", path, "object")
    o.requested_schema = decode_ElicitationSchema(value, issues, (path, "requestedSchema"))
    value = d.get("sessionId")
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.meta = UNSET
    o.tool_call_id = UNSET
    o.unknown_fields = None
    rest = len(d) - 3 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if (value := d.get("toolCallId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "toolCallId", path, "string or null", UNSET)
            o.tool_call_id = value
        if rest:
            o.unknown_fields = unknown(d, _SessionFormCreateElicitationRequest, tags)
    return o


def encode_SessionFormCreateElicitationRequest(
    o: SessionFormCreateElicitationRequest, out: Json
) -> Json:
    out["message"] = o.message
    out["requestedSchema"] = encode_ElicitationSchema(o.requested_schema, {})
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.tool_call_id is not UNSET:
        out["toolCallId"] = o.tool_call_id
    if o.unknown_fields:
        add_unknown(out, o, _SessionFormCreateElicitationRequest)
    return out


def decode_SessionId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_SessionInfo(d: Any, issues: Issues, path: Path) -> SessionInfo:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(SessionInfo)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("cwd")
    if type(value) is not str:
        raise wrong_member(d, "cwd", path, "string")
    o.cwd = value
    o.additional_directories = UNSET
    o.title = UNSET
    o.updated_at = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.additional_directories = valid_items(
                    value, issues, (path, "additionalDirectories"), string
                )
            except DecodeError as error:
                o.additional_directories = default(
                    issues, (path, "additionalDirectories"), value, error, []
                )
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("updatedAt", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "updatedAt", path, "string or null", UNSET)
            o.updated_at = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionInfo, ())
    return o


def encode_SessionInfo(o: SessionInfo, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["cwd"] = o.cwd
    if o.additional_directories is not UNSET:
        out["additionalDirectories"] = o.additional_directories
    if o.title is not UNSET:
        out["title"] = o.title
    if o.updated_at is not UNSET:
        out["updatedAt"] = o.updated_at
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionInfo)
    return out


def decode_SessionInfoUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> SessionInfoUpdate:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionInfoUpdate)
    o.title = UNSET
    o.updated_at = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("updatedAt", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "updatedAt", path, "string or null", UNSET)
            o.updated_at = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionInfoUpdate, tags)
    return o


def encode_SessionInfoUpdate(o: SessionInfoUpdate, out: Json) -> Json:
    if o.title is not UNSET:
        out["title"] = o.title
    if o.updated_at is not UNSET:
        out["updatedAt"] = o.updated_at
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionInfoUpdate)
    return out


def decode_SessionListCapabilities(d: Any, issues: Issues, path: Path) -> SessionListCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionListCapabilities)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionListCapabilities, ())
    return o


def encode_SessionListCapabilities(o: SessionListCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionListCapabilities)
    return out


def decode_SessionMode(d: Any, issues: Issues, path: Path) -> SessionMode:
    try:
        value = d["id"]
    except (KeyError, TypeError):
        raise missing(d, "id", path, "string") from None
    o = new(SessionMode)
    if type(value) is not str:
        raise wrong_member(d, "id", path, "string")
    o.id = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    o.description = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionMode, ())
    return o


def encode_SessionMode(o: SessionMode, out: Json) -> Json:
    out["id"] = o.id
    out["name"] = o.name
    if o.description is not UNSET:
        out["description"] = o.description
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionMode)
    return out


def decode_SessionModeId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_SessionModeState(d: Any, issues: Issues, path: Path) -> SessionModeState:
    try:
        value = d["currentModeId"]
    except (KeyError, TypeError):
        raise missing(d, "currentModeId", path, "string") from None
    o = new(SessionModeState)
    if type(value) is not str:
        raise wrong_member(d, "currentModeId", path, "string")
    o.current_mode_id = value
    if (value := d.get("availableModes", UNSET)) is UNSET:
        raise wrong_member(d, "availableModes", path, "array")
    try:
        o.available_modes = valid_items(value, issues, (path, "availableModes"), decode_SessionMode)
    except DecodeError as error:
        o.available_modes = default(issues, (path, "availableModes"), value, error, [])
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionModeState, ())
    return o


def encode_SessionModeState(o: SessionModeState, out: Json) -> Json:
    out["currentModeId"] = o.current_mode_id
    out["availableModes"] = [encode_SessionMode(item, {}) for item in o.available_modes]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionModeState)
    return out


def decode_SessionNotification(d: Any, issues: Issues, path: Path) -> SessionNotification:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(SessionNotification)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    if (value := d.get("update", UNSET)) is UNSET:
        raise wrong_member(d, "update", path, "object")
    o.update = decode_SessionUpdate(value, issues, (path, "update"))
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionNotification, ())
    return o


def encode_SessionNotification(o: SessionNotification, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["update"] = encode_SessionUpdate(o.update, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionNotification)
    return out


def decode_SessionResumeCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionResumeCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionResumeCapabilities)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionResumeCapabilities, ())
    return o


def encode_SessionResumeCapabilities(o: SessionResumeCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionResumeCapabilities)
    return out


def decode_SessionUpdate(d: Any, issues: Issues, path: Path) -> SessionUpdate:
    try:
        decode = _SessionUpdate[d["sessionUpdate"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("sessionUpdate",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("sessionUpdate")
    if type(tag) is str:
        keep_unknown(
            issues,
            (path, "sessionUpdate"),
            tag,
            "one of user_message_chunk, agent_message_chunk, agent_thought_chunk, tool_call, tool_call_update, plan, available_commands_update, current_mode_update, config_option_update, session_info_update, usage_update, notice, compaction_update, compaction_summary_chunk",
        )
        return UnknownSessionUpdate(tag, d)
    raise wrong_member(d, "sessionUpdate", path, "string")


def encode_SessionUpdate(o: SessionUpdate, out: Json) -> Json:
    encoders = _SessionUpdate_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "SessionUpdate")
    if tag is not None:
        out["sessionUpdate"] = tag
    return encode(o, out)


def _encode_UnknownSessionUpdate(o: UnknownSessionUpdate, out: Json) -> Json:
    return encode_unknown(o, out, "sessionUpdate", _SessionUpdate, None)


def decode_SessionUrlCreateElicitationRequest(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> SessionUrlCreateElicitationRequest:
    try:
        value = d["message"]
    except (KeyError, TypeError):
        raise missing(d, "message", path, "string") from None
    o = new(SessionUrlCreateElicitationRequest)
    if type(value) is not str:
        raise wrong_member(d, "message", path, "string")
    o.message = value
    value = d.get("elicitationId")
    if type(value) is not str:
        raise wrong_member(d, "elicitationId", path, "string")
    o.elicitation_id = value
    value = d.get("url")
    if type(value) is not str:
        raise wrong_member(d, "url", path, "string")
    o.url = value
    value = d.get("sessionId")
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.meta = UNSET
    o.tool_call_id = UNSET
    o.unknown_fields = None
    rest = len(d) - 4 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if (value := d.get("toolCallId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "toolCallId", path, "string or null", UNSET)
            o.tool_call_id = value
        if rest:
            o.unknown_fields = unknown(d, _SessionUrlCreateElicitationRequest, tags)
    return o


def encode_SessionUrlCreateElicitationRequest(
    o: SessionUrlCreateElicitationRequest, out: Json
) -> Json:
    out["message"] = o.message
    out["elicitationId"] = o.elicitation_id
    out["url"] = o.url
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.tool_call_id is not UNSET:
        out["toolCallId"] = o.tool_call_id
    if o.unknown_fields:
        add_unknown(out, o, _SessionUrlCreateElicitationRequest)
    return out


def decode_SetSessionConfigOptionRequest(
    d: Any, issues: Issues, path: Path
) -> SetSessionConfigOptionRequest:
    try:
        decode = _SetSessionConfigOptionRequest[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    return decode_ValueIdSetSessionConfigOptionRequest(d, issues, path)


def encode_SetSessionConfigOptionRequest(o: SetSessionConfigOptionRequest, out: Json) -> Json:
    encoders = _SetSessionConfigOptionRequest_encoders
    tag, encode = encoders.get(o.__class__) or find_class(
        o, encoders, "SetSessionConfigOptionRequest"
    )
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_SetSessionConfigOptionRequest_default(o: Any, out: Json) -> Json:
    encode_ValueIdSetSessionConfigOptionRequest(o, out)
    return refuse_tag(
        out, "type", _SetSessionConfigOptionRequest, False, "SetSessionConfigOptionRequest"
    )


def decode_SetSessionConfigOptionResponse(
    d: Any, issues: Issues, path: Path
) -> SetSessionConfigOptionResponse:
    try:
        value = d["configOptions"]
    except (KeyError, TypeError):
        raise missing(d, "configOptions", path, "array") from None
    o = new(SetSessionConfigOptionResponse)
    try:
        o.config_options = valid_items(
            value, issues, (path, "configOptions"), decode_SessionConfigOption
        )
    except DecodeError as error:
        o.config_options = default(issues, (path, "configOptions"), value, error, [])
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SetSessionConfigOptionResponse, ())
    return o


def encode_SetSessionConfigOptionResponse(o: SetSessionConfigOptionResponse, out: Json) -> Json:
    out["configOptions"] = [encode_SessionConfigOption(item, {}) for item in o.config_options]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SetSessionConfigOptionResponse)
    return out


def decode_SetSessionModeRequest(d: Any, issues: Issues, path: Path) -> SetSessionModeRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(SetSessionModeRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("modeId")
    if type(value) is not str:
        raise wrong_member(d, "modeId", path, "string")
    o.mode_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SetSessionModeRequest, ())
    return o


def encode_SetSessionModeRequest(o: SetSessionModeRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["modeId"] = o.mode_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SetSessionModeRequest)
    return out


def decode_SetSessionModeResponse(d: Any, issues: Issues, path: Path) -> SetSessionModeResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SetSessionModeResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SetSessionModeResponse, ())
    return o


def encode_SetSessionModeResponse(o: SetSessionModeResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SetSessionModeResponse)
    return out


def decode_StopReason(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(
        value,
        issues,
        path,
        ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"),
        "one of end_turn, max_tokens, max_turn_requests, refusal, cancelled",
        True,
    )


def decode_StringFormat(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(
        value,
        issues,
        path,
        ("email", "uri", "date", "date-time"),
        "one of email, uri, date, date-time",
        True,
    )


def decode_StringMultiSelectItems(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> StringMultiSelectItems:
    try:
        value = d["enum"]
    except (KeyError, TypeError):
        raise missing(d, "enum", path, "array") from None
    o = new(StringMultiSelectItems)
    o.enum = items(value, issues, (path, "enum"), string)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _StringMultiSelectItems, tags)
    return o


def encode_StringMultiSelectItems(o: StringMultiSelectItems, out: Json) -> Json:
    out["enum"] = o.enum
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _StringMultiSelectItems)
    return out


def decode_StringPropertySchema(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> StringPropertySchema:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(StringPropertySchema)
    o.title = UNSET
    o.description = UNSET
    o.min_length = UNSET
    o.max_length = UNSET
    o.pattern = UNSET
    o.format = UNSET
    o.default = UNSET
    o.enum = UNSET
    o.one_of = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("minLength", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = integer(value, issues, (path, "minLength"), minimum=0, maximum=4294967295)
            o.min_length = value
        if (value := d.get("maxLength", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = integer(value, issues, (path, "maxLength"), minimum=0, maximum=4294967295)
            o.max_length = value
        if (value := d.get("pattern", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                raise wrong_member(d, "pattern", path, "string or null")
            o.pattern = value
        if (value := d.get("format", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_StringFormat(value, issues, (path, "format"))
            o.format = value
        if (value := d.get("default", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "default", path, "string or null", UNSET)
            o.default = value
        if (value := d.get("enum", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = items(value, issues, (path, "enum"), string)
            o.enum = value
        if (value := d.get("oneOf", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = items(value, issues, (path, "oneOf"), decode_EnumOption)
            o.one_of = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _StringPropertySchema, tags)
    return o


def encode_StringPropertySchema(o: StringPropertySchema, out: Json) -> Json:
    if o.title is not UNSET:
        out["title"] = o.title
    if o.description is not UNSET:
        out["description"] = o.description
    if o.min_length is not UNSET:
        out["minLength"] = o.min_length
    if o.max_length is not UNSET:
        out["maxLength"] = o.max_length
    if o.pattern is not UNSET:
        out["pattern"] = o.pattern
    if o.format is not UNSET:
        out["format"] = o.format
    if o.default is not UNSET:
        out["default"] = o.default
    if o.enum is not UNSET:
        out["enum"] = o.enum
    if o.one_of is not UNSET:
        out["oneOf"] = (
            None if o.one_of is None else [encode_EnumOption(item, {}) for item in o.one_of]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _StringPropertySchema)
    return out


def decode_Terminal(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> Terminal:
    try:
        value = d["terminalId"]
    except (KeyError, TypeError):
        raise missing(d, "terminalId", path, "string") from None
    o = new(Terminal)
    if type(value) is not str:
        raise wrong_member(d, "terminalId", path, "string")
    o.terminal_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Terminal, tags)
    return o


def encode_Terminal(o: Terminal, out: Json) -> Json:
    out["terminalId"] = o.terminal_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Terminal)
    return out


def decode_TerminalExitStatus(d: Any, issues: Issues, path: Path) -> TerminalExitStatus:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(TerminalExitStatus)
    o.exit_code = UNSET
    o.signal = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("exitCode", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = integer(
                        value, issues, (path, "exitCode"), minimum=0, maximum=4294967295
                    )
                except DecodeError as error:
                    value = default(issues, (path, "exitCode"), value, error, UNSET)
            o.exit_code = value
        if (value := d.get("signal", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "signal", path, "string or null", UNSET)
            o.signal = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _TerminalExitStatus, ())
    return o


def encode_TerminalExitStatus(o: TerminalExitStatus, out: Json) -> Json:
    if o.exit_code is not UNSET:
        out["exitCode"] = o.exit_code
    if o.signal is not UNSET:
        out["signal"] = o.signal
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalExitStatus)
    return out


def decode_TerminalId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_TerminalOutputRequest(d: Any, issues: Issues, path: Path) -> TerminalOutputRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(TerminalOutputRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("terminalId")
    if type(value) is not str:
        raise wrong_member(d, "terminalId", path, "string")
    o.terminal_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _TerminalOutputRequest, ())
    return o


def encode_TerminalOutputRequest(o: TerminalOutputRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["terminalId"] = o.terminal_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalOutputRequest)
    return out


def decode_TerminalOutputResponse(d: Any, issues: Issues, path: Path) -> TerminalOutputResponse:
    try:
        value = d["output"]
    except (KeyError, TypeError):
        raise missing(d, "output", path, "string") from None
    o = new(TerminalOutputResponse)
    if type(value) is not str:
        raise wrong_member(d, "output", path, "string")
    o.output = value
    value = d.get("truncated")
    if type(value) is not bool:
        raise wrong_member(d, "truncated", path, "boolean")
    o.truncated = value
    o.exit_status = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("exitStatus", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_TerminalExitStatus(value, issues, (path, "exitStatus"))
                except DecodeError as error:
                    value = default(issues, (path, "exitStatus"), value, error, UNSET)
            o.exit_status = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _TerminalOutputResponse, ())
    return o


def encode_TerminalOutputResponse(o: TerminalOutputResponse, out: Json) -> Json:
    out["output"] = o.output
    out["truncated"] = o.truncated
    if o.exit_status is not UNSET:
        out["exitStatus"] = (
            None if o.exit_status is None else encode_TerminalExitStatus(o.exit_status, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalOutputResponse)
    return out


def decode_TextContent(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> TextContent:
    try:
        value = d["text"]
    except (KeyError, TypeError):
        raise missing(d, "text", path, "string") from None
    o = new(TextContent)
    if type(value) is not str:
        raise wrong_member(d, "text", path, "string")
    o.text = value
    o.annotations = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("annotations", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Annotations(value, issues, (path, "annotations"))
                except DecodeError as error:
                    value = default(issues, (path, "annotations"), value, error, UNSET)
            o.annotations = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _TextContent, tags)
    return o


def encode_TextContent(o: TextContent, out: Json) -> Json:
    out["text"] = o.text
    if o.annotations is not UNSET:
        out["annotations"] = (
            None if o.annotations is None else encode_Annotations(o.annotations, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TextContent)
    return out


def decode_TextResourceContents(d: Any, issues: Issues, path: Path) -> TextResourceContents:
    try:
        value = d["text"]
    except (KeyError, TypeError):
        raise missing(d, "text", path, "string") from None
    o = new(TextResourceContents)
    if type(value) is not str:
        raise wrong_member(d, "text", path, "string")
    o.text = value
    value = d.get("uri")
    if type(value) is not str:
        raise wrong_member(d, "uri", path, "string")
    o.uri = value
    o.mime_type = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("mimeType", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "mimeType", path, "string or null", UNSET)
            o.mime_type = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _TextResourceContents, ())
    return o


def encode_TextResourceContents(o: TextResourceContents, out: Json) -> Json:
    out["text"] = o.text
    out["uri"] = o.uri
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TextResourceContents)
    return out


def decode_TitledMultiSelectItems(d: Any, issues: Issues, path: Path) -> TitledMultiSelectItems:
    try:
        value = d["anyOf"]
    except (KeyError, TypeError):
        raise missing(d, "anyOf", path, "array") from None
    o = new(TitledMultiSelectItems)
    o.any_of = items(value, issues, (path, "anyOf"), decode_EnumOption)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _TitledMultiSelectItems, ())
    return o


def encode_TitledMultiSelectItems(o: TitledMultiSelectItems, out: Json) -> Json:
    out["anyOf"] = [encode_EnumOption(item, {}) for item in o.any_of]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TitledMultiSelectItems)
    return out


def decode_ToolCall(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> ToolCall:
    try:
        value = d["toolCallId"]
    except (KeyError, TypeError):
        raise missing(d, "toolCallId", path, "string") from None
    o = new(ToolCall)
    if type(value) is not str:
        raise wrong_member(d, "toolCallId", path, "string")
    o.tool_call_id = value
    value = d.get("title")
    if type(value) is not str:
        raise wrong_member(d, "title", path, "string")
    o.title = value
    o.name = UNSET
    o.kind = UNSET
    o.status = UNSET
    o.content = UNSET
    o.locations = UNSET
    o.raw_input = UNSET
    o.raw_output = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("name", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "name", path, "string or null", UNSET)
            o.name = value
        if (value := d.get("kind", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.kind = decode_ToolKind(value, issues, (path, "kind"))
            except DecodeError as error:
                o.kind = default(issues, (path, "kind"), value, error, UNSET)
        if (value := d.get("status", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.status = decode_ToolCallStatus(value, issues, (path, "status"))
            except DecodeError as error:
                o.status = default(issues, (path, "status"), value, error, UNSET)
        if (value := d.get("content", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.content = valid_items(value, issues, (path, "content"), decode_ToolCallContent)
            except DecodeError as error:
                o.content = default(issues, (path, "content"), value, error, [])
        if (value := d.get("locations", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.locations = valid_items(
                    value, issues, (path, "locations"), decode_ToolCallLocation
                )
            except DecodeError as error:
                o.locations = default(issues, (path, "locations"), value, error, [])
        if (value := d.get("rawInput", UNSET)) is not UNSET:
            rest -= 1
            o.raw_input = value
        if (value := d.get("rawOutput", UNSET)) is not UNSET:
            rest -= 1
            o.raw_output = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ToolCall, tags)
    return o


def encode_ToolCall(o: ToolCall, out: Json) -> Json:
    out["toolCallId"] = o.tool_call_id
    out["title"] = o.title
    if o.name is not UNSET:
        out["name"] = o.name
    if o.kind is not UNSET:
        out["kind"] = o.kind
    if o.status is not UNSET:
        out["status"] = o.status
    if o.content is not UNSET:
        out["content"] = [encode_ToolCallContent(item, {}) for item in o.content]
    if o.locations is not UNSET:
        out["locations"] = [encode_ToolCallLocation(item, {}) for item in o.locations]
    if o.raw_input is not UNSET:
        out["rawInput"] = o.raw_input
    if o.raw_output is not UNSET:
        out["rawOutput"] = o.raw_output
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ToolCall)
    return out


def decode_ToolCallContent(d: Any, issues: Issues, path: Path) -> ToolCallContent:
    try:
        decode = _ToolCallContent[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        keep_unknown(issues, (path, "type"), tag, "one of content, diff, terminal")
        return UnknownToolCallContent(tag, d)
    raise wrong_member(d, "type", path, "string")


def encode_ToolCallContent(o: ToolCallContent, out: Json) -> Json:
    encoders = _ToolCallContent_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "ToolCallContent")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownToolCallContent(o: UnknownToolCallContent, out: Json) -> Json:
    return encode_unknown(o, out, "type", _ToolCallContent, None)


def decode_ToolCallId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_ToolCallLocation(d: Any, issues: Issues, path: Path) -> ToolCallLocation:
    try:
        value = d["path"]
    except (KeyError, TypeError):
        raise missing(d, "path", path, "string") from None
    o = new(ToolCallLocation)
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    o.line = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("line", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = integer(value, issues, (path, "line"), minimum=0, maximum=4294967295)
                except DecodeError as error:
                    value = default(issues, (path, "line"), value, error, UNSET)
            o.line = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ToolCallLocation, ())
    return o


def encode_ToolCallLocation(o: ToolCallLocation, out: Json) -> Json:
    out["path"] = o.path
    if o.line is not UNSET:
        out["line"] = o.line
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ToolCallLocation)
    return out


def decode_ToolCallStatus(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(
        value,
        issues,
        path,
        ("pending", "in_progress", "completed", "failed"),
        "one of pending, in_progress, completed, failed",
        True,
    )


def decode_ToolCallUpdate(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> ToolCallUpdate:
    try:
        value = d["toolCallId"]
    except (KeyError, TypeError):
        raise missing(d, "toolCallId", path, "string") from None
    o = new(ToolCallUpdate)
    if type(value) is not str:
        raise wrong_member(d, "toolCallId", path, "string")
    o.tool_call_id = value
    o.kind = UNSET
    o.status = UNSET
    o.title = UNSET
    o.name = UNSET
    o.content = UNSET
    o.locations = UNSET
    o.raw_input = UNSET
    o.raw_output = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("kind", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ToolKind(value, issues, (path, "kind"))
                except DecodeError as error:
                    value = default(issues, (path, "kind"), value, error, UNSET)
            o.kind = value
        if (value := d.get("status", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ToolCallStatus(value, issues, (path, "status"))
                except DecodeError as error:
                    value = default(issues, (path, "status"), value, error, UNSET)
            o.status = value
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("name", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "name", path, "string or null", UNSET)
            o.name = value
        if (value := d.get("content", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "content"), decode_ToolCallContent)
                except DecodeError as error:
                    value = default(issues, (path, "content"), value, error, UNSET)
            o.content = value
        if (value := d.get("locations", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "locations"), decode_ToolCallLocation)
                except DecodeError as error:
                    value = default(issues, (path, "locations"), value, error, UNSET)
            o.locations = value
        if (value := d.get("rawInput", UNSET)) is not UNSET:
            rest -= 1
            o.raw_input = value
        if (value := d.get("rawOutput", UNSET)) is not UNSET:
            rest -= 1
            o.raw_output = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ToolCallUpdate, tags)
    return o


def encode_ToolCallUpdate(o: ToolCallUpdate, out: Json) -> Json:
    out["toolCallId"] = o.tool_call_id
    if o.kind is not UNSET:
        out["kind"] = o.kind
    if o.status is not UNSET:
        out["status"] = o.status
    if o.title is not UNSET:
        out["title"] = o.title
    if o.name is not UNSET:
        out["name"] = o.name
    if o.content is not UNSET:
        out["content"] = (
            None if o.content is None else [encode_ToolCallContent(item, {}) for item in o.content]
        )
    if o.locations is not UNSET:
        out["locations"] = (
            None
            if o.locations is None
            else [encode_ToolCallLocation(item, {}) for item in o.locations]
        )
    if o.raw_input is not UNSET:
        out["rawInput"] = o.raw_input
    if o.raw_output is not UNSET:
        out["rawOutput"] = o.raw_output
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ToolCallUpdate)
    return out


def decode_ToolKind(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(
        value,
        issues,
        path,
        (
            "read",
            "edit",
            "delete",
            "move",
            "search",
            "execute",
            "think",
            "fetch",
            "switch_mode",
            "other",
        ),
        "one of read, edit, delete, move, search, execute, think, fetch, switch_mode, other",
        True,
    )


def decode_UnstructuredCommandInput(d: Any, issues: Issues, path: Path) -> UnstructuredCommandInput:
    try:
        value = d["hint"]
    except (KeyError, TypeError):
        raise missing(d, "hint", path, "string") from None
    o = new(UnstructuredCommandInput)
    if type(value) is not str:
        raise wrong_member(d, "hint", path, "string")
    o.hint = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _UnstructuredCommandInput, ())
    return o


def encode_UnstructuredCommandInput(o: UnstructuredCommandInput, out: Json) -> Json:
    out["hint"] = o.hint
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UnstructuredCommandInput)
    return out


def decode_UrlCreateElicitationRequest(
    value: Any, issues: Issues, path: Path, tags: Tags = ()
) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _UrlCreateElicitationRequest_arms,
        "exactly one of: object with sessionId or object with requestId",
        True,
        tags,
    )


def encode_UrlCreateElicitationRequest(o: UrlCreateElicitationRequest, out: Json) -> Json:
    encode = find_class(o, _UrlCreateElicitationRequest_encoders, "UrlCreateElicitationRequest")
    return unshadowed(
        o, encode(o, out), decode_UrlCreateElicitationRequest, "UrlCreateElicitationRequest"
    )


def decode_UsageUpdate(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> UsageUpdate:
    try:
        value = d["used"]
    except (KeyError, TypeError):
        raise missing(d, "used", path, "integer") from None
    o = new(UsageUpdate)
    o.used = integer(value, issues, (path, "used"), minimum=0, maximum=18446744073709551615)
    if (value := d.get("size", UNSET)) is UNSET:
        raise wrong_member(d, "size", path, "integer")
    o.size = integer(value, issues, (path, "size"), minimum=0, maximum=18446744073709551615)
    o.cost = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("cost", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Cost(value, issues, (path, "cost"))
                except DecodeError as error:
                    value = default(issues, (path, "cost"), value, error, UNSET)
            o.cost = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _UsageUpdate, tags)
    return o


def encode_UsageUpdate(o: UsageUpdate, out: Json) -> Json:
    out["used"] = o.used
    out["size"] = o.size
    if o.cost is not UNSET:
        out["cost"] = None if o.cost is None else encode_Cost(o.cost, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UsageUpdate)
    return out


def decode_UserMessageChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> UserMessageChunk:
    try:
        value = d["content"]
    except (KeyError, TypeError):
        raise missing(d, "content", path, "object") from None
    o = new(UserMessageChunk)
    o.content = decode_ContentBlock(value, issues, (path, "content"))
    o.message_id = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("messageId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "messageId", path, "string or null", UNSET)
            o.message_id = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _UserMessageChunk, tags)
    return o


def encode_UserMessageChunk(o: UserMessageChunk, out: Json) -> Json:
    out["content"] = encode_ContentBlock(o.content, {})
    if o.message_id is not UNSET:
        out["messageId"] = o.message_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UserMessageChunk)
    return out


def decode_ValueIdSetSessionConfigOptionRequest(
    d: Any, issues: Issues, path: Path
) -> ValueIdSetSessionConfigOptionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(ValueIdSetSessionConfigOptionRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("configId")
    if type(value) is not str:
        raise wrong_member(d, "configId", path, "string")
    o.config_id = value
    value = d.get("value")
    if type(value) is not str:
        raise wrong_member(d, "value", path, "string")
    o.value = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ValueIdSetSessionConfigOptionRequest, ())
    return o


def encode_ValueIdSetSessionConfigOptionRequest(
    o: ValueIdSetSessionConfigOptionRequest, out: Json
) -> Json:
    out["sessionId"] = o.session_id
    out["configId"] = o.config_id
    out["value"] = o.value
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ValueIdSetSessionConfigOptionRequest)
    return out


def decode_WaitForTerminalExitRequest(
    d: Any, issues: Issues, path: Path
) -> WaitForTerminalExitRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(WaitForTerminalExitRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("terminalId")
    if type(value) is not str:
        raise wrong_member(d, "terminalId", path, "string")
    o.terminal_id = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _WaitForTerminalExitRequest, ())
    return o


def encode_WaitForTerminalExitRequest(o: WaitForTerminalExitRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["terminalId"] = o.terminal_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _WaitForTerminalExitRequest)
    return out


def decode_WaitForTerminalExitResponse(
    d: Any, issues: Issues, path: Path
) -> WaitForTerminalExitResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(WaitForTerminalExitResponse)
    o.exit_code = UNSET
    o.signal = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("exitCode", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = integer(
                        value, issues, (path, "exitCode"), minimum=0, maximum=4294967295
                    )
                except DecodeError as error:
                    value = default(issues, (path, "exitCode"), value, error, UNSET)
            o.exit_code = value
        if (value := d.get("signal", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "signal", path, "string or null", UNSET)
            o.signal = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _WaitForTerminalExitResponse, ())
    return o


def encode_WaitForTerminalExitResponse(o: WaitForTerminalExitResponse, out: Json) -> Json:
    if o.exit_code is not UNSET:
        out["exitCode"] = o.exit_code
    if o.signal is not UNSET:
        out["signal"] = o.signal
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _WaitForTerminalExitResponse)
    return out


def decode_WriteTextFileRequest(d: Any, issues: Issues, path: Path) -> WriteTextFileRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(WriteTextFileRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("path")
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    value = d.get("content")
    if type(value) is not str:
        raise wrong_member(d, "content", path, "string")
    o.content = value
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _WriteTextFileRequest, ())
    return o


def encode_WriteTextFileRequest(o: WriteTextFileRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["path"] = o.path
    out["content"] = o.content
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _WriteTextFileRequest)
    return out


def decode_WriteTextFileResponse(d: Any, issues: Issues, path: Path) -> WriteTextFileResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(WriteTextFileResponse)
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _WriteTextFileResponse, ())
    return o


def encode_WriteTextFileResponse(o: WriteTextFileResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _WriteTextFileResponse)
    return out


# --- tables: members of records, arms of unions ---

_AcceptCreateElicitationResponse = ("_meta", "content")
_AgentAuthCapabilities = ("logout", "_meta")
_AgentCapabilities = (
    "loadSession",
    "promptCapabilities",
    "mcpCapabilities",
    "sessionCapabilities",
    "auth",
    "_meta",
)
_AgentMessageChunk = ("content", "messageId", "_meta")
_AgentThoughtChunk = ("content", "messageId", "_meta")
_Annotations = ("audience", "lastModified", "priority", "_meta")
_AudioContent = ("data", "mimeType", "annotations", "_meta")
_AuthCapabilities = ("terminal", "_meta")
_AuthMethod: dict[str, ObjectDecoder[AuthMethod]] = {
    "terminal": decode_AuthMethodTerminal,
}
_AuthMethod_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    AuthMethodTerminal: ("terminal", encode_AuthMethodTerminal),
    AuthMethodAgent: (None, _encode_AuthMethod_default),
}
_AuthMethodAgent = ("id", "name", "description", "_meta")
_AuthMethodTerminal = ("id", "name", "description", "args", "env", "_meta")
_AuthenticateRequest = ("methodId", "_meta")
_AuthenticateResponse = ("_meta",)
_AvailableCommand = ("name", "description", "input", "_meta")
_AvailableCommandsUpdate = ("availableCommands", "_meta")
_BlobResourceContents = ("blob", "uri", "mimeType", "_meta")
_BooleanConfigOptionCapabilities = ("_meta",)
_BooleanPropertySchema = ("title", "description", "default", "_meta")
_BooleanSessionConfigOption = ("id", "name", "currentValue", "description", "category", "_meta")
_BooleanSetSessionConfigOptionRequest = ("sessionId", "configId", "value", "_meta")
_CancelCreateElicitationResponse = ("_meta",)
_CancelNotification = ("sessionId", "_meta")
_CancelRequestNotification = ("requestId", "_meta")
_CancelledRequestPermissionOutcome = ()
_ClientCapabilities = ("fs", "terminal", "session", "auth", "elicitation", "_meta")
_ClientSessionCapabilities = ("compaction", "configOptions", "notices", "_meta")
_CloseSessionRequest = ("sessionId", "_meta")
_CloseSessionResponse = ("_meta",)
_CompactionCapabilities = ()
_CompactionSummaryChunk = ("compactionId", "content", "_meta")
_CompactionUpdate = ("compactionId", "status", "summary", "error", "_meta")
_CompleteElicitationNotification = ("elicitationId", "_meta")
_ConfigOptionUpdate = ("configOptions", "_meta")
_Content = ("content", "_meta")
_ContentBlock: dict[str, ObjectDecoder[ContentBlock]] = {
    "text": decode_TextContent,
    "image": decode_ImageContent,
    "audio": decode_AudioContent,
    "resource_link": decode_ResourceLink,
    "resource": decode_EmbeddedResource,
}
_ContentBlock_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    TextContent: ("text", encode_TextContent),
    ImageContent: ("image", encode_ImageContent),
    AudioContent: ("audio", encode_AudioContent),
    ResourceLink: ("resource_link", encode_ResourceLink),
    EmbeddedResource: ("resource", encode_EmbeddedResource),
    UnknownContentBlock: (None, _encode_UnknownContentBlock),
}
_ContentChunk = ("content", "messageId", "_meta")
_Cost = ("amount", "currency", "_meta")
_CreateElicitationRequest: dict[str, ObjectDecoder[CreateElicitationRequest]] = {
    "form": decode_FormCreateElicitationRequest,
    "url": decode_UrlCreateElicitationRequest,
}
_CreateElicitationRequest_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    SessionFormCreateElicitationRequest: ("form", encode_FormCreateElicitationRequest),
    RequestFormCreateElicitationRequest: ("form", encode_FormCreateElicitationRequest),
    SessionUrlCreateElicitationRequest: ("url", encode_UrlCreateElicitationRequest),
    RequestUrlCreateElicitationRequest: ("url", encode_UrlCreateElicitationRequest),
    UnknownCreateElicitationRequest: (None, _encode_UnknownCreateElicitationRequest),
}
_UnknownCreateElicitationRequest_arms = (
    Arm(("object",), ("sessionId",), decode_ElicitationSessionScope),
    Arm(("object",), ("requestId",), decode_ElicitationRequestScope),
)
_CreateElicitationResponse: dict[str, ObjectDecoder[CreateElicitationResponse]] = {
    "accept": decode_AcceptCreateElicitationResponse,
    "decline": decode_DeclineCreateElicitationResponse,
    "cancel": decode_CancelCreateElicitationResponse,
}
_CreateElicitationResponse_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    AcceptCreateElicitationResponse: ("accept", encode_AcceptCreateElicitationResponse),
    DeclineCreateElicitationResponse: ("decline", encode_DeclineCreateElicitationResponse),
    CancelCreateElicitationResponse: ("cancel", encode_CancelCreateElicitationResponse),
    UnknownCreateElicitationResponse: (None, _encode_UnknownCreateElicitationResponse),
}
_CreateTerminalRequest = ("sessionId", "command", "args", "env", "cwd", "outputByteLimit", "_meta")
_CreateTerminalResponse = ("terminalId", "_meta")
_CurrentModeUpdate = ("currentModeId", "_meta")
_DeclineCreateElicitationResponse = ("_meta",)
_DeleteSessionRequest = ("sessionId", "_meta")
_DeleteSessionResponse = ("_meta",)
_Diff = ("path", "newText", "oldText", "_meta")
_ElicitationAcceptAction = ("content",)
_ElicitationCapabilities = ("form", "url", "_meta")
_ElicitationContentValue_arms = (
    Arm(("string",), (), string),
    Arm(
        ("number",), (), partial(integer, minimum=-9223372036854775808, maximum=9223372036854775807)
    ),
    Arm(("number",), (), number),
    Arm(("boolean",), (), boolean),
    Arm(("array",), (), partial(items, decode=string)),
)
_ElicitationFormCapabilities = ("_meta",)
_ElicitationFormMode_arms = (
    Arm(("object",), ("sessionId",), decode_SessionElicitationFormMode),
    Arm(("object",), ("requestId",), decode_RequestElicitationFormMode),
)
_ElicitationFormMode_encoders: dict[type, ObjectEncoder] = {
    SessionElicitationFormMode: encode_SessionElicitationFormMode,
    RequestElicitationFormMode: encode_RequestElicitationFormMode,
}
_ElicitationPropertySchema: dict[str, ObjectDecoder[ElicitationPropertySchema]] = {
    "string": decode_StringPropertySchema,
    "number": decode_NumberPropertySchema,
    "integer": decode_IntegerPropertySchema,
    "boolean": decode_BooleanPropertySchema,
    "array": decode_MultiSelectPropertySchema,
}
_ElicitationPropertySchema_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    StringPropertySchema: ("string", encode_StringPropertySchema),
    NumberPropertySchema: ("number", encode_NumberPropertySchema),
    IntegerPropertySchema: ("integer", encode_IntegerPropertySchema),
    BooleanPropertySchema: ("boolean", encode_BooleanPropertySchema),
    MultiSelectPropertySchema: ("array", encode_MultiSelectPropertySchema),
    UnknownElicitationPropertySchema: (None, _encode_UnknownElicitationPropertySchema),
}
_ElicitationRequestScope = ("requestId",)
_ElicitationSchema = ("type", "title", "properties", "required", "description", "_meta")
_ElicitationSessionScope = ("sessionId", "toolCallId")
_ElicitationUrlCapabilities = ("_meta",)
_ElicitationUrlMode_arms = (
    Arm(("object",), ("sessionId",), decode_SessionElicitationUrlMode),
    Arm(("object",), ("requestId",), decode_RequestElicitationUrlMode),
)
_ElicitationUrlMode_encoders: dict[type, ObjectEncoder] = {
    SessionElicitationUrlMode: encode_SessionElicitationUrlMode,
    RequestElicitationUrlMode: encode_RequestElicitationUrlMode,
}
_EmbeddedResource = ("resource", "annotations", "_meta")
_EmbeddedResourceResource_arms = (
    Arm(("object",), ("text", "uri"), decode_TextResourceContents),
    Arm(("object",), ("blob", "uri"), decode_BlobResourceContents),
)
_EmbeddedResourceResource_encoders: dict[type, ObjectEncoder] = {
    TextResourceContents: encode_TextResourceContents,
    BlobResourceContents: encode_BlobResourceContents,
}
_EnumOption = ("const", "title", "description", "_meta")
_EnvVariable = ("name", "value", "_meta")
_Error = ("code", "message", "data")
_FileSystemCapabilities = ("readTextFile", "writeTextFile", "_meta")
_FormCreateElicitationRequest_arms = (
    Arm(("object",), ("sessionId",), decode_SessionFormCreateElicitationRequest),
    Arm(("object",), ("requestId",), decode_RequestFormCreateElicitationRequest),
)
_FormCreateElicitationRequest_encoders: dict[type, ObjectEncoder] = {
    SessionFormCreateElicitationRequest: encode_SessionFormCreateElicitationRequest,
    RequestFormCreateElicitationRequest: encode_RequestFormCreateElicitationRequest,
}
_HttpHeader = ("name", "value", "_meta")
_ImageContent = ("data", "mimeType", "annotations", "uri", "_meta")
_Implementation = ("name", "version", "title", "_meta")
_InitializeRequest = ("protocolVersion", "clientCapabilities", "clientInfo", "_meta")
_InitializeResponse = ("protocolVersion", "agentCapabilities", "authMethods", "agentInfo", "_meta")
_IntegerPropertySchema = ("title", "description", "minimum", "maximum", "default", "_meta")
_KillTerminalRequest = ("sessionId", "terminalId", "_meta")
_KillTerminalResponse = ("_meta",)
_ListSessionsRequest = ("cwd", "cursor", "_meta")
_ListSessionsResponse = ("sessions", "nextCursor", "_meta")
_LoadSessionRequest = ("mcpServers", "cwd", "sessionId", "additionalDirectories", "_meta")
_LoadSessionResponse = ("modes", "configOptions", "_meta")
_LogoutCapabilities = ("_meta",)
_LogoutRequest = ("_meta",)
_LogoutResponse = ("_meta",)
_McpCapabilities = ("http", "sse", "_meta")
_McpServer: dict[str, ObjectDecoder[McpServer]] = {
    "http": decode_McpServerHttp,
    "sse": decode_McpServerSse,
}
_McpServer_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    McpServerHttp: ("http", encode_McpServerHttp),
    McpServerSse: ("sse", encode_McpServerSse),
    McpServerStdio: (None, _encode_McpServer_default),
}
_McpServerHttp = ("name", "url", "headers", "_meta")
_McpServerSse = ("name", "url", "headers", "_meta")
_McpServerStdio = ("name", "command", "args", "env", "_meta")
_MultiSelectItems: dict[str, ObjectDecoder[MultiSelectItems]] = {
    "string": decode_StringMultiSelectItems,
}
_MultiSelectItems_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    StringMultiSelectItems: ("string", encode_StringMultiSelectItems),
    TitledMultiSelectItems: (None, _encode_MultiSelectItems_default),
    UnknownMultiSelectItems: (None, _encode_UnknownMultiSelectItems),
}
_MultiSelectPropertySchema = (
    "items",
    "title",
    "description",
    "minItems",
    "maxItems",
    "default",
    "_meta",
)
_NewSessionRequest = ("cwd", "mcpServers", "additionalDirectories", "_meta")
_NewSessionResponse = ("sessionId", "modes", "configOptions", "_meta")
_Notice = ("severity", "title", "description", "_meta")
_NoticeCapabilities = ()
_NumberPropertySchema = ("title", "description", "minimum", "maximum", "default", "_meta")
_PermissionOption = ("optionId", "name", "kind", "_meta")
_Plan = ("entries", "_meta")
_PlanEntry = ("content", "priority", "status", "_meta")
_PromptCapabilities = ("image", "audio", "embeddedContext", "_meta")
_PromptRequest = ("sessionId", "prompt", "_meta")
_PromptResponse = ("stopReason", "_meta")
_ReadTextFileRequest = ("sessionId", "path", "line", "limit", "_meta")
_ReadTextFileResponse = ("content", "_meta")
_ReleaseTerminalRequest = ("sessionId", "terminalId", "_meta")
_ReleaseTerminalResponse = ("_meta",)
_RequestElicitationFormMode = ("requestedSchema", "requestId")
_RequestElicitationUrlMode = ("elicitationId", "url", "requestId")
_RequestFormCreateElicitationRequest = ("message", "requestedSchema", "requestId", "_meta")
_RequestPermissionOutcome: dict[str, ObjectDecoder[RequestPermissionOutcome]] = {
    "cancelled": decode_CancelledRequestPermissionOutcome,
    "selected": decode_SelectedPermissionOutcome,
}
_RequestPermissionOutcome_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    CancelledRequestPermissionOutcome: ("cancelled", encode_CancelledRequestPermissionOutcome),
    SelectedPermissionOutcome: ("selected", encode_SelectedPermissionOutcome),
}
_RequestPermissionRequest = ("sessionId", "toolCall", "options", "_meta")
_RequestPermissionResponse = ("outcome", "_meta")
_RequestUrlCreateElicitationRequest = ("message", "elicitationId", "url", "requestId", "_meta")
_ResourceLink = ("name", "uri", "annotations", "description", "mimeType", "size", "title", "_meta")
_ResumeSessionRequest = ("sessionId", "cwd", "additionalDirectories", "mcpServers", "_meta")
_ResumeSessionResponse = ("modes", "configOptions", "_meta")
_SelectSessionConfigOption = (
    "id",
    "name",
    "currentValue",
    "options",
    "description",
    "category",
    "_meta",
)
_SelectedPermissionOutcome = ("optionId", "_meta")
_SessionAdditionalDirectoriesCapabilities = ("_meta",)
_SessionCapabilities = ("list", "delete", "additionalDirectories", "resume", "close", "_meta")
_SessionCloseCapabilities = ("_meta",)
_SessionConfigBoolean = ("currentValue",)
_SessionConfigOption: dict[str, ObjectDecoder[SessionConfigOption]] = {
    "select": decode_SelectSessionConfigOption,
    "boolean": decode_BooleanSessionConfigOption,
}
_SessionConfigOption_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    SelectSessionConfigOption: ("select", encode_SelectSessionConfigOption),
    BooleanSessionConfigOption: ("boolean", encode_BooleanSessionConfigOption),
    UnknownSessionConfigOption: (None, _encode_UnknownSessionConfigOption),
}
_SessionConfigOptionsCapabilities = ("boolean", "_meta")
_SessionConfigSelect = ("currentValue", "options")
_SessionConfigSelectGroup = ("group", "name", "options", "_meta")
_SessionConfigSelectOption = ("value", "name", "description", "_meta")
_SessionConfigSelectOptions_arms = (
    Arm(("array",), ("value", "name"), partial(items, decode=decode_SessionConfigSelectOption)),
    Arm(
        ("array",),
        ("group", "name", "options"),
        partial(items, decode=decode_SessionConfigSelectGroup),
    ),
)
_SessionConfigSelectOptions_encoders: dict[type, ObjectEncoder] = {
    SessionConfigSelectOption: encode_SessionConfigSelectOption,
    SessionConfigSelectGroup: encode_SessionConfigSelectGroup,
}
_SessionDeleteCapabilities = ("_meta",)
_SessionElicitationFormMode = ("requestedSchema", "sessionId", "toolCallId")
_SessionElicitationUrlMode = ("elicitationId", "url", "sessionId", "toolCallId")
_SessionFormCreateElicitationRequest = (
    "message",
    "requestedSchema",
    "sessionId",
    "_meta",
    "toolCallId",
)
_SessionInfo = ("sessionId", "cwd", "additionalDirectories", "title", "updatedAt", "_meta")
_SessionInfoUpdate = ("title", "updatedAt", "_meta")
_SessionListCapabilities = ("_meta",)
_SessionMode = ("id", "name", "description", "_meta")
_SessionModeState = ("currentModeId", "availableModes", "_meta")
_SessionNotification = ("sessionId", "update", "_meta")
_SessionResumeCapabilities = ("_meta",)
_SessionUpdate: dict[str, ObjectDecoder[SessionUpdate]] = {
    "user_message_chunk": decode_UserMessageChunk,
    "agent_message_chunk": decode_AgentMessageChunk,
    "agent_thought_chunk": decode_AgentThoughtChunk,
    "tool_call": decode_ToolCall,
    "tool_call_update": decode_ToolCallUpdate,
    "plan": decode_Plan,
    "available_commands_update": decode_AvailableCommandsUpdate,
    "current_mode_update": decode_CurrentModeUpdate,
    "config_option_update": decode_ConfigOptionUpdate,
    "session_info_update": decode_SessionInfoUpdate,
    "usage_update": decode_UsageUpdate,
    "notice": decode_Notice,
    "compaction_update": decode_CompactionUpdate,
    "compaction_summary_chunk": decode_CompactionSummaryChunk,
}
_SessionUpdate_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    UserMessageChunk: ("user_message_chunk", encode_UserMessageChunk),
    AgentMessageChunk: ("agent_message_chunk", encode_AgentMessageChunk),
    AgentThoughtChunk: ("agent_thought_chunk", encode_AgentThoughtChunk),
    ToolCall: ("tool_call", encode_ToolCall),
    ToolCallUpdate: ("tool_call_update", encode_ToolCallUpdate),
    Plan: ("plan", encode_Plan),
    AvailableCommandsUpdate: ("available_commands_update", encode_AvailableCommandsUpdate),
    CurrentModeUpdate: ("current_mode_update", encode_CurrentModeUpdate),
    ConfigOptionUpdate: ("config_option_update", encode_ConfigOptionUpdate),
    SessionInfoUpdate: ("session_info_update", encode_SessionInfoUpdate),
    UsageUpdate: ("usage_update", encode_UsageUpdate),
    Notice: ("notice", encode_Notice),
    CompactionUpdate: ("compaction_update", encode_CompactionUpdate),
    CompactionSummaryChunk: ("compaction_summary_chunk", encode_CompactionSummaryChunk),
    UnknownSessionUpdate: (None, _encode_UnknownSessionUpdate),
}
_SessionUrlCreateElicitationRequest = (
    "message",
    "elicitationId",
    "url",
    "sessionId",
    "_meta",
    "toolCallId",
)
_SetSessionConfigOptionRequest: dict[str, ObjectDecoder[SetSessionConfigOptionRequest]] = {
    "boolean": decode_BooleanSetSessionConfigOptionRequest,
}
_SetSessionConfigOptionRequest_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    BooleanSetSessionConfigOptionRequest: ("boolean", encode_BooleanSetSessionConfigOptionRequest),
    ValueIdSetSessionConfigOptionRequest: (None, _encode_SetSessionConfigOptionRequest_default),
}
_SetSessionConfigOptionResponse = ("configOptions", "_meta")
_SetSessionModeRequest = ("sessionId", "modeId", "_meta")
_SetSessionModeResponse = ("_meta",)
_StringMultiSelectItems = ("enum", "_meta")
_StringPropertySchema = (
    "title",
    "description",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "default",
    "enum",
    "oneOf",
    "_meta",
)
_Terminal = ("terminalId", "_meta")
_TerminalExitStatus = ("exitCode", "signal", "_meta")
_TerminalOutputRequest = ("sessionId", "terminalId", "_meta")
_TerminalOutputResponse = ("output", "truncated", "exitStatus", "_meta")
_TextContent = ("text", "annotations", "_meta")
_TextResourceContents = ("text", "uri", "mimeType", "_meta")
_TitledMultiSelectItems = ("anyOf", "_meta")
_ToolCall = (
    "toolCallId",
    "title",
    "name",
    "kind",
    "status",
    "content",
    "locations",
    "rawInput",
    "rawOutput",
    "_meta",
)
_ToolCallContent: dict[str, ObjectDecoder[ToolCallContent]] = {
    "content": decode_Content,
    "diff": decode_Diff,
    "terminal": decode_Terminal,
}
_ToolCallContent_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    Content: ("content", encode_Content),
    Diff: ("diff", encode_Diff),
    Terminal: ("terminal", encode_Terminal),
    UnknownToolCallContent: (None, _encode_UnknownToolCallContent),
}
_ToolCallLocation = ("path", "line", "_meta")
_ToolCallUpdate = (
    "toolCallId",
    "kind",
    "status",
    "title",
    "name",
    "content",
    "locations",
    "rawInput",
    "rawOutput",
    "_meta",
)
_UnstructuredCommandInput = ("hint", "_meta")
_UrlCreateElicitationRequest_arms = (
    Arm(("object",), ("sessionId",), decode_SessionUrlCreateElicitationRequest),
    Arm(("object",), ("requestId",), decode_RequestUrlCreateElicitationRequest),
)
_UrlCreateElicitationRequest_encoders: dict[type, ObjectEncoder] = {
    SessionUrlCreateElicitationRequest: encode_SessionUrlCreateElicitationRequest,
    RequestUrlCreateElicitationRequest: encode_RequestUrlCreateElicitationRequest,
}
_UsageUpdate = ("used", "size", "cost", "_meta")
_UserMessageChunk = ("content", "messageId", "_meta")
_ValueIdSetSessionConfigOptionRequest = ("sessionId", "configId", "value", "_meta")
_WaitForTerminalExitRequest = ("sessionId", "terminalId", "_meta")
_WaitForTerminalExitResponse = ("exitCode", "signal", "_meta")
_WriteTextFileRequest = ("sessionId", "path", "content", "_meta")
_WriteTextFileResponse = ("_meta",)

_DEFINITIONS = (
    record(AgentAuthCapabilities, decode_AgentAuthCapabilities, encode_AgentAuthCapabilities),
    record(AgentCapabilities, decode_AgentCapabilities, encode_AgentCapabilities),
    record(Annotations, decode_Annotations, encode_Annotations),
    record(AudioContent, decode_AudioContent, encode_AudioContent),
    record(AuthCapabilities, decode_AuthCapabilities, encode_AuthCapabilities),
    union("AuthMethod", AuthMethod, decode_AuthMethod, encode_AuthMethod),
    record(AuthMethodAgent, decode_AuthMethodAgent, encode_AuthMethodAgent),
    alias("AuthMethodId", AuthMethodId, decode_AuthMethodId),
    record(AuthMethodTerminal, decode_AuthMethodTerminal, encode_AuthMethodTerminal),
    record(AuthenticateRequest, decode_AuthenticateRequest, encode_AuthenticateRequest),
    record(AuthenticateResponse, decode_AuthenticateResponse, encode_AuthenticateResponse),
    record(AvailableCommand, decode_AvailableCommand, encode_AvailableCommand),
    union(
        "AvailableCommandInput",
        AvailableCommandInput,
        decode_AvailableCommandInput,
        encode_AvailableCommandInput,
    ),
    record(AvailableCommandsUpdate, decode_AvailableCommandsUpdate, encode_AvailableCommandsUpdate),
    record(BlobResourceContents, decode_BlobResourceContents, encode_BlobResourceContents),
    record(
        BooleanConfigOptionCapabilities,
        decode_BooleanConfigOptionCapabilities,
        encode_BooleanConfigOptionCapabilities,
    ),
    record(BooleanPropertySchema, decode_BooleanPropertySchema, encode_BooleanPropertySchema),
    record(CancelNotification, decode_CancelNotification, encode_CancelNotification),
    record(
        CancelRequestNotification,
        decode_CancelRequestNotification,
        encode_CancelRequestNotification,
    ),
    record(ClientCapabilities, decode_ClientCapabilities, encode_ClientCapabilities),
    record(
        ClientSessionCapabilities,
        decode_ClientSessionCapabilities,
        encode_ClientSessionCapabilities,
    ),
    record(CloseSessionRequest, decode_CloseSessionRequest, encode_CloseSessionRequest),
    record(CloseSessionResponse, decode_CloseSessionResponse, encode_CloseSessionResponse),
    record(CompactionCapabilities, decode_CompactionCapabilities, encode_CompactionCapabilities),
    alias("CompactionId", CompactionId, decode_CompactionId),
    alias("CompactionStatus", CompactionStatus, decode_CompactionStatus),
    record(CompactionSummaryChunk, decode_CompactionSummaryChunk, encode_CompactionSummaryChunk),
    record(CompactionUpdate, decode_CompactionUpdate, encode_CompactionUpdate),
    record(
        CompleteElicitationNotification,
        decode_CompleteElicitationNotification,
        encode_CompleteElicitationNotification,
    ),
    record(ConfigOptionUpdate, decode_ConfigOptionUpdate, encode_ConfigOptionUpdate),
    record(Content, decode_Content, encode_Content),
    union("ContentBlock", ContentBlock, decode_ContentBlock, encode_ContentBlock),
    record(ContentChunk, decode_ContentChunk, encode_ContentChunk),
    record(Cost, decode_Cost, encode_Cost),
    union(
        "CreateElicitationRequest",
        CreateElicitationRequest,
        decode_CreateElicitationRequest,
        encode_CreateElicitationRequest,
    ),
    union(
        "CreateElicitationResponse",
        CreateElicitationResponse,
        decode_CreateElicitationResponse,
        encode_CreateElicitationResponse,
    ),
    record(CreateTerminalRequest, decode_CreateTerminalRequest, encode_CreateTerminalRequest),
    record(CreateTerminalResponse, decode_CreateTerminalResponse, encode_CreateTerminalResponse),
    record(CurrentModeUpdate, decode_CurrentModeUpdate, encode_CurrentModeUpdate),
    record(DeleteSessionRequest, decode_DeleteSessionRequest, encode_DeleteSessionRequest),
    record(DeleteSessionResponse, decode_DeleteSessionResponse, encode_DeleteSessionResponse),
    record(Diff, decode_Diff, encode_Diff),
    record(ElicitationAcceptAction, decode_ElicitationAcceptAction, encode_ElicitationAcceptAction),
    record(ElicitationCapabilities, decode_ElicitationCapabilities, encode_ElicitationCapabilities),
    alias("ElicitationContentValue", ElicitationContentValue, decode_ElicitationContentValue),
    record(
        ElicitationFormCapabilities,
        decode_ElicitationFormCapabilities,
        encode_ElicitationFormCapabilities,
    ),
    union(
        "ElicitationFormMode",
        ElicitationFormMode,
        decode_ElicitationFormMode,
        encode_ElicitationFormMode,
    ),
    alias("ElicitationId", ElicitationId, decode_ElicitationId),
    union(
        "ElicitationPropertySchema",
        ElicitationPropertySchema,
        decode_ElicitationPropertySchema,
        encode_ElicitationPropertySchema,
    ),
    record(ElicitationRequestScope, decode_ElicitationRequestScope, encode_ElicitationRequestScope),
    record(ElicitationSchema, decode_ElicitationSchema, encode_ElicitationSchema),
    alias("ElicitationSchemaType", ElicitationSchemaType, decode_ElicitationSchemaType),
    record(ElicitationSessionScope, decode_ElicitationSessionScope, encode_ElicitationSessionScope),
    record(
        ElicitationUrlCapabilities,
        decode_ElicitationUrlCapabilities,
        encode_ElicitationUrlCapabilities,
    ),
    union(
        "ElicitationUrlMode",
        ElicitationUrlMode,
        decode_ElicitationUrlMode,
        encode_ElicitationUrlMode,
    ),
    record(EmbeddedResource, decode_EmbeddedResource, encode_EmbeddedResource),
    union(
        "EmbeddedResourceResource",
        EmbeddedResourceResource,
        decode_EmbeddedResourceResource,
        encode_EmbeddedResourceResource,
    ),
    record(EnumOption, decode_EnumOption, encode_EnumOption),
    record(EnvVariable, decode_EnvVariable, encode_EnvVariable),
    record(Error, decode_Error, encode_Error),
    alias("ErrorCode", ErrorCode, decode_ErrorCode),
    alias("ExtNotification", ExtNotification, decode_ExtNotification),
    alias("ExtRequest", ExtRequest, decode_ExtRequest),
    alias("ExtResponse", ExtResponse, decode_ExtResponse),
    record(FileSystemCapabilities, decode_FileSystemCapabilities, encode_FileSystemCapabilities),
    record(HttpHeader, decode_HttpHeader, encode_HttpHeader),
    record(ImageContent, decode_ImageContent, encode_ImageContent),
    record(Implementation, decode_Implementation, encode_Implementation),
    record(InitializeRequest, decode_InitializeRequest, encode_InitializeRequest),
    record(InitializeResponse, decode_InitializeResponse, encode_InitializeResponse),
    record(IntegerPropertySchema, decode_IntegerPropertySchema, encode_IntegerPropertySchema),
    record(KillTerminalRequest, decode_KillTerminalRequest, encode_KillTerminalRequest),
    record(KillTerminalResponse, decode_KillTerminalResponse, encode_KillTerminalResponse),
    record(ListSessionsRequest, decode_ListSessionsRequest, encode_ListSessionsRequest),
    record(ListSessionsResponse, decode_ListSessionsResponse, encode_ListSessionsResponse),
    record(LoadSessionRequest, decode_LoadSessionRequest, encode_LoadSessionRequest),
    record(LoadSessionResponse, decode_LoadSessionResponse, encode_LoadSessionResponse),
    record(LogoutCapabilities, decode_LogoutCapabilities, encode_LogoutCapabilities),
    record(LogoutRequest, decode_LogoutRequest, encode_LogoutRequest),
    record(LogoutResponse, decode_LogoutResponse, encode_LogoutResponse),
    record(McpCapabilities, decode_McpCapabilities, encode_McpCapabilities),
    union("McpServer", McpServer, decode_McpServer, encode_McpServer),
    record(McpServerHttp, decode_McpServerHttp, encode_McpServerHttp),
    record(McpServerSse, decode_McpServerSse, encode_McpServerSse),
    record(McpServerStdio, decode_McpServerStdio, encode_McpServerStdio),
    alias("MessageId", MessageId, decode_MessageId),
    union("MultiSelectItems", MultiSelectItems, decode_MultiSelectItems, encode_MultiSelectItems),
    record(
        MultiSelectPropertySchema,
        decode_MultiSelectPropertySchema,
        encode_MultiSelectPropertySchema,
    ),
    record(NewSessionRequest, decode_NewSessionRequest, encode_NewSessionRequest),
    record(NewSessionResponse, decode_NewSessionResponse, encode_NewSessionResponse),
    record(Notice, decode_Notice, encode_Notice),
    record(NoticeCapabilities, decode_NoticeCapabilities, encode_NoticeCapabilities),
    alias("NoticeSeverity", NoticeSeverity, decode_NoticeSeverity),
    record(NumberPropertySchema, decode_NumberPropertySchema, encode_NumberPropertySchema),
    record(PermissionOption, decode_PermissionOption, encode_PermissionOption),
    alias("PermissionOptionId", PermissionOptionId, decode_PermissionOptionId),
    alias("PermissionOptionKind", PermissionOptionKind, decode_PermissionOptionKind),
    record(Plan, decode_Plan, encode_Plan),
    record(PlanEntry, decode_PlanEntry, encode_PlanEntry),
    alias("PlanEntryPriority", PlanEntryPriority, decode_PlanEntryPriority),
    alias("PlanEntryStatus", PlanEntryStatus, decode_PlanEntryStatus),
    record(PromptCapabilities, decode_PromptCapabilities, encode_PromptCapabilities),
    record(PromptRequest, decode_PromptRequest, encode_PromptRequest),
    record(PromptResponse, decode_PromptResponse, encode_PromptResponse),
    alias("ProtocolVersion", ProtocolVersion, decode_ProtocolVersion),
    record(ReadTextFileRequest, decode_ReadTextFileRequest, encode_ReadTextFileRequest),
    record(ReadTextFileResponse, decode_ReadTextFileResponse, encode_ReadTextFileResponse),
    record(ReleaseTerminalRequest, decode_ReleaseTerminalRequest, encode_ReleaseTerminalRequest),
    record(ReleaseTerminalResponse, decode_ReleaseTerminalResponse, encode_ReleaseTerminalResponse),
    alias("RequestId", RequestId, decode_RequestId),
    union(
        "RequestPermissionOutcome",
        RequestPermissionOutcome,
        decode_RequestPermissionOutcome,
        encode_RequestPermissionOutcome,
    ),
    record(
        RequestPermissionRequest, decode_RequestPermissionRequest, encode_RequestPermissionRequest
    ),
    record(
        RequestPermissionResponse,
        decode_RequestPermissionResponse,
        encode_RequestPermissionResponse,
    ),
    record(ResourceLink, decode_ResourceLink, encode_ResourceLink),
    record(ResumeSessionRequest, decode_ResumeSessionRequest, encode_ResumeSessionRequest),
    record(ResumeSessionResponse, decode_ResumeSessionResponse, encode_ResumeSessionResponse),
    alias("Role", Role, decode_Role),
    record(
        SelectedPermissionOutcome,
        decode_SelectedPermissionOutcome,
        encode_SelectedPermissionOutcome,
    ),
    record(
        SessionAdditionalDirectoriesCapabilities,
        decode_SessionAdditionalDirectoriesCapabilities,
        encode_SessionAdditionalDirectoriesCapabilities,
    ),
    record(SessionCapabilities, decode_SessionCapabilities, encode_SessionCapabilities),
    record(
        SessionCloseCapabilities, decode_SessionCloseCapabilities, encode_SessionCloseCapabilities
    ),
    record(SessionConfigBoolean, decode_SessionConfigBoolean, encode_SessionConfigBoolean),
    alias("SessionConfigGroupId", SessionConfigGroupId, decode_SessionConfigGroupId),
    alias("SessionConfigId", SessionConfigId, decode_SessionConfigId),
    union(
        "SessionConfigOption",
        SessionConfigOption,
        decode_SessionConfigOption,
        encode_SessionConfigOption,
    ),
    alias(
        "SessionConfigOptionCategory",
        SessionConfigOptionCategory,
        decode_SessionConfigOptionCategory,
    ),
    record(
        SessionConfigOptionsCapabilities,
        decode_SessionConfigOptionsCapabilities,
        encode_SessionConfigOptionsCapabilities,
    ),
    record(SessionConfigSelect, decode_SessionConfigSelect, encode_SessionConfigSelect),
    record(
        SessionConfigSelectGroup, decode_SessionConfigSelectGroup, encode_SessionConfigSelectGroup
    ),
    record(
        SessionConfigSelectOption,
        decode_SessionConfigSelectOption,
        encode_SessionConfigSelectOption,
    ),
    alias(
        "SessionConfigSelectOptions",
        SessionConfigSelectOptions,
        decode_SessionConfigSelectOptions,
        encode_SessionConfigSelectOptions,
    ),
    alias("SessionConfigValueId", SessionConfigValueId, decode_SessionConfigValueId),
    record(
        SessionDeleteCapabilities,
        decode_SessionDeleteCapabilities,
        encode_SessionDeleteCapabilities,
    ),
    alias("SessionId", SessionId, decode_SessionId),
    record(SessionInfo, decode_SessionInfo, encode_SessionInfo),
    record(SessionInfoUpdate, decode_SessionInfoUpdate, encode_SessionInfoUpdate),
    record(SessionListCapabilities, decode_SessionListCapabilities, encode_SessionListCapabilities),
    record(SessionMode, decode_SessionMode, encode_SessionMode),
    alias("SessionModeId", SessionModeId, decode_SessionModeId),
    record(SessionModeState, decode_SessionModeState, encode_SessionModeState),
    record(SessionNotification, decode_SessionNotification, encode_SessionNotification),
    record(
        SessionResumeCapabilities,
        decode_SessionResumeCapabilities,
        encode_SessionResumeCapabilities,
    ),
    union("SessionUpdate", SessionUpdate, decode_SessionUpdate, encode_SessionUpdate),
    union(
        "SetSessionConfigOptionRequest",
        SetSessionConfigOptionRequest,
        decode_SetSessionConfigOptionRequest,
        encode_SetSessionConfigOptionRequest,
    ),
    record(
        SetSessionConfigOptionResponse,
        decode_SetSessionConfigOptionResponse,
        encode_SetSessionConfigOptionResponse,
    ),
    record(SetSessionModeRequest, decode_SetSessionModeRequest, encode_SetSessionModeRequest),
    record(SetSessionModeResponse, decode_SetSessionModeResponse, encode_SetSessionModeResponse),
    alias("StopReason", StopReason, decode_StopReason),
    alias("StringFormat", StringFormat, decode_StringFormat),
    record(StringMultiSelectItems, decode_StringMultiSelectItems, encode_StringMultiSelectItems),
    record(StringPropertySchema, decode_StringPropertySchema, encode_StringPropertySchema),
    record(Terminal, decode_Terminal, encode_Terminal),
    record(TerminalExitStatus, decode_TerminalExitStatus, encode_TerminalExitStatus),
    alias("TerminalId", TerminalId, decode_TerminalId),
    record(TerminalOutputRequest, decode_TerminalOutputRequest, encode_TerminalOutputRequest),
    record(TerminalOutputResponse, decode_TerminalOutputResponse, encode_TerminalOutputResponse),
    record(TextContent, decode_TextContent, encode_TextContent),
    record(TextResourceContents, decode_TextResourceContents, encode_TextResourceContents),
    record(TitledMultiSelectItems, decode_TitledMultiSelectItems, encode_TitledMultiSelectItems),
    record(ToolCall, decode_ToolCall, encode_ToolCall),
    union("ToolCallContent", ToolCallContent, decode_ToolCallContent, encode_ToolCallContent),
    alias("ToolCallId", ToolCallId, decode_ToolCallId),
    record(ToolCallLocation, decode_ToolCallLocation, encode_ToolCallLocation),
    alias("ToolCallStatus", ToolCallStatus, decode_ToolCallStatus),
    record(ToolCallUpdate, decode_ToolCallUpdate, encode_ToolCallUpdate),
    alias("ToolKind", ToolKind, decode_ToolKind),
    record(
        UnstructuredCommandInput, decode_UnstructuredCommandInput, encode_UnstructuredCommandInput
    ),
    record(UsageUpdate, decode_UsageUpdate, encode_UsageUpdate),
    record(
        WaitForTerminalExitRequest,
        decode_WaitForTerminalExitRequest,
        encode_WaitForTerminalExitRequest,
    ),
    record(
        WaitForTerminalExitResponse,
        decode_WaitForTerminalExitResponse,
        encode_WaitForTerminalExitResponse,
    ),
    record(WriteTextFileRequest, decode_WriteTextFileRequest, encode_WriteTextFileRequest),
    record(WriteTextFileResponse, decode_WriteTextFileResponse, encode_WriteTextFileResponse),
)
# Arms of unions that are no definitions of the schema.
_ARMS = (
    record(
        AcceptCreateElicitationResponse,
        restrict_to_arm(
            decode_CreateElicitationResponse,
            "AcceptCreateElicitationResponse",
            AcceptCreateElicitationResponse,
        ),
        encode_CreateElicitationResponse,
    ),
    record(
        AgentMessageChunk,
        restrict_to_arm(decode_SessionUpdate, "AgentMessageChunk", AgentMessageChunk),
        encode_SessionUpdate,
    ),
    record(
        AgentThoughtChunk,
        restrict_to_arm(decode_SessionUpdate, "AgentThoughtChunk", AgentThoughtChunk),
        encode_SessionUpdate,
    ),
    record(
        BooleanSessionConfigOption,
        restrict_to_arm(
            decode_SessionConfigOption, "BooleanSessionConfigOption", BooleanSessionConfigOption
        ),
        encode_SessionConfigOption,
    ),
    record(
        BooleanSetSessionConfigOptionRequest,
        restrict_to_arm(
            decode_SetSessionConfigOptionRequest,
            "BooleanSetSessionConfigOptionRequest",
            BooleanSetSessionConfigOptionRequest,
        ),
        encode_SetSessionConfigOptionRequest,
    ),
    record(
        CancelCreateElicitationResponse,
        restrict_to_arm(
            decode_CreateElicitationResponse,
            "CancelCreateElicitationResponse",
            CancelCreateElicitationResponse,
        ),
        encode_CreateElicitationResponse,
    ),
    record(
        CancelledRequestPermissionOutcome,
        restrict_to_arm(
            decode_RequestPermissionOutcome,
            "CancelledRequestPermissionOutcome",
            CancelledRequestPermissionOutcome,
        ),
        encode_RequestPermissionOutcome,
    ),
    record(
        UnknownContentBlock,
        restrict_to_arm(decode_ContentBlock, "UnknownContentBlock", UnknownContentBlock),
        encode_ContentBlock,
    ),
    record(
        UnknownCreateElicitationRequest,
        restrict_to_arm(
            decode_CreateElicitationRequest,
            "UnknownCreateElicitationRequest",
            UnknownCreateElicitationRequest,
        ),
        encode_CreateElicitationRequest,
    ),
    record(
        UnknownCreateElicitationResponse,
        restrict_to_arm(
            decode_CreateElicitationResponse,
            "UnknownCreateElicitationResponse",
            UnknownCreateElicitationResponse,
        ),
        encode_CreateElicitationResponse,
    ),
    record(
        DeclineCreateElicitationResponse,
        restrict_to_arm(
            decode_CreateElicitationResponse,
            "DeclineCreateElicitationResponse",
            DeclineCreateElicitationResponse,
        ),
        encode_CreateElicitationResponse,
    ),
    record(
        UnknownElicitationPropertySchema,
        restrict_to_arm(
            decode_ElicitationPropertySchema,
            "UnknownElicitationPropertySchema",
            UnknownElicitationPropertySchema,
        ),
        encode_ElicitationPropertySchema,
    ),
    union(
        "FormCreateElicitationRequest",
        FormCreateElicitationRequest,
        restrict_to_arm(
            decode_CreateElicitationRequest,
            "FormCreateElicitationRequest",
            SessionFormCreateElicitationRequest,
            RequestFormCreateElicitationRequest,
        ),
        encode_CreateElicitationRequest,
    ),
    record(
        UnknownMultiSelectItems,
        restrict_to_arm(
            decode_MultiSelectItems, "UnknownMultiSelectItems", UnknownMultiSelectItems
        ),
        encode_MultiSelectItems,
    ),
    record(
        RequestElicitationFormMode,
        restrict_to_arm(
            decode_ElicitationFormMode, "RequestElicitationFormMode", RequestElicitationFormMode
        ),
        encode_ElicitationFormMode,
    ),
    record(
        RequestElicitationUrlMode,
        restrict_to_arm(
            decode_ElicitationUrlMode, "RequestElicitationUrlMode", RequestElicitationUrlMode
        ),
        encode_ElicitationUrlMode,
    ),
    record(
        RequestFormCreateElicitationRequest,
        restrict_to_arm(
            decode_CreateElicitationRequest,
            "RequestFormCreateElicitationRequest",
            RequestFormCreateElicitationRequest,
        ),
        encode_CreateElicitationRequest,
    ),
    record(
        RequestUrlCreateElicitationRequest,
        restrict_to_arm(
            decode_CreateElicitationRequest,
            "RequestUrlCreateElicitationRequest",
            RequestUrlCreateElicitationRequest,
        ),
        encode_CreateElicitationRequest,
    ),
    record(
        SelectSessionConfigOption,
        restrict_to_arm(
            decode_SessionConfigOption, "SelectSessionConfigOption", SelectSessionConfigOption
        ),
        encode_SessionConfigOption,
    ),
    record(
        UnknownSessionConfigOption,
        restrict_to_arm(
            decode_SessionConfigOption, "UnknownSessionConfigOption", UnknownSessionConfigOption
        ),
        encode_SessionConfigOption,
    ),
    record(
        SessionElicitationFormMode,
        restrict_to_arm(
            decode_ElicitationFormMode, "SessionElicitationFormMode", SessionElicitationFormMode
        ),
        encode_ElicitationFormMode,
    ),
    record(
        SessionElicitationUrlMode,
        restrict_to_arm(
            decode_ElicitationUrlMode, "SessionElicitationUrlMode", SessionElicitationUrlMode
        ),
        encode_ElicitationUrlMode,
    ),
    record(
        SessionFormCreateElicitationRequest,
        restrict_to_arm(
            decode_CreateElicitationRequest,
            "SessionFormCreateElicitationRequest",
            SessionFormCreateElicitationRequest,
        ),
        encode_CreateElicitationRequest,
    ),
    record(
        UnknownSessionUpdate,
        restrict_to_arm(decode_SessionUpdate, "UnknownSessionUpdate", UnknownSessionUpdate),
        encode_SessionUpdate,
    ),
    record(
        SessionUrlCreateElicitationRequest,
        restrict_to_arm(
            decode_CreateElicitationRequest,
            "SessionUrlCreateElicitationRequest",
            SessionUrlCreateElicitationRequest,
        ),
        encode_CreateElicitationRequest,
    ),
    record(
        UnknownToolCallContent,
        restrict_to_arm(decode_ToolCallContent, "UnknownToolCallContent", UnknownToolCallContent),
        encode_ToolCallContent,
    ),
    union(
        "UrlCreateElicitationRequest",
        UrlCreateElicitationRequest,
        restrict_to_arm(
            decode_CreateElicitationRequest,
            "UrlCreateElicitationRequest",
            SessionUrlCreateElicitationRequest,
            RequestUrlCreateElicitationRequest,
        ),
        encode_CreateElicitationRequest,
    ),
    record(
        UserMessageChunk,
        restrict_to_arm(decode_SessionUpdate, "UserMessageChunk", UserMessageChunk),
        encode_SessionUpdate,
    ),
    record(
        ValueIdSetSessionConfigOptionRequest,
        restrict_to_arm(
            decode_SetSessionConfigOptionRequest,
            "ValueIdSetSessionConfigOptionRequest",
            ValueIdSetSessionConfigOptionRequest,
        ),
        encode_SetSessionConfigOptionRequest,
    ),
)

SCHEMA = SchemaInfo(
    protocol_version=1,
    stability="stable",
    source="npm:@agentclientprotocol/sdk@2.4.0",
    sha256="a3a5025f4cf7eb72fe64c9d3441913ce22a3b3f38e65ad74470485cc00919440",
    generator_version="0.1.0",
)

TYPES: Mapping[str, Any] = MappingProxyType({each.name: each.type for each in _DEFINITIONS})

_codec = Codec((*_DEFINITIONS, *_ARMS))
decode = _codec.decode
encode = _codec.encode
loads = _codec.loads
dumps = _codec.dumps
