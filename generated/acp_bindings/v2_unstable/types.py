# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v2/schema.unstable.json (sha256 613c763e7dfcd3819218c0712794f441c6fcc69c909f72d172eb669f3ec5312c).
# Do not edit it; make it again with acpgen.
"""The types of this surface: one class or alias for each definition of the schema."""

from __future__ import annotations

from typing import Annotated

from ..runtime.values.record import Record, Unknown
from ..runtime.values.unset import UNSET, UnsetType


from typing import Any, Literal, TypeAlias
from dataclasses import dataclass

AbsolutePath: TypeAlias = str
"""A file-system path from the root, in the agent machine's own syntax; not a URI.

Source: ACP v2 schema, $defs/AbsolutePath.
"""


@dataclass(slots=True, kw_only=True)
class ArchiveSessionResponse(Record):
    """Confirmation that the session is now in the archive.

    Wire: session/archive. Source: ACP v2 schema, $defs/ArchiveSessionResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthAccount(Record):
    """Display details of an account or API key that the agent is set up with.

    Source: ACP v2 schema, $defs/AuthAccount.
    """

    label: str
    active: bool | None | UnsetType = UNSET
    name: str | None | UnsetType = UNSET
    email: str | None | UnsetType = UNSET
    organization: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


AuthMethodId: TypeAlias = str
"""The id that the agent gives to one of its ways to sign in.

Source: ACP v2 schema, $defs/AuthMethodId.
"""


AuthState: TypeAlias = Literal["authenticated", "unauthenticated", "not_required", "unknown"] | str
"""Whether the agent has credentials, needs a sign-in, or needs none.

Source: ACP v2 schema, $defs/AuthState.
"""


@dataclass(slots=True, kw_only=True)
class AuthStatusCapabilities(Record):
    """Marker that the agent can be asked for its sign-in state.

    Source: ACP v2 schema, $defs/AuthStatusCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthStatusRequest(Record):
    """A question about the sign-in state, with no fields of its own.

    Wire: auth/status. Source: ACP v2 schema, $defs/AuthStatusRequest.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthStatusResponse(Record):
    """The current sign-in state and the accounts that the agent knows.

    Wire: auth/status. Source: ACP v2 schema, $defs/AuthStatusResponse.
    """

    state: AuthState
    accounts: list[AuthAccount] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthStatusUpdateNotification(Record):
    """News from the agent that its sign-in state or accounts changed.

    Wire: auth/status_update. Source: ACP v2 schema, $defs/AuthStatusUpdateNotification.
    """

    state: AuthState
    accounts: list[AuthAccount] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class BooleanPropertySchema(Record):
    """A yes-or-no field of a form.

    Wire: ElicitationPropertySchema, type = "boolean". Source: ACP v2 schema,
    $defs/BooleanPropertySchema.
    """

    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    default: bool | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelCreateElicitationResponse(Record):
    """The arm of CreateElicitationResponse, action = "cancel".

    Wire: CreateElicitationResponse, action = "cancel". Source: ACP v2 schema,
    $defs/CreateElicitationResponse/anyOf/2.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelTerminalResponse(Record):
    """Word that the agent will stop the terminal; it may still be running.

    Wire: terminal/cancel. Source: ACP v2 schema, $defs/CancelTerminalResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelToolCallResponse(Record):
    """Word that the agent will stop the tool call; it may still be at work.

    Wire: tool_call/cancel. Source: ACP v2 schema, $defs/CancelToolCallResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelledPermissionOutcome(Record):
    """The end of a permission question without a choice, so not a yes.

    Wire: RequestPermissionOutcome, outcome = "cancelled". Source: ACP v2 schema,
    $defs/CancelledPermissionOutcome.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CloseSessionResponse(Record):
    """Confirmation that the session is no longer active.

    Wire: session/close. Source: ACP v2 schema, $defs/CloseSessionResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


CompactionId: TypeAlias = str
"""The id of one compaction of a session's context.

Source: ACP v2 schema, $defs/CompactionId.
"""


CompactionStatus: TypeAlias = Literal["in_progress", "completed", "failed", "cancelled"] | str
"""Whether a compaction is under way, done, failed or cancelled.

Source: ACP v2 schema, $defs/CompactionStatus.
"""


@dataclass(slots=True, kw_only=True)
class Cost(Record):
    """What a session has cost so far, in a currency or another unit.

    Source: ACP v2 schema, $defs/Cost.
    """

    amount: float
    currency: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class DeclineCreateElicitationResponse(Record):
    """The arm of CreateElicitationResponse, action = "decline".

    Wire: CreateElicitationResponse, action = "decline". Source: ACP v2 schema,
    $defs/CreateElicitationResponse/anyOf/1.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class DeleteSessionResponse(Record):
    """Confirmation that the session is gone from the agent's list.

    Wire: session/delete. Source: ACP v2 schema, $defs/DeleteSessionResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


DiffFileType: TypeAlias = Literal["text", "binary", "directory", "symlink"] | str
"""What a changed path is: text, binary data, directory or symbolic link.

Source: ACP v2 schema, $defs/DiffFileType.
"""


DiffPatchFormat: TypeAlias = Literal["git_patch"] | str
"""The notation in which a patch is written, such as that of Git.

Source: ACP v2 schema, $defs/DiffPatchFormat.
"""


@dataclass(slots=True, kw_only=True)
class DiffPathChange(Record):
    """The path of a file that was added, deleted or modified.

    Source: ACP v2 schema, $defs/DiffPathChange.
    """

    path: AbsolutePath


@dataclass(slots=True, kw_only=True)
class DiffPathPairChange(Record):
    """The old and the new path of a file that was moved or copied.

    Source: ACP v2 schema, $defs/DiffPathPairChange.
    """

    old_path: AbsolutePath
    path: AbsolutePath


@dataclass(slots=True, kw_only=True)
class DisableProviderResponse(Record):
    """Confirmation that the provider is switched off.

    Wire: providers/disable. Source: ACP v2 schema, $defs/DisableProviderResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


ElicitationContentValue: TypeAlias = str | int | float | bool | list[str] | Any
"""The value that the user gave for one field of a form.

Source: ACP v2 schema, $defs/ElicitationContentValue.
"""


@dataclass(slots=True, kw_only=True)
class ElicitationFormCapabilities(Record):
    """Marker that the client can ask the user by means of a form.

    Source: ACP v2 schema, $defs/ElicitationFormCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


ElicitationId: TypeAlias = str
"""The id of one question to the user.

Source: ACP v2 schema, $defs/ElicitationId.
"""


ElicitationSchemaType: TypeAlias = Literal["object"]
"""The JSON Schema type of a whole form, which is always object.

Source: ACP v2 schema, $defs/ElicitationSchemaType.
"""


@dataclass(slots=True, kw_only=True)
class ElicitationUrlCapabilities(Record):
    """Marker that the client can send the user to a web page.

    Source: ACP v2 schema, $defs/ElicitationUrlCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class EnumOption(Record):
    """One choice of a form field: the value and the label that stands for it.

    Source: ACP v2 schema, $defs/EnumOption.
    """

    const: str
    title: str
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class EnvVariable(Record):
    """The name and value of one variable for the environment of a new process.

    Source: ACP v2 schema, $defs/EnvVariable.
    """

    name: str
    value: str
    meta: dict[str, Any] | None | UnsetType = UNSET


ErrorCode: TypeAlias = (
    Literal[-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002, -32022] | int
)
"""The number that tells which kind of error occurred.

Source: ACP v2 schema, $defs/ErrorCode.
"""


ExtNotification: TypeAlias = Any
"""The free-form parameters of a one-way message that ACP does not define.

Source: ACP v2 schema, $defs/ExtNotification.
"""


ExtRequest: TypeAlias = Any
"""The free-form parameters of a request that ACP does not define.

Source: ACP v2 schema, $defs/ExtRequest.
"""


ExtResponse: TypeAlias = Any
"""The free-form result of a request that ACP does not define.

Source: ACP v2 schema, $defs/ExtResponse.
"""


@dataclass(slots=True, kw_only=True)
class HttpHeader(Record):
    """The name and value of one header sent along to an MCP server.

    Source: ACP v2 schema, $defs/HttpHeader.
    """

    name: str
    value: str
    meta: dict[str, Any] | None | UnsetType = UNSET


IconTheme: TypeAlias = Literal["light", "dark"] | str
"""The background, light or dark, that an icon is drawn for.

Source: ACP v2 schema, $defs/IconTheme.
"""


@dataclass(slots=True, kw_only=True)
class Implementation(Record):
    """Which program, in which version, is at one end of the connection.

    Source: ACP v2 schema, $defs/Implementation.
    """

    name: str
    version: str
    title: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class IntegerPropertySchema(Record):
    """A form field for a whole number, with optional bounds.

    Wire: ElicitationPropertySchema, type = "integer". Source: ACP v2 schema,
    $defs/IntegerPropertySchema.
    """

    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    minimum: int | None | UnsetType = UNSET
    maximum: int | None | UnsetType = UNSET
    default: int | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ListProvidersRequest(Record):
    """A question about the LLM providers, with no fields of its own.

    Wire: providers/list. Source: ACP v2 schema, $defs/ListProvidersRequest.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


LlmProtocol: TypeAlias = Literal["anthropic", "openai", "azure", "vertex", "bedrock"] | str
"""The API dialect that an LLM provider speaks, such as anthropic or openai.

Source: ACP v2 schema, $defs/LlmProtocol.
"""


