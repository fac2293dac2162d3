"""Session messages, assembled from updates and chunks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, TypeAlias, TypeVar

from ..values.record import members
from ..values.surrogates import has_halves, join_halves
from ..values.unset import UNSET

C = TypeVar("C")
# The role of a message: `user`, `agent`, `thought`, or another role of the surface.
Role: TypeAlias = str
# The joined text of some blocks, the number of these blocks, and the first and last blocks.
_Joined: TypeAlias = "tuple[str, int, Sequence[Any], Sequence[Any]]"

_NOTHING: Final[_Joined] = ("", 0, [], [])
# The number of blocks to compare at each end of the joined blocks, to detect whether a list still
# begins with these blocks.
_ENDS: Final = 32


@dataclass(slots=True, eq=False)
class Message(Generic[C]):
    """A session message, assembled from updates and chunks.

    Attributes:
        role: `user`, `agent`, `thought` for the agent's thoughts, or another role that the protocol
            version defines.
        message_id: the message's id; None if the agent specified none, as protocol 1 allows.
        content: the content blocks, in order.
        meta: the message's `_meta`, excluding the `_meta` of individual chunks; None if the message
            has none.
        unknown_fields: fields of the message's updates that the schema doesn't define; None if
            there are none.
    """

    role: Role
    message_id: str | None = None
    content: list[C] = field(default_factory=list[Any])
    meta: dict[str, Any] | None = None
    unknown_fields: dict[str, Any] | None = None
    _joined: _Joined = field(default=_NOTHING, init=False, repr=False)

    @property
    def text(self) -> str:
        """The joined text of the text blocks. The text is cached, so only new text must be joined.

        If a character is split into two surrogates in adjacent blocks, the surrogates are joined.
        Text that ends with a lone surrogate cannot be printed.
        """
        content = self.content
        text, count, head, tail = self._joined
        # Updates append to the list or replace it. Comparing all blocks would take too long.
        if content[: len(head)] != head or content[count - len(tail) : count] != tail:
            text, count = "", 0
        if count < len(content):
            self._joined = _NOTHING  # drop this reference so that the string can grow in place
            added = "".join(getattr(block, "text", "") for block in content[count:])
            if not added.isascii() and has_halves(added):
                # The first character might be the second half of a surrogate pair.
                text, added = text[:-1], join_halves(text[-1:] + added)
            text += added
            self._joined = text, len(content), content[:_ENDS], content[-_ENDS:]
        return text

    def append(self, block: C) -> None:
        """Append a content block.

        If the block's text begins with the second half of a surrogate pair, the complete character
        is moved to the previous block.
        """
        content: list[Any] = self.content
        text: Any = getattr(block, "text", "")
        # Check for the second half of a surrogate pair, which is rare at the beginning of a string.
        if content and text.__class__ is str and "\udc00" <= text[:1] <= "\udfff":
            last, before = content[-1], self.text
            start = getattr(last, "text", "")
            pair = start[-1:] + text[:1]
            if len(pair) == 2 and len(character := join_halves(pair)) == 1:
                content[-1] = replace(last, text=start[:-1] + character)
                # The text of the previous blocks is known, so it doesn't have to be joined again.
                known = before[:-1] + character
                self._joined = known, len(content), content[:_ENDS], content[-_ENDS:]
                appended: Any = block
                block = replace(appended, text=text[1:])
        content.append(block)

    def __eq__(self, other: Any) -> bool:
        """Compare messages regardless of how their text was split into chunks."""
        return other.__class__ is self.__class__ and self._contents() == other._contents()

    def _contents(self) -> tuple[Any, ...]:
        content = joined(self.content)
        return self.role, self.message_id, content, self.meta, self.unknown_fields


def new_id() -> str:
    """Return a unique id for a message or a session."""
    return os.urandom(16).hex()


def joined(blocks: Sequence[C]) -> list[C]:
    """Join adjacent content blocks that contain only text, and return the resulting blocks.

    Text can be split within a character; see `surrogates`.
    """
    merged: list[Any] = []
    texts: list[str] = []
    block: Any
    for block in blocks:
        if merged and block.__class__ is merged[-1].__class__ and _is_plain_text(block, merged[-1]):
            texts.append(block.text)
            continue
        _add_texts(merged, texts)
        merged.append(block)
    _add_texts(merged, texts)
    return merged


def _is_plain_text(*blocks: Any) -> bool:
    return all(
        isinstance(getattr(block, "text", None), str)
        and block.unknown_fields is None
        and [name for name in members(block.__class__) if getattr(block, name) is not UNSET]
        == ["text"]
        for block in blocks
    )


def _add_texts(merged: list[Any], texts: list[str]) -> None:
    """Append strings to the last block's text by replacing the block with a new block."""
    if texts:
        last = merged[-1]
        merged[-1] = last.__class__(text=join_halves("".join([last.text, *texts])))
        texts.clear()
