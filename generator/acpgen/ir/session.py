"""Model of sessions: rules that update session states, and methods and classes for sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from acpgen.ir.model import Method

# The path to a nested field: the Python name and the wire name of each field along it.
KeyPath: TypeAlias = tuple[tuple[str, str], ...]

# --- updates ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Collection:
    """A dictionary in a session state."""

    name: str  # the attribute of the state
    entry: str  # the class of the collection's entries
    # The path from an update to the key, or an empty path if there is only one entry.
    key_path: KeyPath
    key_type: str  # the type of the key


@dataclass(frozen=True, slots=True)
class Slot:
    """An attribute of a session state that stores a single update."""

    name: str  # the attribute of the state
    entry: str  # the class of the slot's value


@dataclass(frozen=True, slots=True)
class ClassName:
    """A class that is passed as an argument to a reducer."""

    name: str


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A function, passed to a reducer, that creates an entry for a key."""

    entry: str  # the class of the entry
    key: str  # the field that contains the key
    defaults: Mapping[str, Any]  # the values of other fields, by Python name


@dataclass(frozen=True, slots=True)
class Reducer:
    """A constructor call for a reducer."""

    name: str  # the name of the reducer's class, in snake case
    # Each argument is a JSON value, a `ClassName`, a `NewEntry` or another `Reducer`.
    arguments: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)  # keyword arguments, as JSON values


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRule:
    """The effect of one type of session update on the session state."""

    operation: str  # the operation in the overlay, a key of `analysis.updates.OPERATIONS`
    # If several rules can convert an entry back to updates, the rule with the lowest rank is used.
    # None if this rule cannot convert entries.
    rank: int | None
    tag: str  # the tag of the update
    # The class of the update, or several classes if the variant is a union.
    classes: tuple[str, ...]
    reducer: Reducer | None  # the reducer for the update, or None if the update changes nothing
    role: str | None  # the role of the message that the update changes, if any
    # The agent session's method that sends the update, if the overlay specifies one.
    sender: str | None
    collection: Collection | None  # the collection that the update changes, if any
    slot: Slot | None  # the slot that the update changes, if any
    # Whether the state stores the output of the collection's entries separately, as bytes.
    has_output: bool


@dataclass(frozen=True, slots=True)
class ImpliedUpdate:
    """An update derived from a response with the same information."""

    method: str  # the wire name of the method
    # The class of the update, or None if a field of the response is the update itself.
    update: str | None
    # The path to the value of each field of the update, by the field's Python name. A path consists
    # of `params` or `result`, followed by attribute names. If a field of the response is the update
    # itself, the only key is `update`.
    members: Mapping[str, tuple[str, ...]]


# The role of messages that are created from prompts.
USER = "user"

# --- turns -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Activity:
    """The updates that report whether the agent is busy, in versions where they end turns."""

    running: str  # the class that reports that the agent is working
    idle: str  # the class that reports that the agent is idle, with the stop reason
    busy: tuple[str, ...]  # all other classes that report a state of the agent
    failed: str  # the class that reports that the agent stopped because of an error
    error: str  # the class of the error that `failed` contains
    waiting: str | None  # the class that reports that the agent is waiting for the user, if any
    has_background: bool  # whether these updates list background work


@dataclass(frozen=True, slots=True)
class SessionCall:
    """A client method that agent sessions provide and whose params contain a session id."""

    method: Method  # the method to call
    name: str  # the name of the agent session's method
    params: str  # the class of the params
    is_question: bool  # whether the client must wait for the user before it responds


@dataclass(frozen=True, slots=True)
class SessionPage:
    """The method that clients call to list an agent's sessions, and the form of the list."""

    method: Method  # the method that lists sessions
    entry: str  # the class of the entry for one session
    has_directories: bool  # whether entries contain the additional directories
    has_title: bool  # whether both entries and session states contain a title


@dataclass(frozen=True, slots=True)
class SessionResume:
    """The method that clients call to resume an open session."""

    method: Method  # the method that resumes a session
    start: str  # the class that requests a replay from the start


@dataclass(frozen=True, slots=True)
class AgentDefaults:
    """The methods for which agents with sessions have a default implementation.

    The protocol requires agents with sessions to support these methods, in addition to `new`,
    `prompt` and `close`.
    """

    page: SessionPage | None  # the method that lists sessions
    resume: SessionResume | None  # the method that resumes a session
    # The methods that set a session option. Agents without options reject calls to these methods.
    options: tuple[Method, ...]


@dataclass(frozen=True, slots=True)
class SessionAction:
    """An agent method that client sessions provide and whose params contain a session id."""

    method: Method  # the method to call
    name: str  # the name of the client session's method
    # The class of the params, or several classes if the type of one field selects the class.
    arms: tuple[str, ...]
    # The wire name of the field that selects the class, or None if there is only one class.
    chosen_by: str | None = None


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """The methods, classes and constants used to generate client and agent sessions."""

    new: Method  # the method that opens a session
    prompt: Method  # the method that starts a turn
    cancel: Method  # the notification that cancels a turn
    update: Method  # the notification that carries updates
    permission: Method  # the method that asks the user for permission
    close: Method | None  # the method that closes a session, if there is one
    is_plain_new: bool  # whether responses to `new` require only the session id
    openers: tuple[Method, ...]  # the methods that create a session, `new` first
    loaders: tuple[Method, ...]  # the methods that restore an earlier session
    enders: tuple[Method, ...]  # the methods that close the session if it is open
    lists: tuple[Method, ...]  # the `session/` requests without a session id in their params
    # The client session's names for `openers`, `loaders` and `lists`, by wire name.
    names: Mapping[str, str]
    actions: tuple[SessionAction, ...]  # the other calls to the agent that include a session id
    session_id: str  # the alias for session ids
    mcp_server: str | None  # the type of a new session's MCP servers, if the schema defines it
    text: str  # the class of text blocks
    cancelled: str  # the outcome class for cancelled permission requests
    selected: str  # the outcome class that contains the selected option
    stop_reason: str  # the type of a stop reason
    stop_reasons: tuple[str, ...]  # the stop reasons in the schema
    allows_custom: bool  # whether other stop reasons are allowed
    # The updates that end a turn, or None if a turn ends with the response to the prompt.
    activity: Activity | None
    # The classes that contain usage data: the class reported at the end of a turn, if any, followed
    # by the classes in `reports`.
    usage: tuple[str, ...]
    reports: tuple[str, ...]  # the classes of updates that report usage
    chunks: Mapping[str, str]  # the class of message chunks, by role
    message: str | None  # the class of the user's complete messages, if there is one
    # The agent session's methods that send chunks, each with the role of its chunks.
    speaking: Mapping[str, str]
    names_messages: bool  # whether each chunk must contain a message id
    # The calls to the client that include a session id, except `update`.
    calls: tuple[SessionCall, ...]
    # The agent session's methods that send updates other than chunks, with the updates' classes.
    senders: Mapping[str, str]
    defaults: AgentDefaults  # the default implementations in agents with sessions

    def questions(self) -> list[str]:
        """Return the params classes of the calls that ask the user a question."""
        return [call.params for call in self.calls if call.is_question]

    def outputs(self) -> list[str]:
        """Return the chunk classes for all roles except the user."""
        return [chunk for role, chunk in self.chunks.items() if role != USER]

    def asking(self) -> list[Method]:
        """Return the methods that ask the user a question, other than `permission`."""
        asking = dict.fromkeys(call.method for call in self.calls if call.is_question)
        return [method for method in asking if method != self.permission]
