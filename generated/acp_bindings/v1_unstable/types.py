# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.unstable.json (sha256 9f22f865ee8d6595144e0bd7ce511419783362ceac13f5f2dfbd73005d54e295).
# Do not edit it; make it again with acpgen.
"""The types of this surface: one class or alias for each definition of the schema."""

from __future__ import annotations

from typing import Annotated

from ..runtime.values.record import Record, Unknown
from ..runtime.values.unset import UNSET, UnsetType


from typing import Any, Literal, TypeAlias
from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class ArchiveSessionResponse(Record):
    """Confirmation that the session is now in the archive.

    Wire: session/archive. Source: ACP v1 schema, $defs/ArchiveSessionResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthAccount(Record):
    """Display details of an account or API key that the agent is set up with.

    Source: ACP v1 schema, $defs/AuthAccount.
    """

    label: str
    active: bool | None | UnsetType = UNSET
    name: str | None | UnsetType = UNSET
    email: str | None | UnsetType = UNSET
    organization: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthCapabilities(Record):
    """Kinds of sign-in that the client can carry out, such as one in a terminal.

    Source: ACP v1 schema, $defs/AuthCapabilities.
    """

    terminal: bool | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


AuthMethodId: TypeAlias = str
"""The id that the agent gives to one of its ways to sign in.

Source: ACP v1 schema, $defs/AuthMethodId.
"""


@dataclass(slots=True, kw_only=True)
class AuthMethodTerminal(Record):
    """A sign-in for which the client starts the agent program in a terminal.

    Wire: AuthMethod, type = "terminal". Source: ACP v1 schema, $defs/AuthMethodTerminal.
    """

    id: AuthMethodId
    name: str
    description: str | None | UnsetType = UNSET
    args: list[str] | UnsetType = UNSET
    env: dict[str, str] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


AuthState: TypeAlias = Literal["authenticated", "unauthenticated", "not_required", "unknown"] | str
"""Whether the agent has credentials, needs a sign-in, or needs none.

Source: ACP v1 schema, $defs/AuthState.
"""


@dataclass(slots=True, kw_only=True)
class AuthStatusCapabilities(Record):
    """Marker that the agent can be asked for its sign-in state.

    Source: ACP v1 schema, $defs/AuthStatusCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthStatusRequest(Record):
    """A question about the sign-in state, with no fields of its own.

    Wire: auth/status. Source: ACP v1 schema, $defs/AuthStatusRequest.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthStatusResponse(Record):
    """The current sign-in state and the accounts that the agent knows.

    Wire: auth/status. Source: ACP v1 schema, $defs/AuthStatusResponse.
    """

    state: AuthState
    accounts: list[AuthAccount] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthStatusUpdateNotification(Record):
    """News from the agent that its sign-in state or accounts changed.

    Wire: auth/status_update. Source: ACP v1 schema, $defs/AuthStatusUpdateNotification.
    """

    state: AuthState
    accounts: list[AuthAccount] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthenticateRequest(Record):
    """The sign-in method that the client picked.

    Wire: authenticate. Source: ACP v1 schema, $defs/AuthenticateRequest.
    """

    method_id: AuthMethodId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthenticateResponse(Record):
    """Confirmation that the user is signed in and sessions may be opened.

    Wire: authenticate. Source: ACP v1 schema, $defs/AuthenticateResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class BlobResourceContents(Record):
    """A resource's binary data in base64, with its URI.

    Source: ACP v1 schema, $defs/BlobResourceContents.
    """

    blob: str
    uri: str
    mime_type: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class BooleanConfigOptionCapabilities(Record):
    """Marker that the client can show config options that are on or off.

    Source: ACP v1 schema, $defs/BooleanConfigOptionCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class BooleanPropertySchema(Record):
    """A yes-or-no field of a form.

    Wire: ElicitationPropertySchema, type = "boolean". Source: ACP v1 schema,
    $defs/BooleanPropertySchema.
    """

    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    default: bool | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelCreateElicitationResponse(Record):
    """The arm of CreateElicitationResponse, action = "cancel".

    Wire: CreateElicitationResponse, action = "cancel". Source: ACP v1 schema,
    $defs/CreateElicitationResponse/anyOf/2.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelledRequestPermissionOutcome(Record):
    """The arm of RequestPermissionOutcome, outcome = "cancelled".

    Wire: RequestPermissionOutcome, outcome = "cancelled". Source: ACP v1 schema,
    $defs/RequestPermissionOutcome/oneOf/0.
    """


@dataclass(slots=True, kw_only=True)
class CloseSessionResponse(Record):
    """Confirmation that the session is no longer active.

    Wire: session/close. Source: ACP v1 schema, $defs/CloseSessionResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CompactionCapabilities(Record):
    """Marker that the client can follow how the context is compacted.

    Source: ACP v1 schema, $defs/CompactionCapabilities.
    """


CompactionId: TypeAlias = str
"""The id of one compaction of a session's context.

Source: ACP v1 schema, $defs/CompactionId.
"""


CompactionStatus: TypeAlias = Literal["in_progress", "completed", "failed", "cancelled"] | str
"""Whether a compaction is under way, done, failed or cancelled.

Source: ACP v1 schema, $defs/CompactionStatus.
"""


@dataclass(slots=True, kw_only=True)
class Cost(Record):
    """What a session has cost so far, in a currency or another unit.

    Source: ACP v1 schema, $defs/Cost.
    """

    amount: float
    currency: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class DeclineCreateElicitationResponse(Record):
    """The arm of CreateElicitationResponse, action = "decline".

    Wire: CreateElicitationResponse, action = "decline". Source: ACP v1 schema,
    $defs/CreateElicitationResponse/anyOf/1.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class DeleteSessionResponse(Record):
    """Confirmation that the session is gone from the agent's list.

    Wire: session/delete. Source: ACP v1 schema, $defs/DeleteSessionResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Diff(Record):
    """Edits to files, ready for the client to show.

    Wire: ToolCallContent, type = "diff". Source: ACP v1 schema, $defs/Diff.
    """

    path: str
    new_text: str
    old_text: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class DisableProviderResponse(Record):
    """Confirmation that the provider is switched off.

    Wire: providers/disable. Source: ACP v1 schema, $defs/DisableProviderResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


ElicitationContentValue: TypeAlias = str | int | float | bool | list[str]
"""The value that the user gave for one field of a form.

Source: ACP v1 schema, $defs/ElicitationContentValue.
"""


@dataclass(slots=True, kw_only=True)
class ElicitationFormCapabilities(Record):
    """Marker that the client can ask the user by means of a form.

    Source: ACP v1 schema, $defs/ElicitationFormCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


ElicitationId: TypeAlias = str
"""The id of one question to the user.

Source: ACP v1 schema, $defs/ElicitationId.
"""


ElicitationSchemaType: TypeAlias = Literal["object"]
"""The JSON Schema type of a whole form, which is always object.

Source: ACP v1 schema, $defs/ElicitationSchemaType.
"""


@dataclass(slots=True, kw_only=True)
class ElicitationUrlCapabilities(Record):
    """Marker that the client can send the user to a web page.

    Source: ACP v1 schema, $defs/ElicitationUrlCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class EnumOption(Record):
    """One choice of a form field: the value and the label that stands for it.

    Source: ACP v1 schema, $defs/EnumOption.
    """

    const: str
    title: str
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class EnvVariable(Record):
    """The name and value of one variable for the environment of a new process.

    Source: ACP v1 schema, $defs/EnvVariable.
    """

    name: str
    value: str
    meta: dict[str, Any] | None | UnsetType = UNSET


ErrorCode: TypeAlias = Literal[-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002] | int
"""The number that tells which kind of error occurred.

Source: ACP v1 schema, $defs/ErrorCode.
"""


ExtNotification: TypeAlias = Any
"""The free-form parameters of a one-way message that ACP does not define.

Source: ACP v1 schema, $defs/ExtNotification.
"""


ExtRequest: TypeAlias = Any
"""The free-form parameters of a request that ACP does not define.

Source: ACP v1 schema, $defs/ExtRequest.
"""


ExtResponse: TypeAlias = Any
"""The free-form result of a request that ACP does not define.

Source: ACP v1 schema, $defs/ExtResponse.
"""


@dataclass(slots=True, kw_only=True)
class FileSystemCapabilities(Record):
    """Whether the client reads and writes text files for the agent.

    Source: ACP v1 schema, $defs/FileSystemCapabilities.
    """

    read_text_file: bool | UnsetType = UNSET
    write_text_file: bool | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class HttpHeader(Record):
    """The name and value of one header sent along to an MCP server.

    Source: ACP v1 schema, $defs/HttpHeader.
    """

    name: str
    value: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Implementation(Record):
    """Which program, in which version, is at one end of the connection.

    Source: ACP v1 schema, $defs/Implementation.
    """

    name: str
    version: str
    title: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class IntegerPropertySchema(Record):
    """A form field for a whole number, with optional bounds.

    Wire: ElicitationPropertySchema, type = "integer". Source: ACP v1 schema,
    $defs/IntegerPropertySchema.
    """

    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    minimum: int | None | UnsetType = UNSET
    maximum: int | None | UnsetType = UNSET
    default: int | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class KillTerminalResponse(Record):
    """Confirmation that the terminal's command was killed.

    Wire: terminal/kill. Source: ACP v1 schema, $defs/KillTerminalResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ListProvidersRequest(Record):
    """A question about the LLM providers, with no fields of its own.

    Wire: providers/list. Source: ACP v1 schema, $defs/ListProvidersRequest.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


