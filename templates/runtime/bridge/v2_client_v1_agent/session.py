"""The session of a v1 agent with a v2 client: its turn, its terminals and its config options.

Rules:

1. If the agent sends a message without an id, the bridge generates the id. A message gets the same
   id in each replay (`Session.new_id`).
2. Version 1 has modes and options. Version 2 has only options, so the modes are converted to an
   option, unless the agent already provides an option for its modes (`Options`).
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

# `shown`: the agent replays the history, and the client receives it. `kept_back`: the agent replays
# the history, but the client does not receive it. `absent`: the agent resumes the session without a
# replay.
Replay: TypeAlias = Literal["shown", "kept_back", "absent"]

# To find new output, search for the last `_OVERLAP` characters of the earlier output, and check at
# most `_ATTEMPTS` matches. Repetitive output can match in many places.
_OVERLAP, _ATTEMPTS = 64, 100
_MODE = "mode"
_ROLES: Final[tuple[Role, ...]] = ("user", "agent", "thought")


class Turn:
    """A prompt that the agent is working on.

    Attributes:
        call_id: the id of the prompt request sent to the agent, or None until it is sent.
        is_accepted: whether the prompt was reported to the client as accepted.
        is_cancelled: whether the client cancelled the prompt.
        has_begun: whether the agent sent any messages during the turn.
        echo: a comparison of the prompt with the user messages that the agent reports, or None
            after the first difference.
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
        known: the fields that were sent to the client, except the output.
        output: the output that the handler returned last and the client received, or an empty
            string after the terminal is released.
        exit_status: the exit status of the terminal's command, or None while the command is
            running.
        is_asked: whether a request for the terminal's output is pending.
        is_cut: whether some of the output was not sent to the client.
    """

    known: JsonValue
    output: str = ""
    exit_status: JsonValue = None
    is_asked: bool = False
    is_cut: bool = False

    def told(self) -> JsonValue:
        """Return the fields to send to the client in a replay, except the output."""
        status = self.exit_status
        return self.known if status is None else {**self.known, "exitStatus": status}

    def take_output(self, output: str) -> str | None:
        """Replace the output and return the text that was added at the end.

        Handlers drop the beginning of long output. Return None if the new output does not overlap
        the earlier output.
        """
        before = self.output
        if before.startswith(output):
            return ""  # a response to an earlier request, or no new output
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
        own: the agent's options in their version 2 form, or None before the agent reports them.
        modes: the agent's modes in their version 1 form, or None before the agent reports them.
    """

    def __init__(self) -> None:
        self.own: list[dict[str, Any]] | None = None
        self.modes: dict[str, Any] | None = None

    @property
    def mode_id(self) -> str | None:
        """The id of the bridge's option for modes, or None if there is no such option."""
        if self.modes is None or not self.modes["availableModes"] or self._own_mode():
            return None
        taken = {option["configId"] for option in self.own or ()}
        mode_id = _MODE
        while mode_id in taken:
            mode_id += "_"
        return mode_id

    def shown(self) -> list[JsonValue] | None:
        """Return all options, or None if the agent reported neither options nor modes."""
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
        """Record the current mode and return whether an option represents the mode."""
        own = self._own_mode()
        if own is not None:
            choices = own["options"]  # can include groups of choices
            groups = [choice.get("options", [choice]) for choice in choices]
            if value not in {choice["value"] for group in groups for choice in group}:
                return False
            own["currentValue"] = value
            return True
        if self.modes is not None:
            self.modes["currentModeId"] = value
        return self.mode_id is not None

    def _own_mode(self) -> dict[str, Any] | None:
        """Return the agent's own option for its modes, if any."""
        for option in self.own or ():
            if option.get("category") == _MODE and option.get("type") == "select":
                return option
        return None


class Session:
    """One of the agent's sessions.

    Attributes:
        session_id: the session's id.
        state: the session's state in its version 1 form, with the message ids that are sent
            to the client.
        options: the config options, which are not part of `state`.
        cwd: the working directory, or None if unknown.
        additional_directories: the session's other directories.
        is_complete: whether the state contains the complete history.
        is_closed: whether the session was closed. Later messages about the session are dropped.
        turn: the current turn, or None if the agent is idle.
        replay: how the agent is resuming the session, or None if the session is not being resumed.
        held_back: the requests that wait until the turn or the replay is over.
        terminals: the terminals that were reported to the client, by id.
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
        # Messages are counted incrementally to determine their positions; see `_position`.
        self._counted: Any = None  # the state that contains the counted messages
        self._count = 0  # the number of counted messages
        self._turns = 0  # the number of counted user messages
        self._since: dict[Role, int] = {}  # counted messages after the last user message

    @property
    def is_replayed(self) -> bool:
        """True while the agent is replaying the history from the beginning."""
        return self.replay in ("shown", "kept_back")

    @property
    def is_busy(self) -> bool:
        """True if a prompt must wait, since version 1 allows only one prompt at a time."""
        return self.turn is not None or self.replay is not None

    @property
    def activity(self) -> str:
        """The agent's state, as defined by version 2."""
        if self.turn is None:
            return "idle"
        return "requires_action" if self.turn.questions else "running"

    def settle_in(self, params: JsonValue) -> None:
        """Store the directories from the params of the request that opened the session."""
        self.cwd = params["cwd"]
        self.additional_directories = list(params.get("additionalDirectories") or ())

    def end_message(self) -> None:
        """End the current message. The agent's next chunk will begin a new message."""
        self._ended = self.state.last_message("agent") or self.state.last_message("thought")

    def name_message(self, role: Role, message_id: str | None) -> str:
        """Return the client's id for a chunk's message, given the agent's id, if any."""
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
        """Return an id for a new message. The message gets the same id in each replay.

        The id is random if the history is incomplete, since the message's position is then unknown.
        """
        if not (self.is_complete or self.is_replayed):
            return os.urandom(16).hex()
        place = json.dumps([self.session_id, role, *self._position(role)])
        return blake2b(place.encode(), digest_size=16).hexdigest()

    def _position(self, role: Role) -> tuple[int, int]:
        """Return the position of a new message: the number of its turn and its index in the turn.

        The index starts at 0 in each turn. Therefore, if the agent omits a message from a replay,
        the positions of messages in later turns remain the same.
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
        """Return the config options as a field of a response, or no field if they are unknown."""
        options = self.options.shown()
        return {} if options is None else {"configOptions": options}

    def as_info(self) -> JsonValue | None:
        """Return the session's entry for a session list, or None if its directory is unknown."""
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