@dataclass(slots=True, kw_only=True)
class LoginAuthRequest(Record):
    """The id of the method by which the user wants to log in.

    Wire: auth/login. Source: ACP v2 schema, $defs/LoginAuthRequest.
    """

    method_id: AuthMethodId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class LoginAuthResponse(Record):
    """Confirmation that the login went through.

    Wire: auth/login. Source: ACP v2 schema, $defs/LoginAuthResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class LogoutAuthRequest(Record):
    """An order to log the user out, with no fields of its own.

    Wire: auth/logout. Source: ACP v2 schema, $defs/LogoutAuthRequest.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class LogoutAuthResponse(Record):
    """Confirmation that the login has been dropped.

    Wire: auth/logout. Source: ACP v2 schema, $defs/LogoutAuthResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpAcpCapabilities(Record):
    """Marker that the agent can reach MCP servers over the ACP connection.

    Source: ACP v2 schema, $defs/McpAcpCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpError(Record):
    """An error from inside an MCP exchange, as opposed to one of ACP itself.

    Source: ACP v2 schema, $defs/McpError.
    """

    code: int
    message: str
    data: Any | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpHttpCapabilities(Record):
    """Marker that the agent can reach MCP servers over HTTP.

    Source: ACP v2 schema, $defs/McpHttpCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


McpRequestId: TypeAlias = str
"""The caller's own id for an MCP request that is carried over ACP.

Source: ACP v2 schema, $defs/McpRequestId.
"""


McpServerAcpId: TypeAlias = str
"""The opaque id of an MCP server that is reached over ACP.

Source: ACP v2 schema, $defs/McpServerAcpId.
"""


@dataclass(slots=True, kw_only=True)
class McpServerHttp(Record):
    """An MCP server at a URL, spoken to over HTTP.

    Wire: McpServer, type = "http". Source: ACP v2 schema, $defs/McpServerHttp.
    """

    name: str
    url: str
    headers: list[HttpHeader] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpServerStdio(Record):
    """An MCP server that the agent launches, spoken to by its standard streams.

    Wire: McpServer, type = "stdio". Source: ACP v2 schema, $defs/McpServerStdio.
    """

    name: str
    command: AbsolutePath
    args: list[str] | UnsetType = UNSET
    env: list[EnvVariable] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpStdioCapabilities(Record):
    """Marker that the agent can launch MCP servers as local processes.

    Source: ACP v2 schema, $defs/McpStdioCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


MediaType: TypeAlias = str
"""A MIME type such as image/png, which names the format of some data.

Source: ACP v2 schema, $defs/MediaType.
"""


MessageId: TypeAlias = str
"""The id by which the pieces and updates of one message are joined.

Source: ACP v2 schema, $defs/MessageId.
"""


@dataclass(slots=True, kw_only=True)
class MessageMcpNotification(Record):
    """A one-way MCP message on behalf of an MCP request still in progress.

    Wire: mcp/message. Source: ACP v2 schema, $defs/MessageMcpNotification.
    """

    server_id: McpServerAcpId
    request_id: McpRequestId
    method: str
    params: dict[str, Any] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class MessageMcpRequest(Record):
    """An MCP request on its way to a server that is reached over ACP.

    Wire: mcp/message. Source: ACP v2 schema, $defs/MessageMcpRequest.
    """

    server_id: McpServerAcpId
    request_id: McpRequestId
    method: str
    params: dict[str, Any] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ModifyDiffChange(Record):
    """The arm of DiffChange, operation = "modify".

    Wire: DiffChange, operation = "modify". Source: ACP v2 schema, $defs/DiffChange/anyOf/2.
    """

    path: AbsolutePath
    file_type: DiffFileType | None | UnsetType = UNSET
    mime_type: MediaType | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class MoveDiffChange(Record):
    """The arm of DiffChange, operation = "move".

    Wire: DiffChange, operation = "move". Source: ACP v2 schema, $defs/DiffChange/anyOf/3.
    """

    old_path: AbsolutePath
    path: AbsolutePath
    file_type: DiffFileType | None | UnsetType = UNSET
    mime_type: MediaType | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


NoticeSeverity: TypeAlias = Literal["info", "warning", "error"] | str
"""How serious a notice is: info, warning or error.

Source: ACP v2 schema, $defs/NoticeSeverity.
"""


@dataclass(slots=True, kw_only=True)
class NumberPropertySchema(Record):
    """A form field for a number that may have a fraction.

    Wire: ElicitationPropertySchema, type = "number". Source: ACP v2 schema,
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

Source: ACP v2 schema, $defs/PermissionOptionId.
"""


PermissionOptionKind: TypeAlias = (
    Literal["allow_once", "allow_always", "reject_once", "reject_always"] | str
)
"""Whether an answer allows or rejects, and if only this once or always.

Source: ACP v2 schema, $defs/PermissionOptionKind.
"""


PlanEntryPriority: TypeAlias = Literal["high", "medium", "low"] | str
"""How important a step of a plan is: high, medium or low.

Source: ACP v2 schema, $defs/PlanEntryPriority.
"""


PlanEntryStatus: TypeAlias = Literal["pending", "in_progress", "completed", "cancelled"] | str
"""How far a step of a plan has come.

Source: ACP v2 schema, $defs/PlanEntryStatus.
"""


PlanId: TypeAlias = str
"""The id of one of a session's plans.

Source: ACP v2 schema, $defs/PlanId.
"""


@dataclass(slots=True, kw_only=True)
class PlanMarkdown(Record):
    """A plan written as a Markdown text.

    Wire: PlanUpdateContent, type = "markdown". Source: ACP v2 schema, $defs/PlanMarkdown.
    """

    plan_id: PlanId
    content: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PlanRemoved(Record):
    """Word that a plan is no longer there.

    Wire: SessionUpdate, sessionUpdate = "plan_removed". Source: ACP v2 schema, $defs/PlanRemoved.
    """

    plan_id: PlanId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PromptAudioCapabilities(Record):
    """Marker that the agent takes sound clips in prompts.

    Source: ACP v2 schema, $defs/PromptAudioCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PromptEmbeddedContextCapabilities(Record):
    """Marker that the agent takes embedded resources in prompts.

    Source: ACP v2 schema, $defs/PromptEmbeddedContextCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PromptImageCapabilities(Record):
    """Marker that the agent takes pictures in prompts.

    Source: ACP v2 schema, $defs/PromptImageCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PromptResponse(Record):
    """The outcome of a prompt: in v1 why the turn ended, in v2 the message's id.

    Wire: session/prompt. Source: ACP v2 schema, $defs/PromptResponse.
    """

    message_id: MessageId
    meta: dict[str, Any] | None | UnsetType = UNSET


ProtocolVersion: TypeAlias = Annotated[int, "ProtocolVersion"]
"""The major version of ACP, which goes up only for incompatible changes.

Source: ACP v2 schema, $defs/ProtocolVersion.
"""


@dataclass(slots=True, kw_only=True)
class ProviderCurrentConfig(Record):
    """The API dialect and base URL that a provider uses now, without secrets.

    Source: ACP v2 schema, $defs/ProviderCurrentConfig.
    """

    api_type: LlmProtocol
    base_url: str
    meta: dict[str, Any] | None | UnsetType = UNSET


ProviderId: TypeAlias = str
"""The id of an LLM provider that can be configured.

Source: ACP v2 schema, $defs/ProviderId.
"""


@dataclass(slots=True, kw_only=True)
class ProviderInfo(Record):
    """An LLM provider: the dialects it can speak, its setup, if it may be disabled.

    Source: ACP v2 schema, $defs/ProviderInfo.
    """

    provider_id: ProviderId
    supported: list[LlmProtocol]
    required: bool
    current: ProviderCurrentConfig | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ProvidersCapabilities(Record):
    """Marker that the client can configure the agent's LLM providers.

    Source: ACP v2 schema, $defs/ProvidersCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ProxySuccessorNotification(Record):
    """A wrapped one-way message between a proxy and what comes after it.

    Wire: proxy/successor. Source: ACP v2 schema, $defs/ProxySuccessorNotification.
    """

    method: str
    params: Any | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ProxySuccessorRequest(Record):
    """A wrapped request between a proxy and the component that comes after it.

    Wire: proxy/successor. Source: ACP v2 schema, $defs/ProxySuccessorRequest.
    """

    method: str
    params: Any | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ProxySuccessorResponse: TypeAlias = Any
"""The result of a wrapped request, just as the far side gave it.

Wire: proxy/successor. Source: ACP v2 schema, $defs/ProxySuccessorResponse.
"""


@dataclass(slots=True, kw_only=True)
class ReplayFromStart(Record):
    """A wish to have all of the kept history replayed.

    Wire: ReplayFrom, type = "start". Source: ACP v2 schema, $defs/ReplayFromStart.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


RequestId: TypeAlias = int | str
"""The id that links a JSON-RPC answer to its request.

Source: ACP v2 schema, $defs/RequestId.
"""


@dataclass(slots=True, kw_only=True)
class RequestUrlCreateElicitationRequest(Record):
    """One form of CreateElicitationRequest.

    Source: ACP v2 schema, $defs/ElicitationUrlMode/oneOf/1.
    """

    message: str
    elicitation_id: ElicitationId
    url: str
    request_id: RequestId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ResultMessageMcpResponse(Record):
    """One form of MessageMcpResponse.

    Source: ACP v2 schema, $defs/MessageMcpResponse/anyOf/0.
    """

    result: Any
    meta: dict[str, Any] | None | UnsetType = UNSET


Role: TypeAlias = Literal["assistant", "user"] | str
"""A party to the conversation, such as user or assistant.

