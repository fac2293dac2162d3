"""A session of a v2 agent with a v1 client, and the prompts that have no response yet.

The client adds its prompts to the conversation itself. So a user message that repeats a prompt is
hidden: the one that the response names, or else one with the same content (`Session.is_echo`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jsonrpc.events import Request
from ...session.echo import Echo
from ...session.turn_phases import Foreground, Habits, Progress
from ..rules import JsonValue
from .updates import OlderView

# The updates that contain a message of the user, or a part of it.
_OF_USER = ("user_message", "user_message_chunk")


class Prompt:
    """A prompt of the client that has no response yet.

    Attributes:
        request: the request.
        content: its content, in version 2.
        progress: how far its turn has come.
        message_id: the id of the message of the user that repeats it; None before such a message.
        echo: recognizes it in chunks of that message; None after a chunk that differs.
    """

    def __init__(self, request: Request, content: JsonValue, progress: Progress) -> None:
        self.request = request
        self.content = content
        self.progress = progress
        self.message_id: str | None = None
        self.echo: Echo[JsonValue, JsonValue] | None = Echo(content, _text_of)

    def is_repeated(self, blocks: Sequence[JsonValue], *, is_whole: bool) -> bool:
        """Return whether a user message, or its beginning, repeats the prompt.

        Some blocks can be missing.
        """
        echo: Echo[JsonValue, JsonValue] = Echo(self.content, _text_of)
        is_same = bool(blocks) and all(echo.takes(block, None, None) for block in blocks)
        return is_same and not (is_whole and echo.is_cut_short)


class Session:
    """A session of the agent.

    Attributes:
        session_id: its id.
        view: what the client sees of it.
        prompts: the prompts that have no response yet, in their order.
        foreground: the work of the agent, which ends the turns of the prompts.
        reports: reports that the agent is idle, which can still end a turn.
        is_replayed: whether the agent is telling the client what was before.
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
        """Whether the client cancelled all its prompts."""
        return all(prompt.progress.is_cancelled for prompt in self.prompts)

    def begin(self, request: Request, content: JsonValue) -> Prompt:
        """Add a prompt, which is about to be sent."""
        prompt = Prompt(request, content, self.foreground.begin())
        self.prompts.append(prompt)
        return prompt

    def remove(self, prompt: Prompt) -> bool:
        """Remove a prompt that gets its response; return whether it had none."""
        if prompt not in self.prompts:
            return False
        self.prompts.remove(prompt)
        self.foreground.leave(prompt.progress)
        return True

    def take_over(self) -> list[Prompt]:
        """Remove the prompts with a turn that is over, and return them."""
        over = [prompt for prompt in self.prompts if prompt.progress.is_over]
        for prompt in over:
            self.remove(prompt)
        return over

    def is_echo(self, params: JsonValue) -> bool:
        """Return whether an update only repeats a prompt that the client sent itself."""
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
        """Return the prompt that a message of the user belongs to, if any."""
        for prompt in self.prompts:
            if message_id in (prompt.message_id, prompt.progress.message_id):
                return prompt
        for prompt in self.prompts:
            # Before its response, only the content tells.
            is_unknown = prompt.message_id is None and not prompt.progress.is_accepted
            if is_unknown and prompt.is_repeated(blocks, is_whole=is_whole):
                return prompt
        return None

    def take_departed(self, params: JsonValue) -> Sequence[JsonValue]:
        """Return the hidden chunks of a message that differs from its prompt after this update."""
        data = params["update"]
        for prompt in self.prompts if data["sessionUpdate"] == "user_message_chunk" else ():
            if prompt.echo is not None and prompt.message_id == data["messageId"]:
                echo, prompt.echo = prompt.echo, None
                return echo.departs(data["messageId"])
        return ()


def _text_of(block: JsonValue) -> str | None:
    """Return the text of a block that has no other content."""
    return block["text"] if block.keys() == {"type", "text"} else None