LlmProtocol: TypeAlias = Literal["anthropic", "openai", "azure", "vertex", "bedrock"] | str
"""The API dialect that an LLM provider speaks, such as anthropic or openai.

Source: ACP v1 schema, $defs/LlmProtocol.
"""


@dataclass(slots=True, kw_only=True)
class LogoutCapabilities(Record):
    """Marker that the agent can sign the user out.

    Source: ACP v1 schema, $defs/LogoutCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class LogoutRequest(Record):
    """An order to sign the user out, with no fields of its own.

    Wire: logout. Source: ACP v1 schema, $defs/LogoutRequest.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class LogoutResponse(Record):
    """Confirmation that the user is signed out.

    Wire: logout. Source: ACP v1 schema, $defs/LogoutResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpCapabilities(Record):
    """The transports over which the agent can reach MCP servers.

    Source: ACP v1 schema, $defs/McpCapabilities.
    """

    http: bool | UnsetType = UNSET
    sse: bool | UnsetType = UNSET
    acp: bool | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpError(Record):
    """An error from inside an MCP exchange, as opposed to one of ACP itself.

    Source: ACP v1 schema, $defs/McpError.
    """

    code: int
    message: str
    data: Any | UnsetType = UNSET


McpRequestId: TypeAlias = str
"""The caller's own id for an MCP request that is carried over ACP.

Source: ACP v1 schema, $defs/McpRequestId.
"""


McpServerAcpId: TypeAlias = str
"""The opaque id of an MCP server that is reached over ACP.

Source: ACP v1 schema, $defs/McpServerAcpId.
"""


@dataclass(slots=True, kw_only=True)
class McpServerHttp(Record):
    """An MCP server at a URL, spoken to over HTTP.

    Wire: McpServer, type = "http". Source: ACP v1 schema, $defs/McpServerHttp.
    """

    name: str
    url: str
    headers: list[HttpHeader]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpServerSse(Record):
    """An MCP server at a URL, spoken to by server-sent events.

    Wire: McpServer, type = "sse". Source: ACP v1 schema, $defs/McpServerSse.
    """

    name: str
    url: str
    headers: list[HttpHeader]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpServerStdio(Record):
    """An MCP server that the agent launches, spoken to by its standard streams.

    Source: ACP v1 schema, $defs/McpServerStdio.
    """

    name: str
    command: str
    args: list[str]
    env: list[EnvVariable]
    meta: dict[str, Any] | None | UnsetType = UNSET


MessageId: TypeAlias = str
"""The id by which the pieces and updates of one message are joined.

Source: ACP v1 schema, $defs/MessageId.
"""


@dataclass(slots=True, kw_only=True)
class MessageMcpNotification(Record):
    """A one-way MCP message on behalf of an MCP request still in progress.

    Wire: mcp/message. Source: ACP v1 schema, $defs/MessageMcpNotification.
    """

    server_id: McpServerAcpId
    request_id: McpRequestId
    method: str
    params: dict[str, Any] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class MessageMcpRequest(Record):
    """An MCP request on its way to a server that is reached over ACP.

    Wire: mcp/message. Source: ACP v1 schema, $defs/MessageMcpRequest.
    """

    server_id: McpServerAcpId
    request_id: McpRequestId
    method: str
    params: dict[str, Any] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class NoticeCapabilities(Record):
    """Marker that the client can show notices to the user.

    Source: ACP v1 schema, $defs/NoticeCapabilities.
    """


NoticeSeverity: TypeAlias = Literal["info", "warning", "error"] | str
"""How serious a notice is: info, warning or error.

Source: ACP v1 schema, $defs/NoticeSeverity.
"""


@dataclass(slots=True, kw_only=True)
class NumberPropertySchema(Record):
    """A form field for a number that may have a fraction.

    Wire: ElicitationPropertySchema, type = "number". Source: ACP v1 schema,
    $defs/NumberPropertySchema.
    """

    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    minimum: float | None | UnsetType = UNSET
    maximum: float | None | UnsetType = UNSET
    default: float | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


PermissionOptionId: TypeAlias = str
"""The id of one answer to a permission question.

Source: ACP v1 schema, $defs/PermissionOptionId.
"""


PermissionOptionKind: TypeAlias = Literal[
    "allow_once", "allow_always", "reject_once", "reject_always"
]
"""Whether an answer allows or rejects, and if only this once or always.

Source: ACP v1 schema, $defs/PermissionOptionKind.
"""


@dataclass(slots=True, kw_only=True)
class PlanCapabilities(Record):
    """Marker that the client can follow plans that are updated and removed by id.

    Source: ACP v1 schema, $defs/PlanCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


PlanEntryPriority: TypeAlias = Literal["high", "medium", "low"] | str
"""How important a step of a plan is: high, medium or low.

Source: ACP v1 schema, $defs/PlanEntryPriority.
"""


PlanEntryStatus: TypeAlias = Literal["pending", "in_progress", "completed"] | str
"""How far a step of a plan has come.

Source: ACP v1 schema, $defs/PlanEntryStatus.
"""


PlanId: TypeAlias = str
"""The id of one of a session's plans.

Source: ACP v1 schema, $defs/PlanId.
"""


@dataclass(slots=True, kw_only=True)
class PlanMarkdown(Record):
    """A plan written as a Markdown text.

    Wire: PlanUpdateContent, type = "markdown". Source: ACP v1 schema, $defs/PlanMarkdown.
    """

    plan_id: PlanId
    content: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PlanRemoved(Record):
    """Word that a plan is no longer there.

    Wire: SessionUpdate, sessionUpdate = "plan_removed". Source: ACP v1 schema, $defs/PlanRemoved.
    """

    plan_id: PlanId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PromptCapabilities(Record):
    """The content, besides text and links, that the agent takes in prompts.

    Source: ACP v1 schema, $defs/PromptCapabilities.
    """

    image: bool | UnsetType = UNSET
    audio: bool | UnsetType = UNSET
    embedded_context: bool | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ProtocolVersion: TypeAlias = Annotated[int, "ProtocolVersion"]
"""The major version of ACP, which goes up only for incompatible changes.

Source: ACP v1 schema, $defs/ProtocolVersion.
"""


@dataclass(slots=True, kw_only=True)
class ProviderCurrentConfig(Record):
    """The API dialect and base URL that a provider uses now, without secrets.

    Source: ACP v1 schema, $defs/ProviderCurrentConfig.
    """

    api_type: LlmProtocol
    base_url: str
    meta: dict[str, Any] | None | UnsetType = UNSET


ProviderId: TypeAlias = str
"""The id of an LLM provider that can be configured.

Source: ACP v1 schema, $defs/ProviderId.
"""


@dataclass(slots=True, kw_only=True)
class ProviderInfo(Record):
    """An LLM provider: the dialects it can speak, its setup, if it may be disabled.

    Source: ACP v1 schema, $defs/ProviderInfo.
    """

    provider_id: ProviderId
    supported: list[LlmProtocol]
    required: bool
    current: ProviderCurrentConfig | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ProvidersCapabilities(Record):
    """Marker that the client can configure the agent's LLM providers.

    Source: ACP v1 schema, $defs/ProvidersCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ProxySuccessorNotification(Record):
    """A wrapped one-way message between a proxy and what comes after it.

    Wire: proxy/successor. Source: ACP v1 schema, $defs/ProxySuccessorNotification.
    """

    method: str
    params: Any | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ProxySuccessorRequest(Record):
    """A wrapped request between a proxy and the component that comes after it.

    Wire: proxy/successor. Source: ACP v1 schema, $defs/ProxySuccessorRequest.
    """

    method: str
    params: Any | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ProxySuccessorResponse: TypeAlias = Any
"""The result of a wrapped request, just as the far side gave it.

Wire: proxy/successor. Source: ACP v1 schema, $defs/ProxySuccessorResponse.
"""


@dataclass(slots=True, kw_only=True)
class ReadTextFileResponse(Record):
    """The text that was read from a file.

    Wire: fs/read_text_file. Source: ACP v1 schema, $defs/ReadTextFileResponse.
    """

    content: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ReleaseTerminalResponse(Record):
    """Confirmation that the terminal was freed and its id is void.

    Wire: terminal/release. Source: ACP v1 schema, $defs/ReleaseTerminalResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


RequestId: TypeAlias = int | str | None
"""The id that links a JSON-RPC answer to its request.

Source: ACP v1 schema, $defs/RequestId.
"""