Source: ACP v2 schema, $defs/Role.
"""


@dataclass(slots=True, kw_only=True)
class SelectedPermissionOutcome(Record):
    """The id of the answer that the user chose.

    Wire: RequestPermissionOutcome, outcome = "selected". Source: ACP v2 schema,
    $defs/SelectedPermissionOutcome.
    """

    option_id: PermissionOptionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionAdditionalDirectoriesCapabilities(Record):
    """Marker that a session may span more than one directory.

    Source: ACP v2 schema, $defs/SessionAdditionalDirectoriesCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionArchiveCapabilities(Record):
    """Marker that sessions can be archived, brought back, and filtered by that.

    Source: ACP v2 schema, $defs/SessionArchiveCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


SessionArchiveFilter: TypeAlias = Literal["exclude", "include", "only"] | str
"""Whether a listing leaves out archived sessions, adds them, or has only them.

Source: ACP v2 schema, $defs/SessionArchiveFilter.
"""


@dataclass(slots=True, kw_only=True)
class SessionCancelCapabilities(Record):
    """Marker that the client may stop the work of a subagent session.

    Source: ACP v2 schema, $defs/SessionCancelCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionConfigBoolean(Record):
    """The current value of a config option that is on or off.

    Source: ACP v2 schema, $defs/SessionConfigBoolean.
    """

    current_value: bool


SessionConfigGroupId: TypeAlias = str
"""The id of a group of choices within a config option.

Source: ACP v2 schema, $defs/SessionConfigGroupId.
"""


SessionConfigId: TypeAlias = str
"""The id of one config option of a session.

Source: ACP v2 schema, $defs/SessionConfigId.
"""


SessionConfigOptionCategory: TypeAlias = (
    Literal["mode", "model", "model_config", "thought_level"] | str
)
"""What a config option is about, such as mode or model, as a display hint.

Source: ACP v2 schema, $defs/SessionConfigOptionCategory.
"""


SessionConfigValueId: TypeAlias = str
"""The id of one choice of a config option.

Source: ACP v2 schema, $defs/SessionConfigValueId.
"""


@dataclass(slots=True, kw_only=True)
class SessionDeleteCapabilities(Record):
    """Marker that the client can have a session deleted.

    Source: ACP v2 schema, $defs/SessionDeleteCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionForkCapabilities(Record):
    """Marker that the client can have a session branched.

    Source: ACP v2 schema, $defs/SessionForkCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


SessionId: TypeAlias = str
"""The id of one conversation, with its own context and history.

Source: ACP v2 schema, $defs/SessionId.
"""


@dataclass(slots=True, kw_only=True)
class SessionInfo(Record):
    """A listed session: its directories, title and time of last activity.

    Source: ACP v2 schema, $defs/SessionInfo.
    """

    session_id: SessionId
    cwd: AbsolutePath
    additional_directories: list[AbsolutePath] | UnsetType = UNSET
    title: str | None | UnsetType = UNSET
    updated_at: str | None | UnsetType = UNSET
    archived: bool | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionInfoUpdate(Record):
    """News about a session itself, such as the title; what is left out stays.

    Wire: SessionUpdate, sessionUpdate = "session_info_update". Source: ACP v2 schema,
    $defs/SessionInfoUpdate.
    """

    title: str | None | UnsetType = UNSET
    updated_at: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


SessionListCursor: TypeAlias = str
"""An opaque bookmark for the next page of a session listing.

Source: ACP v2 schema, $defs/SessionListCursor.
"""


@dataclass(slots=True, kw_only=True)
class SessionNotFoundErrorData(Record):
    """The id, as requested, of a session that is unknown or not active.

    Source: ACP v2 schema, $defs/SessionNotFoundErrorData.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


SessionStatus: TypeAlias = Literal["open", "saved"] | str
"""Whether a session is loaded at the agent or only saved there.

Source: ACP v2 schema, $defs/SessionStatus.
"""


@dataclass(slots=True, kw_only=True)
class SessionStatusCapabilities(Record):
    """Marker that the client can ask how a session stands.

    Source: ACP v2 schema, $defs/SessionStatusCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionStatusRequest(Record):
    """The session to report on, which the question leaves untouched.

    Wire: session/status. Source: ACP v2 schema, $defs/SessionStatusRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionSystemPromptOverrideCapabilities(Record):
    """Marker that a client's system prompt may take the default's place.

    Source: ACP v2 schema, $defs/SessionSystemPromptOverrideCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionTitleCapabilities(Record):
    """Marker that the client may give a session its title.

    Source: ACP v2 schema, $defs/SessionTitleCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetProviderRequest(Record):
    """The complete new setup of one LLM provider.

    Wire: providers/set. Source: ACP v2 schema, $defs/SetProviderRequest.
    """

    provider_id: ProviderId
    api_type: LlmProtocol
    base_url: str
    headers: dict[str, str] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetProviderResponse(Record):
    """Confirmation that the provider has its new setup.

    Wire: providers/set. Source: ACP v2 schema, $defs/SetProviderResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetSessionTitleRequest(Record):
    """The title that the client wants a session to have.

    Wire: session/set_title. Source: ACP v2 schema, $defs/SetSessionTitleRequest.
    """

    session_id: SessionId
    title: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetSessionTitleResponse(Record):
    """The title as it was stored, perhaps altered by the agent.

    Wire: session/set_title. Source: ACP v2 schema, $defs/SetSessionTitleResponse.
    """

    title: str
    meta: dict[str, Any] | None | UnsetType = UNSET


StringFormat: TypeAlias = Literal["email", "uri", "date", "date-time"] | str
"""The form a text value must have, such as an email address or a date.

Source: ACP v2 schema, $defs/StringFormat.
"""


@dataclass(slots=True, kw_only=True)
class StringMultiSelectItems(Record):
    """Plain strings to choose from, shown as they are.

    Wire: MultiSelectItems, type = "string". Source: ACP v2 schema, $defs/StringMultiSelectItems.
    """

    enum: list[str]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class StringPropertySchema(Record):
    """A form field for text, or for one choice out of a list.

    Wire: ElicitationPropertySchema, type = "string". Source: ACP v2 schema,
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
class SubagentSessionCapabilities(Record):
    """What the client itself may do to one subagent's session.

    Source: ACP v2 schema, $defs/SubagentSessionCapabilities.
    """

    cancel: SessionCancelCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


SystemPromptMode: TypeAlias = Literal["append", "override"] | str
"""Whether a client's system prompt is added to the agent's or replaces it.

Source: ACP v2 schema, $defs/SystemPromptMode.
"""


@dataclass(slots=True, kw_only=True)
class TerminalAuthCapabilities(Record):
    """Marker that the client can run the agent in a terminal to sign in.

    Source: ACP v2 schema, $defs/TerminalAuthCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TerminalCancelCapabilities(Record):
    """Marker that this terminal's process may be stopped by the client.

    Source: ACP v2 schema, $defs/TerminalCancelCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TerminalCapabilities(Record):
    """What the client may do to a terminal at the moment.

    Source: ACP v2 schema, $defs/TerminalCapabilities.
    """

    cancel: TerminalCancelCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TerminalExitStatus(Record):
    """How a terminal's process ended: by an exit code or a signal, if known.

    Source: ACP v2 schema, $defs/TerminalExitStatus.
    """

    exit_code: int | None | UnsetType = UNSET
    signal: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


TerminalId: TypeAlias = str
"""The id by which a terminal is referred to.

Source: ACP v2 schema, $defs/TerminalId.
"""


@dataclass(slots=True, kw_only=True)
class TerminalOutput(Record):
    """All of a terminal's output so far in base64, in place of what was known.

    Source: ACP v2 schema, $defs/TerminalOutput.
    """

    data: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TerminalOutputChunk(Record):
    """More output of a terminal in base64, to go after what is there.

    Wire: SessionUpdate, sessionUpdate = "terminal_output_chunk". Source: ACP v2 schema,
    $defs/TerminalOutputChunk.
    """

    terminal_id: TerminalId
    data: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TerminalSize(Record):
    """The width and height of a terminal, in columns and rows.

    Source: ACP v2 schema, $defs/TerminalSize.
    """

    cols: int
    rows: int
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TerminalUpdate(Record):
    """News of one terminal, such as its command, output or exit.

    Wire: SessionUpdate, sessionUpdate = "terminal_update". Source: ACP v2 schema,
    $defs/TerminalUpdate.
    """

    terminal_id: TerminalId
    command: str | None | UnsetType = UNSET
    cwd: AbsolutePath | None | UnsetType = UNSET
    output: TerminalOutput | None | UnsetType = UNSET
    exit_status: TerminalExitStatus | None | UnsetType = UNSET
    size: TerminalSize | None | UnsetType = UNSET
    capabilities: TerminalCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TextCommandInput(Record):
    """Free text after a command's name, with a hint to show before any is typed.

    Wire: AvailableCommandInput, type = "text". Source: ACP v2 schema, $defs/TextCommandInput.
    """

    hint: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TextResourceContents(Record):
    """A resource's contents as text, with its URI.

    Source: ACP v2 schema, $defs/TextResourceContents.
    """

    text: str
    uri: str
    mime_type: MediaType | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TitledMultiSelectItems(Record):
    """Values to choose from, each shown under a label.

    Source: ACP v2 schema, $defs/TitledMultiSelectItems.
    """

    any_of: list[EnumOption]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ToolCallCancelCapabilities(Record):
    """Marker that this tool call may be cancelled on its own.

    Source: ACP v2 schema, $defs/ToolCallCancelCapabilities.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ToolCallCapabilities(Record):
    """What the client may do to a tool call at the moment.

    Source: ACP v2 schema, $defs/ToolCallCapabilities.
    """

    cancel: ToolCallCancelCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ToolCallId: TypeAlias = str
