"""The model of sessions: the rules that update their state, and the parts of their turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from acpgen.ir.model import Method

# The fields that lead to a nested one, each with its Python name and its wire name.
KeyPath: TypeAlias = tuple[tuple[str, str], ...]

# --- updates ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of a session state, with entries by key."""

    name: str  # the attribute of the state
    entry: str  # the class of its entries
    key_path: KeyPath  # leads from an update to its key; empty for the entry without one
    key_type: str  # the type of the key


@dataclass(frozen=True, slots=True)
class Slot:
    """An attribute of a session state that contains one update."""

    name: str  # the attribute of the state
    entry: str  # the class of its value


@dataclass(frozen=True, slots=True)
class ClassName:
    """A class, as an argument of a reducer."""

    name: str


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A function that creates an entry from its key, as an argument of a reducer."""

    entry: str  # the class of the entry
    key: str  # the field that is the key
    defaults: Mapping[str, Any]  # the values of other fields, by Python name


@dataclass(frozen=True, slots=True)
class Reducer:
    """The construction of a reducer."""

    name: str  # the name of its class, in snake case
    # JSON values, `ClassName`, `NewEntry`, or the construction of another reducer.
    arguments: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)  # the keyword arguments, JSON values


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRule:
    """The effect of one kind of session update on the state of a session."""

    operation: str  # the operation in the overlay, an entry of `analysis.updates.OPERATIONS`
    # Of the rules that can write an entry back as updates, the one with the lowest rank is used;
    # None if the rule cannot.
    rank: int | None
    tag: str  # the tag of the update
    classes: tuple[str, ...]  # the classes of the update; several if the variant is a union
    reducer: Reducer | None  # the reducer that applies it; None if it changes nothing
    role: str | None = None  # the role of the message that it changes, if any
    # The method of agent sessions that sends it, if the overlay names one.
    sender: str | None = None
    collection: Collection | None = None  # the collection that it changes, if any
    slot: Slot | None = None  # the slot that it changes, if any
    # Whether the state keeps the output of its entries, as bytes separate from the entries.
    has_output: bool = False


@dataclass(frozen=True, slots=True)
class ImpliedUpdate:
    """An update implied by a response with the same information about the state."""

    method: str  # the method, by wire name
    # The class of the update; None if a field of the response is the update itself.
    update: str | None
    # The locations of its fields, by Python name: `params` or `result`, then names of attributes.
    # The location of the update itself is under `update`.
    members: Mapping[str, tuple[str, ...]]


# The role of the messages created from prompts.
USER = "user"

# --- turns -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Activity:
    """The updates that report whether the agent is busy, if one of them ends a turn."""

    running: str  # the class of the update that work continues
    idle: str  # the class of the update that it stopped, with the stop reason
    busy: tuple[str, ...]  # all classes of the union except the idle one
    failed: str  # the class of the update that it failed
    error: str  # the class of the error in it
    waiting: str | None  # the class of the update that it waits for the user, if there is one
    has_background: bool  # whether these updates list background work


@dataclass(frozen=True, slots=True)
class SessionCall:
    """A call to the client that names a session; agent sessions have a method for it."""

    method: Method  # the method to call
    name: str  # the name in agent sessions
    params: str  # the class of its params
    is_question: bool  # whether it asks the user, so that the agent waits for a response


@dataclass(frozen=True, slots=True)
class SessionPage:
    """The way agents with sessions list them."""

    method: Method  # the method that lists them
    entry: str  # the class of the entry for each session
    has_directories: bool  # whether entries contain the additional directories
    has_title: bool  # whether entries contain the title, as the state of sessions does


@dataclass(frozen=True, slots=True)
class SessionResume:
    """The way agents resume an open session."""

    method: Method  # the method that resumes it
    start: str  # the class that requests a replay from the start


@dataclass(frozen=True, slots=True)
class AgentDefaults:
    """The methods that agents with sessions need besides `new`, `prompt` and `close`."""

    page: SessionPage | None = None  # listing sessions
    resume: SessionResume | None = None  # resuming a session
    # The methods that set an option of a session; agents without options refuse them.
    options: tuple[Method, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionAction:
    """A call to the agent that names a session; client sessions have a method for it."""

    method: Method  # the method to call
    name: str  # the name in client sessions
    # The classes of its params; several if the type of one field selects the class.
    arms: tuple[str, ...]
    chosen_by: str | None = None  # the wire name of that field; None if there is one class


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """The methods, classes and constants that client and agent sessions are made of."""

    new: Method  # the method that opens a session
    prompt: Method  # the method that starts a turn
    cancel: Method  # the notification that cancels a turn
    update: Method  # the notification that carries updates
    permission: Method  # the method that asks the user
    close: Method | None  # the method that closes a session, if there is one
    is_plain_new: bool  # whether the response to `new` requires only the session's id
    openers: tuple[Method, ...]  # the methods that create a session; `new` is the first
    loaders: tuple[Method, ...]  # the methods that restore an earlier session
    enders: tuple[Method, ...]  # the methods that end a session if it is open
    lists: tuple[Method, ...]  # the methods about sessions in general
    names: Mapping[str, str]  # the names of these methods in client sessions, by wire name
    actions: tuple[SessionAction, ...]  # the other calls to the agent that name a session
    session_id: str  # the alias of a session's id
    mcp_server: str | None  # the type of a session's MCP servers, if new sessions have them
    text: str  # the class of text blocks
    cancelled: str  # the class of the outcome of a cancelled permission request
    selected: str  # the class of the outcome with the selected option
    stop_reason: str  # the type of a stop reason
    stop_reasons: tuple[str, ...]  # the stop reasons in the schema
    allows_custom: bool  # whether other stop reasons are allowed
    # The updates that end a turn; None if the response to the prompt ends it.
    activity: Activity | None
    # The classes that report usage: first the end of a turn, then updates.
    usage: tuple[str, ...]
    reports: tuple[str, ...]  # only the updates
    chunks: Mapping[str, str]  # the class of message chunks, by role
    message: str | None  # the class of the user's complete messages, if there is one
    # The role of the chunks that a method of agent sessions sends, by the method.
    speaking: Mapping[str, str]
    names_messages: bool  # whether each chunk must name its message
    # The calls to the client that name a session, other than `update`.
    calls: tuple[SessionCall, ...]
    # The class of the update that each sender of an agent session sends, by its name.
    senders: Mapping[str, str]
    defaults: AgentDefaults  # the default behavior of agents with sessions

    def questions(self) -> list[str]:
        """Return the classes of the params of requests to the user in a session."""
        return [call.params for call in self.calls if call.is_question]

    def outputs(self) -> list[str]:
        """Return the classes of the chunks of messages that are not the user's."""
        return [chunk for role, chunk in self.chunks.items() if role != USER]

    def asking(self) -> list[Method]:
        """Return the methods that ask the user, other than `permission`."""
        asking = dict.fromkeys(call.method for call in self.calls if call.is_question)
        return [method for method in asking if method != self.permission]