@dataclass(slots=True, kw_only=True)
class RequestUrlCreateElicitationRequest(Record):
    """One form of CreateElicitationRequest.

    Source: ACP v1 schema, $defs/ElicitationUrlMode/anyOf/1.
    """

    message: str
    elicitation_id: ElicitationId
    url: str
    request_id: RequestId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class RequiresActionStateUpdate(Record):
    """The state in which foreground work waits for the user.

    Wire: StateUpdate, state = "requires_action". Source: ACP v1 schema,
    $defs/RequiresActionStateUpdate.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ResultMessageMcpResponse(Record):
    """One form of MessageMcpResponse.

    Source: ACP v1 schema, $defs/MessageMcpResponse/anyOf/0.
    """

    result: Any
    meta: dict[str, Any] | None | UnsetType = UNSET


Role: TypeAlias = Literal["assistant", "user"] | str
"""A party to the conversation, such as user or assistant.

Source: ACP v1 schema, $defs/Role.
"""


@dataclass(slots=True, kw_only=True)
class RunningStateUpdate(Record):
    """The state in which the agent is busy in the foreground.

    Wire: StateUpdate, state = "running". Source: ACP v1 schema, $defs/RunningStateUpdate.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SelectedPermissionOutcome(Record):
    """The id of the answer that the user chose.

    Wire: RequestPermissionOutcome, outcome = "selected". Source: ACP v1 schema,
    $defs/SelectedPermissionOutcome.
    """

    option_id: PermissionOptionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionAdditionalDirectoriesCapabilities(Record):
    """Marker that a session may span more than one directory.

    Source: ACP v1 schema, $defs/SessionAdditionalDirectoriesCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionArchiveCapabilities(Record):
    """Marker that sessions can be archived, brought back, and filtered by that.

    Source: ACP v1 schema, $defs/SessionArchiveCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


SessionArchiveFilter: TypeAlias = Literal["exclude", "include", "only"] | str
"""Whether a listing leaves out archived sessions, adds them, or has only them.

Source: ACP v1 schema, $defs/SessionArchiveFilter.
"""


@dataclass(slots=True, kw_only=True)
class SessionCancelCapabilities(Record):
    """Marker that the client may stop the work of a subagent session.

    Source: ACP v1 schema, $defs/SessionCancelCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionCloseCapabilities(Record):
    """Marker that the client can have a session closed.

    Source: ACP v1 schema, $defs/SessionCloseCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionConfigBoolean(Record):
    """The current value of a config option that is on or off.

    Source: ACP v1 schema, $defs/SessionConfigBoolean.
    """

    current_value: bool


SessionConfigGroupId: TypeAlias = str
"""The id of a group of choices within a config option.

Source: ACP v1 schema, $defs/SessionConfigGroupId.
"""


SessionConfigId: TypeAlias = str
"""The id of one config option of a session.

Source: ACP v1 schema, $defs/SessionConfigId.
"""


SessionConfigOptionCategory: TypeAlias = (
    Literal["mode", "model", "model_config", "thought_level"] | str
)
"""What a config option is about, such as mode or model, as a display hint.

Source: ACP v1 schema, $defs/SessionConfigOptionCategory.
"""


@dataclass(slots=True, kw_only=True)
class SessionConfigOptionsCapabilities(Record):
    """The optional kinds of config option that the client can handle.

    Source: ACP v1 schema, $defs/SessionConfigOptionsCapabilities.
    """

    boolean: BooleanConfigOptionCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


SessionConfigValueId: TypeAlias = str
"""The id of one choice of a config option.

Source: ACP v1 schema, $defs/SessionConfigValueId.
"""


@dataclass(slots=True, kw_only=True)
class SessionDeleteCapabilities(Record):
    """Marker that the client can have a session deleted.

    Source: ACP v1 schema, $defs/SessionDeleteCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionForkCapabilities(Record):
    """Marker that the client can have a session branched.

    Source: ACP v1 schema, $defs/SessionForkCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


SessionId: TypeAlias = str
"""The id of one conversation, with its own context and history.

Source: ACP v1 schema, $defs/SessionId.
"""


@dataclass(slots=True, kw_only=True)
class SessionInfo(Record):
    """A listed session: its directories, title and time of last activity.

    Source: ACP v1 schema, $defs/SessionInfo.
    """

    session_id: SessionId
    cwd: str
    additional_directories: list[str] | UnsetType = UNSET
    title: str | None | UnsetType = UNSET
    updated_at: str | None | UnsetType = UNSET
    archived: bool | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionInfoUpdate(Record):
    """News about a session itself, such as the title; what is left out stays.

    Wire: SessionUpdate, sessionUpdate = "session_info_update". Source: ACP v1 schema,
    $defs/SessionInfoUpdate.
    """

    title: str | None | UnsetType = UNSET
    updated_at: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionListCapabilities(Record):
    """Marker that the client can ask which sessions exist.

    Source: ACP v1 schema, $defs/SessionListCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


SessionModeId: TypeAlias = str
"""The id of one of the agent's ways of working.

Source: ACP v1 schema, $defs/SessionModeId.
"""


@dataclass(slots=True, kw_only=True)
class SessionResumeCapabilities(Record):
    """Marker that a session can be taken up again without replay.

    Source: ACP v1 schema, $defs/SessionResumeCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


SessionStatus: TypeAlias = Literal["open", "saved"] | str
"""Whether a session is loaded at the agent or only saved there.

Source: ACP v1 schema, $defs/SessionStatus.
"""


@dataclass(slots=True, kw_only=True)
class SessionStatusCapabilities(Record):
    """Marker that the client can ask how a session stands.

    Source: ACP v1 schema, $defs/SessionStatusCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionStatusRequest(Record):
    """The session to report on, which the question leaves untouched.

    Wire: session/status. Source: ACP v1 schema, $defs/SessionStatusRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionStatusResponse(Record):
    """How a session stood at the moment of the question.

    Wire: session/status. Source: ACP v1 schema, $defs/SessionStatusResponse.
    """

    status: SessionStatus
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionSystemPromptOverrideCapabilities(Record):
    """Marker that a client's system prompt may take the default's place.

    Source: ACP v1 schema, $defs/SessionSystemPromptOverrideCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionTitleCapabilities(Record):
    """Marker that the client may give a session its title.

    Source: ACP v1 schema, $defs/SessionTitleCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetProviderRequest(Record):
    """The complete new setup of one LLM provider.

    Wire: providers/set. Source: ACP v1 schema, $defs/SetProviderRequest.
    """

    provider_id: ProviderId
    api_type: LlmProtocol
    base_url: str
    headers: dict[str, str] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetProviderResponse(Record):
    """Confirmation that the provider has its new setup.

    Wire: providers/set. Source: ACP v1 schema, $defs/SetProviderResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetSessionModeRequest(Record):
    """The mode to switch a session to.

    Wire: session/set_mode. Source: ACP v1 schema, $defs/SetSessionModeRequest.
    """

    session_id: SessionId
    mode_id: SessionModeId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetSessionModeResponse(Record):
    """Confirmation that the session is in the new mode.

    Wire: session/set_mode. Source: ACP v1 schema, $defs/SetSessionModeResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetSessionTitleRequest(Record):
    """The title that the client wants a session to have.

    Wire: session/set_title. Source: ACP v1 schema, $defs/SetSessionTitleRequest.
    """

    session_id: SessionId
    title: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetSessionTitleResponse(Record):
    """The title as it was stored, perhaps altered by the agent.

    Wire: session/set_title. Source: ACP v1 schema, $defs/SetSessionTitleResponse.
    """

    title: str
    meta: dict[str, Any] | None | UnsetType = UNSET


StopReason: TypeAlias = (
    Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] | str
)
"""Why a turn ended, such as done, refused, cancelled or out of tokens.

Source: ACP v1 schema, $defs/StopReason.
"""


StringFormat: TypeAlias = Literal["email", "uri", "date", "date-time"] | str
"""The form a text value must have, such as an email address or a date.

Source: ACP v1 schema, $defs/StringFormat.
"""


@dataclass(slots=True, kw_only=True)
class StringMultiSelectItems(Record):
    """Plain strings to choose from, shown as they are.

    Wire: MultiSelectItems, type = "string". Source: ACP v1 schema, $defs/StringMultiSelectItems.
    """

    enum: list[str]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class StringPropertySchema(Record):
    """A form field for text, or for one choice out of a list.

    Wire: ElicitationPropertySchema, type = "string". Source: ACP v1 schema,
    $defs/StringPropertySchema.
    """

    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    min_length: int | None | UnsetType = UNSET
    max_length: int | None | UnsetType = UNSET
    pattern: str | None | UnsetType = UNSET
    format: StringFormat | None | UnsetType = UNSET
    default: str | None | UnsetType = UNSET
    enum: list[str] | None | UnsetType = UNSET
    one_of: list[EnumOption] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SubagentCapabilities(Record):
    """Marker that the client can follow child sessions of the agent.

    Source: ACP v1 schema, $defs/SubagentCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SubagentSessionCapabilities(Record):
    """What the client itself may do to one subagent's session.

    Source: ACP v1 schema, $defs/SubagentSessionCapabilities.
    """

    cancel: SessionCancelCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


SystemPromptMode: TypeAlias = Literal["append", "override"] | str
"""Whether a client's system prompt is added to the agent's or replaces it.