"""The id of one use of a tool.

Source: ACP v2 schema, $defs/ToolCallId.
"""


@dataclass(slots=True, kw_only=True)
class ToolCallLocation(Record):
    """A path, perhaps with a line, at which a tool is working.

    Source: ACP v2 schema, $defs/ToolCallLocation.
    """

    path: AbsolutePath
    line: int | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ToolCallStatus: TypeAlias = (
    Literal["pending", "in_progress", "paused", "completed", "failed", "cancelled"] | str
)
"""How far a tool call has come, from pending to its end.

Source: ACP v2 schema, $defs/ToolCallStatus.
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

Source: ACP v2 schema, $defs/ToolKind.
"""


@dataclass(slots=True, kw_only=True)
class UnarchiveSessionRequest(Record):
    """The archived session to bring back into ordinary listings.

    Wire: session/unarchive. Source: ACP v2 schema, $defs/UnarchiveSessionRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class UnarchiveSessionResponse(Record):
    """Confirmation that the session is out of the archive.

    Wire: session/unarchive. Source: ACP v2 schema, $defs/UnarchiveSessionResponse.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True)
class UnknownAuthMethod(Unknown):
    """A AuthMethod whose type is none that the schema lists: a custom one, or one of a later protocol.

    Source: ACP v2 schema, $defs/AuthMethod/anyOf/2.
    """


@dataclass(slots=True)
class UnknownAvailableCommand(Unknown):
    """A AvailableCommand whose type is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v2 schema, $defs/AvailableCommand/anyOf/1.
    """


@dataclass(slots=True)
class UnknownAvailableCommandInput(Unknown):
    """A AvailableCommandInput whose type is none that the schema lists: a custom one, or one of a
    later protocol.

    Source: ACP v2 schema, $defs/AvailableCommandInput/anyOf/1.
    """


@dataclass(slots=True)
class UnknownBackgroundWork(Unknown):
    """A BackgroundWork whose type is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v2 schema, $defs/BackgroundWork/anyOf/3.
    """


@dataclass(slots=True)
class UnknownContentBlock(Unknown):
    """A ContentBlock whose type is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v2 schema, $defs/ContentBlock/anyOf/5.
    """


@dataclass(slots=True)
class UnknownCreateElicitationRequest(Unknown):
    """A CreateElicitationRequest whose mode is none that the schema lists: a custom one, or one of a
    later protocol.

    Source: ACP v2 schema, $defs/CreateElicitationRequest/anyOf/2.
    """


@dataclass(slots=True)
class UnknownCreateElicitationResponse(Unknown):
    """A CreateElicitationResponse whose action is none that the schema lists: a custom one, or one of
    a later protocol.

    Source: ACP v2 schema, $defs/CreateElicitationResponse/anyOf/3.
    """


@dataclass(slots=True)
class UnknownDiffChange(Unknown):
    """A DiffChange whose operation is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v2 schema, $defs/DiffChange/anyOf/5.
    """


@dataclass(slots=True)
class UnknownElicitationPropertySchema(Unknown):
    """A ElicitationPropertySchema whose type is none that the schema lists: a custom one, or one of a
    later protocol.

    Source: ACP v2 schema, $defs/ElicitationPropertySchema/anyOf/5.
    """


@dataclass(slots=True)
class UnknownMcpServer(Unknown):
    """A McpServer whose type is none that the schema lists: a custom one, or one of a later protocol.

    Source: ACP v2 schema, $defs/McpServer/anyOf/3.
    """


@dataclass(slots=True)
class UnknownMultiSelectItems(Unknown):
    """A MultiSelectItems whose type is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v2 schema, $defs/MultiSelectItems/anyOf/1.
    """


@dataclass(slots=True)
class UnknownPlanUpdateContent(Unknown):
    """A PlanUpdateContent whose type is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v2 schema, $defs/PlanUpdateContent/anyOf/3.
    """


@dataclass(slots=True)
class UnknownReplayFrom(Unknown):
    """A ReplayFrom whose type is none that the schema lists: a custom one, or one of a later protocol.

    Source: ACP v2 schema, $defs/ReplayFrom/anyOf/1.
    """


@dataclass(slots=True)
class UnknownRequestPermissionOutcome(Unknown):
    """A RequestPermissionOutcome whose outcome is none that the schema lists: a custom one, or one of
    a later protocol.

    Source: ACP v2 schema, $defs/RequestPermissionOutcome/anyOf/2.
    """


@dataclass(slots=True)
class UnknownRequestPermissionSubject(Unknown):
    """A RequestPermissionSubject whose type is none that the schema lists: a custom one, or one of a
    later protocol.

    Source: ACP v2 schema, $defs/RequestPermissionSubject/anyOf/2.
    """


@dataclass(slots=True)
class UnknownSessionConfigOption(Unknown):
    """A SessionConfigOption whose type is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v2 schema, $defs/SessionConfigOption/anyOf/2.
    """


@dataclass(slots=True)
class UnknownSessionUpdate(Unknown):
    """A SessionUpdate whose sessionUpdate is none that the schema lists: a custom one, or one of a
    later protocol.

    Source: ACP v2 schema, $defs/SessionUpdate/anyOf/23.
    """


@dataclass(slots=True)
class UnknownSetSessionConfigOptionRequest(Unknown):
    """A SetSessionConfigOptionRequest whose type is none that the schema lists: a custom one, or one
    of a later protocol.

    Source: ACP v2 schema, $defs/SetSessionConfigOptionRequest/anyOf/2.
    """


@dataclass(slots=True)
class UnknownToolCallContent(Unknown):
    """A ToolCallContent whose type is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v2 schema, $defs/ToolCallContent/anyOf/3.
    """


@dataclass(slots=True)
class UnrecognizedStateUpdate(Unknown):
    """A StateUpdate whose state is none that the schema lists: a custom one, or one of a later
    protocol.

    Source: ACP v2 schema, $defs/StateUpdate/anyOf/4.
    """


@dataclass(slots=True, kw_only=True)
class UnsupportedProtocolVersionErrorData(Record):
    """The version asked for and the versions that would have done.

    Source: ACP v2 schema, $defs/UnsupportedProtocolVersionErrorData.
    """

    requested: ProtocolVersion
    supported: list[ProtocolVersion]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Usage(Record):
    """Counts of the tokens spent, by kind: input, output, thought and cache.

    Source: ACP v2 schema, $defs/Usage.
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

    Wire: SessionUpdate, sessionUpdate = "usage_update". Source: ACP v2 schema, $defs/UsageUpdate.
    """

    used: int
    size: int
    cost: Cost | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AcceptCreateElicitationResponse(Record):
    """The arm of CreateElicitationResponse, action = "accept".

    Wire: CreateElicitationResponse, action = "accept". Source: ACP v2 schema,
    $defs/CreateElicitationResponse/anyOf/0.
    """

    meta: dict[str, Any] | None | UnsetType = UNSET
    content: dict[str, ElicitationContentValue] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AddDiffChange(Record):
    """The arm of DiffChange, operation = "add".

    Wire: DiffChange, operation = "add". Source: ACP v2 schema, $defs/DiffChange/anyOf/0.
    """

    path: AbsolutePath
    file_type: DiffFileType | None | UnsetType = UNSET
    mime_type: MediaType | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AgentAuthCapabilities(Record):
    """Sign-in features that the agent offers beyond the basic methods.

    Source: ACP v2 schema, $defs/AgentAuthCapabilities.
    """

    status: AuthStatusCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Annotations(Record):
    """Hints about content: whom it is for, how much it matters, how old it is.

    Source: ACP v2 schema, $defs/Annotations.
    """

    audience: list[Role] | None | UnsetType = UNSET
    last_modified: str | None | UnsetType = UNSET
    priority: float | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ArchiveSessionRequest(Record):
    """The session to put out of sight while its id and history are kept.

    Wire: session/archive. Source: ACP v2 schema, $defs/ArchiveSessionRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AudioContent(Record):
    """A sound clip in base64, with its media type.

    Wire: ContentBlock, type = "audio". Source: ACP v2 schema, $defs/AudioContent.
    """

    data: str
    mime_type: MediaType
    annotations: Annotations | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthMethodAgent(Record):
    """A sign-in that the agent runs by itself once the client asks for it.

    Wire: AuthMethod, type = "agent". Source: ACP v2 schema, $defs/AuthMethodAgent.
    """

    method_id: AuthMethodId
    name: str
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AuthMethodTerminal(Record):
    """A sign-in for which the client starts the agent program in a terminal.

    Wire: AuthMethod, type = "terminal". Source: ACP v2 schema, $defs/AuthMethodTerminal.
    """

    method_id: AuthMethodId
    name: str
    description: str | None | UnsetType = UNSET
    args: list[str] | UnsetType = UNSET
    env: list[EnvVariable] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


AvailableCommandInput: TypeAlias = TextCommandInput | UnknownAvailableCommandInput
"""What kind of input a command takes.

