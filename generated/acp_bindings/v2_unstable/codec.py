# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v2/schema.unstable.json (sha256 613c763e7dfcd3819218c0712794f441c6fcc69c909f72d172eb669f3ec5312c).
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
    anything,
    boolean,
    decode_untagged,
    default,
    default_member,
    entries,
    enumerated,
    integer,
    items,
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
from ..runtime.values.errors import DecodeError, EncodeError, Issues, Path
from ..runtime.values.unset import UNSET
from .types import (
    AbsolutePath,
    AcceptCreateElicitationResponse,
    AddDiffChange,
    AgentAuthCapabilities,
    AgentCapabilities,
    AgentMessage,
    AgentMessageChunk,
    AgentThought,
    AgentThoughtChunk,
    Annotations,
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    AudioContent,
    AuthAccount,
    AuthMethod,
    AuthMethodAgent,
    AuthMethodId,
    AuthMethodTerminal,
    AuthState,
    AuthStatusCapabilities,
    AuthStatusRequest,
    AuthStatusResponse,
    AuthStatusUpdateNotification,
    AvailableCommand,
    AvailableCommandInput,
    AvailableCommandsUpdate,
    BackgroundSubagent,
    BackgroundTerminal,
    BackgroundToolCall,
    BackgroundWork,
    BlobResourceContents,
    BooleanPropertySchema,
    BooleanSessionConfigOption,
    BooleanSetSessionConfigOptionRequest,
    CancelCreateElicitationResponse,
    CancelRequestNotification,
    CancelSessionNotification,
    CancelTerminalRequest,
    CancelTerminalResponse,
    CancelToolCallRequest,
    CancelToolCallResponse,
    CancelledPermissionOutcome,
    ClientAuthCapabilities,
    ClientCapabilities,
    CloseSessionRequest,
    CloseSessionResponse,
    Command,
    CommandPermissionSubject,
    CompactionId,
    CompactionStatus,
    CompactionSummaryChunk,
    CompactionUpdate,
    CompleteElicitationNotification,
    ConfigOptionUpdate,
    Content,
    ContentBlock,
    ContentChunk,
    CopyDiffChange,
    Cost,
    CreateElicitationRequest,
    CreateElicitationResponse,
    DeclineCreateElicitationResponse,
    DeleteDiffChange,
    DeleteSessionRequest,
    DeleteSessionResponse,
    Diff,
    DiffChange,
    DiffFileType,
    DiffPatch,
    DiffPatchFormat,
    DiffPathChange,
    DiffPathPairChange,
    DisableProviderRequest,
    DisableProviderResponse,
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
    ErrorData,
    ErrorIdleStateUpdate,
    ErrorMessageMcpResponse,
    ErrorStopReason,
    ExtNotification,
    ExtRequest,
    ExtResponse,
    ForkSessionRequest,
    ForkSessionResponse,
    FormCreateElicitationRequest,
    HttpHeader,
    Icon,
    IconTheme,
    IdSetSessionConfigOptionRequest,
    IdleStateUpdate,
    ImageContent,
    Implementation,
    InitializeProxyRequest,
    InitializeProxyResponse,
    InitializeRequest,
    InitializeResponse,
    IntegerPropertySchema,
    ListProvidersRequest,
    ListProvidersResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LlmProtocol,
    LoginAuthRequest,
    LoginAuthResponse,
    LogoutAuthRequest,
    LogoutAuthResponse,
    McpAcpCapabilities,
    McpCapabilities,
    McpError,
    McpHttpCapabilities,
    McpRequestId,
    McpServer,
    McpServerAcp,
    McpServerAcpId,
    McpServerHttp,
    McpServerStdio,
    McpStdioCapabilities,
    MediaType,
    MessageId,
    MessageMcpNotification,
    MessageMcpRequest,
    MessageMcpResponse,
    ModifyDiffChange,
    MoveDiffChange,
    MultiSelectItems,
    MultiSelectPropertySchema,
    NewSessionRequest,
    NewSessionResponse,
    Notice,
    NoticeSeverity,
    NumberPropertySchema,
    PermissionOption,
    PermissionOptionId,
    PermissionOptionKind,
    PlanEntry,
    PlanEntryPriority,
    PlanEntryStatus,
    PlanFile,
    PlanId,
    PlanItems,
    PlanMarkdown,
    PlanRemoved,
    PlanUpdate,
    PlanUpdateContent,
    PromptAudioCapabilities,
    PromptCapabilities,
    PromptEmbeddedContextCapabilities,
    PromptImageCapabilities,
    PromptRequest,
    PromptResponse,
    ProtocolVersion,
    ProviderCurrentConfig,
    ProviderId,
    ProviderInfo,
    ProvidersCapabilities,
    ProxySuccessorNotification,
    ProxySuccessorRequest,
    ProxySuccessorResponse,
    ReplayFrom,
    ReplayFromStart,
    RequestElicitationFormMode,
    RequestElicitationUrlMode,
    RequestFormCreateElicitationRequest,
    RequestId,
    RequestPermissionOutcome,
    RequestPermissionRequest,
    RequestPermissionResponse,
    RequestPermissionSubject,
    RequestUrlCreateElicitationRequest,
    RequiresActionStateUpdate,
    ResourceLink,
    ResultMessageMcpResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    Role,
    RunningStateUpdate,
    SelectSessionConfigOption,
    SelectedPermissionOutcome,
    SessionAdditionalDirectoriesCapabilities,
    SessionArchiveCapabilities,
    SessionArchiveFilter,
    SessionCancelCapabilities,
    SessionCapabilities,
    SessionConfigBoolean,
    SessionConfigGroupId,
    SessionConfigId,
    SessionConfigOption,
    SessionConfigOptionCategory,
    SessionConfigSelect,
    SessionConfigSelectGroup,
    SessionConfigSelectOption,
    SessionConfigSelectOptions,
    SessionConfigValueId,
    SessionDeleteCapabilities,
    SessionElicitationFormMode,
    SessionElicitationUrlMode,
    SessionForkCapabilities,
    SessionFormCreateElicitationRequest,
    SessionId,
    SessionInfo,
    SessionInfoUpdate,
    SessionListCursor,
    SessionMessage,
    SessionMessageChunk,
    SessionNotFoundErrorData,
    SessionStatus,
    SessionStatusCapabilities,
    SessionStatusRequest,
    SessionStatusResponse,
    SessionSystemPromptCapabilities,
    SessionSystemPromptModeCapabilities,
    SessionSystemPromptOverrideCapabilities,
    SessionTitleCapabilities,
    SessionUpdate,
    SessionUrlCreateElicitationRequest,
    SetProviderRequest,
    SetProviderResponse,
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
    SetSessionTitleRequest,
    SetSessionTitleResponse,
    StateUpdate,
    StringFormat,
    StringMultiSelectItems,
    StringPropertySchema,
    SubagentSessionCapabilities,
    SubagentUpdate,
    SystemPrompt,
    SystemPromptMode,
    Terminal,
    TerminalAuthCapabilities,
    TerminalCancelCapabilities,
    TerminalCapabilities,
    TerminalExitStatus,
    TerminalId,
    TerminalOutput,
    TerminalOutputChunk,
    TerminalSize,
    TerminalUpdate,
    TextCommandInput,
    TextContent,
    TextResourceContents,
    TitledMultiSelectItems,
    ToolCallCancelCapabilities,
    ToolCallCapabilities,
    ToolCallContent,
    ToolCallContentChunk,
    ToolCallId,
    ToolCallLocation,
    ToolCallPermissionSubject,
    ToolCallStatus,
    ToolCallUpdate,
    ToolKind,
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
    UnknownAuthMethod,
    UnknownAvailableCommand,
    UnknownAvailableCommandInput,
    UnknownBackgroundWork,
    UnknownContentBlock,
    UnknownCreateElicitationRequest,
    UnknownCreateElicitationResponse,
    UnknownDiffChange,
    UnknownElicitationPropertySchema,
    UnknownMcpServer,
    UnknownMultiSelectItems,
    UnknownPlanUpdateContent,
    UnknownReplayFrom,
    UnknownRequestPermissionOutcome,
    UnknownRequestPermissionSubject,
    UnknownSessionConfigOption,
    UnknownSessionUpdate,
    UnknownSetSessionConfigOptionRequest,
    UnknownStateUpdate,
    UnknownToolCallContent,
    UnrecognizedStateUpdate,
    UnsupportedProtocolVersionErrorData,
    UpdateSessionNotification,
    UrlCreateElicitationRequest,
    Usage,
    UsageUpdate,
    UserMessage,
    UserMessageChunk,
)


