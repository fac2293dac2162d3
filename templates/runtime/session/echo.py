"""Echoes: user messages that repeat a prompt.

In protocol 1, the client itself adds its prompt to the history. Some agents also report the prompt,
possibly split differently. This module prevents the history from containing the prompt twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

B = TypeVar("B")  # a content block
T = TypeVar("T")  # a chunk


class Echo(Generic[B, T]):
    """A comparison of a prompt with the user messages that the agent reports.

    All text is compared as one string, since the agent can split it differently. Other blocks are
    compared individually.

    Attributes:
        message_id: the id of the message that repeats the prompt, or None if no chunk contained an
            id.
    """

    def __init__(self, prompt: Sequence[B], text_of: Callable[[B], str | None]) -> None:
        """Start a comparison.

        Args:
            prompt: the content blocks of the prompt.
            text_of: a function that returns the text of a text block, and None for any other block.
        """
        texts = [text_of(block) for block in prompt]
        self.message_id: str | None = None
        self._text_of = text_of
        # Use UTF-16, since a chunk can end with half of a surrogate pair.
        self._text = b"".join(_encoded(text) for text in texts if text is not None)
        self._repeated = 0  # the size of the repeated text, in bytes
        self._others = [block for block, text in zip(prompt, texts, strict=True) if text is None]
        # The chunks that repeat the prompt. Their number is limited by the size of the prompt.
        self._chunks: list[T] = []

    def takes(self, block: B, message_id: str | None, chunk: T) -> bool:
        """Return whether a chunk of a user message repeats the next part of the prompt.

        `message_id` is None if the chunk contains no id.
        """
        text = self._text_of(block)
        if text is None:
            if block not in self._others:
                return False
            self._others.remove(block)
        elif not self._text.startswith(encoded := _encoded(text), self._repeated):
            return False
        elif text == "":
            return True  # an empty chunk
        else:
            self._repeated += len(encoded)
        self._chunks.append(chunk)
        self.message_id = self.message_id or message_id
        return True

    @property
    def is_cut_short(self) -> bool:
        """True if the agent repeated only the beginning of the prompt's text."""
        return 0 < self._repeated < len(self._text)

    def departs(self, message_id: str | None) -> Sequence[T]:
        """Return the earlier chunks of a message that turned out not to repeat the prompt.

        A message that begins like the prompt and then differs is a separate message. That message
        consists of the returned chunks and the chunk that differs. If chunks are returned, the
        comparison is over.
        """
        is_complete = self._repeated == len(self._text) and not self._others
        is_same = message_id is None or message_id == self.message_id
        return self._chunks if is_same and not is_complete else ()


def _encoded(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