Source: ACP v2 schema, $defs/AvailableCommandInput.
"""


@dataclass(slots=True, kw_only=True)
class BackgroundSubagent(Record):
    """A subagent session at work in the background, by its session id.

    Wire: BackgroundWork, type = "subagent". Source: ACP v2 schema, $defs/BackgroundSubagent.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class BackgroundTerminal(Record):
    """A terminal whose process runs in the background, by its id.

    Wire: BackgroundWork, type = "terminal". Source: ACP v2 schema, $defs/BackgroundTerminal.
    """

    terminal_id: TerminalId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class BackgroundToolCall(Record):
    """A tool call still at work in the background, by its id.

    Wire: BackgroundWork, type = "tool_call". Source: ACP v2 schema, $defs/BackgroundToolCall.
    """

    tool_call_id: ToolCallId
    meta: dict[str, Any] | None | UnsetType = UNSET


BackgroundWork: TypeAlias = (
    BackgroundTerminal | BackgroundToolCall | BackgroundSubagent | UnknownBackgroundWork
)
"""One item of work that goes on apart from the foreground of the session.

Source: ACP v2 schema, $defs/BackgroundWork.
"""


@dataclass(slots=True, kw_only=True)
class BlobResourceContents(Record):
    """A resource's binary data in base64, with its URI.

    Source: ACP v2 schema, $defs/BlobResourceContents.
    """

    blob: str
    uri: str
    mime_type: MediaType | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class BooleanSessionConfigOption(Record):
    """The arm of SessionConfigOption, type = "boolean".

    Wire: SessionConfigOption, type = "boolean". Source: ACP v2 schema,
    $defs/SessionConfigOption/anyOf/1.
    """

    config_id: SessionConfigId
    name: str
    current_value: bool
    description: str | None | UnsetType = UNSET
    category: SessionConfigOptionCategory | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class BooleanSetSessionConfigOptionRequest(Record):
    """The arm of SetSessionConfigOptionRequest, type = "boolean".

    Wire: SetSessionConfigOptionRequest, type = "boolean". Source: ACP v2 schema,
    $defs/SetSessionConfigOptionRequest/anyOf/1.
    """

    session_id: SessionId
    config_id: SessionConfigId
    value: bool
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelRequestNotification(Record):
    """The id of a pending request whose sender wants it given up.

    Wire: $/cancel_request. Source: ACP v2 schema, $defs/CancelRequestNotification.
    """

    request_id: RequestId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelSessionNotification(Record):
    """An order to stop a session's foreground and drop its waiting prompts.

    Wire: session/cancel. Source: ACP v2 schema, $defs/CancelSessionNotification.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelTerminalRequest(Record):
    """The one terminal whose process the agent should stop.

    Wire: terminal/cancel. Source: ACP v2 schema, $defs/CancelTerminalRequest.
    """

    session_id: SessionId
    terminal_id: TerminalId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CancelToolCallRequest(Record):
    """The one tool call that the agent should give up.

    Wire: tool_call/cancel. Source: ACP v2 schema, $defs/CancelToolCallRequest.
    """

    session_id: SessionId
    tool_call_id: ToolCallId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ClientAuthCapabilities(Record):
    """Ways to sign in that need the client's help and that it can give.

    Source: ACP v2 schema, $defs/ClientAuthCapabilities.
    """

    terminal: TerminalAuthCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CloseSessionRequest(Record):
    """The session to shut down: its work is cancelled and its resources freed.

    Wire: session/close. Source: ACP v2 schema, $defs/CloseSessionRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Command(Record):
    """A slash command that the user calls by writing it in a prompt.

    Wire: AvailableCommand, type = "command". Source: ACP v2 schema, $defs/Command.
    """

    name: str
    description: str
    input: AvailableCommandInput | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CommandPermissionSubject(Record):
    """A command line and its directory, which await the user's permission.

    Wire: RequestPermissionSubject, type = "command". Source: ACP v2 schema,
    $defs/CommandPermissionSubject.
    """

    command: str
    cwd: AbsolutePath
    tool_call_id: ToolCallId | None | UnsetType = UNSET
    terminal_id: TerminalId | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CompleteElicitationNotification(Record):
    """Word that a question answered on a web page has been dealt with.

    Wire: elicitation/complete. Source: ACP v2 schema, $defs/CompleteElicitationNotification.
    """

    elicitation_id: ElicitationId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CopyDiffChange(Record):
    """The arm of DiffChange, operation = "copy".

    Wire: DiffChange, operation = "copy". Source: ACP v2 schema, $defs/DiffChange/anyOf/4.
    """

    old_path: AbsolutePath
    path: AbsolutePath
    file_type: DiffFileType | None | UnsetType = UNSET
    mime_type: MediaType | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


CreateElicitationResponse: TypeAlias = (
    AcceptCreateElicitationResponse
    | DeclineCreateElicitationResponse
    | CancelCreateElicitationResponse
    | UnknownCreateElicitationResponse
)
"""What the user did with a question: accept, decline or cancel it.

Wire: elicitation/create. Source: ACP v2 schema, $defs/CreateElicitationResponse.
"""


@dataclass(slots=True, kw_only=True)
class DeleteDiffChange(Record):
    """The arm of DiffChange, operation = "delete".

    Wire: DiffChange, operation = "delete". Source: ACP v2 schema, $defs/DiffChange/anyOf/1.
    """

    path: AbsolutePath
    file_type: DiffFileType | None | UnsetType = UNSET
    mime_type: MediaType | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class DeleteSessionRequest(Record):
    """The session that the agent should strike from its list.

    Wire: session/delete. Source: ACP v2 schema, $defs/DeleteSessionRequest.
    """

    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET


DiffChange: TypeAlias = (
    AddDiffChange
    | DeleteDiffChange
    | ModifyDiffChange
    | MoveDiffChange
    | CopyDiffChange
    | UnknownDiffChange
)
"""What happened to one file, told without the text of the edit.

Source: ACP v2 schema, $defs/DiffChange.
"""


@dataclass(slots=True, kw_only=True)
class DiffPatch(Record):
    """The text of a patch, along with the format it is written in.

    Source: ACP v2 schema, $defs/DiffPatch.
    """

    format: DiffPatchFormat
    text: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class DisableProviderRequest(Record):
    """The LLM provider that the agent should no longer use.

    Wire: providers/disable. Source: ACP v2 schema, $defs/DisableProviderRequest.
    """

    provider_id: ProviderId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ElicitationAcceptAction(Record):
    """The user's yes to a question, with the values from its form if any.

    Source: ACP v2 schema, $defs/ElicitationAcceptAction.
    """

    content: dict[str, ElicitationContentValue] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ElicitationCapabilities(Record):
    """The ways in which the client can put a question to the user.

    Source: ACP v2 schema, $defs/ElicitationCapabilities.
    """

    form: ElicitationFormCapabilities | None | UnsetType = UNSET
    url: ElicitationUrlCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ElicitationRequestScope(Record):
    """The tie of a question to one JSON-RPC request when no session is open.

    Source: ACP v2 schema, $defs/ElicitationRequestScope.
    """

    request_id: RequestId


@dataclass(slots=True, kw_only=True)
class ElicitationSessionScope(Record):
    """The tie of a question to a session, and perhaps to one tool call in it.

    Source: ACP v2 schema, $defs/ElicitationSessionScope.
    """

    session_id: SessionId
    tool_call_id: ToolCallId | None | UnsetType = UNSET


EmbeddedResourceResource: TypeAlias = TextResourceContents | BlobResourceContents
"""The contents of an embedded resource: either text or binary.

Source: ACP v2 schema, $defs/EmbeddedResourceResource.
"""


ErrorData: TypeAlias = UnsupportedProtocolVersionErrorData | SessionNotFoundErrorData | Any
"""Further facts about an error, in a known shape or in any other.

Source: ACP v2 schema, $defs/ErrorData.
"""


@dataclass(slots=True, kw_only=True)
class ErrorMessageMcpResponse(Record):
    """One form of MessageMcpResponse.

    Source: ACP v2 schema, $defs/MessageMcpResponse/anyOf/1.
    """

    error: McpError
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Icon(Record):
    """The address of a picture for the user interface, with its sizes and theme.

    Source: ACP v2 schema, $defs/Icon.
    """

    src: str
    mime_type: MediaType | None | UnsetType = UNSET
    sizes: list[str] | None | UnsetType = UNSET
    theme: IconTheme | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class IdSetSessionConfigOptionRequest(Record):
    """The arm of SetSessionConfigOptionRequest, type = "id".

    Wire: SetSessionConfigOptionRequest, type = "id". Source: ACP v2 schema,
    $defs/SetSessionConfigOptionRequest/anyOf/0.
    """

    session_id: SessionId
    config_id: SessionConfigId
    value: SessionConfigValueId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class IdleStateUpdate(Record):
    """The state with no foreground work, and why the last such work ended.

    Wire: StateUpdate, state = "idle". Source: ACP v2 schema, $defs/IdleStateUpdate.
    """

    usage: Usage | None | UnsetType = UNSET
    background: list[BackgroundWork] | None | UnsetType = UNSET
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

    Wire: ContentBlock, type = "image". Source: ACP v2 schema, $defs/ImageContent.
    """

    data: str
    mime_type: MediaType
    uri: str | None | UnsetType = UNSET
    annotations: Annotations | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ListProvidersResponse(Record):
    """The LLM providers open to configuration, each with its current routing.

    Wire: providers/list. Source: ACP v2 schema, $defs/ListProvidersResponse.
    """

    providers: list[ProviderInfo]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ListSessionsRequest(Record):
    """Which sessions to list, and from which page on.

    Wire: session/list. Source: ACP v2 schema, $defs/ListSessionsRequest.
    """

    cwd: AbsolutePath | None | UnsetType = UNSET
    cursor: SessionListCursor | None | UnsetType = UNSET
    archived: SessionArchiveFilter | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ListSessionsResponse(Record):
    """One page of known sessions, and the cursor of the next page if any.

    Wire: session/list. Source: ACP v2 schema, $defs/ListSessionsResponse.
    """

    sessions: list[SessionInfo]
    next_cursor: SessionListCursor | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpCapabilities(Record):
    """The transports over which the agent can reach MCP servers.

    Source: ACP v2 schema, $defs/McpCapabilities.
    """

    stdio: McpStdioCapabilities | None | UnsetType = UNSET
    http: McpHttpCapabilities | None | UnsetType = UNSET
    acp: McpAcpCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class McpServerAcp(Record):
    """An MCP server that is reached over the ACP connection itself.

    Wire: McpServer, type = "acp". Source: ACP v2 schema, $defs/McpServerAcp.
    """

    name: str
    server_id: McpServerAcpId
    meta: dict[str, Any] | None | UnsetType = UNSET


MessageMcpResponse: TypeAlias = ResultMessageMcpResponse | ErrorMessageMcpResponse
"""What came of a carried MCP request: its result or an MCP error.