Source: ACP v1 schema, $defs/SystemPromptMode.
"""


@dataclass(slots=True, kw_only=True)
class TerminalExitStatus(Record):
    """How a terminal's process ended: by an exit code or a signal, if known.

    Source: ACP v1 schema, $defs/TerminalExitStatus.
    """

    exit_code: int | None | UnsetType = UNSET
    signal: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


TerminalId: TypeAlias = str
"""The id by which a terminal is referred to.

Source: ACP v1 schema, $defs/TerminalId.
"""


@dataclass(slots=True, kw_only=True)
class TerminalOutputRequest(Record):
    """The terminal whose output so far the agent wants to see.

    Wire: terminal/output. Source: ACP v1 schema, $defs/TerminalOutputRequest.
    """

    session_id: SessionId
    terminal_id: TerminalId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TerminalOutputResponse(Record):
    """A terminal's output so far, whether it was cut, and how its command ended.

    Wire: terminal/output. Source: ACP v1 schema, $defs/TerminalOutputResponse.
    """

    output: str
    truncated: bool
    exit_status: TerminalExitStatus | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TextResourceContents(Record):
    """A resource's contents as text, with its URI.

    Source: ACP v1 schema, $defs/TextResourceContents.
    """

    text: str
    uri: str
    mime_type: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TitledMultiSelectItems(Record):
    """Values to choose from, each shown under a label.

    Source: ACP v1 schema, $defs/TitledMultiSelectItems.
    """

    any_of: list[EnumOption]
    meta: dict[str, Any] | None | UnsetType = UNSET


ToolCallId: TypeAlias = str
"""The id of one use of a tool.

Source: ACP v1 schema, $defs/ToolCallId.
"""


@dataclass(slots=True, kw_only=True)
class ToolCallLocation(Record):
    """A path, perhaps with a line, at which a tool is working.

    Source: ACP v1 schema, $defs/ToolCallLocation.
    """

    path: str
    line: int | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ToolCallStatus: TypeAlias = Literal["pending", "in_progress", "completed", "failed"] | str
"""How far a tool call has come, from pending to its end.

Source: ACP v1 schema, $defs/ToolCallStatus.
"""


ToolKind: TypeAlias = (
    Literal[
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
    ]
    | str
)
"""What sort of thing a tool does, such as read, edit or search.

Source: ACP v1 schema, $defs/ToolKind.
"""


@dataclass(slots=True, kw_only=True)
class UnarchiveSessionRequest(Record):
    """The archived session to bring back into ordinary listings.

    Wire: session/unarchive. Source: ACP v1 schema, $defs/UnarchiveSessionRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class UnarchiveSessionResponse(Record):
    """Confirmation that the session is out of the archive.

    Wire: session/unarchive. Source: ACP v1 schema, $defs/UnarchiveSessionResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True)
class UnknownContentBlock(Unknown):
    """A ContentBlock whose type is none that the schema lists: the schema has no such arm, the default
    mode keeps it.

    Source: ACP v1 schema, $defs/ContentBlock.
    """


@dataclass(slots=True)
class UnknownCreateElicitationRequest(Unknown):
    """A CreateElicitationRequest whose mode is none that the schema lists: a custom one, or one of a
    later protocol.

    Source: ACP v1 schema, $defs/CreateElicitationRequest/anyOf/2.
    """


@dataclass(slots=True)
class UnknownCreateElicitationResponse(Unknown):
    """A CreateElicitationResponse whose action is none that the schema lists: a custom one, or one of
    a later protocol.

    Source: ACP v1 schema, $defs/CreateElicitationResponse/anyOf/3.
    """


@dataclass(slots=True)
class UnknownElicitationPropertySchema(Unknown):
    """A ElicitationPropertySchema whose type is none that the schema lists: a custom one, or one of a
    later protocol.

    Source: ACP v1 schema, $defs/ElicitationPropertySchema/anyOf/5.
    """


@dataclass(slots=True)
class UnknownMultiSelectItems(Unknown):
    """A MultiSelectItems whose type is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v1 schema, $defs/MultiSelectItems/anyOf/1.
    """


@dataclass(slots=True)
class UnknownPlanUpdateContent(Unknown):
    """A PlanUpdateContent whose type is none that the schema lists: the schema has no such arm, the
    default mode keeps it.

    Source: ACP v1 schema, $defs/PlanUpdateContent.
    """


@dataclass(slots=True)
class UnknownSessionConfigOption(Unknown):
    """A SessionConfigOption whose type is none that the schema lists: the schema has no such arm, the
    default mode keeps it.

    Source: ACP v1 schema, $defs/SessionConfigOption.
    """


@dataclass(slots=True)
class UnknownSessionUpdate(Unknown):
    """A SessionUpdate whose sessionUpdate is none that the schema lists: the schema has no such arm,
    the default mode keeps it.

    Source: ACP v1 schema, $defs/SessionUpdate.
    """


@dataclass(slots=True, kw_only=True)
class UnknownStateUpdate(Record):
    """The state in which the agent itself cannot tell if work is going on.

    Wire: StateUpdate, state = "unknown". Source: ACP v1 schema, $defs/UnknownStateUpdate.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True)
class UnknownToolCallContent(Unknown):
    """A ToolCallContent whose type is none that the schema lists: the schema has no such arm, the
    default mode keeps it.

    Source: ACP v1 schema, $defs/ToolCallContent.
    """


@dataclass(slots=True)
class UnrecognizedStateUpdate(Unknown):
    """A StateUpdate whose state is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v1 schema, $defs/StateUpdate/anyOf/4.
    """


@dataclass(slots=True, kw_only=True)
class UnstructuredCommandInput(Record):
    """Whatever the user types behind a command's name, taken as it is.

    Source: ACP v1 schema, $defs/UnstructuredCommandInput.
    """

    hint: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Usage(Record):
    """Counts of the tokens spent, by kind: input, output, thought and cache.

    Source: ACP v1 schema, $defs/Usage.
    """

    total_tokens: int
    input_tokens: int
    output_tokens: int
    thought_tokens: int | None | UnsetType = UNSET
    cached_read_tokens: int | None | UnsetType = UNSET
    cached_write_tokens: int | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class UsageUpdate(Record):
    """How full a session's context window is, and what the session has cost.

    Wire: SessionUpdate, sessionUpdate = "usage_update". Source: ACP v1 schema, $defs/UsageUpdate.
    """

    used: int
    size: int
    cost: Cost | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ValueIdSetSessionConfigOptionRequest(Record):
    """One form of SetSessionConfigOptionRequest.

    Source: ACP v1 schema, $defs/SetSessionConfigOptionRequest/anyOf/1.
    """

    session_id: SessionId
    config_id: SessionConfigId
    value: SessionConfigValueId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class WaitForTerminalExitRequest(Record):
    """The terminal whose command the agent waits to see finish.

    Wire: terminal/wait_for_exit. Source: ACP v1 schema, $defs/WaitForTerminalExitRequest.
    """

    session_id: SessionId
    terminal_id: TerminalId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class WaitForTerminalExitResponse(Record):
    """The exit code or signal with which the awaited command finished.

    Wire: terminal/wait_for_exit. Source: ACP v1 schema, $defs/WaitForTerminalExitResponse.
    """

    exit_code: int | None | UnsetType = UNSET
    signal: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class WriteTextFileRequest(Record):
    """A path and the text that the client should save there.

    Wire: fs/write_text_file. Source: ACP v1 schema, $defs/WriteTextFileRequest.
    """

    session_id: SessionId
    path: str
    content: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class WriteTextFileResponse(Record):
    """Confirmation that the file has been written.

    Wire: fs/write_text_file. Source: ACP v1 schema, $defs/WriteTextFileResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AcceptCreateElicitationResponse(Record):
    """The arm of CreateElicitationResponse, action = "accept".

    Wire: CreateElicitationResponse, action = "accept". Source: ACP v1 schema,
    $defs/CreateElicitationResponse/anyOf/0.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET
    content: dict[str, ElicitationContentValue] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AgentAuthCapabilities(Record):
    """Sign-in features that the agent offers beyond the basic methods.

    Source: ACP v1 schema, $defs/AgentAuthCapabilities.
    """

    status: AuthStatusCapabilities | None | UnsetType = UNSET
    logout: LogoutCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Annotations(Record):
    """Hints about content: whom it is for, how much it matters, how old it is.

    Source: ACP v1 schema, $defs/Annotations.
    """

    audience: list[Role] | None | UnsetType = UNSET
    last_modified: str | None | UnsetType = UNSET
    priority: float | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ArchiveSessionRequest(Record):
    """The session to put out of sight while its id and history are kept.

    Wire: session/archive. Source: ACP v1 schema, $defs/ArchiveSessionRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AudioContent(Record):
    """A sound clip in base64, with its media type.

    Wire: ContentBlock, type = "audio". Source: ACP v1 schema, $defs/AudioContent.
    """

    data: str
    mime_type: str
    annotations: Annotations | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthMethodAgent(Record):
    """A sign-in that the agent runs by itself once the client asks for it.

    Source: ACP v1 schema, $defs/AuthMethodAgent.
    """

    id: AuthMethodId
    name: str
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


AvailableCommandInput: TypeAlias = UnstructuredCommandInput
"""What kind of input a command takes.

