"""Messages of a session, assembled from updates and chunks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, TypeAlias, TypeVar

from ..values.record import members
from ..values.surrogates import has_halves, join_halves
from ..values.unset import UNSET

C = TypeVar("C")
# `user`, `agent`, `thought`, or another role of the surface.
Role: TypeAlias = str
# The text of some blocks, their number, and those at both ends.
_Joined: TypeAlias = "tuple[str, int, Sequence[Any], Sequence[Any]]"

_NOTHING: Final[_Joined] = ("", 0, [], [])
# How many blocks at each end are compared to detect whether a list still begins the same.
_ENDS: Final = 32


@dataclass(slots=True, eq=False)
class Message(Generic[C]):
    """A message of a session, assembled from updates and chunks.

    Attributes:
        role: `user`, `agent`, `thought` for a thought of the agent, or another role that the
            protocol version has.
        message_id: its id; None if the agent gave none, as protocol 1 allows.
        content: its content blocks, in order.
        meta: its `_meta`, without that of single chunks; None if it has none.
        unknown_fields: the fields of its updates that the schema does not define; None if there
            are none.
    """

    role: Role
    message_id: str | None = None
    content: list[C] = field(default_factory=list[Any])
    meta: dict[str, Any] | None = None
    unknown_fields: dict[str, Any] | None = None
    _joined: _Joined = field(default=_NOTHING, init=False, repr=False)

    @property
    def text(self) -> str:
        """The joined text of its text blocks. Reading it again only joins new text.

        It has one character for halves in two blocks. If it ends with a half, it cannot be printed.
        """
        content = self.content
        text, count, head, tail = self._joined
        # Updates append to the list or replace it. To compare all of it would take long.
        if content[: len(head)] != head or content[count - len(tail) : count] != tail:
            text, count = "", 0
        if count < len(content):
            self._joined = _NOTHING  # a string that nothing else refers to grows in place
            added = "".join(getattr(block, "text", "") for block in content[count:])
            if not added.isascii() and has_halves(added):
                # The first may be the rest of a character.
                text, added = text[:-1], join_halves(text[-1:] + added)
            text += added
            self._joined = text, len(content), content[:_ENDS], content[-_ENDS:]
        return text

    def append(self, block: C) -> None:
        """Append a content block.

        If its text begins with the rest of a character, the block before gets that character.
        """
        content: list[Any] = self.content
        text: Any = getattr(block, "text", "")
        # The second half of a pair, which nearly no text begins with.
        if content and text.__class__ is str and "\udc00" <= text[:1] <= "\udfff":
            last, before = content[-1], self.text
            start = getattr(last, "text", "")
            pair = start[-1:] + text[:1]
            if len(pair) == 2 and len(character := join_halves(pair)) == 1:
                content[-1] = replace(last, text=start[:-1] + character)
                # The text of the blocks so far is known, so that it need not be joined again.
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
    """Return a unique id for a message or session."""
    return os.urandom(16).hex()


def joined(blocks: Sequence[C]) -> list[C]:
    """Return content blocks, with adjacent blocks of plain text joined into one.

    The parts of a text may end within a character; see `surrogates`.
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
    """Add texts to the last block; a new block takes its place."""
    if texts:
        last = merged[-1]
        merged[-1] = last.__class__(text=join_halves("".join([last.text, *texts])))
        texts.clear()
