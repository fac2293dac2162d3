"""A session between a v2 agent and a v1 client, with its pending prompts.

The client itself shows its prompts. Therefore, if the agent sends a user message that repeats a
prompt, the message is hidden from the client. Such a message has the id from the response to the
prompt, or the same content as the prompt (`Session.is_echo`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jsonrpc.events import Request
from ...session.echo import Echo
from ...session.turn_phases import Foreground, Habits, Progress
from ..rules import JsonValue
from .updates import V1View

# The types of updates that contain a user message or a chunk of one.
_OF_USER = ("user_message", "user_message_chunk")


class Prompt:
    """A pending prompt from the client.

    Attributes:
        request: the request.
        content: the prompt's content in its version 2 form.
        progress: the progress of the prompt's turn.
        message_id: the id of the user message that repeats the prompt, or None until such a message
            arrives.
        echo: the comparison of that message's chunks with the prompt, or None once a chunk differs.
    """

    def __init__(self, request: Request, content: JsonValue, progress: Progress) -> None:
        self.request = request
        self.content = content
        self.progress = progress
        self.message_id: str | None = None
        self.echo: Echo[JsonValue, JsonValue] | None = Echo(content, _text_of)

    def is_repeated(self, blocks: Sequence[JsonValue], *, is_whole: bool) -> bool:
        """Return whether the content of a user message repeats the prompt.

        Args:
            blocks: the content, or its beginning. The agent can omit blocks of the prompt.
            is_whole: whether `blocks` is the complete content.
        """
        echo: Echo[JsonValue, JsonValue] = Echo(self.content, _text_of)
        is_same = bool(blocks) and all(echo.takes(block, None, None) for block in blocks)
        return is_same and not (is_whole and echo.is_cut_short)


class Session:
    """A session of the agent.

    Attributes:
        session_id: the session's id.
        view: the session as shown to the client.
        prompts: the pending prompts, in order.
        foreground: the progress of the agent's work, which determines when turns end.
        reports: the idle reports that can still end a turn.
        is_replayed: whether the agent is replaying the session.
    """

    def __init__(self, session_id: str, view: V1View, habits: Habits) -> None:
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
        """Remove a prompt before its response is sent and return whether it was pending."""
        if prompt not in self.prompts:
            return False
        self.prompts.remove(prompt)
        self.foreground.leave(prompt.progress)
        return True

    def take_over(self) -> list[Prompt]:
        """Remove and return the prompts of turns that are over."""
        over = [prompt for prompt in self.prompts if prompt.progress.is_over]
        for prompt in over:
            self.remove(prompt)
        return over

    def is_echo(self, params: JsonValue) -> bool:
        """Return whether an update merely repeats a prompt from the client."""
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
            # Until the response provides the message id, only the content identifies the prompt.
            is_unknown = prompt.message_id is None and not prompt.progress.is_accepted
            if is_unknown and prompt.is_repeated(blocks, is_whole=is_whole):
                return prompt
        return None

    def take_departed(self, params: JsonValue) -> Sequence[JsonValue]:
        """Return the hidden chunks of a user message that seemed to repeat a prompt but differs.

        `params` are the params of the differing chunk.
        """
        data = params["update"]
        for prompt in self.prompts if data["sessionUpdate"] == "user_message_chunk" else ():
            if prompt.echo is not None and prompt.message_id == data["messageId"]:
                echo, prompt.echo = prompt.echo, None
                return echo.departs(data["messageId"])
        return ()


def _text_of(block: JsonValue) -> str | None:
    """Return the text of a block that contains only text, or None for other blocks."""
    return block["text"] if block.keys() == {"type", "text"} else None