Source: ACP v1 schema, $defs/AvailableCommandInput.
"""


@dataclass(slots=True, kw_only=True)
class BooleanSessionConfigOption(Record):
    """The arm of SessionConfigOption, type = "boolean".

    Wire: SessionConfigOption, type = "boolean". Source: ACP v1 schema,
    $defs/SessionConfigOption/oneOf/1.
    """

    id: SessionConfigId
    name: str
    current_value: bool
    description: str | None | UnsetType = UNSET
    category: SessionConfigOptionCategory | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class BooleanSetSessionConfigOptionRequest(Record):
    """The arm of SetSessionConfigOptionRequest, type = "boolean".

    Wire: SetSessionConfigOptionRequest, type = "boolean". Source: ACP v1 schema,
    $defs/SetSessionConfigOptionRequest/anyOf/0.
    """

    session_id: SessionId
    config_id: SessionConfigId
    value: bool
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelNotification(Record):
    """An order to stop whatever the agent is doing in a session.

    Wire: session/cancel. Source: ACP v1 schema, $defs/CancelNotification.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelRequestNotification(Record):
    """The id of a pending request whose sender wants it given up.

    Wire: $/cancel_request. Source: ACP v1 schema, $defs/CancelRequestNotification.
    """

    request_id: RequestId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ClientSessionCapabilities(Record):
    """Optional session features that the client understands.

    Source: ACP v1 schema, $defs/ClientSessionCapabilities.
    """

    compaction: CompactionCapabilities | None | UnsetType = UNSET
    config_options: SessionConfigOptionsCapabilities | None | UnsetType = UNSET
    notices: NoticeCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CloseSessionRequest(Record):
    """The session to shut down: its work is cancelled and its resources freed.

    Wire: session/close. Source: ACP v1 schema, $defs/CloseSessionRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CompleteElicitationNotification(Record):
    """Word that a question answered on a web page has been dealt with.

    Wire: elicitation/complete. Source: ACP v1 schema, $defs/CompleteElicitationNotification.
    """

    elicitation_id: ElicitationId
    meta: dict[str, Any] | None | UnsetType = UNSET


CreateElicitationResponse: TypeAlias = (
    AcceptCreateElicitationResponse
    | DeclineCreateElicitationResponse
    | CancelCreateElicitationResponse
    | UnknownCreateElicitationResponse
)
"""What the user did with a question: accept, decline or cancel it.

Wire: elicitation/create. Source: ACP v1 schema, $defs/CreateElicitationResponse.
"""


@dataclass(slots=True, kw_only=True)
class CreateTerminalRequest(Record):
    """A command for the client to run, with its arguments and environment.

    Wire: terminal/create. Source: ACP v1 schema, $defs/CreateTerminalRequest.
    """

    session_id: SessionId
    command: str
    args: list[str] | UnsetType = UNSET
    env: list[EnvVariable] | UnsetType = UNSET
    cwd: str | None | UnsetType = UNSET
    output_byte_limit: int | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CreateTerminalResponse(Record):
    """The id of the new terminal, in which the command now runs.

    Wire: terminal/create. Source: ACP v1 schema, $defs/CreateTerminalResponse.
    """

    terminal_id: TerminalId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CurrentModeUpdate(Record):
    """The mode that the session has switched to.

    Wire: SessionUpdate, sessionUpdate = "current_mode_update". Source: ACP v1 schema,
    $defs/CurrentModeUpdate.
    """

    current_mode_id: SessionModeId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class DeleteSessionRequest(Record):
    """The session that the agent should strike from its list.

    Wire: session/delete. Source: ACP v1 schema, $defs/DeleteSessionRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class DisableProviderRequest(Record):
    """The LLM provider that the agent should no longer use.

    Wire: providers/disable. Source: ACP v1 schema, $defs/DisableProviderRequest.
    """

    provider_id: ProviderId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ElicitationAcceptAction(Record):
    """The user's yes to a question, with the values from its form if any.

    Source: ACP v1 schema, $defs/ElicitationAcceptAction.
    """

    content: dict[str, ElicitationContentValue] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ElicitationCapabilities(Record):
    """The ways in which the client can put a question to the user.

    Source: ACP v1 schema, $defs/ElicitationCapabilities.
    """

    form: ElicitationFormCapabilities | None | UnsetType = UNSET
    url: ElicitationUrlCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ElicitationRequestScope(Record):
    """The tie of a question to one JSON-RPC request when no session is open.

    Source: ACP v1 schema, $defs/ElicitationRequestScope.
    """

    request_id: RequestId


@dataclass(slots=True, kw_only=True)
class ElicitationSessionScope(Record):
    """The tie of a question to a session, and perhaps to one tool call in it.

    Source: ACP v1 schema, $defs/ElicitationSessionScope.
    """

    session_id: SessionId
    tool_call_id: ToolCallId | None | UnsetType = UNSET


EmbeddedResourceResource: TypeAlias = TextResourceContents | BlobResourceContents
"""The contents of an embedded resource: either text or binary.

Source: ACP v1 schema, $defs/EmbeddedResourceResource.
"""


@dataclass(slots=True, kw_only=True)
class Error(Record):
    """Why a request failed: a numeric code, a message and optional data.

    Source: ACP v1 schema, $defs/Error.
    """

    code: ErrorCode
    message: str
    data: Any | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ErrorMessageMcpResponse(Record):
    """One form of MessageMcpResponse.

    Source: ACP v1 schema, $defs/MessageMcpResponse/anyOf/1.
    """

    error: McpError
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ErrorStopReason(Record):
    """The failure that put an end to the work, if the agent tells it.

    Source: ACP v1 schema, $defs/ErrorStopReason.
    """

    error: Error | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class IdleStateUpdate(Record):
    """The state with no foreground work, and why the last such work ended.

    Wire: StateUpdate, state = "idle". Source: ACP v1 schema, $defs/IdleStateUpdate.
    """

    usage: Usage | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET
    stop_reason: (
        Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"]
        | str
        | None
        | UnsetType
    ) = UNSET


@dataclass(slots=True, kw_only=True)
class ImageContent(Record):
    """A picture in base64, with its media type.

    Wire: ContentBlock, type = "image". Source: ACP v1 schema, $defs/ImageContent.
    """

    data: str
    mime_type: str
    annotations: Annotations | None | UnsetType = UNSET
    uri: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class KillTerminalRequest(Record):
    """The terminal whose command should be killed while its id stays valid.

    Wire: terminal/kill. Source: ACP v1 schema, $defs/KillTerminalRequest.
    """

    session_id: SessionId
    terminal_id: TerminalId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ListProvidersResponse(Record):
    """The LLM providers open to configuration, each with its current routing.

    Wire: providers/list. Source: ACP v1 schema, $defs/ListProvidersResponse.
    """

    providers: list[ProviderInfo]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ListSessionsRequest(Record):
    """Which sessions to list, and from which page on.

    Wire: session/list. Source: ACP v1 schema, $defs/ListSessionsRequest.
    """

    cwd: str | None | UnsetType = UNSET
    cursor: str | None | UnsetType = UNSET
    archived: SessionArchiveFilter | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ListSessionsResponse(Record):
    """One page of known sessions, and the cursor of the next page if any.

    Wire: session/list. Source: ACP v1 schema, $defs/ListSessionsResponse.
    """

    sessions: list[SessionInfo]
    next_cursor: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpServerAcp(Record):
    """An MCP server that is reached over the ACP connection itself.

    Wire: McpServer, type = "acp". Source: ACP v1 schema, $defs/McpServerAcp.
    """

    name: str
    server_id: McpServerAcpId
    meta: dict[str, Any] | None | UnsetType = UNSET


MessageMcpResponse: TypeAlias = ResultMessageMcpResponse | ErrorMessageMcpResponse
"""What came of a carried MCP request: its result or an MCP error.

Wire: mcp/message. Source: ACP v1 schema, $defs/MessageMcpResponse.
"""


MultiSelectItems: TypeAlias = (
    StringMultiSelectItems | TitledMultiSelectItems | UnknownMultiSelectItems
)
"""The choices of a field that takes several at once.

Source: ACP v1 schema, $defs/MultiSelectItems.
"""


