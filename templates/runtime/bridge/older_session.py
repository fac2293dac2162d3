"""A session of the newer version whose client is older, and its prompts without a response."""

from __future__ import annotations

from ..jsonrpc.events import Request
from ..session.turn_phases import Foreground, Habits, Progress
from .older_view import OlderView
from .rules import JsonValue


class Prompt:
    """A prompt of the client that has no response yet.

    Attributes:
        request: the request.
        content: its content, in the newer version.
        progress: how far its turn has come.
        echo: the id of the message of the user that the agent has made of it, if it was seen.
    """

    def __init__(self, request: Request, content: JsonValue, progress: Progress) -> None:
        self.request = request
        self.content = content
        self.progress = progress
        self.echo: str | None = None


class Session:
    """A session of the agent.

    Attributes:
        session_id: its id.
        view: what the client sees of it.
        prompts: the prompts that have no response yet, in their order.
        foreground: the work of the agent, which ends the turns of the prompts.
        is_replayed: whether the agent is telling the client what was before.
    """

    def __init__(self, session_id: str, view: OlderView, habits: Habits) -> None:
        self.session_id = session_id
        self.view = view
        self.prompts: list[Prompt] = []
        self.foreground = Foreground(habits)
        self.is_replayed = False

    @property
    def is_cancelled(self) -> bool:
        """Whether the client has cancelled all its prompts."""
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

    def is_echo(self, message: JsonValue) -> bool:
        """Return whether a message of the user is a prompt that the client has shown itself.

        Args:
            message: the update that holds it, or a part of it.
        """
        if self.is_replayed:
            return False
        message_id = message["messageId"]
        for prompt in self.prompts:
            if message_id in (prompt.echo, prompt.progress.message_id):
                prompt.echo = message_id
                return True
        content = message.get("content")
        blocks = [content] if content.__class__ is dict else content
        for prompt in self.prompts:
            # Before its response, only the content tells.
            is_unknown = prompt.echo is None and not prompt.progress.is_accepted
            if blocks and is_unknown and blocks == prompt.content[: len(blocks)]:
                prompt.echo = message_id
                return True
        return False