Wire: mcp/message. Source: ACP v2 schema, $defs/MessageMcpResponse.
"""


MultiSelectItems: TypeAlias = (
    StringMultiSelectItems | TitledMultiSelectItems | UnknownMultiSelectItems
)
"""The choices of a field that takes several at once.

Source: ACP v2 schema, $defs/MultiSelectItems.
"""


@dataclass(slots=True, kw_only=True)
class MultiSelectPropertySchema(Record):
    """A form field in which the user may tick several choices.

    Wire: ElicitationPropertySchema, type = "array". Source: ACP v2 schema,
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

    Wire: SessionUpdate, sessionUpdate = "notice". Source: ACP v2 schema, $defs/Notice.
    """

    severity: NoticeSeverity
    title: str
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PermissionOption(Record):
    """One answer that the user can give to a permission question.

    Source: ACP v2 schema, $defs/PermissionOption.
    """

    option_id: PermissionOptionId
    name: str
    kind: PermissionOptionKind
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PlanEntry(Record):
    """One step of a plan, with its priority and progress.

    Source: ACP v2 schema, $defs/PlanEntry.
    """

    content: str
    priority: PlanEntryPriority
    status: PlanEntryStatus
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PlanFile(Record):
    """A plan kept in a file, pointed to by a URI.

    Wire: PlanUpdateContent, type = "file". Source: ACP v2 schema, $defs/PlanFile.
    """

    plan_id: PlanId
    uri: str
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class PlanItems(Record):
    """A plan spelled out as a list of steps.

    Wire: PlanUpdateContent, type = "items". Source: ACP v2 schema, $defs/PlanItems.
    """

    plan_id: PlanId
    entries: list[PlanEntry]
    meta: dict[str, Any] | None | UnsetType = UNSET


PlanUpdateContent: TypeAlias = PlanItems | PlanFile | PlanMarkdown | UnknownPlanUpdateContent
"""What a plan says now, in one of the forms that a plan can take.

Source: ACP v2 schema, $defs/PlanUpdateContent.
"""


@dataclass(slots=True, kw_only=True)
class PromptCapabilities(Record):
    """The content, besides text and links, that the agent takes in prompts.

    Source: ACP v2 schema, $defs/PromptCapabilities.
    """

    image: PromptImageCapabilities | None | UnsetType = UNSET
    audio: PromptAudioCapabilities | None | UnsetType = UNSET
    embedded_context: PromptEmbeddedContextCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ReplayFrom: TypeAlias = ReplayFromStart | UnknownReplayFrom
"""The point of the history from which, itself included, to replay.

Source: ACP v2 schema, $defs/ReplayFrom.
"""


@dataclass(slots=True, kw_only=True)
class RequestElicitationUrlMode(Record):
    """One form of ElicitationUrlMode.

    Source: ACP v2 schema, $defs/ElicitationUrlMode/oneOf/1.
    """

    elicitation_id: ElicitationId
    url: str
    request_id: RequestId


RequestPermissionOutcome: TypeAlias = (
    CancelledPermissionOutcome | SelectedPermissionOutcome | UnknownRequestPermissionOutcome
)
"""How a permission question ended: with a choice or without.

Source: ACP v2 schema, $defs/RequestPermissionOutcome.
"""


@dataclass(slots=True, kw_only=True)
class RequestPermissionResponse(Record):
    """The client's report of how the user decided.

    Wire: session/request_permission. Source: ACP v2 schema, $defs/RequestPermissionResponse.
    """

    outcome: RequestPermissionOutcome
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class RequiresActionStateUpdate(Record):
    """The state in which foreground work waits for the user.

    Wire: StateUpdate, state = "requires_action". Source: ACP v2 schema,
    $defs/RequiresActionStateUpdate.
    """

    background: list[BackgroundWork] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ResourceLink(Record):
    """A pointer to a resource, by name and URI, without its contents.

    Wire: ContentBlock, type = "resource_link". Source: ACP v2 schema, $defs/ResourceLink.
    """

    name: str
    uri: str
    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    icons: list[Icon] | None | UnsetType = UNSET
    mime_type: MediaType | None | UnsetType = UNSET
    size: int | None | UnsetType = UNSET
    annotations: Annotations | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class RunningStateUpdate(Record):
    """The state in which the agent is busy in the foreground.

    Wire: StateUpdate, state = "running". Source: ACP v2 schema, $defs/RunningStateUpdate.
    """

    background: list[BackgroundWork] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionConfigSelectOption(Record):
    """One choice of a config option.

    Source: ACP v2 schema, $defs/SessionConfigSelectOption.
    """

    value: SessionConfigValueId
    name: str
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionElicitationUrlMode(Record):
    """One form of ElicitationUrlMode.

    Source: ACP v2 schema, $defs/ElicitationUrlMode/oneOf/0.
    """

    elicitation_id: ElicitationId
    url: str
    session_id: SessionId
    tool_call_id: ToolCallId | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionSystemPromptModeCapabilities(Record):
    """Ways to apply a client's system prompt other than to append it.

    Source: ACP v2 schema, $defs/SessionSystemPromptModeCapabilities.
    """

    override: SessionSystemPromptOverrideCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionUrlCreateElicitationRequest(Record):
    """One form of CreateElicitationRequest.

    Source: ACP v2 schema, $defs/ElicitationUrlMode/oneOf/0.
    """

    message: str
    elicitation_id: ElicitationId
    url: str
    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET
    tool_call_id: ToolCallId | None | UnsetType = UNSET


SetSessionConfigOptionRequest: TypeAlias = (
    IdSetSessionConfigOptionRequest
    | BooleanSetSessionConfigOptionRequest
    | UnknownSetSessionConfigOptionRequest
)
"""The new value for one config option of a session.

Wire: session/set_config_option. Source: ACP v2 schema, $defs/SetSessionConfigOptionRequest.
"""


@dataclass(slots=True, kw_only=True)
class Terminal(Record):
    """A terminal to be shown with a tool call, named by its id.

    Wire: ToolCallContent, type = "terminal". Source: ACP v2 schema, $defs/Terminal.
    """

    terminal_id: TerminalId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TextContent(Record):
    """A piece of text, plain or Markdown.

    Wire: ContentBlock, type = "text". Source: ACP v2 schema, $defs/TextContent.
    """

    text: str
    annotations: Annotations | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class UnknownStateUpdate(Record):
    """The state in which the agent itself cannot tell if work is going on.

    Wire: StateUpdate, state = "unknown". Source: ACP v2 schema, $defs/UnknownStateUpdate.
    """

    background: list[BackgroundWork] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


UrlCreateElicitationRequest: TypeAlias = (
    SessionUrlCreateElicitationRequest | RequestUrlCreateElicitationRequest
)
"""The arm of CreateElicitationRequest, mode = "url".

Wire: CreateElicitationRequest, mode = "url". Source: ACP v2 schema,
$defs/CreateElicitationRequest/anyOf/1.
"""


AuthMethod: TypeAlias = AuthMethodTerminal | AuthMethodAgent | UnknownAuthMethod
"""One way to sign in that the agent offers.

Source: ACP v2 schema, $defs/AuthMethod.
"""


AvailableCommand: TypeAlias = Command | UnknownAvailableCommand
"""A command on offer to the user, with its name and purpose.

Source: ACP v2 schema, $defs/AvailableCommand.
"""


@dataclass(slots=True, kw_only=True)
class AvailableCommandsUpdate(Record):
    """The list of commands that the user may call from now on.

    Wire: SessionUpdate, sessionUpdate = "available_commands_update". Source: ACP v2 schema,
    $defs/AvailableCommandsUpdate.
    """

    available_commands: list[AvailableCommand]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ClientCapabilities(Record):
    """What the client can do, as it tells the agent when the connection starts.

    Source: ACP v2 schema, $defs/ClientCapabilities.
    """

    auth: ClientAuthCapabilities | None | UnsetType = UNSET
    elicitation: ElicitationCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Diff(Record):
    """Edits to files, ready for the client to show.

    Wire: ToolCallContent, type = "diff". Source: ACP v2 schema, $defs/Diff.
    """

    changes: list[DiffChange]
    patch: DiffPatch | None | UnsetType = UNSET
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

Source: ACP v2 schema, $defs/ElicitationPropertySchema.
"""