@dataclass(slots=True, kw_only=True)
class MultiSelectPropertySchema(Record):
    """A form field in which the user may tick several choices.

    Wire: ElicitationPropertySchema, type = "array". Source: ACP v1 schema,
    $defs/MultiSelectPropertySchema.
    """

    items: MultiSelectItems
    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    min_items: int | None | UnsetType = UNSET
    max_items: int | None | UnsetType = UNSET
    default: list[str] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Notice(Record):
    """A passing remark to the user that does not enter the session's history.

    Wire: SessionUpdate, sessionUpdate = "notice". Source: ACP v1 schema, $defs/Notice.
    """

    severity: NoticeSeverity
    title: str
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PermissionOption(Record):
    """One answer that the user can give to a permission question.

    Source: ACP v1 schema, $defs/PermissionOption.
    """

    option_id: PermissionOptionId
    name: str
    kind: PermissionOptionKind
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PlanEntry(Record):
    """One step of a plan, with its priority and progress.

    Source: ACP v1 schema, $defs/PlanEntry.
    """

    content: str
    priority: PlanEntryPriority
    status: PlanEntryStatus
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PlanFile(Record):
    """A plan kept in a file, pointed to by a URI.

    Wire: PlanUpdateContent, type = "file". Source: ACP v1 schema, $defs/PlanFile.
    """

    plan_id: PlanId
    uri: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PlanItems(Record):
    """A plan spelled out as a list of steps.

    Wire: PlanUpdateContent, type = "items". Source: ACP v1 schema, $defs/PlanItems.
    """

    plan_id: PlanId
    entries: list[PlanEntry]
    meta: dict[str, Any] | None | UnsetType = UNSET


PlanUpdateContent: TypeAlias = PlanItems | PlanFile | PlanMarkdown | UnknownPlanUpdateContent
"""What a plan says now, in one of the forms that a plan can take.

Source: ACP v1 schema, $defs/PlanUpdateContent.
"""


@dataclass(slots=True, kw_only=True)
class PromptResponse(Record):
    """The outcome of a prompt: in v1 why the turn ended, in v2 the message's id.

    Wire: session/prompt. Source: ACP v1 schema, $defs/PromptResponse.
    """

    stop_reason: StopReason
    usage: Usage | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ReadTextFileRequest(Record):
    """The file, or the range of its lines, that the client should read.

    Wire: fs/read_text_file. Source: ACP v1 schema, $defs/ReadTextFileRequest.
    """

    session_id: SessionId
    path: str
    line: int | None | UnsetType = UNSET
    limit: int | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ReleaseTerminalRequest(Record):
    """The terminal that the agent has no more use for.

    Wire: terminal/release. Source: ACP v1 schema, $defs/ReleaseTerminalRequest.
    """

    session_id: SessionId
    terminal_id: TerminalId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class RequestElicitationUrlMode(Record):
    """One form of ElicitationUrlMode.

    Source: ACP v1 schema, $defs/ElicitationUrlMode/anyOf/1.
    """

    elicitation_id: ElicitationId
    url: str
    request_id: RequestId


RequestPermissionOutcome: TypeAlias = CancelledRequestPermissionOutcome | SelectedPermissionOutcome
"""How a permission question ended: with a choice or without.

Source: ACP v1 schema, $defs/RequestPermissionOutcome.
"""


@dataclass(slots=True, kw_only=True)
class RequestPermissionResponse(Record):
    """The client's report of how the user decided.

    Wire: session/request_permission. Source: ACP v1 schema, $defs/RequestPermissionResponse.
    """

    outcome: RequestPermissionOutcome
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ResourceLink(Record):
    """A pointer to a resource, by name and URI, without its contents.

    Wire: ContentBlock, type = "resource_link". Source: ACP v1 schema, $defs/ResourceLink.
    """

    name: str
    uri: str
    annotations: Annotations | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    mime_type: str | None | UnsetType = UNSET
    size: int | None | UnsetType = UNSET
    title: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionConfigSelectOption(Record):
    """One choice of a config option.

    Source: ACP v1 schema, $defs/SessionConfigSelectOption.
    """

    value: SessionConfigValueId
    name: str
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionElicitationUrlMode(Record):
    """One form of ElicitationUrlMode.

    Source: ACP v1 schema, $defs/ElicitationUrlMode/anyOf/0.
    """

    elicitation_id: ElicitationId
    url: str
    session_id: SessionId
    tool_call_id: ToolCallId | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionMode(Record):
    """A way of working that the agent can be put into, such as ask or code.

    Source: ACP v1 schema, $defs/SessionMode.
    """

    id: SessionModeId
    name: str
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionModeState(Record):
    """The modes to choose from and which one is on.

    Source: ACP v1 schema, $defs/SessionModeState.
    """

    current_mode_id: SessionModeId
    available_modes: list[SessionMode]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionSystemPromptModeCapabilities(Record):
    """Ways to apply a client's system prompt other than to append it.

    Source: ACP v1 schema, $defs/SessionSystemPromptModeCapabilities.
    """

    override: SessionSystemPromptOverrideCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionUrlCreateElicitationRequest(Record):
    """One form of CreateElicitationRequest.

    Source: ACP v1 schema, $defs/ElicitationUrlMode/anyOf/0.
    """

    message: str
    elicitation_id: ElicitationId
    url: str
    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET
    tool_call_id: ToolCallId | None | UnsetType = UNSET


SetSessionConfigOptionRequest: TypeAlias = (
    BooleanSetSessionConfigOptionRequest | ValueIdSetSessionConfigOptionRequest
)
"""The new value for one config option of a session.

Wire: session/set_config_option. Source: ACP v1 schema, $defs/SetSessionConfigOptionRequest.
"""


@dataclass(slots=True, kw_only=True)
class Terminal(Record):
    """A terminal to be shown with a tool call, named by its id.

    Wire: ToolCallContent, type = "terminal". Source: ACP v1 schema, $defs/Terminal.
    """

    terminal_id: TerminalId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TextContent(Record):
    """A piece of text, plain or Markdown.

    Wire: ContentBlock, type = "text". Source: ACP v1 schema, $defs/TextContent.
    """

    text: str
    annotations: Annotations | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


UrlCreateElicitationRequest: TypeAlias = (
    SessionUrlCreateElicitationRequest | RequestUrlCreateElicitationRequest
)
"""The arm of CreateElicitationRequest, mode = "url".

Wire: CreateElicitationRequest, mode = "url". Source: ACP v1 schema,
$defs/CreateElicitationRequest/anyOf/1.
"""


AuthMethod: TypeAlias = AuthMethodTerminal | AuthMethodAgent
"""One way to sign in that the agent offers.

Source: ACP v1 schema, $defs/AuthMethod.
"""


@dataclass(slots=True, kw_only=True)
class AvailableCommand(Record):
    """A command on offer to the user, with its name and purpose.

    Source: ACP v1 schema, $defs/AvailableCommand.
    """

    name: str
    description: str
    input: AvailableCommandInput | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AvailableCommandsUpdate(Record):
    """The list of commands that the user may call from now on.

    Wire: SessionUpdate, sessionUpdate = "available_commands_update". Source: ACP v1 schema,
    $defs/AvailableCommandsUpdate.
    """

    available_commands: list[AvailableCommand]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ClientCapabilities(Record):
    """What the client can do, as it tells the agent when the connection starts.

    Source: ACP v1 schema, $defs/ClientCapabilities.
    """

    fs: FileSystemCapabilities | UnsetType = UNSET
    terminal: bool | UnsetType = UNSET
    session: ClientSessionCapabilities | None | UnsetType = UNSET
    subagents: SubagentCapabilities | None | UnsetType = UNSET
    plan: PlanCapabilities | None | UnsetType = UNSET
    auth: AuthCapabilities | UnsetType = UNSET
    elicitation: ElicitationCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ElicitationPropertySchema: TypeAlias = (
    StringPropertySchema
    | NumberPropertySchema
    | IntegerPropertySchema
    | BooleanPropertySchema
    | MultiSelectPropertySchema
    | UnknownElicitationPropertySchema
)
"""The definition of one field of a form, by the type of its value.

Source: ACP v1 schema, $defs/ElicitationPropertySchema.
"""


@dataclass(slots=True, kw_only=True)
class ElicitationSchema(Record):
    """The fields of a form, as a flat JSON Schema object.

    Source: ACP v1 schema, $defs/ElicitationSchema.
    """

    type: ElicitationSchemaType | UnsetType = UNSET
    title: str | None | UnsetType = UNSET
    properties: dict[str, ElicitationPropertySchema] | UnsetType = UNSET
    required: list[str] | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ElicitationUrlMode: TypeAlias = SessionElicitationUrlMode | RequestElicitationUrlMode
"""A question that the user answers on a web page outside the client.

Source: ACP v1 schema, $defs/ElicitationUrlMode.
"""


