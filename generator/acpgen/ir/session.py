"""The model of sessions: the rules for updates of their state, and the parts of their turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acpgen.ir.model import Method
from acpgen.ir.queries import KeyPath

# --- updates ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Collection:
    """Where a session state keeps entries by key.

    Attributes:
        name: the attribute of the state.
        entry: the class of its entries.
        key_path: leads from an update to its key; empty for the entry without one.
        key_type: the type of the key.
    """

    name: str
    entry: str
    key_path: KeyPath
    key_type: str


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a session state keeps one update.

    Attributes:
        name: the attribute of the state.
        entry: the class of what it holds.
    """

    name: str
    entry: str


@dataclass(frozen=True, slots=True)
class ClassName:
    """A class, as an argument of a reducer."""

    name: str


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A function that makes an entry from its key, as an argument of a reducer.

    Attributes:
        entry: the class of the entry.
        key: the member that is the key.
        defaults: the values of other members, by Python name.
    """

    entry: str
    key: str
    defaults: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reducer:
    """The construction of a reducer.

    Attributes:
        name: the name of its class, in snake case.
        arguments: JSON values, `ClassName`, `NewEntry`, or the construction of another reducer.
        options: its keyword arguments, JSON values.
    """

    name: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRule:
    """The effect of one kind of session update on the state of a session.

    Attributes:
        operation: its operation in the overlay, an entry of `analysis.updates.OPERATIONS`.
        rank: of the rules that can write an entry back as updates, the one with the lowest rank
            does; None if it cannot.
        tag: the tag of the update.
        classes: the classes of the update; several if the arm is a union itself.
        reducer: the reducer that applies it; None if it changes nothing.
        role: the role of the message that it changes, if it changes one.
        sender: the method of agent sessions that sends it, if the overlay names one.
        collection: the collection that it changes, if it changes one.
        slot: the slot that it changes, if it changes one.
        has_output: whether the state keeps output of its entries, as bytes beside the entries.
    """

    operation: str
    rank: int | None
    tag: str
    classes: tuple[str, ...]
    reducer: Reducer | None
    role: str | None = None
    sender: str | None = None
    collection: Collection | None = None
    slot: Slot | None = None
    has_output: bool = False


@dataclass(frozen=True, slots=True)
class ImpliedUpdate:
    """An update that a response implies, since it says the same of the state.

    Attributes:
        method: the method, by wire name.
        update: the class of the update; None if a member of the response is the update itself.
        members: where its members are, by their names in Python: `params` or `result`, then names
            of attributes; where the update itself is, under `update`.
    """

    method: str
    update: str | None
    members: Mapping[str, tuple[str, ...]]


# The role of the messages that prompts become.
USER = "user"

# --- turns -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Activity:
    """The updates that say whether the agent is busy, where one of them ends a turn.

    Attributes:
        running: the class of the update that work goes on.
        idle: the class of the update that it has stopped, with the stop reason.
        busy: all classes of the union but the idle one.
        failed: the class of the update that it has failed.
        error: the class of the error in it.
        waiting: the class of the update that it waits for the user, if there is one.
        has_background: whether these updates list background work.
    """

    running: str
    idle: str
    busy: tuple[str, ...]
    failed: str
    error: str
    waiting: str | None
    has_background: bool


@dataclass(frozen=True, slots=True)
class SessionCall:
    """A call to the client that names a session: agent sessions have a method for it.

    Attributes:
        method: what is called.
        name: what agent sessions call it.
        params: the class of its params.
        is_question: whether it asks the user, so that the agent waits for an answer.
    """

    method: Method
    name: str
    params: str
    is_question: bool


@dataclass(frozen=True, slots=True)
class SessionPage:
    """How agents with sessions list them.

    Attributes:
        method: the method that lists them.
        entry: the class of what it tells of each.
        has_directories: whether that has the additional directories.
        has_title: whether it has the title, as the state of sessions does.
    """

    method: Method
    entry: str
    has_directories: bool
    has_title: bool


@dataclass(frozen=True, slots=True)
class SessionResume:
    """How agents go on with an open session.

    Attributes:
        method: the method that asks for it.
        start: the class of a demand for a replay from the start.
    """

    method: Method
    start: str


@dataclass(frozen=True, slots=True)
class AgentDefaults:
    """What the capability to have sessions demands of agents besides `new`, `prompt` and `close`.

    Attributes:
        page: how they list them.
        resume: how they go on with one.
        options: the methods that set an option of a session, which an agent without any refuses.
    """

    page: SessionPage | None = None
    resume: SessionResume | None = None
    options: tuple[Method, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionAction:
    """A call to the agent that names a session: client sessions have a method for it.

    Attributes:
        method: what is called.
        name: what client sessions call it.
        arms: the classes of its params; several if the type of one member tells which is meant.
        chosen_by: that member, by wire name; None if there is one class.
    """

    method: Method
    name: str
    arms: tuple[str, ...]
    chosen_by: str | None = None


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """The methods, classes and constants that the sessions of clients and agents are made of.

    Attributes:
        new: the method that opens a session.
        prompt: the method that starts a turn.
        cancel: the notification that cancels one.
        update: the notification that carries updates.
        permission: the method that asks the user.
        close: the method that closes a session, if there is one.
        is_plain_new: whether the response to `new` needs nothing but the session's id.
        openers: the methods that make a new session; `new` is the first.
        loaders: the methods that bring an earlier session back.
        enders: the methods that end a session, if it is open.
        lists: the methods about sessions that concern no single one.
        names: what client sessions call these methods, by wire name.
        actions: the other calls to the agent that name a session.
        session_id: the alias of a session's id.
        mcp_server: the type of the MCP servers of a session, if a new one has some.
        text: the class of text blocks.
        cancelled: the class of the outcome of a cancelled permission request.
        selected: the class of the outcome with the option that was selected.
        stop_reason: the type of a stop reason.
        stop_reasons: the stop reasons that the schema lists.
        allows_custom: whether it allows others.
        activity: the updates that end a turn; None where the response to the prompt ends it.
        usage: the classes that report usage: that of the ending, then those of updates.
        reports: those of updates only.
        chunks: the class of message chunks, by role.
        message: the class of the user's whole messages, if there is one.
        speaking: the role of the chunks that a method of agent sessions sends, by the method.
        names_messages: whether each chunk must name its message.
        calls: the calls to the client that name a session, other than `update`.
        senders: the class of the update that each sender of an agent session sends, by its name.
        defaults: what agents with sessions do by themselves.
    """

    new: Method
    prompt: Method
    cancel: Method
    update: Method
    permission: Method
    close: Method | None
    is_plain_new: bool
    openers: tuple[Method, ...]
    loaders: tuple[Method, ...]
    enders: tuple[Method, ...]
    lists: tuple[Method, ...]
    names: Mapping[str, str]
    actions: tuple[SessionAction, ...]
    session_id: str
    mcp_server: str | None
    text: str
    cancelled: str
    selected: str
    stop_reason: str
    stop_reasons: tuple[str, ...]
    allows_custom: bool
    activity: Activity | None
    usage: tuple[str, ...]
    reports: tuple[str, ...]
    chunks: Mapping[str, str]
    message: str | None
    speaking: Mapping[str, str]
    names_messages: bool
    calls: tuple[SessionCall, ...]
    senders: Mapping[str, str]
    defaults: AgentDefaults

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