@dataclass(slots=True, kw_only=True)
class ElicitationSchema(Record):
    """The fields of a form, as a flat JSON Schema object.

    Source: ACP v2 schema, $defs/ElicitationSchema.
    """

    type: ElicitationSchemaType
    properties: dict[str, ElicitationPropertySchema]
    title: str | None | UnsetType = UNSET
    required: list[str] | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ElicitationUrlMode: TypeAlias = SessionElicitationUrlMode | RequestElicitationUrlMode
"""A question that the user answers on a web page outside the client.

Source: ACP v2 schema, $defs/ElicitationUrlMode.
"""


@dataclass(slots=True, kw_only=True)
class EmbeddedResource(Record):
    """A resource whose contents travel inside the message itself.

    Wire: ContentBlock, type = "resource". Source: ACP v2 schema, $defs/EmbeddedResource.
    """

    resource: EmbeddedResourceResource
    annotations: Annotations | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Error(Record):
    """Why a request failed: a numeric code, a message and optional data.

    Source: ACP v2 schema, $defs/Error.
    """

    code: ErrorCode
    message: str
    data: ErrorData | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ErrorIdleStateUpdate(IdleStateUpdate):
    """The state with no foreground work, and why the last such work ended.

    Wire: IdleStateUpdate, stopReason = "error". Source: ACP v2 schema,
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
class ErrorStopReason(Record):
    """The failure that put an end to the work, if the agent tells it.

    Source: ACP v2 schema, $defs/ErrorStopReason.
    """

    error: Error | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class InitializeRequest(Record):
    """The client's opening: the protocol version it wants and what it can do.

    Wire: initialize. Source: ACP v2 schema, $defs/InitializeRequest.
    """

    protocol_version: ProtocolVersion
    info: Implementation
    capabilities: ClientCapabilities | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


McpServer: TypeAlias = McpServerHttp | McpServerAcp | McpServerStdio | UnknownMcpServer
"""How the agent reaches an MCP server that lends it tools and context.

Source: ACP v2 schema, $defs/McpServer.
"""


@dataclass(slots=True, kw_only=True)
class PlanUpdate(Record):
    """The news that one plan was created or has changed.

    Wire: SessionUpdate, sessionUpdate = "plan_update". Source: ACP v2 schema, $defs/PlanUpdate.
    """

    plan: PlanUpdateContent
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class RequestElicitationFormMode(Record):
    """One form of ElicitationFormMode.

    Source: ACP v2 schema, $defs/ElicitationFormMode/oneOf/1.
    """

    requested_schema: ElicitationSchema
    request_id: RequestId


@dataclass(slots=True, kw_only=True)
class RequestFormCreateElicitationRequest(Record):
    """One form of CreateElicitationRequest.

    Source: ACP v2 schema, $defs/ElicitationFormMode/oneOf/1.
    """

    message: str
    requested_schema: ElicitationSchema
    request_id: RequestId
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionConfigSelectGroup(Record):
    """Some choices of a config option, shown together under a name.

    Source: ACP v2 schema, $defs/SessionConfigSelectGroup.
    """

    group_id: SessionConfigGroupId
    name: str
    options: list[SessionConfigSelectOption]
    meta: dict[str, Any] | None | UnsetType = UNSET


SessionConfigSelectOptions: TypeAlias = (
    list[SessionConfigSelectOption] | list[SessionConfigSelectGroup]
)
"""All choices of a config option, as a flat list or in groups.

Source: ACP v2 schema, $defs/SessionConfigSelectOptions.
"""


@dataclass(slots=True, kw_only=True)
class SessionElicitationFormMode(Record):
    """One form of ElicitationFormMode.

    Source: ACP v2 schema, $defs/ElicitationFormMode/oneOf/0.
    """

    requested_schema: ElicitationSchema
    session_id: SessionId
    tool_call_id: ToolCallId | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionFormCreateElicitationRequest(Record):
    """One form of CreateElicitationRequest.

    Source: ACP v2 schema, $defs/ElicitationFormMode/oneOf/0.
    """

    message: str
    requested_schema: ElicitationSchema
    session_id: SessionId
    meta: dict[str, Any] | None | UnsetType = UNSET
    tool_call_id: ToolCallId | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionSystemPromptCapabilities(Record):
    """Marker that the client may add a system prompt of its own.

    Source: ACP v2 schema, $defs/SessionSystemPromptCapabilities.
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

Wire: SessionUpdate, sessionUpdate = "state_update". Source: ACP v2 schema, $defs/StateUpdate.
"""


@dataclass(slots=True, kw_only=True)
class SubagentUpdate(Record):
    """News from a parent session about a child session that it owns.

    Wire: SessionUpdate, sessionUpdate = "subagent_update". Source: ACP v2 schema,
    $defs/SubagentUpdate.
    """

    session_id: SessionId
    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    capabilities: SubagentSessionCapabilities | None | UnsetType = UNSET
    state: StateUpdate | None | UnsetType = UNSET
    cwd: AbsolutePath | None | UnsetType = UNSET
    additional_directories: list[AbsolutePath] | None | UnsetType = UNSET
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

Source: ACP v2 schema, $defs/ContentBlock.
"""


@dataclass(slots=True, kw_only=True)
class ContentChunk(Record):
    """The next piece of a streamed message or thought.

    Source: ACP v2 schema, $defs/ContentChunk.
    """

    message_id: MessageId
    content: ContentBlock
    meta: dict[str, Any] | None | UnsetType = UNSET


ElicitationFormMode: TypeAlias = SessionElicitationFormMode | RequestElicitationFormMode
"""A question asked as a form, which the client builds from a schema.

Source: ACP v2 schema, $defs/ElicitationFormMode.
"""


FormCreateElicitationRequest: TypeAlias = (
    SessionFormCreateElicitationRequest | RequestFormCreateElicitationRequest
)
"""The arm of CreateElicitationRequest, mode = "form".

Wire: CreateElicitationRequest, mode = "form". Source: ACP v2 schema,
$defs/CreateElicitationRequest/anyOf/0.
"""


InitializeProxyRequest: TypeAlias = InitializeRequest
"""A conductor's opening to a component that is to act as a proxy.

Wire: proxy/initialize. Source: ACP v2 schema, $defs/InitializeProxyRequest.
"""


@dataclass(slots=True, kw_only=True)
class PromptRequest(Record):
    """What the user says to the agent in a session, as content blocks.

    Wire: session/prompt. Source: ACP v2 schema, $defs/PromptRequest.
    """

    session_id: SessionId
    prompt: list[ContentBlock]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SelectSessionConfigOption(Record):
    """The arm of SessionConfigOption, type = "select".

    Wire: SessionConfigOption, type = "select". Source: ACP v2 schema,
    $defs/SessionConfigOption/anyOf/0.
    """

    config_id: SessionConfigId
    name: str
    current_value: SessionConfigValueId
    options: SessionConfigSelectOptions
    description: str | None | UnsetType = UNSET
    category: SessionConfigOptionCategory | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionCapabilities(Record):
    """What the agent can do with sessions on top of the required minimum.

    Source: ACP v2 schema, $defs/SessionCapabilities.
    """

    prompt: PromptCapabilities | None | UnsetType = UNSET
    mcp: McpCapabilities | None | UnsetType = UNSET
    delete: SessionDeleteCapabilities | None | UnsetType = UNSET
    additional_directories: SessionAdditionalDirectoriesCapabilities | None | UnsetType = UNSET
    system_prompt: SessionSystemPromptCapabilities | None | UnsetType = UNSET
    fork: SessionForkCapabilities | None | UnsetType = UNSET
    archive: SessionArchiveCapabilities | None | UnsetType = UNSET
    status: SessionStatusCapabilities | None | UnsetType = UNSET
    title: SessionTitleCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


SessionConfigOption: TypeAlias = (
    SelectSessionConfigOption | BooleanSessionConfigOption | UnknownSessionConfigOption
)
"""A setting of a session that the user can change, with its current value.

Source: ACP v2 schema, $defs/SessionConfigOption.
"""


@dataclass(slots=True, kw_only=True)
class SessionConfigSelect(Record):
    """The choices of a config option and which of them is set.

    Source: ACP v2 schema, $defs/SessionConfigSelect.
    """

    current_value: SessionConfigValueId
    options: SessionConfigSelectOptions


