"""What a bridge keeps of a session whose agent speaks the older version, and of its turn."""

from __future__ import annotations

import os
from typing import Any, Final, Literal, TypeAlias

from ..jsonrpc.events import Notification, Request
from ..jsonrpc.messages import RequestId
from ..session.echo import Echo
from ..session.message import Message, Role
from .newer_options import Options
from .rules import JsonValue

Replay: TypeAlias = Literal["shown", "kept_back"]

# What is added to the agent's id of a message for the other roles: some agents give a message and
# the thoughts before it the same id.
_SUFFIXES: Final = {"agent": "", "thought": "-thought", "user": "-user"}


class Turn:
    """A prompt that the agent works on.

    Attributes:
        call_id: the id of the prompt at the agent; None before it is sent.
        is_accepted: whether the client was told that the agent works on it.
        is_cancelled: whether the client has cancelled it.
        has_begun: whether the agent has sent something about it.
        echo: recognizes the prompt if the agent repeats it; None after a user message that differs
            from the prompt.
        questions: how many questions of the agent have no answer yet.
    """

    def __init__(self, prompt: list[JsonValue]) -> None:
        """Start.

        Args:
            prompt: the content blocks of the prompt, as the agent gets them.
        """
        self.call_id: RequestId | None = None
        self.is_accepted = False
        self.is_cancelled = False
        self.has_begun = False
        self.questions = 0
        self.echo: Echo[JsonValue, Notification] | None = Echo(prompt, _text_of)


class Session:
    """A session.

    Attributes:
        session_id: its id.
        state: its state in the older version, with the ids of messages that the client knows.
        options: its config options, which are not part of `state`.
        cwd: its working directory; None if it is not known.
        additional_directories: the other directories that it works in.
        is_complete: whether the state has all that has happened in it.
        is_closed: whether it was closed. What still arrives is for nobody.
        turn: its turn; None if the agent is idle.
        replay: what becomes of the history that the agent tells again; None if it does not.
        held_back: the requests that wait until the turn or the replay is over.
        terminals: what the client knows of its terminals, but for their output, by id.
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
        self.terminals: dict[str, JsonValue] = {}
        self._ended: Message[Any] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a prompt has to wait: the older version has one at a time."""
        return self.turn is not None or self.replay is not None

    @property
    def activity(self) -> str:
        """What the agent does, as the newer version calls it."""
        if self.turn is None:
            return "idle"
        return "requires_action" if self.turn.questions else "running"

    def settle_in(self, params: JsonValue) -> None:
        """Take the directories from the params of a request that opens the session."""
        self.cwd = params["cwd"]
        self.additional_directories = list(params.get("additionalDirectories") or ())

    def end_message(self) -> None:
        """Take note that what the agent says next is another message."""
        self._ended = self.state.last_message("agent") or self.state.last_message("thought")

    def name_message(self, role: Role, message_id: str | None) -> str:
        """Return the id of the message that a chunk is part of.

        Args:
            role: the role of the message.
            message_id: the id that the agent has given it; None if it has given none.
        """
        if message_id is not None:
            return message_id + _SUFFIXES[role]
        last: Message[Any] | None = self.state.last_message(role)
        if last is None or last is self._ended or last.message_id is None:
            return new_id()
        return last.message_id

    def as_info(self) -> JsonValue | None:
        """Return what a list of sessions says of it; None if it cannot be listed."""
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


def new_id() -> str:
    """Return a unique id for a message."""
    return os.urandom(16).hex()
