"""The model of sessions: the rules for updates of their state, and the parts of their turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from acpgen.ir.model import Method

# The members that lead to a nested one, each by its name in Python and its wire name.
KeyPath: TypeAlias = tuple[tuple[str, str], ...]

# --- updates ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Collection:
    """Where a session state keeps entries by key."""

    name: str  # the attribute of the state
    entry: str  # the class of its entries
    key_path: KeyPath  # leads from an update to its key; empty for the entry without one
    key_type: str  # the type of the key


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a session state keeps one update."""

    name: str  # the attribute of the state
    entry: str  # the class of what it holds


@dataclass(frozen=True, slots=True)
class ClassName:
    """A class, as an argument of a reducer."""

    name: str


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A function that makes an entry from its key, as an argument of a reducer."""

    entry: str  # the class of the entry
    key: str  # the member that is the key
    defaults: Mapping[str, Any]  # the values of other members, by Python name


@dataclass(frozen=True, slots=True)
class Reducer:
    """The construction of a reducer."""

    name: str  # the name of its class, in snake case
    # JSON values, `ClassName`, `NewEntry`, or the construction of another reducer.
    arguments: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)  # its keyword arguments, JSON values


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRule:
    """The effect of one kind of session update on the state of a session."""

    operation: str  # its operation in the overlay, an entry of `analysis.updates.OPERATIONS`
    # Of the rules that can write an entry back as updates, the one with the lowest rank does; None
    # if it cannot.
    rank: int | None
    tag: str  # the tag of the update
    classes: tuple[str, ...]  # the classes of the update; several if the arm is a union itself
    reducer: Reducer | None  # the reducer that applies it; None if it changes nothing
    role: str | None = None  # the role of the message that it changes, if it changes one
    # The method of agent sessions that sends it, if the overlay names one.
    sender: str | None = None
    collection: Collection | None = None  # the collection that it changes, if it changes one
    slot: Slot | None = None  # the slot that it changes, if it changes one
    # Whether the state keeps output of its entries, as bytes beside the entries.
    has_output: bool = False


@dataclass(frozen=True, slots=True)
class ImpliedUpdate:
    """An update that a response implies, since it says the same of the state."""

    method: str  # the method, by wire name
    # The class of the update; None if a member of the response is the update itself.
    update: str | None
    # Where its members are, by their names in Python: `params` or `result`, then names of
    # attributes; where the update itself is, under `update`.
    members: Mapping[str, tuple[str, ...]]


# The role of the messages that prompts become.
USER = "user"

# --- turns -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Activity:
    """The updates that say whether the agent is busy, where one of them ends a turn."""

    running: str  # the class of the update that work goes on
    idle: str  # the class of the update that it has stopped, with the stop reason
    busy: tuple[str, ...]  # all classes of the union but the idle one
    failed: str  # the class of the update that it has failed
    error: str  # the class of the error in it
    waiting: str | None  # the class of the update that it waits for the user, if there is one
    has_background: bool  # whether these updates list background work


@dataclass(frozen=True, slots=True)
class SessionCall:
    """A call to the client that names a session: agent sessions have a method for it."""

    method: Method  # what is called
    name: str  # what agent sessions call it
    params: str  # the class of its params
    is_question: bool  # whether it asks the user, so that the agent waits for an answer


@dataclass(frozen=True, slots=True)
class SessionPage:
    """How agents with sessions list them."""

    method: Method  # the method that lists them
    entry: str  # the class of what it tells of each
    has_directories: bool  # whether that has the additional directories
    has_title: bool  # whether it has the title, as the state of sessions does


@dataclass(frozen=True, slots=True)
class SessionResume:
    """How agents go on with an open session."""

    method: Method  # the method that asks for it
    start: str  # the class of a demand for a replay from the start


@dataclass(frozen=True, slots=True)
class AgentDefaults:
    """The methods that agents with sessions need besides `new`, `prompt` and `close`."""

    page: SessionPage | None = None  # how they list them
    resume: SessionResume | None = None  # how they go on with one
    # The methods that set an option of a session, which an agent without any refuses.
    options: tuple[Method, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionAction:
    """A call to the agent that names a session: client sessions have a method for it."""

    method: Method  # what is called
    name: str  # what client sessions call it
    # The classes of its params; several if the type of one member tells which is meant.
    arms: tuple[str, ...]
    chosen_by: str | None = None  # that member, by wire name; None if there is one class


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """The methods, classes and constants that the sessions of clients and agents are made of."""

    new: Method  # the method that opens a session
    prompt: Method  # the method that starts a turn
    cancel: Method  # the notification that cancels one
    update: Method  # the notification that carries updates
    permission: Method  # the method that asks the user
    close: Method | None  # the method that closes a session, if there is one
    is_plain_new: bool  # whether the response to `new` needs nothing but the session's id
    openers: tuple[Method, ...]  # the methods that make a new session; `new` is the first
    loaders: tuple[Method, ...]  # the methods that bring an earlier session back
    enders: tuple[Method, ...]  # the methods that end a session, if it is open
    lists: tuple[Method, ...]  # the methods about sessions that concern no single one
    names: Mapping[str, str]  # what client sessions call these methods, by wire name
    actions: tuple[SessionAction, ...]  # the other calls to the agent that name a session
    session_id: str  # the alias of a session's id
    mcp_server: str | None  # the type of the MCP servers of a session, if a new one has some
    text: str  # the class of text blocks
    cancelled: str  # the class of the outcome of a cancelled permission request
    selected: str  # the class of the outcome with the option that was selected
    stop_reason: str  # the type of a stop reason
    stop_reasons: tuple[str, ...]  # the stop reasons that the schema lists
    allows_custom: bool  # whether it allows others
    # The updates that end a turn; None where the response to the prompt ends it.
    activity: Activity | None
    # The classes that report usage: that of the ending, then those of updates.
    usage: tuple[str, ...]
    reports: tuple[str, ...]  # those of updates only
    chunks: Mapping[str, str]  # the class of message chunks, by role
    message: str | None  # the class of the user's whole messages, if there is one
    # The role of the chunks that a method of agent sessions sends, by the method.
    speaking: Mapping[str, str]
    names_messages: bool  # whether each chunk must name its message
    # The calls to the client that name a session, other than `update`.
    calls: tuple[SessionCall, ...]
    # The class of the update that each sender of an agent session sends, by its name.
    senders: Mapping[str, str]
    defaults: AgentDefaults  # what agents with sessions do by themselves

    def questions(self) -> list[str]:
        """The classes of the params that ask the user something in a session."""
        return [call.params for call in self.calls if call.is_question]

    def outputs(self) -> list[str]:
        """Return the classes of the chunks of messages that are not the user's."""
        return [chunk for role, chunk in self.chunks.items() if role != USER]

    def asking(self) -> list[Method]:
        """The methods that ask the user, other than `permission`."""
        asking = dict.fromkeys(call.method for call in self.calls if call.is_question)
        return [method for method in asking if method != self.permission]