@dataclass(slots=True, kw_only=True)
class SessionMessage(Record):
    """A message from one session to another, set or patched by its id.

    Wire: SessionUpdate, sessionUpdate = "session_message". Source: ACP v2 schema,
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

    Wire: SessionUpdate, sessionUpdate = "session_message_chunk". Source: ACP v2 schema,
    $defs/SessionMessageChunk.
    """

    message_id: MessageId
    content: ContentBlock
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SessionStatusResponse(Record):
    """How a session stood at the moment of the question.

    Wire: session/status. Source: ACP v2 schema, $defs/SessionStatusResponse.
    """

    status: SessionStatus
    state: StateUpdate | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SetSessionConfigOptionResponse(Record):
    """Every config option of the session once the new value is in.

    Wire: session/set_config_option. Source: ACP v2 schema, $defs/SetSessionConfigOptionResponse.
    """

    config_options: list[SessionConfigOption]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class SystemPrompt(Record):
    """Instructions by the client that stand above the conversation.

    Source: ACP v2 schema, $defs/SystemPrompt.
    """

    mode: SystemPromptMode
    content: list[ContentBlock]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class UserMessage(Record):
    """A message by the user, set or corrected as a whole.

    Wire: SessionUpdate, sessionUpdate = "user_message". Source: ACP v2 schema, $defs/UserMessage.
    """

    message_id: MessageId
    content: list[ContentBlock] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class UserMessageChunk(ContentChunk):
    """The next piece of a streamed message or thought.

    Wire: SessionUpdate, sessionUpdate = "user_message_chunk". Source: ACP v2 schema,
    $defs/SessionUpdate/anyOf/0.
    """


@dataclass(slots=True, kw_only=True)
class AgentCapabilities(Record):
    """What the agent can do, as it tells the client when the connection starts.

    Source: ACP v2 schema, $defs/AgentCapabilities.
    """

    session: SessionCapabilities | None | UnsetType = UNSET
    auth: AgentAuthCapabilities | None | UnsetType = UNSET
    providers: ProvidersCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AgentMessage(Record):
    """A message by the agent, set or corrected as a whole.

    Wire: SessionUpdate, sessionUpdate = "agent_message". Source: ACP v2 schema, $defs/AgentMessage.
    """

    message_id: MessageId
    content: list[ContentBlock] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AgentMessageChunk(ContentChunk):
    """The next piece of a streamed message or thought.

    Wire: SessionUpdate, sessionUpdate = "agent_message_chunk". Source: ACP v2 schema,
    $defs/SessionUpdate/anyOf/2.
    """


@dataclass(slots=True, kw_only=True)
class AgentThought(Record):
    """A piece of the agent's reasoning, set or corrected as a whole.

    Wire: SessionUpdate, sessionUpdate = "agent_thought". Source: ACP v2 schema, $defs/AgentThought.
    """

    message_id: MessageId
    content: list[ContentBlock] | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class AgentThoughtChunk(ContentChunk):
    """The next piece of a streamed message or thought.

    Wire: SessionUpdate, sessionUpdate = "agent_thought_chunk". Source: ACP v2 schema,
    $defs/SessionUpdate/anyOf/4.
    """


@dataclass(slots=True, kw_only=True)
class CompactionSummaryChunk(Record):
    """The next piece of the summary that a compaction writes.

    Wire: SessionUpdate, sessionUpdate = "compaction_summary_chunk". Source: ACP v2 schema,
    $defs/CompactionSummaryChunk.
    """

    compaction_id: CompactionId
    content: ContentBlock
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class CompactionUpdate(Record):
    """News of one context compaction: its status, summary or error.

    Wire: SessionUpdate, sessionUpdate = "compaction_update". Source: ACP v2 schema,
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

    Wire: SessionUpdate, sessionUpdate = "config_option_update". Source: ACP v2 schema,
    $defs/ConfigOptionUpdate.
    """

    config_options: list[SessionConfigOption]
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Content(Record):
    """An ordinary content block as part of what a tool call produced.

    Wire: ToolCallContent, type = "content". Source: ACP v2 schema, $defs/Content.
    """

    content: ContentBlock
    meta: dict[str, Any] | None | UnsetType = UNSET


CreateElicitationRequest: TypeAlias = (
    FormCreateElicitationRequest | UrlCreateElicitationRequest | UnknownCreateElicitationRequest
)
"""A question for the user, to be answered in a form or on a web page.

Wire: elicitation/create. Source: ACP v2 schema, $defs/CreateElicitationRequest.
"""


@dataclass(slots=True, kw_only=True)
class ForkSessionRequest(Record):
    """The session to branch off from, and the setup of the branch.

    Wire: session/fork. Source: ACP v2 schema, $defs/ForkSessionRequest.
    """

    session_id: SessionId
    cwd: AbsolutePath
    additional_directories: list[AbsolutePath] | UnsetType = UNSET
    mcp_servers: list[McpServer] | UnsetType = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ForkSessionResponse(Record):
    """The id and initial settings of the session that was branched off.

    Wire: session/fork. Source: ACP v2 schema, $defs/ForkSessionResponse.
    """

    session_id: SessionId
    config_options: list[SessionConfigOption] | UnsetType = UNSET
    available_commands: list[AvailableCommand] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class InitializeResponse(Record):
    """The agent's side of the handshake: version, abilities, ways to sign in.

    Wire: initialize. Source: ACP v2 schema, $defs/InitializeResponse.
    """

    protocol_version: ProtocolVersion
    info: Implementation
    capabilities: AgentCapabilities | UnsetType = UNSET
    auth_methods: list[AuthMethod] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class NewSessionRequest(Record):
    """The directories and MCP servers for a session about to be opened.

    Wire: session/new. Source: ACP v2 schema, $defs/NewSessionRequest.
    """

    cwd: AbsolutePath
    additional_directories: list[AbsolutePath] | UnsetType = UNSET
    mcp_servers: list[McpServer] | UnsetType = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class NewSessionResponse(Record):
    """The session just opened: its id and its initial settings.

    Wire: session/new. Source: ACP v2 schema, $defs/NewSessionResponse.
    """

    session_id: SessionId
    config_options: list[SessionConfigOption] | UnsetType = UNSET
    available_commands: list[AvailableCommand] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ResumeSessionRequest(Record):
    """The session to take up again, and the setup to take it up in.

    Wire: session/resume. Source: ACP v2 schema, $defs/ResumeSessionRequest.
    """

    session_id: SessionId
    cwd: AbsolutePath
    additional_directories: list[AbsolutePath] | UnsetType = UNSET
    mcp_servers: list[McpServer] | UnsetType = UNSET
    replay_from: ReplayFrom | None | UnsetType = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ResumeSessionResponse(Record):
    """The settings of the session that was taken up again.

    Wire: session/resume. Source: ACP v2 schema, $defs/ResumeSessionResponse.
    """

    config_options: list[SessionConfigOption] | UnsetType = UNSET
    available_commands: list[AvailableCommand] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


ToolCallContent: TypeAlias = Content | Diff | Terminal | UnknownToolCallContent
"""A piece of a tool call's output: a content block, a diff or a terminal.

Source: ACP v2 schema, $defs/ToolCallContent.
"""


@dataclass(slots=True, kw_only=True)
class ToolCallContentChunk(Record):
    """One more piece of output to go after what a tool call already has.

    Wire: SessionUpdate, sessionUpdate = "tool_call_content_chunk". Source: ACP v2 schema,
    $defs/ToolCallContentChunk.
    """

    tool_call_id: ToolCallId
    content: ToolCallContent
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class ToolCallUpdate(Record):
    """News of one tool call: just its id and the fields that have changed.

    Wire: SessionUpdate, sessionUpdate = "tool_call_update". Source: ACP v2 schema,
    $defs/ToolCallUpdate.
    """

    tool_call_id: ToolCallId
    name: str | None | UnsetType = UNSET
    title: str | None | UnsetType = UNSET
    kind: ToolKind | None | UnsetType = UNSET
    status: ToolCallStatus | None | UnsetType = UNSET
    content: list[ToolCallContent] | None | UnsetType = UNSET
    locations: list[ToolCallLocation] | None | UnsetType = UNSET
    raw_input: Any | UnsetType = UNSET
    raw_output: Any | UnsetType = UNSET
    capabilities: ToolCallCapabilities | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


InitializeProxyResponse: TypeAlias = InitializeResponse
"""What the chain from this proxy on can do, in the agreed version.

Wire: proxy/initialize. Source: ACP v2 schema, $defs/InitializeProxyResponse.
"""


SessionUpdate: TypeAlias = (
    UserMessageChunk
    | UserMessage
    | AgentMessageChunk
    | AgentMessage
    | AgentThoughtChunk
    | AgentThought
    | StateUpdate
    | ToolCallContentChunk
    | ToolCallUpdate
    | TerminalUpdate
    | TerminalOutputChunk
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
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

Source: ACP v2 schema, $defs/SessionUpdate.
"""


@dataclass(slots=True, kw_only=True)
class ToolCallPermissionSubject(Record):
    """A tool call that awaits the user's permission.

    Wire: RequestPermissionSubject, type = "tool_call". Source: ACP v2 schema,
    $defs/ToolCallPermissionSubject.
    """

    tool_call: ToolCallUpdate
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class UpdateSessionNotification(Record):
    """The id of a session and one thing that has happened in it.

    Wire: session/update. Source: ACP v2 schema, $defs/UpdateSessionNotification.
    """

    session_id: SessionId
    update: SessionUpdate
    meta: dict[str, Any] | None | UnsetType = UNSET


RequestPermissionSubject: TypeAlias = (
    ToolCallPermissionSubject | CommandPermissionSubject | UnknownRequestPermissionSubject
)
"""What exactly is to be allowed, such as a command or a tool call.

Source: ACP v2 schema, $defs/RequestPermissionSubject.
"""


@dataclass(slots=True, kw_only=True)
class RequestPermissionRequest(Record):
    """A question to the user whether the agent may go ahead.

    Wire: session/request_permission. Source: ACP v2 schema, $defs/RequestPermissionRequest.
    """

    session_id: SessionId
    title: str
    options: list[PermissionOption]
    description: str | None | UnsetType = UNSET
    subject: RequestPermissionSubject | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET
