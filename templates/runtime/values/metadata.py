"""Codec for records with `_meta` as their only field, such as markers and empty results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .decoding import Tags, new, unknown
from .encoding import RecordEncoder
from .errors import Path
from .repairs import Issues, default_member, wrong, wrong_member
from .unset import UNSET
from .writing import NotWritten, complete, object_text, unknown_text

R = TypeVar("R")

_MEMBERS = ("_meta",)
_EXPECTED = "object or null"

if TYPE_CHECKING:
    from typing import Protocol  # unused at run time, since creating a protocol class is slow

    from .writing import RecordWriter

    R_co = TypeVar("R_co", covariant=True)

    class RecordDecoder(Protocol[R_co]):
        """A decoder for a record."""

        def __call__(self, d: Any, issues: Issues, path: Path, tags: Tags = ()) -> R_co: ...


def metadata_only(
    cls: type[R], *, repaired: bool
) -> tuple[RecordDecoder[R], RecordEncoder, RecordWriter]:
    """Return the decoder, the encoder and the writer for a record with `_meta` as its only field.

    Args:
        cls: the class of the record.
        repaired: whether the schema allows the default mode to drop an invalid `_meta`.
    """

    own: Any = cls  # the class has fields that type checkers cannot infer from R

    def decode(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> R:
        if d.__class__ is not dict:
            raise wrong(d, path, "object")
        o: Any = new(own)
        o.meta = UNSET
        o.unknown_fields = None
        # Usually, the object contains only tags, so there are no fields to look up.
        left = len(d) - len(tags)
        if left:
            if (value := d.get("_meta", UNSET)) is not UNSET:
                left -= 1
                if value is not None and value.__class__ is not dict:
                    if not repaired:
                        raise wrong_member(d, "_meta", path, _EXPECTED)
                    value = default_member(issues, d, "_meta", path, _EXPECTED, UNSET)
                o.meta = value
            if left:
                o.unknown_fields = unknown(d, _MEMBERS, tags)
        decoded: R = o
        return decoded

    def write(o: Any, head: str = "{") -> str:
        if not isinstance(o, own):
            raise NotWritten
        text = ""
        if o.meta is not UNSET:
            text = f',"_meta":{"null" if o.meta is None else object_text(o.meta)}'
        if o.unknown_fields is not None:
            text += unknown_text(o, _MEMBERS, head)
        return complete(head, text)

    return decode, RecordEncoder(own, _MEMBERS), write
