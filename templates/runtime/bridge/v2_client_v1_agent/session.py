"""A session of a v1 agent with a v2 client: its turn, its terminals, its config options.

Rules:

1. If the agent gives a message no id, the bridge generates one. It is the same in each replay
   (`Session.new_id`).
2. Version 1 has modes in addition to options, version 2 has only options. So modes become an
   option, unless the agent already offers an option for its modes (`Options`).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Literal, TypeAlias

from ...jsonrpc.events import Notification, Request
from ...jsonrpc.messages import RequestId
from ...session.echo import Echo
from ...session.message import Message, Role
from ..rules import JsonValue, without

# `shown`: the agent replays the history, and the client gets it. `kept_back`: the client does not
# get it. `absent`: the agent resumes the session without a replay.
Replay: TypeAlias = Literal["shown", "kept_back", "absent"]

# How many characters to search for to find where output continues the earlier output, and at how
# many positions: repeated output can match anywhere.
_OVERLAP, _ATTEMPTS = 64, 100
_MODE = "mode"
_ROLES: Final[tuple[Role, ...]] = ("user", "agent", "thought")


class Turn:
    """A prompt that the agent works on.

    Attributes:
        call_id: the agent's id of the prompt; None before it is sent.
        is_accepted: whether the prompt was reported to the client as accepted.
        is_cancelled: whether the client cancelled it.
        has_begun: whether the agent sent any message about it.
        echo: recognizes the prompt if the agent repeats it; None after a user message that differs
            from the prompt.
        questions: the number of pending permission requests and elicitations.
    """

    def __init__(self, prompt: list[JsonValue]) -> None:
        self.call_id: RequestId | None = None
        self.is_accepted = False
        self.is_cancelled = False
        self.has_begun = False
        self.questions = 0
        self.echo: Echo[JsonValue, Notification] | None = Echo(prompt, _text_of)


@dataclass(eq=False)
class Terminal:
    """A terminal that the fallback handler runs.

    Attributes:
        known: the fields that the client knows, except the output.
        output: the last output of the handler, already shown to the client; empty once the
            terminal is released.
        exit_status: how its command exited; None while it runs.
        is_asked: whether a request for its output is pending.
        is_cut: whether a part of its output was not shown.
    """

    known: JsonValue
    output: str = ""
    exit_status: JsonValue = None
    is_asked: bool = False
    is_cut: bool = False

    def told(self) -> JsonValue:
        """Return the fields to send the client again, except the output."""
        status = self.exit_status
        return self.known if status is None else {**self.known, "exitStatus": status}

    def take_output(self, output: str) -> str | None:
        """Replace the output and return the added text.

        Handlers drop the beginning of long output. None if the outputs don't overlap.
        """
        before = self.output
        if before.startswith(output):
            return ""  # the response to an earlier request, or no new output
        self.output = output
        if output.startswith(before):
            return output[len(before) :]
        end = before[-_OVERLAP:]
        position = output.rfind(end)
        for _ in range(_ATTEMPTS):
            if position < 0:
                break
            same = position + len(end)
            if before.endswith(output[:same]):
                return output[same:]
            position = output.rfind(end, 0, same - 1)
        return None


class Options:
    """The config options of a session: the agent's options and an option for its modes.

    Attributes:
        own: the agent's options in version 2; None before it reports them.
        modes: its modes in version 1; None before it reports them.
    """

    def __init__(self) -> None:
        self.own: list[dict[str, Any]] | None = None
        self.modes: dict[str, Any] | None = None

    @property
    def mode_id(self) -> str | None:
        """The id of the option that represents modes, if any."""
        if self.modes is None or not self.modes["availableModes"] or self._own_mode():
            return None
        taken = {option["configId"] for option in self.own or ()}
        mode_id = _MODE
        while mode_id in taken:
            mode_id += "_"
        return mode_id

    def shown(self) -> list[JsonValue] | None:
        """Return all options; None if the agent reported neither options nor modes."""
        mode_id, modes = self.mode_id, self.modes
        if modes is None or mode_id is None:
            return self.own
        option = {
            **without(modes, "currentModeId", "availableModes"),
            "configId": mode_id,
            "name": "Mode",
            "category": _MODE,
            "type": "select",
            "currentValue": modes["currentModeId"],
            "options": [{**without(m, "id"), "value": m["id"]} for m in modes["availableModes"]],
        }
        return [option, *(self.own or ())]

    def choose_mode(self, value: str) -> bool:
        """Record the current mode; return whether an option shows it."""
        own = self._own_mode()
        if own is not None:
            choices = own["options"]  # some can be groups
            groups = [choice.get("options", [choice]) for choice in choices]
            if value not in {choice["value"] for group in groups for choice in group}:
                return False
            own["currentValue"] = value
            return True
        if self.modes is not None:
            self.modes["currentModeId"] = value
        return self.mode_id is not None

    def _own_mode(self) -> dict[str, Any] | None:
        """Return the option of the agent for its modes."""
        for option in self.own or ():
            if option.get("category") == _MODE and option.get("type") == "select":
                return option
        return None


class Session:
    """A session.

    Attributes:
        session_id: its id.
        state: its state in version 1, with the message ids that the client knows.
        options: its config options, which are not part of `state`.
        cwd: its working directory; None if unknown.
        additional_directories: the other directories that it works in.
        is_complete: whether the state contains the complete history.
        is_closed: whether it was closed. Later messages about it are dropped.
        turn: its turn; None if the agent is idle.
        replay: how the agent is resuming the session; None if it is not.
        held_back: the requests that wait until the turn or the replay is over.
        terminals: the terminals that the client knows, by id.
    """

    def __init__(self, session_id: str, state: Any) -> None:
        self.session_id = session_id
        self.state = state
        self.options = Options()
        self.cwd: str | None = None
        self.additional_directories: list[str] = []
        self.is_complete = False
        self.is_closed = False
        self.turn: Turn | None = None
        self.replay: Replay | None = None
        self.held_back: dict[Request, None] = {}
        self.terminals: dict[str, Terminal] = {}
        self._ended: Message[Any] | None = None
        # The positions of messages: the state that contains them, how many of its messages were
        # counted, how many of these are user messages, and how many messages of each other role
        # followed the last user message.
        self._counted: Any = None
        self._count = 0
        self._turns = 0
        self._since: dict[Role, int] = {}

    @property
    def is_replayed(self) -> bool:
        """True while the agent replays the history from its start."""
        return self.replay in ("shown", "kept_back")

    @property
    def is_busy(self) -> bool:
        """True if a prompt must wait, since version 1 allows one at a time."""
        return self.turn is not None or self.replay is not None

    @property
    def activity(self) -> str:
        """The state of the agent in version 2."""
        if self.turn is None:
            return "idle"
        return "requires_action" if self.turn.questions else "running"

    def settle_in(self, params: JsonValue) -> None:
        """Store the directories from the params of the request that opened the session."""
        self.cwd = params["cwd"]
        self.additional_directories = list(params.get("additionalDirectories") or ())

    def end_message(self) -> None:
        """End the current message, so that the agent's next chunk begins a new one."""
        self._ended = self.state.last_message("agent") or self.state.last_message("thought")

    def name_message(self, role: Role, message_id: str | None) -> str:
        """Return the id of a chunk's message, given the agent's id, if any."""
        if message_id is not None:
            # Some agents use the same id for a message and for the thoughts before it.
            others = [other for other in _ROLES if other != role]
            is_taken = any(self.state.known_message(other, message_id) for other in others)
            return f"{message_id}-{role}" if is_taken else message_id
        last: Message[Any] | None = self.state.last_message(role)
        if last is None or last is self._ended or last.message_id is None:
            return self.new_id(role)
        return last.message_id

    def new_id(self, role: Role) -> str:
        """Return the id of a new message, which is the same in each replay of the session.

        The id is random if the history, and thus the position of the message, is unknown.
        """
        if not (self.is_complete or self.is_replayed):
            return os.urandom(16).hex()
        place = json.dumps([self.session_id, role, *self._position(role)])
        return blake2b(place.encode(), digest_size=16).hexdigest()

    def _position(self, role: Role) -> tuple[int, int]:
        """Return the position of a new message: the turn and a number within the turn.

        The turn keeps positions of later messages stable if an agent omits earlier messages from
        its replay.
        """
        if self._counted is not self.state:
            self._counted, self._count, self._turns, self._since = self.state, 0, 0, {}
        added: list[Message[Any]] = self.state.messages[self._count :]
        self._count += len(added)
        for message in added:
            if message.role == "user":
                self._turns += 1
                self._since.clear()
            else:
                self._since[message.role] = self._since.get(message.role, 0) + 1
        return self._turns, self._since.get(role, 0)

    def shown_options(self) -> JsonValue:
        """Return the config options as a field of a response, if any are known."""
        options = self.options.shown()
        return {} if options is None else {"configOptions": options}

    def as_info(self) -> JsonValue | None:
        """Return the session's entry in a list of sessions; None if it cannot be listed."""
        if self.cwd is None:
            return None
        said = {"sessionId": self.session_id, "cwd": self.cwd}
        directories = self.additional_directories
        known = {
            "title": getattr(self.state.info, "title", None),
            "updatedAt": getattr(self.state.info, "updated_at", None),
            "additionalDirectories": directories,
        }
        return said | {name: value for name, value in known.items() if value}


def _text_of(block: JsonValue) -> str | None:
    text: str | None = block["text"] if block["type"] == "text" else None
    return text