@dataclass(slots=True, kw_only=True)
class EmbeddedResource(Record):
    """A resource whose contents travel inside the message itself.

    Wire: ContentBlock, type = "resource". Source: ACP v1 schema, $defs/EmbeddedResource.
    """

    resource: EmbeddedResourceResource
    annotations: Annotations | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ErrorIdleStateUpdate(IdleStateUpdate):
    """The state with no foreground work, and why the last such work ended.

    Wire: IdleStateUpdate, stopReason = "error". Source: ACP v1 schema,
    $defs/IdleStateUpdate/anyOf/5.
    """

    stop_reason: (
        Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"]
        | str
        | None
        | UnsetType
    ) = "error"
    error: Error | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class InitializeRequest(Record):
    """The client's opening: the protocol version it wants and what it can do.

    Wire: initialize. Source: ACP v1 schema, $defs/InitializeRequest.
    """

    protocol_version: ProtocolVersion
    client_capabilities: ClientCapabilities | UnsetType = UNSET
    client_info: Implementation | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


McpServer: TypeAlias = McpServerHttp | McpServerSse | McpServerAcp | McpServerStdio
"""How the agent reaches an MCP server that lends it tools and context.

Source: ACP v1 schema, $defs/McpServer.
"""


@dataclass(slots=True, kw_only=True)
class Plan(Record):
    """The agent's to-do list for the work at hand.

    Wire: SessionUpdate, sessionUpdate = "plan". Source: ACP v1 schema, $defs/Plan.
    """

    entries: list[PlanEntry]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PlanUpdate(Record):
    """The news that one plan was created or has changed.

    Wire: SessionUpdate, sessionUpdate = "plan_update". Source: ACP v1 schema, $defs/PlanUpdate.
    """

    plan: PlanUpdateContent
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class RequestElicitationFormMode(Record):
    """One form of ElicitationFormMode.

    Source: ACP v1 schema, $defs/ElicitationFormMode/anyOf/1.
    """

    requested_schema: ElicitationSchema
    request_id: RequestId


@dataclass(slots=True, kw_only=True)
class RequestFormCreateElicitationRequest(Record):
    """One form of CreateElicitationRequest.

    Source: ACP v1 schema, $defs/ElicitationFormMode/anyOf/1.
    """

    message: str
    requested_schema: ElicitationSchema
    request_id: RequestId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionConfigSelectGroup(Record):
    """Some choices of a config option, shown together under a name.

    Source: ACP v1 schema, $defs/SessionConfigSelectGroup.
    """

    group: SessionConfigGroupId
    name: str
    options: list[SessionConfigSelectOption]
    meta: dict[str, Any] | None | UnsetType = UNSET


SessionConfigSelectOptions: TypeAlias = (
    list[SessionConfigSelectOption] | list[SessionConfigSelectGroup]
)
"""All choices of a config option, as a flat list or in groups.

Source: ACP v1 schema, $defs/SessionConfigSelectOptions.
"""


@dataclass(slots=True, kw_only=True)
class SessionElicitationFormMode(Record):
    """One form of ElicitationFormMode.

    Source: ACP v1 schema, $defs/ElicitationFormMode/anyOf/0.
    """

    requested_schema: ElicitationSchema
    session_id: SessionId
    tool_call_id: ToolCallId | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionFormCreateElicitationRequest(Record):
    """One form of CreateElicitationRequest.

    Source: ACP v1 schema, $defs/ElicitationFormMode/anyOf/0.
    """

    message: str
    requested_schema: ElicitationSchema
    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET
    tool_call_id: ToolCallId | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionSystemPromptCapabilities(Record):
    """Marker that the client may add a system prompt of its own.

    Source: ACP v1 schema, $defs/SessionSystemPromptCapabilities.
    """

    mode: SessionSystemPromptModeCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


StateUpdate: TypeAlias = (
    RunningStateUpdate
    | IdleStateUpdate
    | RequiresActionStateUpdate
    | UnknownStateUpdate
    | ErrorIdleStateUpdate
    | UnrecognizedStateUpdate
)
"""What a session's foreground is doing now: running, idle, waiting and so on.

Source: ACP v1 schema, $defs/StateUpdate.
"""


@dataclass(slots=True, kw_only=True)
class SubagentUpdate(Record):
    """News from a parent session about a child session that it owns.

    Wire: SessionUpdate, sessionUpdate = "subagent_update". Source: ACP v1 schema,
    $defs/SubagentUpdate.
    """

    session_id: SessionId
    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    capabilities: SubagentSessionCapabilities | None | UnsetType = UNSET
    state: StateUpdate | None | UnsetType = UNSET
    cwd: str | None | UnsetType = UNSET
    additional_directories: list[str] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ContentBlock: TypeAlias = (
    TextContent
    | ImageContent
    | AudioContent
    | ResourceLink
    | EmbeddedResource
    | UnknownContentBlock
)
"""One unit of content: text, image, audio, or a linked or embedded resource.

Source: ACP v1 schema, $defs/ContentBlock.
"""


@dataclass(slots=True, kw_only=True)
class ContentChunk(Record):
    """The next piece of a streamed message or thought.

    Source: ACP v1 schema, $defs/ContentChunk.
    """

    content: ContentBlock
    message_id: MessageId | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ElicitationFormMode: TypeAlias = SessionElicitationFormMode | RequestElicitationFormMode
"""A question asked as a form, which the client builds from a schema.

Source: ACP v1 schema, $defs/ElicitationFormMode.
"""


FormCreateElicitationRequest: TypeAlias = (
    SessionFormCreateElicitationRequest | RequestFormCreateElicitationRequest
)
"""The arm of CreateElicitationRequest, mode = "form".

Wire: CreateElicitationRequest, mode = "form". Source: ACP v1 schema,
$defs/CreateElicitationRequest/anyOf/0.
"""


InitializeProxyRequest: TypeAlias = InitializeRequest
"""A conductor's opening to a component that is to act as a proxy.

Wire: proxy/initialize. Source: ACP v1 schema, $defs/InitializeProxyRequest.
"""


@dataclass(slots=True, kw_only=True)
class PromptRequest(Record):
    """What the user says to the agent in a session, as content blocks.

    Wire: session/prompt. Source: ACP v1 schema, $defs/PromptRequest.
    """

    session_id: SessionId
    prompt: list[ContentBlock]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SelectSessionConfigOption(Record):
    """The arm of SessionConfigOption, type = "select".

    Wire: SessionConfigOption, type = "select". Source: ACP v1 schema,
    $defs/SessionConfigOption/oneOf/0.
    """

    id: SessionConfigId
    name: str
    current_value: SessionConfigValueId
    options: SessionConfigSelectOptions
    description: str | None | UnsetType = UNSET
    category: SessionConfigOptionCategory | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionCapabilities(Record):
    """What the agent can do with sessions on top of the required minimum.

    Source: ACP v1 schema, $defs/SessionCapabilities.
    """

    list: SessionListCapabilities | None | UnsetType = UNSET
    delete: SessionDeleteCapabilities | None | UnsetType = UNSET
    additional_directories: SessionAdditionalDirectoriesCapabilities | None | UnsetType = UNSET
    system_prompt: SessionSystemPromptCapabilities | None | UnsetType = UNSET
    fork: SessionForkCapabilities | None | UnsetType = UNSET
    archive: SessionArchiveCapabilities | None | UnsetType = UNSET
    status: SessionStatusCapabilities | None | UnsetType = UNSET
    title: SessionTitleCapabilities | None | UnsetType = UNSET
    resume: SessionResumeCapabilities | None | UnsetType = UNSET
    close: SessionCloseCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


SessionConfigOption: TypeAlias = (
    SelectSessionConfigOption | BooleanSessionConfigOption | UnknownSessionConfigOption
)
"""A setting of a session that the user can change, with its current value.

Source: ACP v1 schema, $defs/SessionConfigOption.
"""


@dataclass(slots=True, kw_only=True)
class SessionConfigSelect(Record):
    """The choices of a config option and which of them is set.

    Source: ACP v1 schema, $defs/SessionConfigSelect.
    """

    current_value: SessionConfigValueId
    options: SessionConfigSelectOptions


@dataclass(slots=True, kw_only=True)
class SessionMessage(Record):
    """A message from one session to another, set or patched by its id.

    Wire: SessionUpdate, sessionUpdate = "session_message". Source: ACP v1 schema,
    $defs/SessionMessage.
    """

    message_id: MessageId
    sender_session_id: SessionId | None | UnsetType = UNSET
    recipient_session_id: SessionId | None | UnsetType = UNSET
    sender_message_id: MessageId | None | UnsetType = UNSET
    recipient_message_id: MessageId | None | UnsetType = UNSET
    content: list[ContentBlock] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionMessageChunk(Record):
    """The next piece of a message from one session to another.

    Wire: SessionUpdate, sessionUpdate = "session_message_chunk". Source: ACP v1 schema,
    $defs/SessionMessageChunk.
    """

    message_id: MessageId
    content: ContentBlock
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetSessionConfigOptionResponse(Record):
    """Every config option of the session once the new value is in.

    Wire: session/set_config_option. Source: ACP v1 schema, $defs/SetSessionConfigOptionResponse.
    """

    config_options: list[SessionConfigOption]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SystemPrompt(Record):
    """Instructions by the client that stand above the conversation.

    Source: ACP v1 schema, $defs/SystemPrompt.
    """

    mode: SystemPromptMode
    content: list[ContentBlock]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class UserMessageChunk(ContentChunk):
    """The next piece of a streamed message or thought.

    Wire: SessionUpdate, sessionUpdate = "user_message_chunk". Source: ACP v1 schema,
    $defs/SessionUpdate/oneOf/0.
    """