def decode_AbsolutePath(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


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


def decode_AddDiffChange(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> AddDiffChange:
    try:
        value = d["path"]
    except (KeyError, TypeError):
        raise missing(d, "path", path, "string") from None
    o = new(AddDiffChange)
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    o.file_type = UNSET
    o.mime_type = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("fileType", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_DiffFileType(value, issues, (path, "fileType"))
                except DecodeError as error:
                    value = default(issues, (path, "fileType"), value, error, UNSET)
            o.file_type = value
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
            o.unknown_fields = unknown(d, _AddDiffChange, tags)
    return o


def encode_AddDiffChange(o: AddDiffChange, out: Json) -> Json:
    out["path"] = o.path
    if o.file_type is not UNSET:
        out["fileType"] = o.file_type
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AddDiffChange)
    return out


def decode_AgentAuthCapabilities(d: Any, issues: Issues, path: Path) -> AgentAuthCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(AgentAuthCapabilities)
    o.status = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("status", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_AuthStatusCapabilities(value, issues, (path, "status"))
                except DecodeError as error:
                    value = default(issues, (path, "status"), value, error, UNSET)
            o.status = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AgentAuthCapabilities, ())
    return o


def encode_AgentAuthCapabilities(o: AgentAuthCapabilities, out: Json) -> Json:
    if o.status is not UNSET:
        out["status"] = None if o.status is None else encode_AuthStatusCapabilities(o.status, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AgentAuthCapabilities)
    return out


def decode_AgentCapabilities(d: Any, issues: Issues, path: Path) -> AgentCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(AgentCapabilities)
    o.session = UNSET
    o.auth = UNSET
    o.providers = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("session", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionCapabilities(value, issues, (path, "session"))
                except DecodeError as error:
                    value = default(issues, (path, "session"), value, error, UNSET)
            o.session = value
        if (value := d.get("auth", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_AgentAuthCapabilities(value, issues, (path, "auth"))
                except DecodeError as error:
                    value = default(issues, (path, "auth"), value, error, UNSET)
            o.auth = value
        if (value := d.get("providers", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ProvidersCapabilities(value, issues, (path, "providers"))
                except DecodeError as error:
                    value = default(issues, (path, "providers"), value, error, UNSET)
            o.providers = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AgentCapabilities, ())
    return o


def encode_AgentCapabilities(o: AgentCapabilities, out: Json) -> Json:
    if o.session is not UNSET:
        out["session"] = None if o.session is None else encode_SessionCapabilities(o.session, {})
    if o.auth is not UNSET:
        out["auth"] = None if o.auth is None else encode_AgentAuthCapabilities(o.auth, {})
    if o.providers is not UNSET:
        out["providers"] = (
            None if o.providers is None else encode_ProvidersCapabilities(o.providers, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AgentCapabilities)
    return out


def decode_AgentMessage(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> AgentMessage:
    try:
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(AgentMessage)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
    o.content = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("content", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "content"), decode_ContentBlock)
                except DecodeError as error:
                    value = default(issues, (path, "content"), value, error, UNSET)
            o.content = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AgentMessage, tags)
    return o


def encode_AgentMessage(o: AgentMessage, out: Json) -> Json:
    out["messageId"] = o.message_id
    if o.content is not UNSET:
        out["content"] = (
            None if o.content is None else [encode_ContentBlock(item, {}) for item in o.content]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AgentMessage)
    return out


def decode_AgentMessageChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> AgentMessageChunk:
    try:
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(AgentMessageChunk)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
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
            o.unknown_fields = unknown(d, _AgentMessageChunk, tags)
    return o


def encode_AgentMessageChunk(o: AgentMessageChunk, out: Json) -> Json:
    out["messageId"] = o.message_id
    out["content"] = encode_ContentBlock(o.content, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AgentMessageChunk)
    return out


def decode_AgentThought(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> AgentThought:
    try:
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(AgentThought)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
    o.content = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("content", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "content"), decode_ContentBlock)
                except DecodeError as error:
                    value = default(issues, (path, "content"), value, error, UNSET)
            o.content = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AgentThought, tags)
    return o


def encode_AgentThought(o: AgentThought, out: Json) -> Json:
    out["messageId"] = o.message_id
    if o.content is not UNSET:
        out["content"] = (
            None if o.content is None else [encode_ContentBlock(item, {}) for item in o.content]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AgentThought)
    return out


def decode_AgentThoughtChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> AgentThoughtChunk:
    try:
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(AgentThoughtChunk)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
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
            o.unknown_fields = unknown(d, _AgentThoughtChunk, tags)
    return o


def encode_AgentThoughtChunk(o: AgentThoughtChunk, out: Json) -> Json:
    out["messageId"] = o.message_id
    out["content"] = encode_ContentBlock(o.content, {})
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
                    value = number(value, issues, (path, "priority"), minimum=0, maximum=1)
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


def decode_ArchiveSessionRequest(d: Any, issues: Issues, path: Path) -> ArchiveSessionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(ArchiveSessionRequest)
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
            o.unknown_fields = unknown(d, _ArchiveSessionRequest, ())
    return o


def encode_ArchiveSessionRequest(o: ArchiveSessionRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ArchiveSessionRequest)
    return out


def decode_ArchiveSessionResponse(d: Any, issues: Issues, path: Path) -> ArchiveSessionResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ArchiveSessionResponse)
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
            o.unknown_fields = unknown(d, _ArchiveSessionResponse, ())
    return o


def encode_ArchiveSessionResponse(o: ArchiveSessionResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ArchiveSessionResponse)
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


def decode_AuthAccount(d: Any, issues: Issues, path: Path) -> AuthAccount:
    try:
        value = d["label"]
    except (KeyError, TypeError):
        raise missing(d, "label", path, "string") from None
    o = new(AuthAccount)
    if type(value) is not str:
        raise wrong_member(d, "label", path, "string")
    o.label = value
    o.active = UNSET
    o.name = UNSET
    o.email = UNSET
    o.organization = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("active", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not bool:
                value = default_member(issues, d, "active", path, "boolean or null", UNSET)
            o.active = value
        if (value := d.get("name", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "name", path, "string or null", UNSET)
            o.name = value
        if (value := d.get("email", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "email", path, "string or null", UNSET)
            o.email = value
        if (value := d.get("organization", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "organization", path, "string or null", UNSET)
            o.organization = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AuthAccount, ())
    return o


def encode_AuthAccount(o: AuthAccount, out: Json) -> Json:
    out["label"] = o.label
    if o.active is not UNSET:
        out["active"] = o.active
    if o.name is not UNSET:
        out["name"] = o.name
    if o.email is not UNSET:
        out["email"] = o.email
    if o.organization is not UNSET:
        out["organization"] = o.organization
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthAccount)
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
    tag = d.get("type")
    if type(tag) is str:
        return UnknownAuthMethod(tag, _check_UnknownAuthMethod(d, issues, path))
    raise wrong_member(d, "type", path, "string")


def encode_AuthMethod(o: AuthMethod, out: Json) -> Json:
    encoders = _AuthMethod_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "AuthMethod")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownAuthMethod(o: UnknownAuthMethod, out: Json) -> Json:
    return encode_unknown(o, out, "type", _AuthMethod, _check_UnknownAuthMethod)


def _check_UnknownAuthMethod(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("methodId", UNSET)) is UNSET:
        raise wrong_member(d, "methodId", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "methodId", path, "string")
    _checked = value

    if (value := d.get("name", UNSET)) is UNSET:
        raise wrong_member(d, "name", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    _checked = value

    return raw


def decode_AuthMethodAgent(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> AuthMethodAgent:
    try:
        value = d["methodId"]
    except (KeyError, TypeError):
        raise missing(d, "methodId", path, "string") from None
    o = new(AuthMethodAgent)
    if type(value) is not str:
        raise wrong_member(d, "methodId", path, "string")
    o.method_id = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
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
            o.unknown_fields = unknown(d, _AuthMethodAgent, tags)
    return o


def encode_AuthMethodAgent(o: AuthMethodAgent, out: Json) -> Json:
    out["methodId"] = o.method_id
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
        value = d["methodId"]
    except (KeyError, TypeError):
        raise missing(d, "methodId", path, "string") from None
    o = new(AuthMethodTerminal)
    if type(value) is not str:
        raise wrong_member(d, "methodId", path, "string")
    o.method_id = value
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
                value = default_member(issues, d, "env", path, "array", [])
            else:
                value = items(value, issues, (path, "env"), decode_EnvVariable)
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
    out["methodId"] = o.method_id
    out["name"] = o.name
    if o.description is not UNSET:
        out["description"] = o.description
    if o.args is not UNSET:
        out["args"] = o.args
    if o.env is not UNSET:
        out["env"] = [encode_EnvVariable(item, {}) for item in o.env]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthMethodTerminal)
    return out


def decode_AuthState(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_AuthStatusCapabilities(d: Any, issues: Issues, path: Path) -> AuthStatusCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(AuthStatusCapabilities)
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
            o.unknown_fields = unknown(d, _AuthStatusCapabilities, ())
    return o


def encode_AuthStatusCapabilities(o: AuthStatusCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthStatusCapabilities)
    return out


def decode_AuthStatusRequest(d: Any, issues: Issues, path: Path) -> AuthStatusRequest:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(AuthStatusRequest)
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
            o.unknown_fields = unknown(d, _AuthStatusRequest, ())
    return o


def encode_AuthStatusRequest(o: AuthStatusRequest, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthStatusRequest)
    return out


def decode_AuthStatusResponse(d: Any, issues: Issues, path: Path) -> AuthStatusResponse:
    try:
        value = d["state"]
    except (KeyError, TypeError):
        raise missing(d, "state", path, "string") from None
    o = new(AuthStatusResponse)
    o.state = decode_AuthState(value, issues, (path, "state"))
    o.accounts = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("accounts", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.accounts = valid_items(value, issues, (path, "accounts"), decode_AuthAccount)
            except DecodeError as error:
                o.accounts = default(issues, (path, "accounts"), value, error, [])
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AuthStatusResponse, ())
    return o


def encode_AuthStatusResponse(o: AuthStatusResponse, out: Json) -> Json:
    out["state"] = o.state
    if o.accounts is not UNSET:
        out["accounts"] = [encode_AuthAccount(item, {}) for item in o.accounts]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthStatusResponse)
    return out


def decode_AuthStatusUpdateNotification(
    d: Any, issues: Issues, path: Path
) -> AuthStatusUpdateNotification:
    try:
        value = d["state"]
    except (KeyError, TypeError):
        raise missing(d, "state", path, "string") from None
    o = new(AuthStatusUpdateNotification)
    o.state = decode_AuthState(value, issues, (path, "state"))
    o.accounts = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("accounts", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.accounts = valid_items(value, issues, (path, "accounts"), decode_AuthAccount)
            except DecodeError as error:
                o.accounts = default(issues, (path, "accounts"), value, error, [])
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _AuthStatusUpdateNotification, ())
    return o


def encode_AuthStatusUpdateNotification(o: AuthStatusUpdateNotification, out: Json) -> Json:
    out["state"] = o.state
    if o.accounts is not UNSET:
        out["accounts"] = [encode_AuthAccount(item, {}) for item in o.accounts]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _AuthStatusUpdateNotification)
    return out


def decode_AvailableCommand(d: Any, issues: Issues, path: Path) -> AvailableCommand:
    try:
        decode = _AvailableCommand[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownAvailableCommand(tag, _check_UnknownAvailableCommand(d, issues, path))
    raise wrong_member(d, "type", path, "string")


def encode_AvailableCommand(o: AvailableCommand, out: Json) -> Json:
    encoders = _AvailableCommand_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "AvailableCommand")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownAvailableCommand(o: UnknownAvailableCommand, out: Json) -> Json:
    return encode_unknown(o, out, "type", _AvailableCommand, _check_UnknownAvailableCommand)


def _check_UnknownAvailableCommand(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("name", UNSET)) is UNSET:
        raise wrong_member(d, "name", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    _checked = value

    if (value := d.get("description", UNSET)) is UNSET:
        raise wrong_member(d, "description", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "description", path, "string")
    _checked = value

    return raw


def decode_AvailableCommandInput(d: Any, issues: Issues, path: Path) -> AvailableCommandInput:
    try:
        decode = _AvailableCommandInput[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownAvailableCommandInput(tag, d)
    raise wrong_member(d, "type", path, "string")


def encode_AvailableCommandInput(o: AvailableCommandInput, out: Json) -> Json:
    encoders = _AvailableCommandInput_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "AvailableCommandInput")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownAvailableCommandInput(o: UnknownAvailableCommandInput, out: Json) -> Json:
    return encode_unknown(o, out, "type", _AvailableCommandInput, None)


def decode_AvailableCommandsUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> AvailableCommandsUpdate:
    try:
        value = d["availableCommands"]
    except (KeyError, TypeError):
        raise missing(d, "availableCommands", path, "array") from None
    o = new(AvailableCommandsUpdate)
    o.available_commands = valid_items(
        value, issues, (path, "availableCommands"), decode_AvailableCommand
    )
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


def decode_BackgroundSubagent(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> BackgroundSubagent:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(BackgroundSubagent)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
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
            o.unknown_fields = unknown(d, _BackgroundSubagent, tags)
    return o


def encode_BackgroundSubagent(o: BackgroundSubagent, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _BackgroundSubagent)
    return out


def decode_BackgroundTerminal(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> BackgroundTerminal:
    try:
        value = d["terminalId"]
    except (KeyError, TypeError):
        raise missing(d, "terminalId", path, "string") from None
    o = new(BackgroundTerminal)
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
            o.unknown_fields = unknown(d, _BackgroundTerminal, tags)
    return o


def encode_BackgroundTerminal(o: BackgroundTerminal, out: Json) -> Json:
    out["terminalId"] = o.terminal_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _BackgroundTerminal)
    return out


def decode_BackgroundToolCall(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> BackgroundToolCall:
    try:
        value = d["toolCallId"]
    except (KeyError, TypeError):
        raise missing(d, "toolCallId", path, "string") from None
    o = new(BackgroundToolCall)
    if type(value) is not str:
        raise wrong_member(d, "toolCallId", path, "string")
    o.tool_call_id = value
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
            o.unknown_fields = unknown(d, _BackgroundToolCall, tags)
    return o


def encode_BackgroundToolCall(o: BackgroundToolCall, out: Json) -> Json:
    out["toolCallId"] = o.tool_call_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _BackgroundToolCall)
    return out


def decode_BackgroundWork(d: Any, issues: Issues, path: Path) -> BackgroundWork:
    try:
        decode = _BackgroundWork[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownBackgroundWork(tag, d)
    raise wrong_member(d, "type", path, "string")


def encode_BackgroundWork(o: BackgroundWork, out: Json) -> Json:
    encoders = _BackgroundWork_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "BackgroundWork")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownBackgroundWork(o: UnknownBackgroundWork, out: Json) -> Json:
    return encode_unknown(o, out, "type", _BackgroundWork, None)


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
        value = d["configId"]
    except (KeyError, TypeError):
        raise missing(d, "configId", path, "string") from None
    o = new(BooleanSessionConfigOption)
    if type(value) is not str:
        raise wrong_member(d, "configId", path, "string")
    o.config_id = value
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
    out["configId"] = o.config_id
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


def decode_CancelRequestNotification(
    d: Any, issues: Issues, path: Path
) -> CancelRequestNotification:
    try:
        value = d["requestId"]
    except (KeyError, TypeError):
        raise missing(d, "requestId", path, "integer or string") from None
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


def decode_CancelSessionNotification(
    d: Any, issues: Issues, path: Path
) -> CancelSessionNotification:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(CancelSessionNotification)
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
            o.unknown_fields = unknown(d, _CancelSessionNotification, ())
    return o


def encode_CancelSessionNotification(o: CancelSessionNotification, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CancelSessionNotification)
    return out


def decode_CancelTerminalRequest(d: Any, issues: Issues, path: Path) -> CancelTerminalRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(CancelTerminalRequest)
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
            o.unknown_fields = unknown(d, _CancelTerminalRequest, ())
    return o


def encode_CancelTerminalRequest(o: CancelTerminalRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["terminalId"] = o.terminal_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CancelTerminalRequest)
    return out


def decode_CancelTerminalResponse(d: Any, issues: Issues, path: Path) -> CancelTerminalResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(CancelTerminalResponse)
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
            o.unknown_fields = unknown(d, _CancelTerminalResponse, ())
    return o


def encode_CancelTerminalResponse(o: CancelTerminalResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CancelTerminalResponse)
    return out


def decode_CancelToolCallRequest(d: Any, issues: Issues, path: Path) -> CancelToolCallRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(CancelToolCallRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("toolCallId")
    if type(value) is not str:
        raise wrong_member(d, "toolCallId", path, "string")
    o.tool_call_id = value
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
            o.unknown_fields = unknown(d, _CancelToolCallRequest, ())
    return o


def encode_CancelToolCallRequest(o: CancelToolCallRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["toolCallId"] = o.tool_call_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CancelToolCallRequest)
    return out


def decode_CancelToolCallResponse(d: Any, issues: Issues, path: Path) -> CancelToolCallResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(CancelToolCallResponse)
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
            o.unknown_fields = unknown(d, _CancelToolCallResponse, ())
    return o


def encode_CancelToolCallResponse(o: CancelToolCallResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CancelToolCallResponse)
    return out


def decode_CancelledPermissionOutcome(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> CancelledPermissionOutcome:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(CancelledPermissionOutcome)
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
            o.unknown_fields = unknown(d, _CancelledPermissionOutcome, tags)
    return o


def encode_CancelledPermissionOutcome(o: CancelledPermissionOutcome, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CancelledPermissionOutcome)
    return out


def decode_ClientAuthCapabilities(d: Any, issues: Issues, path: Path) -> ClientAuthCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ClientAuthCapabilities)
    o.terminal = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("terminal", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_TerminalAuthCapabilities(value, issues, (path, "terminal"))
                except DecodeError as error:
                    value = default(issues, (path, "terminal"), value, error, UNSET)
            o.terminal = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ClientAuthCapabilities, ())
    return o


def encode_ClientAuthCapabilities(o: ClientAuthCapabilities, out: Json) -> Json:
    if o.terminal is not UNSET:
        out["terminal"] = (
            None if o.terminal is None else encode_TerminalAuthCapabilities(o.terminal, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ClientAuthCapabilities)
    return out


def decode_ClientCapabilities(d: Any, issues: Issues, path: Path) -> ClientCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ClientCapabilities)
    o.auth = UNSET
    o.elicitation = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("auth", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ClientAuthCapabilities(value, issues, (path, "auth"))
                except DecodeError as error:
                    value = default(issues, (path, "auth"), value, error, UNSET)
            o.auth = value
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
    if o.auth is not UNSET:
        out["auth"] = None if o.auth is None else encode_ClientAuthCapabilities(o.auth, {})
    if o.elicitation is not UNSET:
        out["elicitation"] = (
            None if o.elicitation is None else encode_ElicitationCapabilities(o.elicitation, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ClientCapabilities)
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


def decode_Command(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> Command:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(Command)
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
    rest = len(d) - 2 - len(tags)
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
            o.unknown_fields = unknown(d, _Command, tags)
    return o


def encode_Command(o: Command, out: Json) -> Json:
    out["name"] = o.name
    out["description"] = o.description
    if o.input is not UNSET:
        out["input"] = None if o.input is None else encode_AvailableCommandInput(o.input, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Command)
    return out


def decode_CommandPermissionSubject(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> CommandPermissionSubject:
    try:
        value = d["command"]
    except (KeyError, TypeError):
        raise missing(d, "command", path, "string") from None
    o = new(CommandPermissionSubject)
    if type(value) is not str:
        raise wrong_member(d, "command", path, "string")
    o.command = value
    value = d.get("cwd")
    if type(value) is not str:
        raise wrong_member(d, "cwd", path, "string")
    o.cwd = value
    o.tool_call_id = UNSET
    o.terminal_id = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("toolCallId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "toolCallId", path, "string or null", UNSET)
            o.tool_call_id = value
        if (value := d.get("terminalId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "terminalId", path, "string or null", UNSET)
            o.terminal_id = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _CommandPermissionSubject, tags)
    return o


def encode_CommandPermissionSubject(o: CommandPermissionSubject, out: Json) -> Json:
    out["command"] = o.command
    out["cwd"] = o.cwd
    if o.tool_call_id is not UNSET:
        out["toolCallId"] = o.tool_call_id
    if o.terminal_id is not UNSET:
        out["terminalId"] = o.terminal_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CommandPermissionSubject)
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
    o.config_options = valid_items(
        value, issues, (path, "configOptions"), decode_SessionConfigOption
    )
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
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(ContentChunk)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
    if (value := d.get("content", UNSET)) is UNSET:
        raise wrong_member(d, "content", path, "object")
    o.content = decode_ContentBlock(value, issues, (path, "content"))
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
            o.unknown_fields = unknown(d, _ContentChunk, ())
    return o


def encode_ContentChunk(o: ContentChunk, out: Json) -> Json:
    out["messageId"] = o.message_id
    out["content"] = encode_ContentBlock(o.content, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ContentChunk)
    return out


def decode_CopyDiffChange(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> CopyDiffChange:
    try:
        value = d["oldPath"]
    except (KeyError, TypeError):
        raise missing(d, "oldPath", path, "string") from None
    o = new(CopyDiffChange)
    if type(value) is not str:
        raise wrong_member(d, "oldPath", path, "string")
    o.old_path = value
    value = d.get("path")
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    o.file_type = UNSET
    o.mime_type = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("fileType", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_DiffFileType(value, issues, (path, "fileType"))
                except DecodeError as error:
                    value = default(issues, (path, "fileType"), value, error, UNSET)
            o.file_type = value
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
            o.unknown_fields = unknown(d, _CopyDiffChange, tags)
    return o


def encode_CopyDiffChange(o: CopyDiffChange, out: Json) -> Json:
    out["oldPath"] = o.old_path
    out["path"] = o.path
    if o.file_type is not UNSET:
        out["fileType"] = o.file_type
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _CopyDiffChange)
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


def decode_DeleteDiffChange(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> DeleteDiffChange:
    try:
        value = d["path"]
    except (KeyError, TypeError):
        raise missing(d, "path", path, "string") from None
    o = new(DeleteDiffChange)
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    o.file_type = UNSET
    o.mime_type = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("fileType", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_DiffFileType(value, issues, (path, "fileType"))
                except DecodeError as error:
                    value = default(issues, (path, "fileType"), value, error, UNSET)
            o.file_type = value
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
            o.unknown_fields = unknown(d, _DeleteDiffChange, tags)
    return o


def encode_DeleteDiffChange(o: DeleteDiffChange, out: Json) -> Json:
    out["path"] = o.path
    if o.file_type is not UNSET:
        out["fileType"] = o.file_type
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _DeleteDiffChange)
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
        value = d["changes"]
    except (KeyError, TypeError):
        raise missing(d, "changes", path, "array") from None
    o = new(Diff)
    o.changes = valid_items(value, issues, (path, "changes"), decode_DiffChange)
    o.patch = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("patch", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_DiffPatch(value, issues, (path, "patch"))
                except DecodeError as error:
                    value = default(issues, (path, "patch"), value, error, UNSET)
            o.patch = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Diff, tags)
    return o


def encode_Diff(o: Diff, out: Json) -> Json:
    out["changes"] = [encode_DiffChange(item, {}) for item in o.changes]
    if o.patch is not UNSET:
        out["patch"] = None if o.patch is None else encode_DiffPatch(o.patch, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Diff)
    return out


def decode_DiffChange(d: Any, issues: Issues, path: Path) -> DiffChange:
    try:
        decode = _DiffChange[d["operation"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("operation",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("operation")
    if type(tag) is str:
        return UnknownDiffChange(tag, _check_UnknownDiffChange(d, issues, path))
    raise wrong_member(d, "operation", path, "string")


def encode_DiffChange(o: DiffChange, out: Json) -> Json:
    encoders = _DiffChange_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "DiffChange")
    if tag is not None:
        out["operation"] = tag
    return encode(o, out)


def _encode_UnknownDiffChange(o: UnknownDiffChange, out: Json) -> Json:
    return encode_unknown(o, out, "operation", _DiffChange, _check_UnknownDiffChange)


def _check_UnknownDiffChange(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("fileType", UNSET)) is not UNSET:
        mark = len(issues or ())
        if value is not None:
            try:
                value = decode_DiffFileType(value, issues, (path, "fileType"))
            except DecodeError as error:
                value = default(issues, (path, "fileType"), value, error, UNSET)
        _checked = value
        if len(issues or ()) > mark:
            raw = repaired(raw, "fileType", _checked)

    if (value := d.get("mimeType", UNSET)) is not UNSET:
        mark = len(issues or ())
        if value is not None and type(value) is not str:
            value = default_member(issues, d, "mimeType", path, "string or null", UNSET)
        _checked = value
        if len(issues or ()) > mark:
            raw = repaired(raw, "mimeType", _checked)

    if (value := d.get("_meta", UNSET)) is not UNSET:
        mark = len(issues or ())
        if value is not None and value.__class__ is not dict:
            value = default_member(issues, d, "_meta", path, "object or null", UNSET)
        _checked = value
        if len(issues or ()) > mark:
            raw = repaired(raw, "_meta", _checked)

    return raw


def decode_DiffFileType(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_DiffPatch(d: Any, issues: Issues, path: Path) -> DiffPatch:
    try:
        value = d["format"]
    except (KeyError, TypeError):
        raise missing(d, "format", path, "string") from None
    o = new(DiffPatch)
    o.format = decode_DiffPatchFormat(value, issues, (path, "format"))
    value = d.get("text")
    if type(value) is not str:
        raise wrong_member(d, "text", path, "string")
    o.text = value
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
            o.unknown_fields = unknown(d, _DiffPatch, ())
    return o


def encode_DiffPatch(o: DiffPatch, out: Json) -> Json:
    out["format"] = o.format
    out["text"] = o.text
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _DiffPatch)
    return out


def decode_DiffPatchFormat(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_DiffPathChange(d: Any, issues: Issues, path: Path) -> DiffPathChange:
    try:
        value = d["path"]
    except (KeyError, TypeError):
        raise missing(d, "path", path, "string") from None
    o = new(DiffPathChange)
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _DiffPathChange, ())
    return o


def encode_DiffPathChange(o: DiffPathChange, out: Json) -> Json:
    out["path"] = o.path
    if o.unknown_fields:
        add_unknown(out, o, _DiffPathChange)
    return out


def decode_DiffPathPairChange(d: Any, issues: Issues, path: Path) -> DiffPathPairChange:
    try:
        value = d["oldPath"]
    except (KeyError, TypeError):
        raise missing(d, "oldPath", path, "string") from None
    o = new(DiffPathPairChange)
    if type(value) is not str:
        raise wrong_member(d, "oldPath", path, "string")
    o.old_path = value
    value = d.get("path")
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        o.unknown_fields = unknown(d, _DiffPathPairChange, ())
    return o


def encode_DiffPathPairChange(o: DiffPathPairChange, out: Json) -> Json:
    out["oldPath"] = o.old_path
    out["path"] = o.path
    if o.unknown_fields:
        add_unknown(out, o, _DiffPathPairChange)
    return out


def decode_DisableProviderRequest(d: Any, issues: Issues, path: Path) -> DisableProviderRequest:
    try:
        value = d["providerId"]
    except (KeyError, TypeError):
        raise missing(d, "providerId", path, "string") from None
    o = new(DisableProviderRequest)
    if type(value) is not str:
        raise wrong_member(d, "providerId", path, "string")
    o.provider_id = value
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
            o.unknown_fields = unknown(d, _DisableProviderRequest, ())
    return o


def encode_DisableProviderRequest(o: DisableProviderRequest, out: Json) -> Json:
    out["providerId"] = o.provider_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _DisableProviderRequest)
    return out


def decode_DisableProviderResponse(d: Any, issues: Issues, path: Path) -> DisableProviderResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(DisableProviderResponse)
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
            o.unknown_fields = unknown(d, _DisableProviderResponse, ())
    return o


def encode_DisableProviderResponse(o: DisableProviderResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _DisableProviderResponse)
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
        "string or integer or number or boolean or array or any JSON",
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
        raise missing(d, "requestId", path, "integer or string") from None
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
    try:
        value = d["type"]
    except (KeyError, TypeError):
        raise missing(d, "type", path, "object") from None
    o = new(ElicitationSchema)
    o.type = decode_ElicitationSchemaType(value, issues, (path, "type"))
    if (value := d.get("properties", UNSET)) is UNSET:
        raise wrong_member(d, "properties", path, "object")
    o.properties = entries(value, issues, (path, "properties"), decode_ElicitationPropertySchema)
    o.title = UNSET
    o.required = UNSET
    o.description = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
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
    out["type"] = o.type
    out["properties"] = {
        name: encode_ElicitationPropertySchema(item, {}) for name, item in o.properties.items()
    }
    if o.title is not UNSET:
        out["title"] = o.title
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
            if value is not None:
                try:
                    value = decode_ErrorData(value, issues, (path, "data"))
                except DecodeError as error:
                    value = default(issues, (path, "data"), value, error, UNSET)
            o.data = value
        if rest:
            o.unknown_fields = unknown(d, _Error, ())
    return o


def encode_Error(o: Error, out: Json) -> Json:
    out["code"] = o.code
    out["message"] = o.message
    if o.data is not UNSET:
        out["data"] = None if o.data is None else encode_ErrorData(o.data)
    if o.unknown_fields:
        add_unknown(out, o, _Error)
    return out


def decode_ErrorCode(value: Any, issues: Issues, path: Path) -> Any:
    return integer(value, issues, path, minimum=-2147483648, maximum=2147483647)


def decode_ErrorData(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _ErrorData_arms,
        "object with requested and supported or object with sessionId or any JSON",
        False,
    )


def encode_ErrorData(o: ErrorData) -> Any:
    return unshadowed(o, encode_choice(o, _ErrorData_encoders), decode_ErrorData, "ErrorData")


def decode_ErrorIdleStateUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> ErrorIdleStateUpdate:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ErrorIdleStateUpdate)
    o.usage = UNSET
    o.background = UNSET
    o.meta = UNSET
    o.stop_reason = UNSET
    o.error = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("usage", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Usage(value, issues, (path, "usage"))
                except DecodeError as error:
                    value = default(issues, (path, "usage"), value, error, UNSET)
            o.usage = value
        if (value := d.get("background", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = items(value, issues, (path, "background"), decode_BackgroundWork)
                except DecodeError as error:
                    value = default(issues, (path, "background"), value, error, UNSET)
            o.background = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if (value := d.get("stopReason", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = string(value, issues, (path, "stopReason"))
                except DecodeError as error:
                    value = default(issues, (path, "stopReason"), value, error, UNSET)
            o.stop_reason = value
        if (value := d.get("error", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Error(value, issues, (path, "error"))
                except DecodeError as error:
                    value = default(issues, (path, "error"), value, error, UNSET)
            o.error = value
        if rest:
            o.unknown_fields = unknown(d, _ErrorIdleStateUpdate, tags)
    return o


def encode_ErrorIdleStateUpdate(o: ErrorIdleStateUpdate, out: Json) -> Json:
    if o.stop_reason != "error":
        raise EncodeError("ErrorIdleStateUpdate: stop_reason must be error")
    if o.usage is not UNSET:
        out["usage"] = None if o.usage is None else encode_Usage(o.usage, {})
    if o.background is not UNSET:
        out["background"] = (
            None
            if o.background is None
            else [encode_BackgroundWork(item, {}) for item in o.background]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    out["stopReason"] = "error"
    if o.error is not UNSET:
        out["error"] = None if o.error is None else encode_Error(o.error, {})
    if o.unknown_fields:
        add_unknown(out, o, _ErrorIdleStateUpdate)
    return out


def decode_ErrorMessageMcpResponse(d: Any, issues: Issues, path: Path) -> ErrorMessageMcpResponse:
    try:
        value = d["error"]
    except (KeyError, TypeError):
        raise missing(d, "error", path, "object") from None
    o = new(ErrorMessageMcpResponse)
    o.error = decode_McpError(value, issues, (path, "error"))
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
            o.unknown_fields = unknown(d, _ErrorMessageMcpResponse, ())
    return o


def encode_ErrorMessageMcpResponse(o: ErrorMessageMcpResponse, out: Json) -> Json:
    out["error"] = encode_McpError(o.error, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ErrorMessageMcpResponse)
    return out


def decode_ErrorStopReason(d: Any, issues: Issues, path: Path) -> ErrorStopReason:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ErrorStopReason)
    o.error = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("error", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Error(value, issues, (path, "error"))
                except DecodeError as error:
                    value = default(issues, (path, "error"), value, error, UNSET)
            o.error = value
        if rest:
            o.unknown_fields = unknown(d, _ErrorStopReason, ())
    return o


def encode_ErrorStopReason(o: ErrorStopReason, out: Json) -> Json:
    if o.error is not UNSET:
        out["error"] = None if o.error is None else encode_Error(o.error, {})
    if o.unknown_fields:
        add_unknown(out, o, _ErrorStopReason)
    return out


def decode_ExtNotification(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_ExtRequest(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_ExtResponse(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_ForkSessionRequest(d: Any, issues: Issues, path: Path) -> ForkSessionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(ForkSessionRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("cwd")
    if type(value) is not str:
        raise wrong_member(d, "cwd", path, "string")
    o.cwd = value
    o.additional_directories = UNSET
    o.mcp_servers = UNSET
    o.system_prompt = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "additionalDirectories", path, "array", [])
            else:
                value = items(value, issues, (path, "additionalDirectories"), decode_AbsolutePath)
            o.additional_directories = value
        if (value := d.get("mcpServers", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "mcpServers", path, "array", [])
            else:
                value = items(value, issues, (path, "mcpServers"), decode_McpServer)
            o.mcp_servers = value
        if (value := d.get("systemPrompt", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_SystemPrompt(value, issues, (path, "systemPrompt"))
            o.system_prompt = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ForkSessionRequest, ())
    return o


def encode_ForkSessionRequest(o: ForkSessionRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["cwd"] = o.cwd
    if o.additional_directories is not UNSET:
        out["additionalDirectories"] = o.additional_directories
    if o.mcp_servers is not UNSET:
        out["mcpServers"] = [encode_McpServer(item, {}) for item in o.mcp_servers]
    if o.system_prompt is not UNSET:
        out["systemPrompt"] = (
            None if o.system_prompt is None else encode_SystemPrompt(o.system_prompt, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ForkSessionRequest)
    return out


def decode_ForkSessionResponse(d: Any, issues: Issues, path: Path) -> ForkSessionResponse:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(ForkSessionResponse)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.config_options = UNSET
    o.available_commands = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("configOptions", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.config_options = valid_items(
                    value, issues, (path, "configOptions"), decode_SessionConfigOption
                )
            except DecodeError as error:
                o.config_options = default(issues, (path, "configOptions"), value, error, [])
        if (value := d.get("availableCommands", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.available_commands = valid_items(
                    value, issues, (path, "availableCommands"), decode_AvailableCommand
                )
            except DecodeError as error:
                o.available_commands = default(
                    issues, (path, "availableCommands"), value, error, []
                )
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ForkSessionResponse, ())
    return o


def encode_ForkSessionResponse(o: ForkSessionResponse, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.config_options is not UNSET:
        out["configOptions"] = [encode_SessionConfigOption(item, {}) for item in o.config_options]
    if o.available_commands is not UNSET:
        out["availableCommands"] = [
            encode_AvailableCommand(item, {}) for item in o.available_commands
        ]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ForkSessionResponse)
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


def decode_Icon(d: Any, issues: Issues, path: Path) -> Icon:
    try:
        value = d["src"]
    except (KeyError, TypeError):
        raise missing(d, "src", path, "string") from None
    o = new(Icon)
    if type(value) is not str:
        raise wrong_member(d, "src", path, "string")
    o.src = value
    o.mime_type = UNSET
    o.sizes = UNSET
    o.theme = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("mimeType", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "mimeType", path, "string or null", UNSET)
            o.mime_type = value
        if (value := d.get("sizes", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "sizes"), string)
                except DecodeError as error:
                    value = default(issues, (path, "sizes"), value, error, UNSET)
            o.sizes = value
        if (value := d.get("theme", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_IconTheme(value, issues, (path, "theme"))
                except DecodeError as error:
                    value = default(issues, (path, "theme"), value, error, UNSET)
            o.theme = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Icon, ())
    return o


def encode_Icon(o: Icon, out: Json) -> Json:
    out["src"] = o.src
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.sizes is not UNSET:
        out["sizes"] = o.sizes
    if o.theme is not UNSET:
        out["theme"] = o.theme
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Icon)
    return out


def decode_IconTheme(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_IdSetSessionConfigOptionRequest(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> IdSetSessionConfigOptionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(IdSetSessionConfigOptionRequest)
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
    rest = len(d) - 3 - len(tags)
    if rest:
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _IdSetSessionConfigOptionRequest, tags)
    return o


def encode_IdSetSessionConfigOptionRequest(o: IdSetSessionConfigOptionRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["configId"] = o.config_id
    out["value"] = o.value
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _IdSetSessionConfigOptionRequest)
    return out


def decode_IdleStateUpdate(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> IdleStateUpdate:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    if d.get("stopReason") == "error":
        return decode_ErrorIdleStateUpdate(d, issues, path, tags)
    o = new(IdleStateUpdate)
    o.usage = UNSET
    o.background = UNSET
    o.meta = UNSET
    o.stop_reason = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("usage", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_Usage(value, issues, (path, "usage"))
                except DecodeError as error:
                    value = default(issues, (path, "usage"), value, error, UNSET)
            o.usage = value
        if (value := d.get("background", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = items(value, issues, (path, "background"), decode_BackgroundWork)
                except DecodeError as error:
                    value = default(issues, (path, "background"), value, error, UNSET)
            o.background = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if (value := d.get("stopReason", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = string(value, issues, (path, "stopReason"))
                except DecodeError as error:
                    value = default(issues, (path, "stopReason"), value, error, UNSET)
            o.stop_reason = value
        if rest:
            o.unknown_fields = unknown(d, _IdleStateUpdate, tags)
    return o


def encode_IdleStateUpdate(o: IdleStateUpdate, out: Json) -> Json:
    if isinstance(o, ErrorIdleStateUpdate):
        return encode_ErrorIdleStateUpdate(o, out)
    if o.stop_reason == "error":
        raise EncodeError("IdleStateUpdate: stopReason error is written by ErrorIdleStateUpdate")
    if o.usage is not UNSET:
        out["usage"] = None if o.usage is None else encode_Usage(o.usage, {})
    if o.background is not UNSET:
        out["background"] = (
            None
            if o.background is None
            else [encode_BackgroundWork(item, {}) for item in o.background]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.stop_reason is not UNSET:
        out["stopReason"] = o.stop_reason
    if o.unknown_fields:
        add_unknown(out, o, _IdleStateUpdate)
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
    o.uri = UNSET
    o.annotations = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("uri", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "uri", path, "string or null", UNSET)
            o.uri = value
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
            o.unknown_fields = unknown(d, _ImageContent, tags)
    return o


def encode_ImageContent(o: ImageContent, out: Json) -> Json:
    out["data"] = o.data
    out["mimeType"] = o.mime_type
    if o.uri is not UNSET:
        out["uri"] = o.uri
    if o.annotations is not UNSET:
        out["annotations"] = (
            None if o.annotations is None else encode_Annotations(o.annotations, {})
        )
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


def decode_InitializeProxyRequest(value: Any, issues: Issues, path: Path) -> Any:
    return decode_InitializeRequest(value, issues, path)


def encode_InitializeProxyRequest(o: InitializeProxyRequest, out: Json) -> Json:
    return encode_InitializeRequest(o, out)


def decode_InitializeProxyResponse(value: Any, issues: Issues, path: Path) -> Any:
    return decode_InitializeResponse(value, issues, path)


def encode_InitializeProxyResponse(o: InitializeProxyResponse, out: Json) -> Json:
    return encode_InitializeResponse(o, out)


def decode_InitializeRequest(d: Any, issues: Issues, path: Path) -> InitializeRequest:
    try:
        value = d["protocolVersion"]
    except (KeyError, TypeError):
        raise missing(d, "protocolVersion", path, "integer") from None
    o = new(InitializeRequest)
    o.protocol_version = decode_ProtocolVersion(value, issues, (path, "protocolVersion"))
    if (value := d.get("info", UNSET)) is UNSET:
        raise wrong_member(d, "info", path, "object")
    o.info = decode_Implementation(value, issues, (path, "info"))
    o.capabilities = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("capabilities", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.capabilities = decode_ClientCapabilities(value, issues, (path, "capabilities"))
            except DecodeError as error:
                o.capabilities = default(
                    issues,
                    (path, "capabilities"),
                    value,
                    error,
                    decode_ClientCapabilities({}, None, ()),
                )
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
    out["info"] = encode_Implementation(o.info, {})
    if o.capabilities is not UNSET:
        out["capabilities"] = encode_ClientCapabilities(o.capabilities, {})
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
    if (value := d.get("info", UNSET)) is UNSET:
        raise wrong_member(d, "info", path, "object")
    o.info = decode_Implementation(value, issues, (path, "info"))
    o.capabilities = UNSET
    o.auth_methods = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("capabilities", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.capabilities = decode_AgentCapabilities(value, issues, (path, "capabilities"))
            except DecodeError as error:
                o.capabilities = default(
                    issues,
                    (path, "capabilities"),
                    value,
                    error,
                    decode_AgentCapabilities({}, None, ()),
                )
        if (value := d.get("authMethods", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.auth_methods = valid_items(
                    value, issues, (path, "authMethods"), decode_AuthMethod
                )
            except DecodeError as error:
                o.auth_methods = default(issues, (path, "authMethods"), value, error, [])
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
    out["info"] = encode_Implementation(o.info, {})
    if o.capabilities is not UNSET:
        out["capabilities"] = encode_AgentCapabilities(o.capabilities, {})
    if o.auth_methods is not UNSET:
        out["authMethods"] = [encode_AuthMethod(item, {}) for item in o.auth_methods]
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


def decode_ListProvidersRequest(d: Any, issues: Issues, path: Path) -> ListProvidersRequest:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ListProvidersRequest)
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
            o.unknown_fields = unknown(d, _ListProvidersRequest, ())
    return o


def encode_ListProvidersRequest(o: ListProvidersRequest, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ListProvidersRequest)
    return out


def decode_ListProvidersResponse(d: Any, issues: Issues, path: Path) -> ListProvidersResponse:
    try:
        value = d["providers"]
    except (KeyError, TypeError):
        raise missing(d, "providers", path, "array") from None
    o = new(ListProvidersResponse)
    o.providers = items(value, issues, (path, "providers"), decode_ProviderInfo)
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
            o.unknown_fields = unknown(d, _ListProvidersResponse, ())
    return o


def encode_ListProvidersResponse(o: ListProvidersResponse, out: Json) -> Json:
    out["providers"] = [encode_ProviderInfo(item, {}) for item in o.providers]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ListProvidersResponse)
    return out


def decode_ListSessionsRequest(d: Any, issues: Issues, path: Path) -> ListSessionsRequest:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ListSessionsRequest)
    o.cwd = UNSET
    o.cursor = UNSET
    o.archived = UNSET
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
        if (value := d.get("archived", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_SessionArchiveFilter(value, issues, (path, "archived"))
            o.archived = value
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
    if o.archived is not UNSET:
        out["archived"] = o.archived
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
                raise wrong_member(d, "nextCursor", path, "string or null")
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


def decode_LlmProtocol(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_LoginAuthRequest(d: Any, issues: Issues, path: Path) -> LoginAuthRequest:
    try:
        value = d["methodId"]
    except (KeyError, TypeError):
        raise missing(d, "methodId", path, "string") from None
    o = new(LoginAuthRequest)
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
            o.unknown_fields = unknown(d, _LoginAuthRequest, ())
    return o


def encode_LoginAuthRequest(o: LoginAuthRequest, out: Json) -> Json:
    out["methodId"] = o.method_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LoginAuthRequest)
    return out


def decode_LoginAuthResponse(d: Any, issues: Issues, path: Path) -> LoginAuthResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(LoginAuthResponse)
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
            o.unknown_fields = unknown(d, _LoginAuthResponse, ())
    return o


def encode_LoginAuthResponse(o: LoginAuthResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LoginAuthResponse)
    return out


def decode_LogoutAuthRequest(d: Any, issues: Issues, path: Path) -> LogoutAuthRequest:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(LogoutAuthRequest)
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
            o.unknown_fields = unknown(d, _LogoutAuthRequest, ())
    return o


def encode_LogoutAuthRequest(o: LogoutAuthRequest, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LogoutAuthRequest)
    return out


def decode_LogoutAuthResponse(d: Any, issues: Issues, path: Path) -> LogoutAuthResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(LogoutAuthResponse)
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
            o.unknown_fields = unknown(d, _LogoutAuthResponse, ())
    return o


def encode_LogoutAuthResponse(o: LogoutAuthResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LogoutAuthResponse)
    return out


def decode_McpAcpCapabilities(d: Any, issues: Issues, path: Path) -> McpAcpCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(McpAcpCapabilities)
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
            o.unknown_fields = unknown(d, _McpAcpCapabilities, ())
    return o


def encode_McpAcpCapabilities(o: McpAcpCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpAcpCapabilities)
    return out


def decode_McpCapabilities(d: Any, issues: Issues, path: Path) -> McpCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(McpCapabilities)
    o.stdio = UNSET
    o.http = UNSET
    o.acp = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("stdio", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_McpStdioCapabilities(value, issues, (path, "stdio"))
                except DecodeError as error:
                    value = default(issues, (path, "stdio"), value, error, UNSET)
            o.stdio = value
        if (value := d.get("http", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_McpHttpCapabilities(value, issues, (path, "http"))
                except DecodeError as error:
                    value = default(issues, (path, "http"), value, error, UNSET)
            o.http = value
        if (value := d.get("acp", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_McpAcpCapabilities(value, issues, (path, "acp"))
                except DecodeError as error:
                    value = default(issues, (path, "acp"), value, error, UNSET)
            o.acp = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _McpCapabilities, ())
    return o


def encode_McpCapabilities(o: McpCapabilities, out: Json) -> Json:
    if o.stdio is not UNSET:
        out["stdio"] = None if o.stdio is None else encode_McpStdioCapabilities(o.stdio, {})
    if o.http is not UNSET:
        out["http"] = None if o.http is None else encode_McpHttpCapabilities(o.http, {})
    if o.acp is not UNSET:
        out["acp"] = None if o.acp is None else encode_McpAcpCapabilities(o.acp, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpCapabilities)
    return out


def decode_McpError(d: Any, issues: Issues, path: Path) -> McpError:
    try:
        value = d["code"]
    except (KeyError, TypeError):
        raise missing(d, "code", path, "integer") from None
    o = new(McpError)
    o.code = integer(value, issues, (path, "code"), minimum=-2147483648, maximum=2147483647)
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
            o.unknown_fields = unknown(d, _McpError, ())
    return o


def encode_McpError(o: McpError, out: Json) -> Json:
    out["code"] = o.code
    out["message"] = o.message
    if o.data is not UNSET:
        out["data"] = o.data
    if o.unknown_fields:
        add_unknown(out, o, _McpError)
    return out


def decode_McpHttpCapabilities(d: Any, issues: Issues, path: Path) -> McpHttpCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(McpHttpCapabilities)
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
            o.unknown_fields = unknown(d, _McpHttpCapabilities, ())
    return o


def encode_McpHttpCapabilities(o: McpHttpCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpHttpCapabilities)
    return out


def decode_McpRequestId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_McpServer(d: Any, issues: Issues, path: Path) -> McpServer:
    try:
        decode = _McpServer[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownMcpServer(tag, d)
    raise wrong_member(d, "type", path, "string")


def encode_McpServer(o: McpServer, out: Json) -> Json:
    encoders = _McpServer_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "McpServer")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownMcpServer(o: UnknownMcpServer, out: Json) -> Json:
    return encode_unknown(o, out, "type", _McpServer, None)


def decode_McpServerAcp(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> McpServerAcp:
    try:
        value = d["name"]
    except (KeyError, TypeError):
        raise missing(d, "name", path, "string") from None
    o = new(McpServerAcp)
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    value = d.get("serverId")
    if type(value) is not str:
        raise wrong_member(d, "serverId", path, "string")
    o.server_id = value
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
            o.unknown_fields = unknown(d, _McpServerAcp, tags)
    return o


def encode_McpServerAcp(o: McpServerAcp, out: Json) -> Json:
    out["name"] = o.name
    out["serverId"] = o.server_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpServerAcp)
    return out


def decode_McpServerAcpId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


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
    o.headers = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("headers", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "headers", path, "array", [])
            else:
                value = items(value, issues, (path, "headers"), decode_HttpHeader)
            o.headers = value
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
    if o.headers is not UNSET:
        out["headers"] = [encode_HttpHeader(item, {}) for item in o.headers]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpServerHttp)
    return out


def decode_McpServerStdio(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> McpServerStdio:
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
    o.args = UNSET
    o.env = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
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
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _McpServerStdio, tags)
    return o


def encode_McpServerStdio(o: McpServerStdio, out: Json) -> Json:
    out["name"] = o.name
    out["command"] = o.command
    if o.args is not UNSET:
        out["args"] = o.args
    if o.env is not UNSET:
        out["env"] = [encode_EnvVariable(item, {}) for item in o.env]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpServerStdio)
    return out


def decode_McpStdioCapabilities(d: Any, issues: Issues, path: Path) -> McpStdioCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(McpStdioCapabilities)
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
            o.unknown_fields = unknown(d, _McpStdioCapabilities, ())
    return o


def encode_McpStdioCapabilities(o: McpStdioCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _McpStdioCapabilities)
    return out


def decode_MediaType(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_MessageId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_MessageMcpNotification(d: Any, issues: Issues, path: Path) -> MessageMcpNotification:
    try:
        value = d["serverId"]
    except (KeyError, TypeError):
        raise missing(d, "serverId", path, "string") from None
    o = new(MessageMcpNotification)
    if type(value) is not str:
        raise wrong_member(d, "serverId", path, "string")
    o.server_id = value
    value = d.get("requestId")
    if type(value) is not str:
        raise wrong_member(d, "requestId", path, "string")
    o.request_id = value
    value = d.get("method")
    if type(value) is not str:
        raise wrong_member(d, "method", path, "string")
    o.method = value
    o.params = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("params", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                raise wrong_member(d, "params", path, "object or null")
            o.params = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _MessageMcpNotification, ())
    return o


def encode_MessageMcpNotification(o: MessageMcpNotification, out: Json) -> Json:
    out["serverId"] = o.server_id
    out["requestId"] = o.request_id
    out["method"] = o.method
    if o.params is not UNSET:
        out["params"] = o.params
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _MessageMcpNotification)
    return out


def decode_MessageMcpRequest(d: Any, issues: Issues, path: Path) -> MessageMcpRequest:
    try:
        value = d["serverId"]
    except (KeyError, TypeError):
        raise missing(d, "serverId", path, "string") from None
    o = new(MessageMcpRequest)
    if type(value) is not str:
        raise wrong_member(d, "serverId", path, "string")
    o.server_id = value
    value = d.get("requestId")
    if type(value) is not str:
        raise wrong_member(d, "requestId", path, "string")
    o.request_id = value
    value = d.get("method")
    if type(value) is not str:
        raise wrong_member(d, "method", path, "string")
    o.method = value
    o.params = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("params", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                raise wrong_member(d, "params", path, "object or null")
            o.params = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _MessageMcpRequest, ())
    return o


def encode_MessageMcpRequest(o: MessageMcpRequest, out: Json) -> Json:
    out["serverId"] = o.server_id
    out["requestId"] = o.request_id
    out["method"] = o.method
    if o.params is not UNSET:
        out["params"] = o.params
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _MessageMcpRequest)
    return out


def decode_MessageMcpResponse(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _MessageMcpResponse_arms,
        "exactly one of: object with result or object with error",
        True,
    )


def encode_MessageMcpResponse(o: MessageMcpResponse, out: Json) -> Json:
    encode = find_class(o, _MessageMcpResponse_encoders, "MessageMcpResponse")
    return unshadowed(o, encode(o, out), decode_MessageMcpResponse, "MessageMcpResponse")


def decode_ModifyDiffChange(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> ModifyDiffChange:
    try:
        value = d["path"]
    except (KeyError, TypeError):
        raise missing(d, "path", path, "string") from None
    o = new(ModifyDiffChange)
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    o.file_type = UNSET
    o.mime_type = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("fileType", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_DiffFileType(value, issues, (path, "fileType"))
                except DecodeError as error:
                    value = default(issues, (path, "fileType"), value, error, UNSET)
            o.file_type = value
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
            o.unknown_fields = unknown(d, _ModifyDiffChange, tags)
    return o


def encode_ModifyDiffChange(o: ModifyDiffChange, out: Json) -> Json:
    out["path"] = o.path
    if o.file_type is not UNSET:
        out["fileType"] = o.file_type
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ModifyDiffChange)
    return out


def decode_MoveDiffChange(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> MoveDiffChange:
    try:
        value = d["oldPath"]
    except (KeyError, TypeError):
        raise missing(d, "oldPath", path, "string") from None
    o = new(MoveDiffChange)
    if type(value) is not str:
        raise wrong_member(d, "oldPath", path, "string")
    o.old_path = value
    value = d.get("path")
    if type(value) is not str:
        raise wrong_member(d, "path", path, "string")
    o.path = value
    o.file_type = UNSET
    o.mime_type = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        if (value := d.get("fileType", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_DiffFileType(value, issues, (path, "fileType"))
                except DecodeError as error:
                    value = default(issues, (path, "fileType"), value, error, UNSET)
            o.file_type = value
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
            o.unknown_fields = unknown(d, _MoveDiffChange, tags)
    return o


def encode_MoveDiffChange(o: MoveDiffChange, out: Json) -> Json:
    out["oldPath"] = o.old_path
    out["path"] = o.path
    if o.file_type is not UNSET:
        out["fileType"] = o.file_type
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _MoveDiffChange)
    return out


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
    o.additional_directories = UNSET
    o.mcp_servers = UNSET
    o.system_prompt = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "additionalDirectories", path, "array", [])
            else:
                value = items(value, issues, (path, "additionalDirectories"), decode_AbsolutePath)
            o.additional_directories = value
        if (value := d.get("mcpServers", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "mcpServers", path, "array", [])
            else:
                value = items(value, issues, (path, "mcpServers"), decode_McpServer)
            o.mcp_servers = value
        if (value := d.get("systemPrompt", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_SystemPrompt(value, issues, (path, "systemPrompt"))
            o.system_prompt = value
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
    if o.additional_directories is not UNSET:
        out["additionalDirectories"] = o.additional_directories
    if o.mcp_servers is not UNSET:
        out["mcpServers"] = [encode_McpServer(item, {}) for item in o.mcp_servers]
    if o.system_prompt is not UNSET:
        out["systemPrompt"] = (
            None if o.system_prompt is None else encode_SystemPrompt(o.system_prompt, {})
        )
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
    o.config_options = UNSET
    o.available_commands = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("configOptions", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.config_options = valid_items(
                    value, issues, (path, "configOptions"), decode_SessionConfigOption
                )
            except DecodeError as error:
                o.config_options = default(issues, (path, "configOptions"), value, error, [])
        if (value := d.get("availableCommands", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.available_commands = valid_items(
                    value, issues, (path, "availableCommands"), decode_AvailableCommand
                )
            except DecodeError as error:
                o.available_commands = default(
                    issues, (path, "availableCommands"), value, error, []
                )
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
    if o.config_options is not UNSET:
        out["configOptions"] = [encode_SessionConfigOption(item, {}) for item in o.config_options]
    if o.available_commands is not UNSET:
        out["availableCommands"] = [
            encode_AvailableCommand(item, {}) for item in o.available_commands
        ]
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
        raise wrong_member(d, "kind", path, "string")
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
    return string(value, issues, path)


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
        raise wrong_member(d, "priority", path, "string")
    o.priority = decode_PlanEntryPriority(value, issues, (path, "priority"))
    if (value := d.get("status", UNSET)) is UNSET:
        raise wrong_member(d, "status", path, "string")
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
    return string(value, issues, path)


def decode_PlanEntryStatus(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_PlanFile(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> PlanFile:
    try:
        value = d["planId"]
    except (KeyError, TypeError):
        raise missing(d, "planId", path, "string") from None
    o = new(PlanFile)
    if type(value) is not str:
        raise wrong_member(d, "planId", path, "string")
    o.plan_id = value
    value = d.get("uri")
    if type(value) is not str:
        raise wrong_member(d, "uri", path, "string")
    o.uri = value
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
            o.unknown_fields = unknown(d, _PlanFile, tags)
    return o


def encode_PlanFile(o: PlanFile, out: Json) -> Json:
    out["planId"] = o.plan_id
    out["uri"] = o.uri
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PlanFile)
    return out


def decode_PlanId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_PlanItems(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> PlanItems:
    try:
        value = d["planId"]
    except (KeyError, TypeError):
        raise missing(d, "planId", path, "string") from None
    o = new(PlanItems)
    if type(value) is not str:
        raise wrong_member(d, "planId", path, "string")
    o.plan_id = value
    if (value := d.get("entries", UNSET)) is UNSET:
        raise wrong_member(d, "entries", path, "array")
    o.entries = valid_items(value, issues, (path, "entries"), decode_PlanEntry)
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
            o.unknown_fields = unknown(d, _PlanItems, tags)
    return o


def encode_PlanItems(o: PlanItems, out: Json) -> Json:
    out["planId"] = o.plan_id
    out["entries"] = [encode_PlanEntry(item, {}) for item in o.entries]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PlanItems)
    return out


def decode_PlanMarkdown(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> PlanMarkdown:
    try:
        value = d["planId"]
    except (KeyError, TypeError):
        raise missing(d, "planId", path, "string") from None
    o = new(PlanMarkdown)
    if type(value) is not str:
        raise wrong_member(d, "planId", path, "string")
    o.plan_id = value
    value = d.get("content")
    if type(value) is not str:
        raise wrong_member(d, "content", path, "string")
    o.content = value
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
            o.unknown_fields = unknown(d, _PlanMarkdown, tags)
    return o


def encode_PlanMarkdown(o: PlanMarkdown, out: Json) -> Json:
    out["planId"] = o.plan_id
    out["content"] = o.content
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PlanMarkdown)
    return out


def decode_PlanRemoved(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> PlanRemoved:
    try:
        value = d["planId"]
    except (KeyError, TypeError):
        raise missing(d, "planId", path, "string") from None
    o = new(PlanRemoved)
    if type(value) is not str:
        raise wrong_member(d, "planId", path, "string")
    o.plan_id = value
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
            o.unknown_fields = unknown(d, _PlanRemoved, tags)
    return o


def encode_PlanRemoved(o: PlanRemoved, out: Json) -> Json:
    out["planId"] = o.plan_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PlanRemoved)
    return out


def decode_PlanUpdate(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> PlanUpdate:
    try:
        value = d["plan"]
    except (KeyError, TypeError):
        raise missing(d, "plan", path, "object") from None
    o = new(PlanUpdate)
    o.plan = decode_PlanUpdateContent(value, issues, (path, "plan"))
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
            o.unknown_fields = unknown(d, _PlanUpdate, tags)
    return o


def encode_PlanUpdate(o: PlanUpdate, out: Json) -> Json:
    out["plan"] = encode_PlanUpdateContent(o.plan, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PlanUpdate)
    return out


def decode_PlanUpdateContent(d: Any, issues: Issues, path: Path) -> PlanUpdateContent:
    try:
        decode = _PlanUpdateContent[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownPlanUpdateContent(tag, _check_UnknownPlanUpdateContent(d, issues, path))
    raise wrong_member(d, "type", path, "string")


def encode_PlanUpdateContent(o: PlanUpdateContent, out: Json) -> Json:
    encoders = _PlanUpdateContent_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "PlanUpdateContent")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownPlanUpdateContent(o: UnknownPlanUpdateContent, out: Json) -> Json:
    return encode_unknown(o, out, "type", _PlanUpdateContent, _check_UnknownPlanUpdateContent)


def _check_UnknownPlanUpdateContent(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("planId", UNSET)) is UNSET:
        raise wrong_member(d, "planId", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "planId", path, "string")
    _checked = value

    return raw


def decode_PromptAudioCapabilities(d: Any, issues: Issues, path: Path) -> PromptAudioCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(PromptAudioCapabilities)
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
            o.unknown_fields = unknown(d, _PromptAudioCapabilities, ())
    return o


def encode_PromptAudioCapabilities(o: PromptAudioCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PromptAudioCapabilities)
    return out


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
            if value is not None:
                try:
                    value = decode_PromptImageCapabilities(value, issues, (path, "image"))
                except DecodeError as error:
                    value = default(issues, (path, "image"), value, error, UNSET)
            o.image = value
        if (value := d.get("audio", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_PromptAudioCapabilities(value, issues, (path, "audio"))
                except DecodeError as error:
                    value = default(issues, (path, "audio"), value, error, UNSET)
            o.audio = value
        if (value := d.get("embeddedContext", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_PromptEmbeddedContextCapabilities(
                        value, issues, (path, "embeddedContext")
                    )
                except DecodeError as error:
                    value = default(issues, (path, "embeddedContext"), value, error, UNSET)
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
        out["image"] = None if o.image is None else encode_PromptImageCapabilities(o.image, {})
    if o.audio is not UNSET:
        out["audio"] = None if o.audio is None else encode_PromptAudioCapabilities(o.audio, {})
    if o.embedded_context is not UNSET:
        out["embeddedContext"] = (
            None
            if o.embedded_context is None
            else encode_PromptEmbeddedContextCapabilities(o.embedded_context, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PromptCapabilities)
    return out


def decode_PromptEmbeddedContextCapabilities(
    d: Any, issues: Issues, path: Path
) -> PromptEmbeddedContextCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(PromptEmbeddedContextCapabilities)
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
            o.unknown_fields = unknown(d, _PromptEmbeddedContextCapabilities, ())
    return o


def encode_PromptEmbeddedContextCapabilities(
    o: PromptEmbeddedContextCapabilities, out: Json
) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PromptEmbeddedContextCapabilities)
    return out


def decode_PromptImageCapabilities(d: Any, issues: Issues, path: Path) -> PromptImageCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(PromptImageCapabilities)
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
            o.unknown_fields = unknown(d, _PromptImageCapabilities, ())
    return o


def encode_PromptImageCapabilities(o: PromptImageCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PromptImageCapabilities)
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
    o.prompt = items(value, issues, (path, "prompt"), decode_ContentBlock, 1)
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
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(PromptResponse)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
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
    out["messageId"] = o.message_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _PromptResponse)
    return out


def decode_ProtocolVersion(value: Any, issues: Issues, path: Path) -> Any:
    return integer(value, issues, path, minimum=0, maximum=65535)


def decode_ProviderCurrentConfig(d: Any, issues: Issues, path: Path) -> ProviderCurrentConfig:
    try:
        value = d["apiType"]
    except (KeyError, TypeError):
        raise missing(d, "apiType", path, "string") from None
    o = new(ProviderCurrentConfig)
    o.api_type = decode_LlmProtocol(value, issues, (path, "apiType"))
    value = d.get("baseUrl")
    if type(value) is not str:
        raise wrong_member(d, "baseUrl", path, "string")
    o.base_url = value
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
            o.unknown_fields = unknown(d, _ProviderCurrentConfig, ())
    return o


def encode_ProviderCurrentConfig(o: ProviderCurrentConfig, out: Json) -> Json:
    out["apiType"] = o.api_type
    out["baseUrl"] = o.base_url
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ProviderCurrentConfig)
    return out


def decode_ProviderId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_ProviderInfo(d: Any, issues: Issues, path: Path) -> ProviderInfo:
    try:
        value = d["providerId"]
    except (KeyError, TypeError):
        raise missing(d, "providerId", path, "string") from None
    o = new(ProviderInfo)
    if type(value) is not str:
        raise wrong_member(d, "providerId", path, "string")
    o.provider_id = value
    if (value := d.get("supported", UNSET)) is UNSET:
        raise wrong_member(d, "supported", path, "array")
    try:
        o.supported = valid_items(value, issues, (path, "supported"), decode_LlmProtocol)
    except DecodeError as error:
        o.supported = default(issues, (path, "supported"), value, error, [])
    value = d.get("required")
    if type(value) is not bool:
        raise wrong_member(d, "required", path, "boolean")
    o.required = value
    o.current = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("current", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_ProviderCurrentConfig(value, issues, (path, "current"))
            o.current = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ProviderInfo, ())
    return o


def encode_ProviderInfo(o: ProviderInfo, out: Json) -> Json:
    out["providerId"] = o.provider_id
    out["supported"] = o.supported
    out["required"] = o.required
    if o.current is not UNSET:
        out["current"] = None if o.current is None else encode_ProviderCurrentConfig(o.current, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ProviderInfo)
    return out


def decode_ProvidersCapabilities(d: Any, issues: Issues, path: Path) -> ProvidersCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ProvidersCapabilities)
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
            o.unknown_fields = unknown(d, _ProvidersCapabilities, ())
    return o


def encode_ProvidersCapabilities(o: ProvidersCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ProvidersCapabilities)
    return out


def decode_ProxySuccessorNotification(
    d: Any, issues: Issues, path: Path
) -> ProxySuccessorNotification:
    try:
        value = d["method"]
    except (KeyError, TypeError):
        raise missing(d, "method", path, "string") from None
    o = new(ProxySuccessorNotification)
    if type(value) is not str:
        raise wrong_member(d, "method", path, "string")
    o.method = value
    o.params = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("params", UNSET)) is not UNSET:
            rest -= 1
            o.params = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ProxySuccessorNotification, ())
    return o


def encode_ProxySuccessorNotification(o: ProxySuccessorNotification, out: Json) -> Json:
    out["method"] = o.method
    if o.params is not UNSET:
        out["params"] = o.params
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ProxySuccessorNotification)
    return out


def decode_ProxySuccessorRequest(d: Any, issues: Issues, path: Path) -> ProxySuccessorRequest:
    try:
        value = d["method"]
    except (KeyError, TypeError):
        raise missing(d, "method", path, "string") from None
    o = new(ProxySuccessorRequest)
    if type(value) is not str:
        raise wrong_member(d, "method", path, "string")
    o.method = value
    o.params = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("params", UNSET)) is not UNSET:
            rest -= 1
            o.params = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ProxySuccessorRequest, ())
    return o


def encode_ProxySuccessorRequest(o: ProxySuccessorRequest, out: Json) -> Json:
    out["method"] = o.method
    if o.params is not UNSET:
        out["params"] = o.params
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ProxySuccessorRequest)
    return out


def decode_ProxySuccessorResponse(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_ReplayFrom(d: Any, issues: Issues, path: Path) -> ReplayFrom:
    try:
        decode = _ReplayFrom[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownReplayFrom(tag, d)
    raise wrong_member(d, "type", path, "string")


def encode_ReplayFrom(o: ReplayFrom, out: Json) -> Json:
    encoders = _ReplayFrom_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "ReplayFrom")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownReplayFrom(o: UnknownReplayFrom, out: Json) -> Json:
    return encode_unknown(o, out, "type", _ReplayFrom, None)


def decode_ReplayFromStart(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> ReplayFromStart:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ReplayFromStart)
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
            o.unknown_fields = unknown(d, _ReplayFromStart, tags)
    return o


def encode_ReplayFromStart(o: ReplayFromStart, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ReplayFromStart)
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
        raise wrong_member(d, "requestId", path, "integer or string")
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
        raise wrong_member(d, "requestId", path, "integer or string")
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
        raise wrong_member(d, "requestId", path, "integer or string")
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
    return decode_untagged(value, issues, path, _RequestId_arms, "integer or string", False)


def decode_RequestPermissionOutcome(d: Any, issues: Issues, path: Path) -> RequestPermissionOutcome:
    try:
        decode = _RequestPermissionOutcome[d["outcome"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("outcome",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("outcome")
    if type(tag) is str:
        return UnknownRequestPermissionOutcome(tag, d)
    raise wrong_member(d, "outcome", path, "string")


def encode_RequestPermissionOutcome(o: RequestPermissionOutcome, out: Json) -> Json:
    encoders = _RequestPermissionOutcome_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "RequestPermissionOutcome")
    if tag is not None:
        out["outcome"] = tag
    return encode(o, out)


def _encode_UnknownRequestPermissionOutcome(o: UnknownRequestPermissionOutcome, out: Json) -> Json:
    return encode_unknown(o, out, "outcome", _RequestPermissionOutcome, None)


def decode_RequestPermissionRequest(d: Any, issues: Issues, path: Path) -> RequestPermissionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(RequestPermissionRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("title")
    if type(value) is not str:
        raise wrong_member(d, "title", path, "string")
    o.title = value
    if (value := d.get("options", UNSET)) is UNSET:
        raise wrong_member(d, "options", path, "array")
    o.options = items(value, issues, (path, "options"), decode_PermissionOption, 1)
    o.description = UNSET
    o.subject = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("description", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "description", path, "string or null", UNSET)
            o.description = value
        if (value := d.get("subject", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_RequestPermissionSubject(value, issues, (path, "subject"))
            o.subject = value
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
    out["title"] = o.title
    out["options"] = [encode_PermissionOption(item, {}) for item in o.options]
    if o.description is not UNSET:
        out["description"] = o.description
    if o.subject is not UNSET:
        out["subject"] = (
            None if o.subject is None else encode_RequestPermissionSubject(o.subject, {})
        )
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


def decode_RequestPermissionSubject(d: Any, issues: Issues, path: Path) -> RequestPermissionSubject:
    try:
        decode = _RequestPermissionSubject[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownRequestPermissionSubject(tag, d)
    raise wrong_member(d, "type", path, "string")


def encode_RequestPermissionSubject(o: RequestPermissionSubject, out: Json) -> Json:
    encoders = _RequestPermissionSubject_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "RequestPermissionSubject")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownRequestPermissionSubject(o: UnknownRequestPermissionSubject, out: Json) -> Json:
    return encode_unknown(o, out, "type", _RequestPermissionSubject, None)


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
        raise wrong_member(d, "requestId", path, "integer or string")
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


def decode_RequiresActionStateUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> RequiresActionStateUpdate:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(RequiresActionStateUpdate)
    o.background = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("background", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = items(value, issues, (path, "background"), decode_BackgroundWork)
                except DecodeError as error:
                    value = default(issues, (path, "background"), value, error, UNSET)
            o.background = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _RequiresActionStateUpdate, tags)
    return o


def encode_RequiresActionStateUpdate(o: RequiresActionStateUpdate, out: Json) -> Json:
    if o.background is not UNSET:
        out["background"] = (
            None
            if o.background is None
            else [encode_BackgroundWork(item, {}) for item in o.background]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _RequiresActionStateUpdate)
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
    o.title = UNSET
    o.description = UNSET
    o.icons = UNSET
    o.mime_type = UNSET
    o.size = UNSET
    o.annotations = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
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
        if (value := d.get("icons", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "icons"), decode_Icon)
                except DecodeError as error:
                    value = default(issues, (path, "icons"), value, error, UNSET)
            o.icons = value
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
                        value, issues, (path, "size"), minimum=0, maximum=18446744073709551615
                    )
                except DecodeError as error:
                    value = default(issues, (path, "size"), value, error, UNSET)
            o.size = value
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
            o.unknown_fields = unknown(d, _ResourceLink, tags)
    return o


def encode_ResourceLink(o: ResourceLink, out: Json) -> Json:
    out["name"] = o.name
    out["uri"] = o.uri
    if o.title is not UNSET:
        out["title"] = o.title
    if o.description is not UNSET:
        out["description"] = o.description
    if o.icons is not UNSET:
        out["icons"] = None if o.icons is None else [encode_Icon(item, {}) for item in o.icons]
    if o.mime_type is not UNSET:
        out["mimeType"] = o.mime_type
    if o.size is not UNSET:
        out["size"] = o.size
    if o.annotations is not UNSET:
        out["annotations"] = (
            None if o.annotations is None else encode_Annotations(o.annotations, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ResourceLink)
    return out


def decode_ResultMessageMcpResponse(d: Any, issues: Issues, path: Path) -> ResultMessageMcpResponse:
    try:
        value = d["result"]
    except (KeyError, TypeError):
        raise missing(d, "result", path, "any JSON") from None
    o = new(ResultMessageMcpResponse)
    o.result = value
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
            o.unknown_fields = unknown(d, _ResultMessageMcpResponse, ())
    return o


def encode_ResultMessageMcpResponse(o: ResultMessageMcpResponse, out: Json) -> Json:
    out["result"] = o.result
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ResultMessageMcpResponse)
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
    o.replay_from = UNSET
    o.system_prompt = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "additionalDirectories", path, "array", [])
            else:
                value = items(value, issues, (path, "additionalDirectories"), decode_AbsolutePath)
            o.additional_directories = value
        if (value := d.get("mcpServers", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "mcpServers", path, "array", [])
            else:
                value = items(value, issues, (path, "mcpServers"), decode_McpServer)
            o.mcp_servers = value
        if (value := d.get("replayFrom", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_ReplayFrom(value, issues, (path, "replayFrom"))
            o.replay_from = value
        if (value := d.get("systemPrompt", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_SystemPrompt(value, issues, (path, "systemPrompt"))
            o.system_prompt = value
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
    if o.replay_from is not UNSET:
        out["replayFrom"] = None if o.replay_from is None else encode_ReplayFrom(o.replay_from, {})
    if o.system_prompt is not UNSET:
        out["systemPrompt"] = (
            None if o.system_prompt is None else encode_SystemPrompt(o.system_prompt, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ResumeSessionRequest)
    return out


def decode_ResumeSessionResponse(d: Any, issues: Issues, path: Path) -> ResumeSessionResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ResumeSessionResponse)
    o.config_options = UNSET
    o.available_commands = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("configOptions", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.config_options = valid_items(
                    value, issues, (path, "configOptions"), decode_SessionConfigOption
                )
            except DecodeError as error:
                o.config_options = default(issues, (path, "configOptions"), value, error, [])
        if (value := d.get("availableCommands", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.available_commands = valid_items(
                    value, issues, (path, "availableCommands"), decode_AvailableCommand
                )
            except DecodeError as error:
                o.available_commands = default(
                    issues, (path, "availableCommands"), value, error, []
                )
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ResumeSessionResponse, ())
    return o


def encode_ResumeSessionResponse(o: ResumeSessionResponse, out: Json) -> Json:
    if o.config_options is not UNSET:
        out["configOptions"] = [encode_SessionConfigOption(item, {}) for item in o.config_options]
    if o.available_commands is not UNSET:
        out["availableCommands"] = [
            encode_AvailableCommand(item, {}) for item in o.available_commands
        ]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ResumeSessionResponse)
    return out


def decode_Role(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_RunningStateUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> RunningStateUpdate:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(RunningStateUpdate)
    o.background = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("background", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = items(value, issues, (path, "background"), decode_BackgroundWork)
                except DecodeError as error:
                    value = default(issues, (path, "background"), value, error, UNSET)
            o.background = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _RunningStateUpdate, tags)
    return o


def encode_RunningStateUpdate(o: RunningStateUpdate, out: Json) -> Json:
    if o.background is not UNSET:
        out["background"] = (
            None
            if o.background is None
            else [encode_BackgroundWork(item, {}) for item in o.background]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _RunningStateUpdate)
    return out


def decode_SelectSessionConfigOption(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> SelectSessionConfigOption:
    try:
        value = d["configId"]
    except (KeyError, TypeError):
        raise missing(d, "configId", path, "string") from None
    o = new(SelectSessionConfigOption)
    if type(value) is not str:
        raise wrong_member(d, "configId", path, "string")
    o.config_id = value
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
            "array of objects with value and name or array of objects with groupId and name and options",
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
    out["configId"] = o.config_id
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


def decode_SessionArchiveCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionArchiveCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionArchiveCapabilities)
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
            o.unknown_fields = unknown(d, _SessionArchiveCapabilities, ())
    return o


def encode_SessionArchiveCapabilities(o: SessionArchiveCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionArchiveCapabilities)
    return out


def decode_SessionArchiveFilter(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_SessionCancelCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionCancelCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionCancelCapabilities)
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
            o.unknown_fields = unknown(d, _SessionCancelCapabilities, ())
    return o


def encode_SessionCancelCapabilities(o: SessionCancelCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionCancelCapabilities)
    return out


def decode_SessionCapabilities(d: Any, issues: Issues, path: Path) -> SessionCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionCapabilities)
    o.prompt = UNSET
    o.mcp = UNSET
    o.delete = UNSET
    o.additional_directories = UNSET
    o.system_prompt = UNSET
    o.fork = UNSET
    o.archive = UNSET
    o.status = UNSET
    o.title = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("prompt", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_PromptCapabilities(value, issues, (path, "prompt"))
                except DecodeError as error:
                    value = default(issues, (path, "prompt"), value, error, UNSET)
            o.prompt = value
        if (value := d.get("mcp", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_McpCapabilities(value, issues, (path, "mcp"))
                except DecodeError as error:
                    value = default(issues, (path, "mcp"), value, error, UNSET)
            o.mcp = value
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
        if (value := d.get("systemPrompt", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionSystemPromptCapabilities(
                        value, issues, (path, "systemPrompt")
                    )
                except DecodeError as error:
                    value = default(issues, (path, "systemPrompt"), value, error, UNSET)
            o.system_prompt = value
        if (value := d.get("fork", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionForkCapabilities(value, issues, (path, "fork"))
                except DecodeError as error:
                    value = default(issues, (path, "fork"), value, error, UNSET)
            o.fork = value
        if (value := d.get("archive", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionArchiveCapabilities(value, issues, (path, "archive"))
                except DecodeError as error:
                    value = default(issues, (path, "archive"), value, error, UNSET)
            o.archive = value
        if (value := d.get("status", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionStatusCapabilities(value, issues, (path, "status"))
                except DecodeError as error:
                    value = default(issues, (path, "status"), value, error, UNSET)
            o.status = value
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionTitleCapabilities(value, issues, (path, "title"))
                except DecodeError as error:
                    value = default(issues, (path, "title"), value, error, UNSET)
            o.title = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionCapabilities, ())
    return o


def encode_SessionCapabilities(o: SessionCapabilities, out: Json) -> Json:
    if o.prompt is not UNSET:
        out["prompt"] = None if o.prompt is None else encode_PromptCapabilities(o.prompt, {})
    if o.mcp is not UNSET:
        out["mcp"] = None if o.mcp is None else encode_McpCapabilities(o.mcp, {})
    if o.delete is not UNSET:
        out["delete"] = None if o.delete is None else encode_SessionDeleteCapabilities(o.delete, {})
    if o.additional_directories is not UNSET:
        out["additionalDirectories"] = (
            None
            if o.additional_directories is None
            else encode_SessionAdditionalDirectoriesCapabilities(o.additional_directories, {})
        )
    if o.system_prompt is not UNSET:
        out["systemPrompt"] = (
            None
            if o.system_prompt is None
            else encode_SessionSystemPromptCapabilities(o.system_prompt, {})
        )
    if o.fork is not UNSET:
        out["fork"] = None if o.fork is None else encode_SessionForkCapabilities(o.fork, {})
    if o.archive is not UNSET:
        out["archive"] = (
            None if o.archive is None else encode_SessionArchiveCapabilities(o.archive, {})
        )
    if o.status is not UNSET:
        out["status"] = None if o.status is None else encode_SessionStatusCapabilities(o.status, {})
    if o.title is not UNSET:
        out["title"] = None if o.title is None else encode_SessionTitleCapabilities(o.title, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionCapabilities)
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
    if (value := d.get("configId", UNSET)) is UNSET:
        raise wrong_member(d, "configId", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "configId", path, "string")
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
            "array of objects with value and name or array of objects with groupId and name and options",
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
        value = d["groupId"]
    except (KeyError, TypeError):
        raise missing(d, "groupId", path, "string") from None
    o = new(SessionConfigSelectGroup)
    if type(value) is not str:
        raise wrong_member(d, "groupId", path, "string")
    o.group_id = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    if (value := d.get("options", UNSET)) is UNSET:
        raise wrong_member(d, "options", path, "array")
    try:
        o.options = valid_items(
            value, issues, (path, "options"), decode_SessionConfigSelectOption, 1
        )
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
    out["groupId"] = o.group_id
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
        "array of objects with value and name or array of objects with groupId and name and options",
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


def decode_SessionForkCapabilities(d: Any, issues: Issues, path: Path) -> SessionForkCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionForkCapabilities)
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
            o.unknown_fields = unknown(d, _SessionForkCapabilities, ())
    return o


def encode_SessionForkCapabilities(o: SessionForkCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionForkCapabilities)
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
    o.archived = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "additionalDirectories", path, "array", [])
            else:
                value = items(value, issues, (path, "additionalDirectories"), decode_AbsolutePath)
            o.additional_directories = value
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
        if (value := d.get("archived", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not bool:
                value = default_member(issues, d, "archived", path, "boolean or null", UNSET)
            o.archived = value
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
    if o.archived is not UNSET:
        out["archived"] = o.archived
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


def decode_SessionListCursor(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_SessionMessage(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> SessionMessage:
    try:
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(SessionMessage)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
    o.sender_session_id = UNSET
    o.recipient_session_id = UNSET
    o.sender_message_id = UNSET
    o.recipient_message_id = UNSET
    o.content = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("senderSessionId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "senderSessionId", path, "string or null", UNSET)
            o.sender_session_id = value
        if (value := d.get("recipientSessionId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(
                    issues, d, "recipientSessionId", path, "string or null", UNSET
                )
            o.recipient_session_id = value
        if (value := d.get("senderMessageId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "senderMessageId", path, "string or null", UNSET)
            o.sender_message_id = value
        if (value := d.get("recipientMessageId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(
                    issues, d, "recipientMessageId", path, "string or null", UNSET
                )
            o.recipient_message_id = value
        if (value := d.get("content", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "content"), decode_ContentBlock)
                except DecodeError as error:
                    value = default(issues, (path, "content"), value, error, UNSET)
            o.content = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionMessage, tags)
    return o


def encode_SessionMessage(o: SessionMessage, out: Json) -> Json:
    out["messageId"] = o.message_id
    if o.sender_session_id is not UNSET:
        out["senderSessionId"] = o.sender_session_id
    if o.recipient_session_id is not UNSET:
        out["recipientSessionId"] = o.recipient_session_id
    if o.sender_message_id is not UNSET:
        out["senderMessageId"] = o.sender_message_id
    if o.recipient_message_id is not UNSET:
        out["recipientMessageId"] = o.recipient_message_id
    if o.content is not UNSET:
        out["content"] = (
            None if o.content is None else [encode_ContentBlock(item, {}) for item in o.content]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionMessage)
    return out


def decode_SessionMessageChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> SessionMessageChunk:
    try:
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(SessionMessageChunk)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
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
            o.unknown_fields = unknown(d, _SessionMessageChunk, tags)
    return o


def encode_SessionMessageChunk(o: SessionMessageChunk, out: Json) -> Json:
    out["messageId"] = o.message_id
    out["content"] = encode_ContentBlock(o.content, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionMessageChunk)
    return out


def decode_SessionNotFoundErrorData(d: Any, issues: Issues, path: Path) -> SessionNotFoundErrorData:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(SessionNotFoundErrorData)
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
            o.unknown_fields = unknown(d, _SessionNotFoundErrorData, ())
    return o


def encode_SessionNotFoundErrorData(o: SessionNotFoundErrorData, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionNotFoundErrorData)
    return out


def decode_SessionStatus(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_SessionStatusCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionStatusCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionStatusCapabilities)
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
            o.unknown_fields = unknown(d, _SessionStatusCapabilities, ())
    return o


def encode_SessionStatusCapabilities(o: SessionStatusCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionStatusCapabilities)
    return out


def decode_SessionStatusRequest(d: Any, issues: Issues, path: Path) -> SessionStatusRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(SessionStatusRequest)
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
            o.unknown_fields = unknown(d, _SessionStatusRequest, ())
    return o


def encode_SessionStatusRequest(o: SessionStatusRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionStatusRequest)
    return out


def decode_SessionStatusResponse(d: Any, issues: Issues, path: Path) -> SessionStatusResponse:
    try:
        value = d["status"]
    except (KeyError, TypeError):
        raise missing(d, "status", path, "string") from None
    o = new(SessionStatusResponse)
    o.status = decode_SessionStatus(value, issues, (path, "status"))
    o.state = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        if (value := d.get("state", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_StateUpdate(value, issues, (path, "state"))
                except DecodeError as error:
                    value = default(issues, (path, "state"), value, error, UNSET)
            o.state = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionStatusResponse, ())
    return o


def encode_SessionStatusResponse(o: SessionStatusResponse, out: Json) -> Json:
    out["status"] = o.status
    if o.state is not UNSET:
        out["state"] = None if o.state is None else encode_StateUpdate(o.state, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionStatusResponse)
    return out


def decode_SessionSystemPromptCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionSystemPromptCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionSystemPromptCapabilities)
    o.mode = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("mode", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionSystemPromptModeCapabilities(
                        value, issues, (path, "mode")
                    )
                except DecodeError as error:
                    value = default(issues, (path, "mode"), value, error, UNSET)
            o.mode = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionSystemPromptCapabilities, ())
    return o


def encode_SessionSystemPromptCapabilities(o: SessionSystemPromptCapabilities, out: Json) -> Json:
    if o.mode is not UNSET:
        out["mode"] = (
            None if o.mode is None else encode_SessionSystemPromptModeCapabilities(o.mode, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionSystemPromptCapabilities)
    return out


def decode_SessionSystemPromptModeCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionSystemPromptModeCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionSystemPromptModeCapabilities)
    o.override = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("override", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionSystemPromptOverrideCapabilities(
                        value, issues, (path, "override")
                    )
                except DecodeError as error:
                    value = default(issues, (path, "override"), value, error, UNSET)
            o.override = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SessionSystemPromptModeCapabilities, ())
    return o


def encode_SessionSystemPromptModeCapabilities(
    o: SessionSystemPromptModeCapabilities, out: Json
) -> Json:
    if o.override is not UNSET:
        out["override"] = (
            None
            if o.override is None
            else encode_SessionSystemPromptOverrideCapabilities(o.override, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionSystemPromptModeCapabilities)
    return out


def decode_SessionSystemPromptOverrideCapabilities(
    d: Any, issues: Issues, path: Path
) -> SessionSystemPromptOverrideCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionSystemPromptOverrideCapabilities)
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
            o.unknown_fields = unknown(d, _SessionSystemPromptOverrideCapabilities, ())
    return o


def encode_SessionSystemPromptOverrideCapabilities(
    o: SessionSystemPromptOverrideCapabilities, out: Json
) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionSystemPromptOverrideCapabilities)
    return out


def decode_SessionTitleCapabilities(d: Any, issues: Issues, path: Path) -> SessionTitleCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SessionTitleCapabilities)
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
            o.unknown_fields = unknown(d, _SessionTitleCapabilities, ())
    return o


def encode_SessionTitleCapabilities(o: SessionTitleCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SessionTitleCapabilities)
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


def decode_SetProviderRequest(d: Any, issues: Issues, path: Path) -> SetProviderRequest:
    try:
        value = d["providerId"]
    except (KeyError, TypeError):
        raise missing(d, "providerId", path, "string") from None
    o = new(SetProviderRequest)
    if type(value) is not str:
        raise wrong_member(d, "providerId", path, "string")
    o.provider_id = value
    if (value := d.get("apiType", UNSET)) is UNSET:
        raise wrong_member(d, "apiType", path, "string")
    o.api_type = decode_LlmProtocol(value, issues, (path, "apiType"))
    value = d.get("baseUrl")
    if type(value) is not str:
        raise wrong_member(d, "baseUrl", path, "string")
    o.base_url = value
    o.headers = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("headers", UNSET)) is not UNSET:
            rest -= 1
            o.headers = entries(value, issues, (path, "headers"), string)
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SetProviderRequest, ())
    return o


def encode_SetProviderRequest(o: SetProviderRequest, out: Json) -> Json:
    out["providerId"] = o.provider_id
    out["apiType"] = o.api_type
    out["baseUrl"] = o.base_url
    if o.headers is not UNSET:
        out["headers"] = o.headers
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SetProviderRequest)
    return out


def decode_SetProviderResponse(d: Any, issues: Issues, path: Path) -> SetProviderResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SetProviderResponse)
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
            o.unknown_fields = unknown(d, _SetProviderResponse, ())
    return o


def encode_SetProviderResponse(o: SetProviderResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SetProviderResponse)
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
    tag = d.get("type")
    if type(tag) is str:
        return UnknownSetSessionConfigOptionRequest(
            tag, _check_UnknownSetSessionConfigOptionRequest(d, issues, path)
        )
    raise wrong_member(d, "type", path, "string")


def encode_SetSessionConfigOptionRequest(o: SetSessionConfigOptionRequest, out: Json) -> Json:
    encoders = _SetSessionConfigOptionRequest_encoders
    tag, encode = encoders.get(o.__class__) or find_class(
        o, encoders, "SetSessionConfigOptionRequest"
    )
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownSetSessionConfigOptionRequest(
    o: UnknownSetSessionConfigOptionRequest, out: Json
) -> Json:
    return encode_unknown(
        o, out, "type", _SetSessionConfigOptionRequest, _check_UnknownSetSessionConfigOptionRequest
    )


def _check_UnknownSetSessionConfigOptionRequest(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("sessionId", UNSET)) is UNSET:
        raise wrong_member(d, "sessionId", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    _checked = value

    if (value := d.get("configId", UNSET)) is UNSET:
        raise wrong_member(d, "configId", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "configId", path, "string")
    _checked = value

    if (value := d.get("value", UNSET)) is UNSET:
        raise wrong_member(d, "value", path, "any JSON")
    _checked = value

    if (value := d.get("_meta", UNSET)) is not UNSET:
        mark = len(issues or ())
        if value is not None and value.__class__ is not dict:
            value = default_member(issues, d, "_meta", path, "object or null", UNSET)
        _checked = value
        if len(issues or ()) > mark:
            raw = repaired(raw, "_meta", _checked)

    return raw


def decode_SetSessionConfigOptionResponse(
    d: Any, issues: Issues, path: Path
) -> SetSessionConfigOptionResponse:
    try:
        value = d["configOptions"]
    except (KeyError, TypeError):
        raise missing(d, "configOptions", path, "array") from None
    o = new(SetSessionConfigOptionResponse)
    o.config_options = valid_items(
        value, issues, (path, "configOptions"), decode_SessionConfigOption
    )
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


def decode_SetSessionTitleRequest(d: Any, issues: Issues, path: Path) -> SetSessionTitleRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(SetSessionTitleRequest)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    value = d.get("title")
    if type(value) is not str:
        raise wrong_member(d, "title", path, "string")
    o.title = value
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
            o.unknown_fields = unknown(d, _SetSessionTitleRequest, ())
    return o


def encode_SetSessionTitleRequest(o: SetSessionTitleRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["title"] = o.title
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SetSessionTitleRequest)
    return out


def decode_SetSessionTitleResponse(d: Any, issues: Issues, path: Path) -> SetSessionTitleResponse:
    try:
        value = d["title"]
    except (KeyError, TypeError):
        raise missing(d, "title", path, "string") from None
    o = new(SetSessionTitleResponse)
    if type(value) is not str:
        raise wrong_member(d, "title", path, "string")
    o.title = value
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
            o.unknown_fields = unknown(d, _SetSessionTitleResponse, ())
    return o


def encode_SetSessionTitleResponse(o: SetSessionTitleResponse, out: Json) -> Json:
    out["title"] = o.title
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SetSessionTitleResponse)
    return out


def decode_StateUpdate(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> StateUpdate:
    try:
        decode = _StateUpdate[d["state"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, (*tags, "state"))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("state")
    if type(tag) is str:
        return UnrecognizedStateUpdate(tag, d)
    raise wrong_member(d, "state", path, "string")


def encode_StateUpdate(o: StateUpdate, out: Json) -> Json:
    encoders = _StateUpdate_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "StateUpdate")
    if tag is not None:
        out["state"] = tag
    return encode(o, out)


def _encode_UnrecognizedStateUpdate(o: UnrecognizedStateUpdate, out: Json) -> Json:
    return encode_unknown(o, out, "state", _StateUpdate, None)


def decode_StringFormat(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_StringMultiSelectItems(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> StringMultiSelectItems:
    try:
        value = d["enum"]
    except (KeyError, TypeError):
        raise missing(d, "enum", path, "array") from None
    o = new(StringMultiSelectItems)
    o.enum = items(value, issues, (path, "enum"), string, 1)
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
                value = items(value, issues, (path, "enum"), string, 1)
            o.enum = value
        if (value := d.get("oneOf", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = items(value, issues, (path, "oneOf"), decode_EnumOption, 1)
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


def decode_SubagentSessionCapabilities(
    d: Any, issues: Issues, path: Path
) -> SubagentSessionCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(SubagentSessionCapabilities)
    o.cancel = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("cancel", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SessionCancelCapabilities(value, issues, (path, "cancel"))
                except DecodeError as error:
                    value = default(issues, (path, "cancel"), value, error, UNSET)
            o.cancel = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SubagentSessionCapabilities, ())
    return o


def encode_SubagentSessionCapabilities(o: SubagentSessionCapabilities, out: Json) -> Json:
    if o.cancel is not UNSET:
        out["cancel"] = None if o.cancel is None else encode_SessionCancelCapabilities(o.cancel, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SubagentSessionCapabilities)
    return out


def decode_SubagentUpdate(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> SubagentUpdate:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(SubagentUpdate)
    if type(value) is not str:
        raise wrong_member(d, "sessionId", path, "string")
    o.session_id = value
    o.title = UNSET
    o.description = UNSET
    o.capabilities = UNSET
    o.state = UNSET
    o.cwd = UNSET
    o.additional_directories = UNSET
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
        if (value := d.get("capabilities", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_SubagentSessionCapabilities(
                        value, issues, (path, "capabilities")
                    )
                except DecodeError as error:
                    value = default(issues, (path, "capabilities"), value, error, UNSET)
            o.capabilities = value
        if (value := d.get("state", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_StateUpdate(value, issues, (path, "state"))
                except DecodeError as error:
                    value = default(issues, (path, "state"), value, error, UNSET)
            o.state = value
        if (value := d.get("cwd", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                raise wrong_member(d, "cwd", path, "string or null")
            o.cwd = value
        if (value := d.get("additionalDirectories", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = items(value, issues, (path, "additionalDirectories"), decode_AbsolutePath)
            o.additional_directories = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _SubagentUpdate, tags)
    return o


def encode_SubagentUpdate(o: SubagentUpdate, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.title is not UNSET:
        out["title"] = o.title
    if o.description is not UNSET:
        out["description"] = o.description
    if o.capabilities is not UNSET:
        out["capabilities"] = (
            None
            if o.capabilities is None
            else encode_SubagentSessionCapabilities(o.capabilities, {})
        )
    if o.state is not UNSET:
        out["state"] = None if o.state is None else encode_StateUpdate(o.state, {})
    if o.cwd is not UNSET:
        out["cwd"] = o.cwd
    if o.additional_directories is not UNSET:
        out["additionalDirectories"] = o.additional_directories
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SubagentUpdate)
    return out


def decode_SystemPrompt(d: Any, issues: Issues, path: Path) -> SystemPrompt:
    try:
        value = d["mode"]
    except (KeyError, TypeError):
        raise missing(d, "mode", path, "string") from None
    o = new(SystemPrompt)
    o.mode = decode_SystemPromptMode(value, issues, (path, "mode"))
    if (value := d.get("content", UNSET)) is UNSET:
        raise wrong_member(d, "content", path, "array")
    o.content = items(value, issues, (path, "content"), decode_ContentBlock)
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
            o.unknown_fields = unknown(d, _SystemPrompt, ())
    return o


def encode_SystemPrompt(o: SystemPrompt, out: Json) -> Json:
    out["mode"] = o.mode
    out["content"] = [encode_ContentBlock(item, {}) for item in o.content]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _SystemPrompt)
    return out


def decode_SystemPromptMode(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


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


def decode_TerminalAuthCapabilities(d: Any, issues: Issues, path: Path) -> TerminalAuthCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(TerminalAuthCapabilities)
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
            o.unknown_fields = unknown(d, _TerminalAuthCapabilities, ())
    return o


def encode_TerminalAuthCapabilities(o: TerminalAuthCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalAuthCapabilities)
    return out


def decode_TerminalCancelCapabilities(
    d: Any, issues: Issues, path: Path
) -> TerminalCancelCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(TerminalCancelCapabilities)
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
            o.unknown_fields = unknown(d, _TerminalCancelCapabilities, ())
    return o


def encode_TerminalCancelCapabilities(o: TerminalCancelCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalCancelCapabilities)
    return out


def decode_TerminalCapabilities(d: Any, issues: Issues, path: Path) -> TerminalCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(TerminalCapabilities)
    o.cancel = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("cancel", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_TerminalCancelCapabilities(value, issues, (path, "cancel"))
                except DecodeError as error:
                    value = default(issues, (path, "cancel"), value, error, UNSET)
            o.cancel = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _TerminalCapabilities, ())
    return o


def encode_TerminalCapabilities(o: TerminalCapabilities, out: Json) -> Json:
    if o.cancel is not UNSET:
        out["cancel"] = (
            None if o.cancel is None else encode_TerminalCancelCapabilities(o.cancel, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalCapabilities)
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
                        value,
                        issues,
                        (path, "exitCode"),
                        minimum=-9223372036854775808,
                        maximum=9223372036854775807,
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


def decode_TerminalOutput(d: Any, issues: Issues, path: Path) -> TerminalOutput:
    try:
        value = d["data"]
    except (KeyError, TypeError):
        raise missing(d, "data", path, "string") from None
    o = new(TerminalOutput)
    if type(value) is not str:
        raise wrong_member(d, "data", path, "string")
    o.data = value
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
            o.unknown_fields = unknown(d, _TerminalOutput, ())
    return o


def encode_TerminalOutput(o: TerminalOutput, out: Json) -> Json:
    out["data"] = o.data
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalOutput)
    return out


def decode_TerminalOutputChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> TerminalOutputChunk:
    try:
        value = d["terminalId"]
    except (KeyError, TypeError):
        raise missing(d, "terminalId", path, "string") from None
    o = new(TerminalOutputChunk)
    if type(value) is not str:
        raise wrong_member(d, "terminalId", path, "string")
    o.terminal_id = value
    value = d.get("data")
    if type(value) is not str:
        raise wrong_member(d, "data", path, "string")
    o.data = value
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
            o.unknown_fields = unknown(d, _TerminalOutputChunk, tags)
    return o


def encode_TerminalOutputChunk(o: TerminalOutputChunk, out: Json) -> Json:
    out["terminalId"] = o.terminal_id
    out["data"] = o.data
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalOutputChunk)
    return out


def decode_TerminalSize(d: Any, issues: Issues, path: Path) -> TerminalSize:
    try:
        value = d["cols"]
    except (KeyError, TypeError):
        raise missing(d, "cols", path, "integer") from None
    o = new(TerminalSize)
    o.cols = integer(value, issues, (path, "cols"), minimum=1, maximum=65535)
    if (value := d.get("rows", UNSET)) is UNSET:
        raise wrong_member(d, "rows", path, "integer")
    o.rows = integer(value, issues, (path, "rows"), minimum=1, maximum=65535)
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
            o.unknown_fields = unknown(d, _TerminalSize, ())
    return o


def encode_TerminalSize(o: TerminalSize, out: Json) -> Json:
    out["cols"] = o.cols
    out["rows"] = o.rows
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalSize)
    return out


def decode_TerminalUpdate(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> TerminalUpdate:
    try:
        value = d["terminalId"]
    except (KeyError, TypeError):
        raise missing(d, "terminalId", path, "string") from None
    o = new(TerminalUpdate)
    if type(value) is not str:
        raise wrong_member(d, "terminalId", path, "string")
    o.terminal_id = value
    o.command = UNSET
    o.cwd = UNSET
    o.output = UNSET
    o.exit_status = UNSET
    o.size = UNSET
    o.capabilities = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("command", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "command", path, "string or null", UNSET)
            o.command = value
        if (value := d.get("cwd", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "cwd", path, "string or null", UNSET)
            o.cwd = value
        if (value := d.get("output", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_TerminalOutput(value, issues, (path, "output"))
                except DecodeError as error:
                    value = default(issues, (path, "output"), value, error, UNSET)
            o.output = value
        if (value := d.get("exitStatus", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_TerminalExitStatus(value, issues, (path, "exitStatus"))
                except DecodeError as error:
                    value = default(issues, (path, "exitStatus"), value, error, UNSET)
            o.exit_status = value
        if (value := d.get("size", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_TerminalSize(value, issues, (path, "size"))
                except DecodeError as error:
                    value = default(issues, (path, "size"), value, error, UNSET)
            o.size = value
        if (value := d.get("capabilities", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_TerminalCapabilities(value, issues, (path, "capabilities"))
                except DecodeError as error:
                    value = default(issues, (path, "capabilities"), value, error, UNSET)
            o.capabilities = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _TerminalUpdate, tags)
    return o


def encode_TerminalUpdate(o: TerminalUpdate, out: Json) -> Json:
    out["terminalId"] = o.terminal_id
    if o.command is not UNSET:
        out["command"] = o.command
    if o.cwd is not UNSET:
        out["cwd"] = o.cwd
    if o.output is not UNSET:
        out["output"] = None if o.output is None else encode_TerminalOutput(o.output, {})
    if o.exit_status is not UNSET:
        out["exitStatus"] = (
            None if o.exit_status is None else encode_TerminalExitStatus(o.exit_status, {})
        )
    if o.size is not UNSET:
        out["size"] = None if o.size is None else encode_TerminalSize(o.size, {})
    if o.capabilities is not UNSET:
        out["capabilities"] = (
            None if o.capabilities is None else encode_TerminalCapabilities(o.capabilities, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TerminalUpdate)
    return out


def decode_TextCommandInput(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> TextCommandInput:
    try:
        value = d["hint"]
    except (KeyError, TypeError):
        raise missing(d, "hint", path, "string") from None
    o = new(TextCommandInput)
    if type(value) is not str:
        raise wrong_member(d, "hint", path, "string")
    o.hint = value
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
            o.unknown_fields = unknown(d, _TextCommandInput, tags)
    return o


def encode_TextCommandInput(o: TextCommandInput, out: Json) -> Json:
    out["hint"] = o.hint
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _TextCommandInput)
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
    o.any_of = items(value, issues, (path, "anyOf"), decode_EnumOption, 1)
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


def decode_ToolCallCancelCapabilities(
    d: Any, issues: Issues, path: Path
) -> ToolCallCancelCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ToolCallCancelCapabilities)
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
            o.unknown_fields = unknown(d, _ToolCallCancelCapabilities, ())
    return o


def encode_ToolCallCancelCapabilities(o: ToolCallCancelCapabilities, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ToolCallCancelCapabilities)
    return out


def decode_ToolCallCapabilities(d: Any, issues: Issues, path: Path) -> ToolCallCapabilities:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ToolCallCapabilities)
    o.cancel = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("cancel", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ToolCallCancelCapabilities(value, issues, (path, "cancel"))
                except DecodeError as error:
                    value = default(issues, (path, "cancel"), value, error, UNSET)
            o.cancel = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _ToolCallCapabilities, ())
    return o


def encode_ToolCallCapabilities(o: ToolCallCapabilities, out: Json) -> Json:
    if o.cancel is not UNSET:
        out["cancel"] = (
            None if o.cancel is None else encode_ToolCallCancelCapabilities(o.cancel, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ToolCallCapabilities)
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


def decode_ToolCallContentChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> ToolCallContentChunk:
    try:
        value = d["toolCallId"]
    except (KeyError, TypeError):
        raise missing(d, "toolCallId", path, "string") from None
    o = new(ToolCallContentChunk)
    if type(value) is not str:
        raise wrong_member(d, "toolCallId", path, "string")
    o.tool_call_id = value
    if (value := d.get("content", UNSET)) is UNSET:
        raise wrong_member(d, "content", path, "object")
    o.content = decode_ToolCallContent(value, issues, (path, "content"))
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
            o.unknown_fields = unknown(d, _ToolCallContentChunk, tags)
    return o


def encode_ToolCallContentChunk(o: ToolCallContentChunk, out: Json) -> Json:
    out["toolCallId"] = o.tool_call_id
    out["content"] = encode_ToolCallContent(o.content, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ToolCallContentChunk)
    return out


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
                    value = integer(value, issues, (path, "line"), minimum=1, maximum=4294967295)
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


def decode_ToolCallPermissionSubject(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> ToolCallPermissionSubject:
    try:
        value = d["toolCall"]
    except (KeyError, TypeError):
        raise missing(d, "toolCall", path, "object") from None
    o = new(ToolCallPermissionSubject)
    o.tool_call = decode_ToolCallUpdate(value, issues, (path, "toolCall"))
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
            o.unknown_fields = unknown(d, _ToolCallPermissionSubject, tags)
    return o


def encode_ToolCallPermissionSubject(o: ToolCallPermissionSubject, out: Json) -> Json:
    out["toolCall"] = encode_ToolCallUpdate(o.tool_call, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ToolCallPermissionSubject)
    return out


def decode_ToolCallStatus(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_ToolCallUpdate(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> ToolCallUpdate:
    try:
        value = d["toolCallId"]
    except (KeyError, TypeError):
        raise missing(d, "toolCallId", path, "string") from None
    o = new(ToolCallUpdate)
    if type(value) is not str:
        raise wrong_member(d, "toolCallId", path, "string")
    o.tool_call_id = value
    o.name = UNSET
    o.title = UNSET
    o.kind = UNSET
    o.status = UNSET
    o.content = UNSET
    o.locations = UNSET
    o.raw_input = UNSET
    o.raw_output = UNSET
    o.capabilities = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("name", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "name", path, "string or null", UNSET)
            o.name = value
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
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
        if (value := d.get("capabilities", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = decode_ToolCallCapabilities(value, issues, (path, "capabilities"))
                except DecodeError as error:
                    value = default(issues, (path, "capabilities"), value, error, UNSET)
            o.capabilities = value
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
    if o.name is not UNSET:
        out["name"] = o.name
    if o.title is not UNSET:
        out["title"] = o.title
    if o.kind is not UNSET:
        out["kind"] = o.kind
    if o.status is not UNSET:
        out["status"] = o.status
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
    if o.capabilities is not UNSET:
        out["capabilities"] = (
            None if o.capabilities is None else encode_ToolCallCapabilities(o.capabilities, {})
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _ToolCallUpdate)
    return out


def decode_ToolKind(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_UnarchiveSessionRequest(d: Any, issues: Issues, path: Path) -> UnarchiveSessionRequest:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(UnarchiveSessionRequest)
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
            o.unknown_fields = unknown(d, _UnarchiveSessionRequest, ())
    return o


def encode_UnarchiveSessionRequest(o: UnarchiveSessionRequest, out: Json) -> Json:
    out["sessionId"] = o.session_id
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UnarchiveSessionRequest)
    return out


def decode_UnarchiveSessionResponse(d: Any, issues: Issues, path: Path) -> UnarchiveSessionResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(UnarchiveSessionResponse)
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
            o.unknown_fields = unknown(d, _UnarchiveSessionResponse, ())
    return o


def encode_UnarchiveSessionResponse(o: UnarchiveSessionResponse, out: Json) -> Json:
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UnarchiveSessionResponse)
    return out


def decode_UnknownStateUpdate(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> UnknownStateUpdate:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(UnknownStateUpdate)
    o.background = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("background", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = items(value, issues, (path, "background"), decode_BackgroundWork)
                except DecodeError as error:
                    value = default(issues, (path, "background"), value, error, UNSET)
            o.background = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _UnknownStateUpdate, tags)
    return o


def encode_UnknownStateUpdate(o: UnknownStateUpdate, out: Json) -> Json:
    if o.background is not UNSET:
        out["background"] = (
            None
            if o.background is None
            else [encode_BackgroundWork(item, {}) for item in o.background]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UnknownStateUpdate)
    return out


def decode_UnsupportedProtocolVersionErrorData(
    d: Any, issues: Issues, path: Path
) -> UnsupportedProtocolVersionErrorData:
    try:
        value = d["requested"]
    except (KeyError, TypeError):
        raise missing(d, "requested", path, "integer") from None
    o = new(UnsupportedProtocolVersionErrorData)
    o.requested = decode_ProtocolVersion(value, issues, (path, "requested"))
    if (value := d.get("supported", UNSET)) is UNSET:
        raise wrong_member(d, "supported", path, "array")
    o.supported = items(value, issues, (path, "supported"), decode_ProtocolVersion)
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
            o.unknown_fields = unknown(d, _UnsupportedProtocolVersionErrorData, ())
    return o


def encode_UnsupportedProtocolVersionErrorData(
    o: UnsupportedProtocolVersionErrorData, out: Json
) -> Json:
    out["requested"] = o.requested
    out["supported"] = o.supported
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UnsupportedProtocolVersionErrorData)
    return out


def decode_UpdateSessionNotification(
    d: Any, issues: Issues, path: Path
) -> UpdateSessionNotification:
    try:
        value = d["sessionId"]
    except (KeyError, TypeError):
        raise missing(d, "sessionId", path, "string") from None
    o = new(UpdateSessionNotification)
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
            o.unknown_fields = unknown(d, _UpdateSessionNotification, ())
    return o


def encode_UpdateSessionNotification(o: UpdateSessionNotification, out: Json) -> Json:
    out["sessionId"] = o.session_id
    out["update"] = encode_SessionUpdate(o.update, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UpdateSessionNotification)
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


def decode_Usage(d: Any, issues: Issues, path: Path) -> Usage:
    try:
        value = d["totalTokens"]
    except (KeyError, TypeError):
        raise missing(d, "totalTokens", path, "integer") from None
    o = new(Usage)
    o.total_tokens = integer(
        value, issues, (path, "totalTokens"), minimum=0, maximum=18446744073709551615
    )
    if (value := d.get("inputTokens", UNSET)) is UNSET:
        raise wrong_member(d, "inputTokens", path, "integer")
    o.input_tokens = integer(
        value, issues, (path, "inputTokens"), minimum=0, maximum=18446744073709551615
    )
    if (value := d.get("outputTokens", UNSET)) is UNSET:
        raise wrong_member(d, "outputTokens", path, "integer")
    o.output_tokens = integer(
        value, issues, (path, "outputTokens"), minimum=0, maximum=18446744073709551615
    )
    o.thought_tokens = UNSET
    o.cached_read_tokens = UNSET
    o.cached_write_tokens = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("thoughtTokens", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = integer(
                        value,
                        issues,
                        (path, "thoughtTokens"),
                        minimum=0,
                        maximum=18446744073709551615,
                    )
                except DecodeError as error:
                    value = default(issues, (path, "thoughtTokens"), value, error, UNSET)
            o.thought_tokens = value
        if (value := d.get("cachedReadTokens", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = integer(
                        value,
                        issues,
                        (path, "cachedReadTokens"),
                        minimum=0,
                        maximum=18446744073709551615,
                    )
                except DecodeError as error:
                    value = default(issues, (path, "cachedReadTokens"), value, error, UNSET)
            o.cached_read_tokens = value
        if (value := d.get("cachedWriteTokens", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = integer(
                        value,
                        issues,
                        (path, "cachedWriteTokens"),
                        minimum=0,
                        maximum=18446744073709551615,
                    )
                except DecodeError as error:
                    value = default(issues, (path, "cachedWriteTokens"), value, error, UNSET)
            o.cached_write_tokens = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _Usage, ())
    return o


def encode_Usage(o: Usage, out: Json) -> Json:
    out["totalTokens"] = o.total_tokens
    out["inputTokens"] = o.input_tokens
    out["outputTokens"] = o.output_tokens
    if o.thought_tokens is not UNSET:
        out["thoughtTokens"] = o.thought_tokens
    if o.cached_read_tokens is not UNSET:
        out["cachedReadTokens"] = o.cached_read_tokens
    if o.cached_write_tokens is not UNSET:
        out["cachedWriteTokens"] = o.cached_write_tokens
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _Usage)
    return out


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


def decode_UserMessage(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> UserMessage:
    try:
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(UserMessage)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
    o.content = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("content", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "content"), decode_ContentBlock)
                except DecodeError as error:
                    value = default(issues, (path, "content"), value, error, UNSET)
            o.content = value
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _UserMessage, tags)
    return o


def encode_UserMessage(o: UserMessage, out: Json) -> Json:
    out["messageId"] = o.message_id
    if o.content is not UNSET:
        out["content"] = (
            None if o.content is None else [encode_ContentBlock(item, {}) for item in o.content]
        )
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UserMessage)
    return out


def decode_UserMessageChunk(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> UserMessageChunk:
    try:
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(UserMessageChunk)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
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
            o.unknown_fields = unknown(d, _UserMessageChunk, tags)
    return o


def encode_UserMessageChunk(o: UserMessageChunk, out: Json) -> Json:
    out["messageId"] = o.message_id
    out["content"] = encode_ContentBlock(o.content, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _UserMessageChunk)
    return out


# --- tables: members of records, arms of unions ---

_AcceptCreateElicitationResponse = ("_meta", "content")
_AddDiffChange = ("path", "fileType", "mimeType", "_meta")
_AgentAuthCapabilities = ("status", "_meta")
_AgentCapabilities = ("session", "auth", "providers", "_meta")
_AgentMessage = ("messageId", "content", "_meta")
_AgentMessageChunk = ("messageId", "content", "_meta")
_AgentThought = ("messageId", "content", "_meta")
_AgentThoughtChunk = ("messageId", "content", "_meta")
_Annotations = ("audience", "lastModified", "priority", "_meta")
_ArchiveSessionRequest = ("sessionId", "_meta")
_ArchiveSessionResponse = ("_meta",)
_AudioContent = ("data", "mimeType", "annotations", "_meta")
_AuthAccount = ("label", "active", "name", "email", "organization", "_meta")
_AuthMethod: dict[str, ObjectDecoder[AuthMethod]] = {
    "terminal": decode_AuthMethodTerminal,
    "agent": decode_AuthMethodAgent,
}
_AuthMethod_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    AuthMethodTerminal: ("terminal", encode_AuthMethodTerminal),
    AuthMethodAgent: ("agent", encode_AuthMethodAgent),
    UnknownAuthMethod: (None, _encode_UnknownAuthMethod),
}
_AuthMethodAgent = ("methodId", "name", "description", "_meta")
_AuthMethodTerminal = ("methodId", "name", "description", "args", "env", "_meta")
_AuthStatusCapabilities = ("_meta",)
_AuthStatusRequest = ("_meta",)
_AuthStatusResponse = ("state", "accounts", "_meta")
_AuthStatusUpdateNotification = ("state", "accounts", "_meta")
_AvailableCommand: dict[str, ObjectDecoder[AvailableCommand]] = {
    "command": decode_Command,
}
_AvailableCommand_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    Command: ("command", encode_Command),
    UnknownAvailableCommand: (None, _encode_UnknownAvailableCommand),
}
_AvailableCommandInput: dict[str, ObjectDecoder[AvailableCommandInput]] = {
    "text": decode_TextCommandInput,
}
_AvailableCommandInput_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    TextCommandInput: ("text", encode_TextCommandInput),
    UnknownAvailableCommandInput: (None, _encode_UnknownAvailableCommandInput),
}
_AvailableCommandsUpdate = ("availableCommands", "_meta")
_BackgroundSubagent = ("sessionId", "_meta")
_BackgroundTerminal = ("terminalId", "_meta")
_BackgroundToolCall = ("toolCallId", "_meta")
_BackgroundWork: dict[str, ObjectDecoder[BackgroundWork]] = {
    "terminal": decode_BackgroundTerminal,
    "tool_call": decode_BackgroundToolCall,
    "subagent": decode_BackgroundSubagent,
}
_BackgroundWork_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    BackgroundTerminal: ("terminal", encode_BackgroundTerminal),
    BackgroundToolCall: ("tool_call", encode_BackgroundToolCall),
    BackgroundSubagent: ("subagent", encode_BackgroundSubagent),
    UnknownBackgroundWork: (None, _encode_UnknownBackgroundWork),
}
_BlobResourceContents = ("blob", "uri", "mimeType", "_meta")
_BooleanPropertySchema = ("title", "description", "default", "_meta")
_BooleanSessionConfigOption = (
    "configId",
    "name",
    "currentValue",
    "description",
    "category",
    "_meta",
)
_BooleanSetSessionConfigOptionRequest = ("sessionId", "configId", "value", "_meta")
_CancelCreateElicitationResponse = ("_meta",)
_CancelRequestNotification = ("requestId", "_meta")
_CancelSessionNotification = ("sessionId", "_meta")
_CancelTerminalRequest = ("sessionId", "terminalId", "_meta")
_CancelTerminalResponse = ("_meta",)
_CancelToolCallRequest = ("sessionId", "toolCallId", "_meta")
_CancelToolCallResponse = ("_meta",)
_CancelledPermissionOutcome = ("_meta",)
_ClientAuthCapabilities = ("terminal", "_meta")
_ClientCapabilities = ("auth", "elicitation", "_meta")
_CloseSessionRequest = ("sessionId", "_meta")
_CloseSessionResponse = ("_meta",)
_Command = ("name", "description", "input", "_meta")
_CommandPermissionSubject = ("command", "cwd", "toolCallId", "terminalId", "_meta")
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
_ContentChunk = ("messageId", "content", "_meta")
_CopyDiffChange = ("oldPath", "path", "fileType", "mimeType", "_meta")
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
_DeclineCreateElicitationResponse = ("_meta",)
_DeleteDiffChange = ("path", "fileType", "mimeType", "_meta")
_DeleteSessionRequest = ("sessionId", "_meta")
_DeleteSessionResponse = ("_meta",)
_Diff = ("changes", "patch", "_meta")
_DiffChange: dict[str, ObjectDecoder[DiffChange]] = {
    "add": decode_AddDiffChange,
    "delete": decode_DeleteDiffChange,
    "modify": decode_ModifyDiffChange,
    "move": decode_MoveDiffChange,
    "copy": decode_CopyDiffChange,
}
_DiffChange_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    AddDiffChange: ("add", encode_AddDiffChange),
    DeleteDiffChange: ("delete", encode_DeleteDiffChange),
    ModifyDiffChange: ("modify", encode_ModifyDiffChange),
    MoveDiffChange: ("move", encode_MoveDiffChange),
    CopyDiffChange: ("copy", encode_CopyDiffChange),
    UnknownDiffChange: (None, _encode_UnknownDiffChange),
}
_DiffPatch = ("format", "text", "_meta")
_DiffPathChange = ("path",)
_DiffPathPairChange = ("oldPath", "path")
_DisableProviderRequest = ("providerId", "_meta")
_DisableProviderResponse = ("_meta",)
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
    Arm(("null", "boolean", "number", "string", "array", "object"), (), anything),
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
_ElicitationSchema = ("type", "properties", "title", "required", "description", "_meta")
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
_ErrorData_arms = (
    Arm(("object",), ("requested", "supported"), decode_UnsupportedProtocolVersionErrorData),
    Arm(("object",), ("sessionId",), decode_SessionNotFoundErrorData),
    Arm(("null", "boolean", "number", "string", "array", "object"), (), anything),
)
_ErrorData_encoders: dict[type, ObjectEncoder] = {
    UnsupportedProtocolVersionErrorData: encode_UnsupportedProtocolVersionErrorData,
    SessionNotFoundErrorData: encode_SessionNotFoundErrorData,
}
_ErrorIdleStateUpdate = ("usage", "background", "_meta", "stopReason", "error")
_ErrorMessageMcpResponse = ("error", "_meta")
_ErrorStopReason = ("error",)
_ForkSessionRequest = (
    "sessionId",
    "cwd",
    "additionalDirectories",
    "mcpServers",
    "systemPrompt",
    "_meta",
)
_ForkSessionResponse = ("sessionId", "configOptions", "availableCommands", "_meta")
_FormCreateElicitationRequest_arms = (
    Arm(("object",), ("sessionId",), decode_SessionFormCreateElicitationRequest),
    Arm(("object",), ("requestId",), decode_RequestFormCreateElicitationRequest),
)
_FormCreateElicitationRequest_encoders: dict[type, ObjectEncoder] = {
    SessionFormCreateElicitationRequest: encode_SessionFormCreateElicitationRequest,
    RequestFormCreateElicitationRequest: encode_RequestFormCreateElicitationRequest,
}
_HttpHeader = ("name", "value", "_meta")
_Icon = ("src", "mimeType", "sizes", "theme", "_meta")
_IdSetSessionConfigOptionRequest = ("sessionId", "configId", "value", "_meta")
_IdleStateUpdate = ("usage", "background", "_meta", "stopReason")
_ImageContent = ("data", "mimeType", "uri", "annotations", "_meta")
_Implementation = ("name", "version", "title", "_meta")
_InitializeRequest = ("protocolVersion", "info", "capabilities", "_meta")
_InitializeResponse = ("protocolVersion", "info", "capabilities", "authMethods", "_meta")
_IntegerPropertySchema = ("title", "description", "minimum", "maximum", "default", "_meta")
_ListProvidersRequest = ("_meta",)
_ListProvidersResponse = ("providers", "_meta")
_ListSessionsRequest = ("cwd", "cursor", "archived", "_meta")
_ListSessionsResponse = ("sessions", "nextCursor", "_meta")
_LoginAuthRequest = ("methodId", "_meta")
_LoginAuthResponse = ("_meta",)
_LogoutAuthRequest = ("_meta",)
_LogoutAuthResponse = ("_meta",)
_McpAcpCapabilities = ("_meta",)
_McpCapabilities = ("stdio", "http", "acp", "_meta")
_McpError = ("code", "message", "data")
_McpHttpCapabilities = ("_meta",)
_McpServer: dict[str, ObjectDecoder[McpServer]] = {
    "http": decode_McpServerHttp,
    "acp": decode_McpServerAcp,
    "stdio": decode_McpServerStdio,
}
_McpServer_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    McpServerHttp: ("http", encode_McpServerHttp),
    McpServerAcp: ("acp", encode_McpServerAcp),
    McpServerStdio: ("stdio", encode_McpServerStdio),
    UnknownMcpServer: (None, _encode_UnknownMcpServer),
}
_McpServerAcp = ("name", "serverId", "_meta")
_McpServerHttp = ("name", "url", "headers", "_meta")
_McpServerStdio = ("name", "command", "args", "env", "_meta")
_McpStdioCapabilities = ("_meta",)
_MessageMcpNotification = ("serverId", "requestId", "method", "params", "_meta")
_MessageMcpRequest = ("serverId", "requestId", "method", "params", "_meta")
_MessageMcpResponse_arms = (
    Arm(("object",), ("result",), decode_ResultMessageMcpResponse),
    Arm(("object",), ("error",), decode_ErrorMessageMcpResponse),
)
_MessageMcpResponse_encoders: dict[type, ObjectEncoder] = {
    ResultMessageMcpResponse: encode_ResultMessageMcpResponse,
    ErrorMessageMcpResponse: encode_ErrorMessageMcpResponse,
}
_ModifyDiffChange = ("path", "fileType", "mimeType", "_meta")
_MoveDiffChange = ("oldPath", "path", "fileType", "mimeType", "_meta")
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
_NewSessionRequest = ("cwd", "additionalDirectories", "mcpServers", "systemPrompt", "_meta")
_NewSessionResponse = ("sessionId", "configOptions", "availableCommands", "_meta")
_Notice = ("severity", "title", "description", "_meta")
_NumberPropertySchema = ("title", "description", "minimum", "maximum", "default", "_meta")
_PermissionOption = ("optionId", "name", "kind", "_meta")
_PlanEntry = ("content", "priority", "status", "_meta")
_PlanFile = ("planId", "uri", "_meta")
_PlanItems = ("planId", "entries", "_meta")
_PlanMarkdown = ("planId", "content", "_meta")
_PlanRemoved = ("planId", "_meta")
_PlanUpdate = ("plan", "_meta")
_PlanUpdateContent: dict[str, ObjectDecoder[PlanUpdateContent]] = {
    "items": decode_PlanItems,
    "file": decode_PlanFile,
    "markdown": decode_PlanMarkdown,
}
_PlanUpdateContent_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    PlanItems: ("items", encode_PlanItems),
    PlanFile: ("file", encode_PlanFile),
    PlanMarkdown: ("markdown", encode_PlanMarkdown),
    UnknownPlanUpdateContent: (None, _encode_UnknownPlanUpdateContent),
}
_PromptAudioCapabilities = ("_meta",)
_PromptCapabilities = ("image", "audio", "embeddedContext", "_meta")
_PromptEmbeddedContextCapabilities = ("_meta",)
_PromptImageCapabilities = ("_meta",)
_PromptRequest = ("sessionId", "prompt", "_meta")
_PromptResponse = ("messageId", "_meta")
_ProviderCurrentConfig = ("apiType", "baseUrl", "_meta")
_ProviderInfo = ("providerId", "supported", "required", "current", "_meta")
_ProvidersCapabilities = ("_meta",)
_ProxySuccessorNotification = ("method", "params", "_meta")
_ProxySuccessorRequest = ("method", "params", "_meta")
_ReplayFrom: dict[str, ObjectDecoder[ReplayFrom]] = {
    "start": decode_ReplayFromStart,
}
_ReplayFrom_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    ReplayFromStart: ("start", encode_ReplayFromStart),
    UnknownReplayFrom: (None, _encode_UnknownReplayFrom),
}
_ReplayFromStart = ("_meta",)
_RequestElicitationFormMode = ("requestedSchema", "requestId")
_RequestElicitationUrlMode = ("elicitationId", "url", "requestId")
_RequestFormCreateElicitationRequest = ("message", "requestedSchema", "requestId", "_meta")
_RequestId_arms = (
    Arm(
        ("number",), (), partial(integer, minimum=-9223372036854775808, maximum=9223372036854775807)
    ),
    Arm(("string",), (), string),
)
_RequestPermissionOutcome: dict[str, ObjectDecoder[RequestPermissionOutcome]] = {
    "cancelled": decode_CancelledPermissionOutcome,
    "selected": decode_SelectedPermissionOutcome,
}
_RequestPermissionOutcome_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    CancelledPermissionOutcome: ("cancelled", encode_CancelledPermissionOutcome),
    SelectedPermissionOutcome: ("selected", encode_SelectedPermissionOutcome),
    UnknownRequestPermissionOutcome: (None, _encode_UnknownRequestPermissionOutcome),
}
_RequestPermissionRequest = ("sessionId", "title", "options", "description", "subject", "_meta")
_RequestPermissionResponse = ("outcome", "_meta")
_RequestPermissionSubject: dict[str, ObjectDecoder[RequestPermissionSubject]] = {
    "tool_call": decode_ToolCallPermissionSubject,
    "command": decode_CommandPermissionSubject,
}
_RequestPermissionSubject_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    ToolCallPermissionSubject: ("tool_call", encode_ToolCallPermissionSubject),
    CommandPermissionSubject: ("command", encode_CommandPermissionSubject),
    UnknownRequestPermissionSubject: (None, _encode_UnknownRequestPermissionSubject),
}
_RequestUrlCreateElicitationRequest = ("message", "elicitationId", "url", "requestId", "_meta")
_RequiresActionStateUpdate = ("background", "_meta")
_ResourceLink = (
    "name",
    "uri",
    "title",
    "description",
    "icons",
    "mimeType",
    "size",
    "annotations",
    "_meta",
)
_ResultMessageMcpResponse = ("result", "_meta")
_ResumeSessionRequest = (
    "sessionId",
    "cwd",
    "additionalDirectories",
    "mcpServers",
    "replayFrom",
    "systemPrompt",
    "_meta",
)
_ResumeSessionResponse = ("configOptions", "availableCommands", "_meta")
_RunningStateUpdate = ("background", "_meta")
_SelectSessionConfigOption = (
    "configId",
    "name",
    "currentValue",
    "options",
    "description",
    "category",
    "_meta",
)
_SelectedPermissionOutcome = ("optionId", "_meta")
_SessionAdditionalDirectoriesCapabilities = ("_meta",)
_SessionArchiveCapabilities = ("_meta",)
_SessionCancelCapabilities = ("_meta",)
_SessionCapabilities = (
    "prompt",
    "mcp",
    "delete",
    "additionalDirectories",
    "systemPrompt",
    "fork",
    "archive",
    "status",
    "title",
    "_meta",
)
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
_SessionConfigSelect = ("currentValue", "options")
_SessionConfigSelectGroup = ("groupId", "name", "options", "_meta")
_SessionConfigSelectOption = ("value", "name", "description", "_meta")
_SessionConfigSelectOptions_arms = (
    Arm(
        ("array",),
        ("value", "name"),
        partial(items, decode=decode_SessionConfigSelectOption, min_items=1),
    ),
    Arm(
        ("array",),
        ("groupId", "name", "options"),
        partial(items, decode=decode_SessionConfigSelectGroup, min_items=1),
    ),
)
_SessionConfigSelectOptions_encoders: dict[type, ObjectEncoder] = {
    SessionConfigSelectOption: encode_SessionConfigSelectOption,
    SessionConfigSelectGroup: encode_SessionConfigSelectGroup,
}
_SessionDeleteCapabilities = ("_meta",)
_SessionElicitationFormMode = ("requestedSchema", "sessionId", "toolCallId")
_SessionElicitationUrlMode = ("elicitationId", "url", "sessionId", "toolCallId")
_SessionForkCapabilities = ("_meta",)
_SessionFormCreateElicitationRequest = (
    "message",
    "requestedSchema",
    "sessionId",
    "_meta",
    "toolCallId",
)
_SessionInfo = (
    "sessionId",
    "cwd",
    "additionalDirectories",
    "title",
    "updatedAt",
    "archived",
    "_meta",
)
_SessionInfoUpdate = ("title", "updatedAt", "_meta")
_SessionMessage = (
    "messageId",
    "senderSessionId",
    "recipientSessionId",
    "senderMessageId",
    "recipientMessageId",
    "content",
    "_meta",
)
_SessionMessageChunk = ("messageId", "content", "_meta")
_SessionNotFoundErrorData = ("sessionId", "_meta")
_SessionStatusCapabilities = ("_meta",)
_SessionStatusRequest = ("sessionId", "_meta")
_SessionStatusResponse = ("status", "state", "_meta")
_SessionSystemPromptCapabilities = ("mode", "_meta")
_SessionSystemPromptModeCapabilities = ("override", "_meta")
_SessionSystemPromptOverrideCapabilities = ("_meta",)
_SessionTitleCapabilities = ("_meta",)
_SessionUpdate: dict[str, ObjectDecoder[SessionUpdate]] = {
    "user_message_chunk": decode_UserMessageChunk,
    "user_message": decode_UserMessage,
    "agent_message_chunk": decode_AgentMessageChunk,
    "agent_message": decode_AgentMessage,
    "agent_thought_chunk": decode_AgentThoughtChunk,
    "agent_thought": decode_AgentThought,
    "state_update": decode_StateUpdate,
    "tool_call_content_chunk": decode_ToolCallContentChunk,
    "tool_call_update": decode_ToolCallUpdate,
    "terminal_update": decode_TerminalUpdate,
    "terminal_output_chunk": decode_TerminalOutputChunk,
    "plan_update": decode_PlanUpdate,
    "plan_removed": decode_PlanRemoved,
    "available_commands_update": decode_AvailableCommandsUpdate,
    "config_option_update": decode_ConfigOptionUpdate,
    "session_info_update": decode_SessionInfoUpdate,
    "usage_update": decode_UsageUpdate,
    "notice": decode_Notice,
    "compaction_update": decode_CompactionUpdate,
    "compaction_summary_chunk": decode_CompactionSummaryChunk,
    "subagent_update": decode_SubagentUpdate,
    "session_message": decode_SessionMessage,
    "session_message_chunk": decode_SessionMessageChunk,
}
_SessionUpdate_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    UserMessageChunk: ("user_message_chunk", encode_UserMessageChunk),
    UserMessage: ("user_message", encode_UserMessage),
    AgentMessageChunk: ("agent_message_chunk", encode_AgentMessageChunk),
    AgentMessage: ("agent_message", encode_AgentMessage),
    AgentThoughtChunk: ("agent_thought_chunk", encode_AgentThoughtChunk),
    AgentThought: ("agent_thought", encode_AgentThought),
    RunningStateUpdate: ("state_update", encode_StateUpdate),
    IdleStateUpdate: ("state_update", encode_StateUpdate),
    ErrorIdleStateUpdate: ("state_update", encode_StateUpdate),
    RequiresActionStateUpdate: ("state_update", encode_StateUpdate),
    UnknownStateUpdate: ("state_update", encode_StateUpdate),
    UnrecognizedStateUpdate: ("state_update", encode_StateUpdate),
    ToolCallContentChunk: ("tool_call_content_chunk", encode_ToolCallContentChunk),
    ToolCallUpdate: ("tool_call_update", encode_ToolCallUpdate),
    TerminalUpdate: ("terminal_update", encode_TerminalUpdate),
    TerminalOutputChunk: ("terminal_output_chunk", encode_TerminalOutputChunk),
    PlanUpdate: ("plan_update", encode_PlanUpdate),
    PlanRemoved: ("plan_removed", encode_PlanRemoved),
    AvailableCommandsUpdate: ("available_commands_update", encode_AvailableCommandsUpdate),
    ConfigOptionUpdate: ("config_option_update", encode_ConfigOptionUpdate),
    SessionInfoUpdate: ("session_info_update", encode_SessionInfoUpdate),
    UsageUpdate: ("usage_update", encode_UsageUpdate),
    Notice: ("notice", encode_Notice),
    CompactionUpdate: ("compaction_update", encode_CompactionUpdate),
    CompactionSummaryChunk: ("compaction_summary_chunk", encode_CompactionSummaryChunk),
    SubagentUpdate: ("subagent_update", encode_SubagentUpdate),
    SessionMessage: ("session_message", encode_SessionMessage),
    SessionMessageChunk: ("session_message_chunk", encode_SessionMessageChunk),
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
_SetProviderRequest = ("providerId", "apiType", "baseUrl", "headers", "_meta")
_SetProviderResponse = ("_meta",)
_SetSessionConfigOptionRequest: dict[str, ObjectDecoder[SetSessionConfigOptionRequest]] = {
    "id": decode_IdSetSessionConfigOptionRequest,
    "boolean": decode_BooleanSetSessionConfigOptionRequest,
}
_SetSessionConfigOptionRequest_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    IdSetSessionConfigOptionRequest: ("id", encode_IdSetSessionConfigOptionRequest),
    BooleanSetSessionConfigOptionRequest: ("boolean", encode_BooleanSetSessionConfigOptionRequest),
    UnknownSetSessionConfigOptionRequest: (None, _encode_UnknownSetSessionConfigOptionRequest),
}
_SetSessionConfigOptionResponse = ("configOptions", "_meta")
_SetSessionTitleRequest = ("sessionId", "title", "_meta")
_SetSessionTitleResponse = ("title", "_meta")
_StateUpdate: dict[str, ObjectDecoder[StateUpdate]] = {
    "running": decode_RunningStateUpdate,
    "idle": decode_IdleStateUpdate,
    "requires_action": decode_RequiresActionStateUpdate,
    "unknown": decode_UnknownStateUpdate,
}
_StateUpdate_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    RunningStateUpdate: ("running", encode_RunningStateUpdate),
    IdleStateUpdate: ("idle", encode_IdleStateUpdate),
    ErrorIdleStateUpdate: ("idle", encode_IdleStateUpdate),
    RequiresActionStateUpdate: ("requires_action", encode_RequiresActionStateUpdate),
    UnknownStateUpdate: ("unknown", encode_UnknownStateUpdate),
    UnrecognizedStateUpdate: (None, _encode_UnrecognizedStateUpdate),
}
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
_SubagentSessionCapabilities = ("cancel", "_meta")
_SubagentUpdate = (
    "sessionId",
    "title",
    "description",
    "capabilities",
    "state",
    "cwd",
    "additionalDirectories",
    "_meta",
)
_SystemPrompt = ("mode", "content", "_meta")
_Terminal = ("terminalId", "_meta")
_TerminalAuthCapabilities = ("_meta",)
_TerminalCancelCapabilities = ("_meta",)
_TerminalCapabilities = ("cancel", "_meta")
_TerminalExitStatus = ("exitCode", "signal", "_meta")
_TerminalOutput = ("data", "_meta")
_TerminalOutputChunk = ("terminalId", "data", "_meta")
_TerminalSize = ("cols", "rows", "_meta")
_TerminalUpdate = (
    "terminalId",
    "command",
    "cwd",
    "output",
    "exitStatus",
    "size",
    "capabilities",
    "_meta",
)
_TextCommandInput = ("hint", "_meta")
_TextContent = ("text", "annotations", "_meta")
_TextResourceContents = ("text", "uri", "mimeType", "_meta")
_TitledMultiSelectItems = ("anyOf", "_meta")
_ToolCallCancelCapabilities = ("_meta",)
_ToolCallCapabilities = ("cancel", "_meta")
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
_ToolCallContentChunk = ("toolCallId", "content", "_meta")
_ToolCallLocation = ("path", "line", "_meta")
_ToolCallPermissionSubject = ("toolCall", "_meta")
_ToolCallUpdate = (
    "toolCallId",
    "name",
    "title",
    "kind",
    "status",
    "content",
    "locations",
    "rawInput",
    "rawOutput",
    "capabilities",
    "_meta",
)
_UnarchiveSessionRequest = ("sessionId", "_meta")
_UnarchiveSessionResponse = ("_meta",)
_UnknownStateUpdate = ("background", "_meta")
_UnsupportedProtocolVersionErrorData = ("requested", "supported", "_meta")
_UpdateSessionNotification = ("sessionId", "update", "_meta")
_UrlCreateElicitationRequest_arms = (
    Arm(("object",), ("sessionId",), decode_SessionUrlCreateElicitationRequest),
    Arm(("object",), ("requestId",), decode_RequestUrlCreateElicitationRequest),
)
_UrlCreateElicitationRequest_encoders: dict[type, ObjectEncoder] = {
    SessionUrlCreateElicitationRequest: encode_SessionUrlCreateElicitationRequest,
    RequestUrlCreateElicitationRequest: encode_RequestUrlCreateElicitationRequest,
}
_Usage = (
    "totalTokens",
    "inputTokens",
    "outputTokens",
    "thoughtTokens",
    "cachedReadTokens",
    "cachedWriteTokens",
    "_meta",
)
_UsageUpdate = ("used", "size", "cost", "_meta")
_UserMessage = ("messageId", "content", "_meta")
_UserMessageChunk = ("messageId", "content", "_meta")

_DEFINITIONS = (
    alias("AbsolutePath", AbsolutePath, decode_AbsolutePath),
    record(AgentAuthCapabilities, decode_AgentAuthCapabilities, encode_AgentAuthCapabilities),
    record(AgentCapabilities, decode_AgentCapabilities, encode_AgentCapabilities),
    record(AgentMessage, decode_AgentMessage, encode_AgentMessage),
    record(AgentThought, decode_AgentThought, encode_AgentThought),
    record(Annotations, decode_Annotations, encode_Annotations),
    record(ArchiveSessionRequest, decode_ArchiveSessionRequest, encode_ArchiveSessionRequest),
    record(ArchiveSessionResponse, decode_ArchiveSessionResponse, encode_ArchiveSessionResponse),
    record(AudioContent, decode_AudioContent, encode_AudioContent),
    record(AuthAccount, decode_AuthAccount, encode_AuthAccount),
    union("AuthMethod", AuthMethod, decode_AuthMethod, encode_AuthMethod),
    record(AuthMethodAgent, decode_AuthMethodAgent, encode_AuthMethodAgent),
    alias("AuthMethodId", AuthMethodId, decode_AuthMethodId),
    record(AuthMethodTerminal, decode_AuthMethodTerminal, encode_AuthMethodTerminal),
    alias("AuthState", AuthState, decode_AuthState),
    record(AuthStatusCapabilities, decode_AuthStatusCapabilities, encode_AuthStatusCapabilities),
    record(AuthStatusRequest, decode_AuthStatusRequest, encode_AuthStatusRequest),
    record(AuthStatusResponse, decode_AuthStatusResponse, encode_AuthStatusResponse),
    record(
        AuthStatusUpdateNotification,
        decode_AuthStatusUpdateNotification,
        encode_AuthStatusUpdateNotification,
    ),
    union("AvailableCommand", AvailableCommand, decode_AvailableCommand, encode_AvailableCommand),
    union(
        "AvailableCommandInput",
        AvailableCommandInput,
        decode_AvailableCommandInput,
        encode_AvailableCommandInput,
    ),
    record(AvailableCommandsUpdate, decode_AvailableCommandsUpdate, encode_AvailableCommandsUpdate),
    record(BackgroundSubagent, decode_BackgroundSubagent, encode_BackgroundSubagent),
    record(BackgroundTerminal, decode_BackgroundTerminal, encode_BackgroundTerminal),
    record(BackgroundToolCall, decode_BackgroundToolCall, encode_BackgroundToolCall),
    union("BackgroundWork", BackgroundWork, decode_BackgroundWork, encode_BackgroundWork),
    record(BlobResourceContents, decode_BlobResourceContents, encode_BlobResourceContents),
    record(BooleanPropertySchema, decode_BooleanPropertySchema, encode_BooleanPropertySchema),
    record(
        CancelRequestNotification,
        decode_CancelRequestNotification,
        encode_CancelRequestNotification,
    ),
    record(
        CancelSessionNotification,
        decode_CancelSessionNotification,
        encode_CancelSessionNotification,
    ),
    record(CancelTerminalRequest, decode_CancelTerminalRequest, encode_CancelTerminalRequest),
    record(CancelTerminalResponse, decode_CancelTerminalResponse, encode_CancelTerminalResponse),
    record(CancelToolCallRequest, decode_CancelToolCallRequest, encode_CancelToolCallRequest),
    record(CancelToolCallResponse, decode_CancelToolCallResponse, encode_CancelToolCallResponse),
    record(
        CancelledPermissionOutcome,
        decode_CancelledPermissionOutcome,
        encode_CancelledPermissionOutcome,
    ),
    record(ClientAuthCapabilities, decode_ClientAuthCapabilities, encode_ClientAuthCapabilities),
    record(ClientCapabilities, decode_ClientCapabilities, encode_ClientCapabilities),
    record(CloseSessionRequest, decode_CloseSessionRequest, encode_CloseSessionRequest),
    record(CloseSessionResponse, decode_CloseSessionResponse, encode_CloseSessionResponse),
    record(Command, decode_Command, encode_Command),
    record(
        CommandPermissionSubject, decode_CommandPermissionSubject, encode_CommandPermissionSubject
    ),
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
    record(DeleteSessionRequest, decode_DeleteSessionRequest, encode_DeleteSessionRequest),
    record(DeleteSessionResponse, decode_DeleteSessionResponse, encode_DeleteSessionResponse),
    record(Diff, decode_Diff, encode_Diff),
    union("DiffChange", DiffChange, decode_DiffChange, encode_DiffChange),
    alias("DiffFileType", DiffFileType, decode_DiffFileType),
    record(DiffPatch, decode_DiffPatch, encode_DiffPatch),
    alias("DiffPatchFormat", DiffPatchFormat, decode_DiffPatchFormat),
    record(DiffPathChange, decode_DiffPathChange, encode_DiffPathChange),
    record(DiffPathPairChange, decode_DiffPathPairChange, encode_DiffPathPairChange),
    record(DisableProviderRequest, decode_DisableProviderRequest, encode_DisableProviderRequest),
    record(DisableProviderResponse, decode_DisableProviderResponse, encode_DisableProviderResponse),
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
    alias("ErrorData", ErrorData, decode_ErrorData, encode_ErrorData),
    record(ErrorStopReason, decode_ErrorStopReason, encode_ErrorStopReason),
    alias("ExtNotification", ExtNotification, decode_ExtNotification),
    alias("ExtRequest", ExtRequest, decode_ExtRequest),
    alias("ExtResponse", ExtResponse, decode_ExtResponse),
    record(ForkSessionRequest, decode_ForkSessionRequest, encode_ForkSessionRequest),
    record(ForkSessionResponse, decode_ForkSessionResponse, encode_ForkSessionResponse),
    record(HttpHeader, decode_HttpHeader, encode_HttpHeader),
    record(Icon, decode_Icon, encode_Icon),
    alias("IconTheme", IconTheme, decode_IconTheme),
    record(IdleStateUpdate, decode_IdleStateUpdate, encode_IdleStateUpdate),
    record(ImageContent, decode_ImageContent, encode_ImageContent),
    record(Implementation, decode_Implementation, encode_Implementation),
    union(
        "InitializeProxyRequest",
        InitializeProxyRequest,
        decode_InitializeProxyRequest,
        encode_InitializeProxyRequest,
    ),
    union(
        "InitializeProxyResponse",
        InitializeProxyResponse,
        decode_InitializeProxyResponse,
        encode_InitializeProxyResponse,
    ),
    record(InitializeRequest, decode_InitializeRequest, encode_InitializeRequest),
    record(InitializeResponse, decode_InitializeResponse, encode_InitializeResponse),
    record(IntegerPropertySchema, decode_IntegerPropertySchema, encode_IntegerPropertySchema),
    record(ListProvidersRequest, decode_ListProvidersRequest, encode_ListProvidersRequest),
    record(ListProvidersResponse, decode_ListProvidersResponse, encode_ListProvidersResponse),
    record(ListSessionsRequest, decode_ListSessionsRequest, encode_ListSessionsRequest),
    record(ListSessionsResponse, decode_ListSessionsResponse, encode_ListSessionsResponse),
    alias("LlmProtocol", LlmProtocol, decode_LlmProtocol),
    record(LoginAuthRequest, decode_LoginAuthRequest, encode_LoginAuthRequest),
    record(LoginAuthResponse, decode_LoginAuthResponse, encode_LoginAuthResponse),
    record(LogoutAuthRequest, decode_LogoutAuthRequest, encode_LogoutAuthRequest),
    record(LogoutAuthResponse, decode_LogoutAuthResponse, encode_LogoutAuthResponse),
    record(McpAcpCapabilities, decode_McpAcpCapabilities, encode_McpAcpCapabilities),
    record(McpCapabilities, decode_McpCapabilities, encode_McpCapabilities),
    record(McpError, decode_McpError, encode_McpError),
    record(McpHttpCapabilities, decode_McpHttpCapabilities, encode_McpHttpCapabilities),
    alias("McpRequestId", McpRequestId, decode_McpRequestId),
    union("McpServer", McpServer, decode_McpServer, encode_McpServer),
    record(McpServerAcp, decode_McpServerAcp, encode_McpServerAcp),
    alias("McpServerAcpId", McpServerAcpId, decode_McpServerAcpId),
    record(McpServerHttp, decode_McpServerHttp, encode_McpServerHttp),
    record(McpServerStdio, decode_McpServerStdio, encode_McpServerStdio),
    record(McpStdioCapabilities, decode_McpStdioCapabilities, encode_McpStdioCapabilities),
    alias("MediaType", MediaType, decode_MediaType),
    alias("MessageId", MessageId, decode_MessageId),
    record(MessageMcpNotification, decode_MessageMcpNotification, encode_MessageMcpNotification),
    record(MessageMcpRequest, decode_MessageMcpRequest, encode_MessageMcpRequest),
    union(
        "MessageMcpResponse",
        MessageMcpResponse,
        decode_MessageMcpResponse,
        encode_MessageMcpResponse,
    ),
    union("MultiSelectItems", MultiSelectItems, decode_MultiSelectItems, encode_MultiSelectItems),
    record(
        MultiSelectPropertySchema,
        decode_MultiSelectPropertySchema,
        encode_MultiSelectPropertySchema,
    ),
    record(NewSessionRequest, decode_NewSessionRequest, encode_NewSessionRequest),
    record(NewSessionResponse, decode_NewSessionResponse, encode_NewSessionResponse),
    record(Notice, decode_Notice, encode_Notice),
    alias("NoticeSeverity", NoticeSeverity, decode_NoticeSeverity),
    record(NumberPropertySchema, decode_NumberPropertySchema, encode_NumberPropertySchema),
    record(PermissionOption, decode_PermissionOption, encode_PermissionOption),
    alias("PermissionOptionId", PermissionOptionId, decode_PermissionOptionId),
    alias("PermissionOptionKind", PermissionOptionKind, decode_PermissionOptionKind),
    record(PlanEntry, decode_PlanEntry, encode_PlanEntry),
    alias("PlanEntryPriority", PlanEntryPriority, decode_PlanEntryPriority),
    alias("PlanEntryStatus", PlanEntryStatus, decode_PlanEntryStatus),
    record(PlanFile, decode_PlanFile, encode_PlanFile),
    alias("PlanId", PlanId, decode_PlanId),
    record(PlanItems, decode_PlanItems, encode_PlanItems),
    record(PlanMarkdown, decode_PlanMarkdown, encode_PlanMarkdown),
    record(PlanRemoved, decode_PlanRemoved, encode_PlanRemoved),
    record(PlanUpdate, decode_PlanUpdate, encode_PlanUpdate),
    union(
        "PlanUpdateContent", PlanUpdateContent, decode_PlanUpdateContent, encode_PlanUpdateContent
    ),
    record(PromptAudioCapabilities, decode_PromptAudioCapabilities, encode_PromptAudioCapabilities),
    record(PromptCapabilities, decode_PromptCapabilities, encode_PromptCapabilities),
    record(
        PromptEmbeddedContextCapabilities,
        decode_PromptEmbeddedContextCapabilities,
        encode_PromptEmbeddedContextCapabilities,
    ),
    record(PromptImageCapabilities, decode_PromptImageCapabilities, encode_PromptImageCapabilities),
    record(PromptRequest, decode_PromptRequest, encode_PromptRequest),
    record(PromptResponse, decode_PromptResponse, encode_PromptResponse),
    alias("ProtocolVersion", ProtocolVersion, decode_ProtocolVersion),
    record(ProviderCurrentConfig, decode_ProviderCurrentConfig, encode_ProviderCurrentConfig),
    alias("ProviderId", ProviderId, decode_ProviderId),
    record(ProviderInfo, decode_ProviderInfo, encode_ProviderInfo),
    record(ProvidersCapabilities, decode_ProvidersCapabilities, encode_ProvidersCapabilities),
    record(
        ProxySuccessorNotification,
        decode_ProxySuccessorNotification,
        encode_ProxySuccessorNotification,
    ),
    record(ProxySuccessorRequest, decode_ProxySuccessorRequest, encode_ProxySuccessorRequest),
    alias("ProxySuccessorResponse", ProxySuccessorResponse, decode_ProxySuccessorResponse),
    union("ReplayFrom", ReplayFrom, decode_ReplayFrom, encode_ReplayFrom),
    record(ReplayFromStart, decode_ReplayFromStart, encode_ReplayFromStart),
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
    union(
        "RequestPermissionSubject",
        RequestPermissionSubject,
        decode_RequestPermissionSubject,
        encode_RequestPermissionSubject,
    ),
    record(
        RequiresActionStateUpdate,
        decode_RequiresActionStateUpdate,
        encode_RequiresActionStateUpdate,
    ),
    record(ResourceLink, decode_ResourceLink, encode_ResourceLink),
    record(ResumeSessionRequest, decode_ResumeSessionRequest, encode_ResumeSessionRequest),
    record(ResumeSessionResponse, decode_ResumeSessionResponse, encode_ResumeSessionResponse),
    alias("Role", Role, decode_Role),
    record(RunningStateUpdate, decode_RunningStateUpdate, encode_RunningStateUpdate),
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
    record(
        SessionArchiveCapabilities,
        decode_SessionArchiveCapabilities,
        encode_SessionArchiveCapabilities,
    ),
    alias("SessionArchiveFilter", SessionArchiveFilter, decode_SessionArchiveFilter),
    record(
        SessionCancelCapabilities,
        decode_SessionCancelCapabilities,
        encode_SessionCancelCapabilities,
    ),
    record(SessionCapabilities, decode_SessionCapabilities, encode_SessionCapabilities),
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
    record(SessionForkCapabilities, decode_SessionForkCapabilities, encode_SessionForkCapabilities),
    alias("SessionId", SessionId, decode_SessionId),
    record(SessionInfo, decode_SessionInfo, encode_SessionInfo),
    record(SessionInfoUpdate, decode_SessionInfoUpdate, encode_SessionInfoUpdate),
    alias("SessionListCursor", SessionListCursor, decode_SessionListCursor),
    record(SessionMessage, decode_SessionMessage, encode_SessionMessage),
    record(SessionMessageChunk, decode_SessionMessageChunk, encode_SessionMessageChunk),
    record(
        SessionNotFoundErrorData, decode_SessionNotFoundErrorData, encode_SessionNotFoundErrorData
    ),
    alias("SessionStatus", SessionStatus, decode_SessionStatus),
    record(
        SessionStatusCapabilities,
        decode_SessionStatusCapabilities,
        encode_SessionStatusCapabilities,
    ),
    record(SessionStatusRequest, decode_SessionStatusRequest, encode_SessionStatusRequest),
    record(SessionStatusResponse, decode_SessionStatusResponse, encode_SessionStatusResponse),
    record(
        SessionSystemPromptCapabilities,
        decode_SessionSystemPromptCapabilities,
        encode_SessionSystemPromptCapabilities,
    ),
    record(
        SessionSystemPromptModeCapabilities,
        decode_SessionSystemPromptModeCapabilities,
        encode_SessionSystemPromptModeCapabilities,
    ),
    record(
        SessionSystemPromptOverrideCapabilities,
        decode_SessionSystemPromptOverrideCapabilities,
        encode_SessionSystemPromptOverrideCapabilities,
    ),
    record(
        SessionTitleCapabilities, decode_SessionTitleCapabilities, encode_SessionTitleCapabilities
    ),
    union("SessionUpdate", SessionUpdate, decode_SessionUpdate, encode_SessionUpdate),
    record(SetProviderRequest, decode_SetProviderRequest, encode_SetProviderRequest),
    record(SetProviderResponse, decode_SetProviderResponse, encode_SetProviderResponse),
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
    record(SetSessionTitleRequest, decode_SetSessionTitleRequest, encode_SetSessionTitleRequest),
    record(SetSessionTitleResponse, decode_SetSessionTitleResponse, encode_SetSessionTitleResponse),
    union("StateUpdate", StateUpdate, decode_StateUpdate, encode_StateUpdate),
    alias("StringFormat", StringFormat, decode_StringFormat),
    record(StringMultiSelectItems, decode_StringMultiSelectItems, encode_StringMultiSelectItems),
    record(StringPropertySchema, decode_StringPropertySchema, encode_StringPropertySchema),
    record(
        SubagentSessionCapabilities,
        decode_SubagentSessionCapabilities,
        encode_SubagentSessionCapabilities,
    ),
    record(SubagentUpdate, decode_SubagentUpdate, encode_SubagentUpdate),
    record(SystemPrompt, decode_SystemPrompt, encode_SystemPrompt),
    alias("SystemPromptMode", SystemPromptMode, decode_SystemPromptMode),
    record(Terminal, decode_Terminal, encode_Terminal),
    record(
        TerminalAuthCapabilities, decode_TerminalAuthCapabilities, encode_TerminalAuthCapabilities
    ),
    record(
        TerminalCancelCapabilities,
        decode_TerminalCancelCapabilities,
        encode_TerminalCancelCapabilities,
    ),
    record(TerminalCapabilities, decode_TerminalCapabilities, encode_TerminalCapabilities),
    record(TerminalExitStatus, decode_TerminalExitStatus, encode_TerminalExitStatus),
    alias("TerminalId", TerminalId, decode_TerminalId),
    record(TerminalOutput, decode_TerminalOutput, encode_TerminalOutput),
    record(TerminalOutputChunk, decode_TerminalOutputChunk, encode_TerminalOutputChunk),
    record(TerminalSize, decode_TerminalSize, encode_TerminalSize),
    record(TerminalUpdate, decode_TerminalUpdate, encode_TerminalUpdate),
    record(TextCommandInput, decode_TextCommandInput, encode_TextCommandInput),
    record(TextContent, decode_TextContent, encode_TextContent),
    record(TextResourceContents, decode_TextResourceContents, encode_TextResourceContents),
    record(TitledMultiSelectItems, decode_TitledMultiSelectItems, encode_TitledMultiSelectItems),
    record(
        ToolCallCancelCapabilities,
        decode_ToolCallCancelCapabilities,
        encode_ToolCallCancelCapabilities,
    ),
    record(ToolCallCapabilities, decode_ToolCallCapabilities, encode_ToolCallCapabilities),
    union("ToolCallContent", ToolCallContent, decode_ToolCallContent, encode_ToolCallContent),
    record(ToolCallContentChunk, decode_ToolCallContentChunk, encode_ToolCallContentChunk),
    alias("ToolCallId", ToolCallId, decode_ToolCallId),
    record(ToolCallLocation, decode_ToolCallLocation, encode_ToolCallLocation),
    record(
        ToolCallPermissionSubject,
        decode_ToolCallPermissionSubject,
        encode_ToolCallPermissionSubject,
    ),
    alias("ToolCallStatus", ToolCallStatus, decode_ToolCallStatus),
    record(ToolCallUpdate, decode_ToolCallUpdate, encode_ToolCallUpdate),
    alias("ToolKind", ToolKind, decode_ToolKind),
    record(UnarchiveSessionRequest, decode_UnarchiveSessionRequest, encode_UnarchiveSessionRequest),
    record(
        UnarchiveSessionResponse, decode_UnarchiveSessionResponse, encode_UnarchiveSessionResponse
    ),
    record(UnknownStateUpdate, decode_UnknownStateUpdate, encode_UnknownStateUpdate),
    record(
        UnsupportedProtocolVersionErrorData,
        decode_UnsupportedProtocolVersionErrorData,
        encode_UnsupportedProtocolVersionErrorData,
    ),
    record(
        UpdateSessionNotification,
        decode_UpdateSessionNotification,
        encode_UpdateSessionNotification,
    ),
    record(Usage, decode_Usage, encode_Usage),
    record(UsageUpdate, decode_UsageUpdate, encode_UsageUpdate),
    record(UserMessage, decode_UserMessage, encode_UserMessage),
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
        AddDiffChange,
        restrict_to_arm(decode_DiffChange, "AddDiffChange", AddDiffChange),
        encode_DiffChange,
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
        UnknownAuthMethod,
        restrict_to_arm(decode_AuthMethod, "UnknownAuthMethod", UnknownAuthMethod),
        encode_AuthMethod,
    ),
    record(
        UnknownAvailableCommand,
        restrict_to_arm(
            decode_AvailableCommand, "UnknownAvailableCommand", UnknownAvailableCommand
        ),
        encode_AvailableCommand,
    ),
    record(
        UnknownAvailableCommandInput,
        restrict_to_arm(
            decode_AvailableCommandInput,
            "UnknownAvailableCommandInput",
            UnknownAvailableCommandInput,
        ),
        encode_AvailableCommandInput,
    ),
    record(
        UnknownBackgroundWork,
        restrict_to_arm(decode_BackgroundWork, "UnknownBackgroundWork", UnknownBackgroundWork),
        encode_BackgroundWork,
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
        UnknownContentBlock,
        restrict_to_arm(decode_ContentBlock, "UnknownContentBlock", UnknownContentBlock),
        encode_ContentBlock,
    ),
    record(
        CopyDiffChange,
        restrict_to_arm(decode_DiffChange, "CopyDiffChange", CopyDiffChange),
        encode_DiffChange,
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
        DeleteDiffChange,
        restrict_to_arm(decode_DiffChange, "DeleteDiffChange", DeleteDiffChange),
        encode_DiffChange,
    ),
    record(
        UnknownDiffChange,
        restrict_to_arm(decode_DiffChange, "UnknownDiffChange", UnknownDiffChange),
        encode_DiffChange,
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
    record(
        ErrorIdleStateUpdate,
        restrict_to_arm(decode_IdleStateUpdate, "ErrorIdleStateUpdate", ErrorIdleStateUpdate),
        encode_IdleStateUpdate,
    ),
    record(
        ErrorMessageMcpResponse,
        restrict_to_arm(
            decode_MessageMcpResponse, "ErrorMessageMcpResponse", ErrorMessageMcpResponse
        ),
        encode_MessageMcpResponse,
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
        IdSetSessionConfigOptionRequest,
        restrict_to_arm(
            decode_SetSessionConfigOptionRequest,
            "IdSetSessionConfigOptionRequest",
            IdSetSessionConfigOptionRequest,
        ),
        encode_SetSessionConfigOptionRequest,
    ),
    record(
        UnknownMcpServer,
        restrict_to_arm(decode_McpServer, "UnknownMcpServer", UnknownMcpServer),
        encode_McpServer,
    ),
    record(
        ModifyDiffChange,
        restrict_to_arm(decode_DiffChange, "ModifyDiffChange", ModifyDiffChange),
        encode_DiffChange,
    ),
    record(
        MoveDiffChange,
        restrict_to_arm(decode_DiffChange, "MoveDiffChange", MoveDiffChange),
        encode_DiffChange,
    ),
    record(
        UnknownMultiSelectItems,
        restrict_to_arm(
            decode_MultiSelectItems, "UnknownMultiSelectItems", UnknownMultiSelectItems
        ),
        encode_MultiSelectItems,
    ),
    record(
        UnknownPlanUpdateContent,
        restrict_to_arm(
            decode_PlanUpdateContent, "UnknownPlanUpdateContent", UnknownPlanUpdateContent
        ),
        encode_PlanUpdateContent,
    ),
    record(
        UnknownReplayFrom,
        restrict_to_arm(decode_ReplayFrom, "UnknownReplayFrom", UnknownReplayFrom),
        encode_ReplayFrom,
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
        UnknownRequestPermissionOutcome,
        restrict_to_arm(
            decode_RequestPermissionOutcome,
            "UnknownRequestPermissionOutcome",
            UnknownRequestPermissionOutcome,
        ),
        encode_RequestPermissionOutcome,
    ),
    record(
        UnknownRequestPermissionSubject,
        restrict_to_arm(
            decode_RequestPermissionSubject,
            "UnknownRequestPermissionSubject",
            UnknownRequestPermissionSubject,
        ),
        encode_RequestPermissionSubject,
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
        ResultMessageMcpResponse,
        restrict_to_arm(
            decode_MessageMcpResponse, "ResultMessageMcpResponse", ResultMessageMcpResponse
        ),
        encode_MessageMcpResponse,
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
        UnknownSetSessionConfigOptionRequest,
        restrict_to_arm(
            decode_SetSessionConfigOptionRequest,
            "UnknownSetSessionConfigOptionRequest",
            UnknownSetSessionConfigOptionRequest,
        ),
        encode_SetSessionConfigOptionRequest,
    ),
    record(
        UnrecognizedStateUpdate,
        restrict_to_arm(decode_StateUpdate, "UnrecognizedStateUpdate", UnrecognizedStateUpdate),
        encode_StateUpdate,
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
)

SCHEMA = SchemaInfo(
    protocol_version=2,
    stability="unstable",
    source="npm:@agentclientprotocol/sdk@2.4.0",
    sha256="613c763e7dfcd3819218c0712794f441c6fcc69c909f72d172eb669f3ec5312c",
    generator_version="0.1.0",
)

TYPES: Mapping[str, Any] = MappingProxyType({each.name: each.type for each in _DEFINITIONS})

_codec = Codec((*_DEFINITIONS, *_ARMS))
decode = _codec.decode
encode = _codec.encode
loads = _codec.loads
dumps = _codec.dumps
