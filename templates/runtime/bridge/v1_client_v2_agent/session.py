"""A session of a v2 agent with a v1 client and its pending prompts.

The client adds its prompts to the conversation itself. So a user message that repeats a prompt is
hidden: the message that the response names or a message with the same content (`Session.is_echo`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jsonrpc.events import Request
from ...session.echo import Echo
from ...session.turn_phases import Foreground, Habits, Progress
from ..rules import JsonValue
from .updates import OlderView

# The updates that contain a user message or a part of one.
_OF_USER = ("user_message", "user_message_chunk")


class Prompt:
    """A pending prompt of the client.

    Attributes:
        request: the request.
        content: its content, in version 2.
        progress: the progress of its turn.
        message_id: the id of the user message that repeats it; None before such a message.
        echo: recognizes it in chunks of that message; None after a chunk that differs.
    """

    def __init__(self, request: Request, content: JsonValue, progress: Progress) -> None:
        self.request = request
        self.content = content
        self.progress = progress
        self.message_id: str | None = None
        self.echo: Echo[JsonValue, JsonValue] | None = Echo(content, _text_of)

    def is_repeated(self, blocks: Sequence[JsonValue], *, is_whole: bool) -> bool:
        """Return whether a user message or its beginning repeats the prompt.

        Blocks can be missing.
        """
        echo: Echo[JsonValue, JsonValue] = Echo(self.content, _text_of)
        is_same = bool(blocks) and all(echo.takes(block, None, None) for block in blocks)
        return is_same and not (is_whole and echo.is_cut_short)


class Session:
    """A session of the agent.

    Attributes:
        session_id: its id.
        view: the updates as shown to the client.
        prompts: the pending prompts, in order.
        foreground: the agent's work, which determines when the turns of the prompts end.
        reports: idle reports that can still end a turn.
        is_replayed: whether the agent is replaying the session.
    """

    def __init__(self, session_id: str, view: OlderView, habits: Habits) -> None:
        self.session_id = session_id
        self.view = view
        self.prompts: list[Prompt] = []
        self.foreground = Foreground(habits)
        self.reports: list[JsonValue] = []
        self.is_replayed = False

    @property
    def is_cancelled(self) -> bool:
        """True if the client cancelled all pending prompts."""
        return all(prompt.progress.is_cancelled for prompt in self.prompts)

    def begin(self, request: Request, content: JsonValue) -> Prompt:
        """Add a prompt that is about to be sent."""
        prompt = Prompt(request, content, self.foreground.begin())
        self.prompts.append(prompt)
        return prompt

    def remove(self, prompt: Prompt) -> bool:
        """Remove a prompt before its response is sent; return whether it was pending."""
        if prompt not in self.prompts:
            return False
        self.prompts.remove(prompt)
        self.foreground.leave(prompt.progress)
        return True

    def take_over(self) -> list[Prompt]:
        """Remove and return the prompts with a turn that is over."""
        over = [prompt for prompt in self.prompts if prompt.progress.is_over]
        for prompt in over:
            self.remove(prompt)
        return over

    def is_echo(self, params: JsonValue) -> bool:
        """Return whether an update only repeats a prompt of the client."""
        data = params["update"]
        if self.is_replayed or data["sessionUpdate"] not in _OF_USER:
            return False
        is_whole = data["sessionUpdate"] == "user_message"
        content = data.get("content")
        blocks: list[JsonValue] = (content or []) if is_whole else [content]
        prompt = self._repeated_by(data["messageId"], blocks, is_whole=is_whole)
        if prompt is None:
            return False
        prompt.message_id = data["messageId"]
        if is_whole:
            return prompt.is_repeated(blocks, is_whole=True)
        return prompt.echo is not None and prompt.echo.takes(content, prompt.message_id, params)

    def _repeated_by(
        self, message_id: str, blocks: Sequence[JsonValue], *, is_whole: bool
    ) -> Prompt | None:
        """Return the prompt that a user message repeats, if any."""
        for prompt in self.prompts:
            if message_id in (prompt.message_id, prompt.progress.message_id):
                return prompt
        for prompt in self.prompts:
            # Before the response, only the content identifies the prompt.
            is_unknown = prompt.message_id is None and not prompt.progress.is_accepted
            if is_unknown and prompt.is_repeated(blocks, is_whole=is_whole):
                return prompt
        return None

    def take_departed(self, params: JsonValue) -> Sequence[JsonValue]:
        """Return the hidden chunks of a message if this update makes it differ from its prompt."""
        data = params["update"]
        for prompt in self.prompts if data["sessionUpdate"] == "user_message_chunk" else ():
            if prompt.echo is not None and prompt.message_id == data["messageId"]:
                echo, prompt.echo = prompt.echo, None
                return echo.departs(data["messageId"])
        return ()


def _text_of(block: JsonValue) -> str | None:
    """Return the text of a block that has no other content."""
    return block["text"] if block.keys() == {"type", "text"} else None