@dataclass(slots=True, kw_only=True)
class AgentCapabilities(Record):
    """What the agent can do, as it tells the client when the connection starts.

    Source: ACP v1 schema, $defs/AgentCapabilities.
    """

    load_session: bool | UnsetType = UNSET
    prompt_capabilities: PromptCapabilities | UnsetType = UNSET
    mcp_capabilities: McpCapabilities | UnsetType = UNSET
    session_capabilities: SessionCapabilities | UnsetType = UNSET
    auth: AgentAuthCapabilities | UnsetType = UNSET
    providers: ProvidersCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AgentMessageChunk(ContentChunk):
    """The next piece of a streamed message or thought.

    Wire: SessionUpdate, sessionUpdate = "agent_message_chunk". Source: ACP v1 schema,
    $defs/SessionUpdate/oneOf/1.
    """


@dataclass(slots=True, kw_only=True)
class AgentThoughtChunk(ContentChunk):
    """The next piece of a streamed message or thought.

    Wire: SessionUpdate, sessionUpdate = "agent_thought_chunk". Source: ACP v1 schema,
    $defs/SessionUpdate/oneOf/2.
    """


@dataclass(slots=True, kw_only=True)
class CompactionSummaryChunk(Record):
    """The next piece of the summary that a compaction writes.

    Wire: SessionUpdate, sessionUpdate = "compaction_summary_chunk". Source: ACP v1 schema,
    $defs/CompactionSummaryChunk.
    """

    compaction_id: CompactionId
    content: ContentBlock
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CompactionUpdate(Record):
    """News of one context compaction: its status, summary or error.

    Wire: SessionUpdate, sessionUpdate = "compaction_update". Source: ACP v1 schema,
    $defs/CompactionUpdate.
    """

    compaction_id: CompactionId
    status: CompactionStatus
    summary: list[ContentBlock] | None | UnsetType = UNSET
    error: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ConfigOptionUpdate(Record):
    """All config options of a session as they stand after a change.

    Wire: SessionUpdate, sessionUpdate = "config_option_update". Source: ACP v1 schema,
    $defs/ConfigOptionUpdate.
    """

    config_options: list[SessionConfigOption]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Content(Record):
    """An ordinary content block as part of what a tool call produced.

    Wire: ToolCallContent, type = "content". Source: ACP v1 schema, $defs/Content.
    """

    content: ContentBlock
    meta: dict[str, Any] | None | UnsetType = UNSET


CreateElicitationRequest: TypeAlias = (
    FormCreateElicitationRequest | UrlCreateElicitationRequest | UnknownCreateElicitationRequest
)
"""A question for the user, to be answered in a form or on a web page.

Wire: elicitation/create. Source: ACP v1 schema, $defs/CreateElicitationRequest.
"""


@dataclass(slots=True, kw_only=True)
class ForkSessionRequest(Record):
    """The session to branch off from, and the setup of the branch.

    Wire: session/fork. Source: ACP v1 schema, $defs/ForkSessionRequest.
    """

    session_id: SessionId
    cwd: str
    additional_directories: list[str] | UnsetType = UNSET
    mcp_servers: list[McpServer] | UnsetType = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ForkSessionResponse(Record):
    """The id and initial settings of the session that was branched off.

    Wire: session/fork. Source: ACP v1 schema, $defs/ForkSessionResponse.
    """

    session_id: SessionId
    modes: SessionModeState | None | UnsetType = UNSET
    config_options: list[SessionConfigOption] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class InitializeResponse(Record):
    """The agent's side of the handshake: version, abilities, ways to sign in.

    Wire: initialize. Source: ACP v1 schema, $defs/InitializeResponse.
    """

    protocol_version: ProtocolVersion
    agent_capabilities: AgentCapabilities | UnsetType = UNSET
    auth_methods: list[AuthMethod] | UnsetType = UNSET
    agent_info: Implementation | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class LoadSessionRequest(Record):
    """The session to reopen with its history, and the setup to reopen it in.

    Wire: session/load. Source: ACP v1 schema, $defs/LoadSessionRequest.
    """

    mcp_servers: list[McpServer]
    cwd: str
    session_id: SessionId
    additional_directories: list[str] | UnsetType = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class LoadSessionResponse(Record):
    """The modes and config options of the session that was loaded.

    Wire: session/load. Source: ACP v1 schema, $defs/LoadSessionResponse.
    """

    modes: SessionModeState | None | UnsetType = UNSET
    config_options: list[SessionConfigOption] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class NewSessionRequest(Record):
    """The directories and MCP servers for a session about to be opened.

    Wire: session/new. Source: ACP v1 schema, $defs/NewSessionRequest.
    """

    cwd: str
    mcp_servers: list[McpServer]
    additional_directories: list[str] | UnsetType = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class NewSessionResponse(Record):
    """The session just opened: its id and its initial settings.

    Wire: session/new. Source: ACP v1 schema, $defs/NewSessionResponse.
    """

    session_id: SessionId
    modes: SessionModeState | None | UnsetType = UNSET
    config_options: list[SessionConfigOption] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ResumeSessionRequest(Record):
    """The session to take up again, and the setup to take it up in.

    Wire: session/resume. Source: ACP v1 schema, $defs/ResumeSessionRequest.
    """

    session_id: SessionId
    cwd: str
    additional_directories: list[str] | UnsetType = UNSET
    mcp_servers: list[McpServer] | UnsetType = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ResumeSessionResponse(Record):
    """The settings of the session that was taken up again.

    Wire: session/resume. Source: ACP v1 schema, $defs/ResumeSessionResponse.
    """

    modes: SessionModeState | None | UnsetType = UNSET
    config_options: list[SessionConfigOption] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ToolCallContent: TypeAlias = Content | Diff | Terminal | UnknownToolCallContent
"""A piece of a tool call's output: a content block, a diff or a terminal.

Source: ACP v1 schema, $defs/ToolCallContent.
"""


@dataclass(slots=True, kw_only=True)
class ToolCallUpdate(Record):
    """News of one tool call: just its id and the fields that have changed.

    Wire: SessionUpdate, sessionUpdate = "tool_call_update". Source: ACP v1 schema,
    $defs/ToolCallUpdate.
    """

    tool_call_id: ToolCallId
    kind: ToolKind | None | UnsetType = UNSET
    status: ToolCallStatus | None | UnsetType = UNSET
    title: str | None | UnsetType = UNSET
    name: str | None | UnsetType = UNSET
    content: list[ToolCallContent] | None | UnsetType = UNSET
    locations: list[ToolCallLocation] | None | UnsetType = UNSET
    raw_input: Any | UnsetType = UNSET
    raw_output: Any | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


InitializeProxyResponse: TypeAlias = InitializeResponse
"""What the chain from this proxy on can do, in the agreed version.

Wire: proxy/initialize. Source: ACP v1 schema, $defs/InitializeProxyResponse.
"""


@dataclass(slots=True, kw_only=True)
class RequestPermissionRequest(Record):
    """A question to the user whether the agent may go ahead.

    Wire: session/request_permission. Source: ACP v1 schema, $defs/RequestPermissionRequest.
    """

    session_id: SessionId
    tool_call: ToolCallUpdate
    options: list[PermissionOption]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ToolCall(Record):
    """A use of a tool that the model asked for, as first reported to the client.

    Wire: SessionUpdate, sessionUpdate = "tool_call". Source: ACP v1 schema, $defs/ToolCall.
    """

    tool_call_id: ToolCallId
    title: str
    name: str | None | UnsetType = UNSET
    kind: ToolKind | UnsetType = UNSET
    status: ToolCallStatus | UnsetType = UNSET
    content: list[ToolCallContent] | UnsetType = UNSET
    locations: list[ToolCallLocation] | UnsetType = UNSET
    raw_input: Any | UnsetType = UNSET
    raw_output: Any | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


SessionUpdate: TypeAlias = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCall
    | ToolCallUpdate
    | Plan
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | SessionMessage
    | SessionMessageChunk
    | UnknownSessionUpdate
)
"""One thing that happened in a session, such as a message or a tool's progress.

Source: ACP v1 schema, $defs/SessionUpdate.
"""


@dataclass(slots=True, kw_only=True)
class SessionNotification(Record):
    """An update on a session, along with the id of that session.

    Wire: session/update. Source: ACP v1 schema, $defs/SessionNotification.
    """

    session_id: SessionId
    update: SessionUpdate
    meta: dict[str, Any] | None | UnsetType = UNSET
