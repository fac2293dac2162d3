"""A session of the newer version whose client is older, and its prompts without a response."""

from __future__ import annotations

from ..jsonrpc.events import Request
from ..session.turn_phases import Event, Progress
from .older_view import OlderView
from .rules import JsonValue


class Prompt:
    """A prompt of the client that has no response yet.

    Attributes:
        request: the request.
        content: its content, in the newer version.
        progress: how far its turn has come.
        is_cancelled: whether the client has cancelled it.
        echo: the id of the message of the user that the agent has made of it, if it was seen.
    """

    def __init__(self, request: Request, content: JsonValue, progress: Progress) -> None:
        self.request = request
        self.content = content
        self.progress = progress
        self.is_cancelled = False
        self.echo: str | None = None


class Session:
    """A session of the agent.

    Attributes:
        session_id: its id.
        view: what the client sees of it.
        prompts: the prompts that have no response yet, in their order.
        is_busy: whether the agent has reported that it works.
        is_replayed: whether the agent is telling the client what was before.
    """

    def __init__(self, session_id: str, view: OlderView) -> None:
        self.session_id = session_id
        self.view = view
        self.prompts: list[Prompt] = []
        self.is_busy = False
        self.is_replayed = False

    def take(self, event: Event, report: JsonValue = None) -> list[Prompt]:
        """Tell the turns of an event; returns the prompts whose turns are over.

        Args:
            event: the event; see `turn_phases`.
            report: the update that it is.
        """
        for prompt in self.prompts:
            prompt.progress.take(event, report)
        return self.take_over(is_idle=event == "idle")

    def insert(self, message_id: str) -> list[Prompt]:
        """Tell the turns of a message of the user; see `take`."""
        for prompt in self.prompts:
            prompt.progress.insert(message_id)
        return self.take_over()

    def take_over(self, *, is_idle: bool = False) -> list[Prompt]:
        """Take the prompts whose turns are over.

        Args:
            is_idle: whether the agent has just become idle. A cancelled prompt that waited for its
                turn may never be inserted: then the agent is done with it, too.
        """
        over = [
            prompt
            for prompt in self.prompts
            if prompt.progress.is_over
            or (is_idle and prompt.is_cancelled and prompt.progress.is_accepted)
        ]
        self.prompts = [prompt for prompt in self.prompts if prompt not in over]
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
