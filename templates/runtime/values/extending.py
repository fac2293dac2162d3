"""Extensions of the protocol's types: entries of `_meta`, and variants of unions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, overload

from .codec import Codec
from .decoding import Tags
from .deferred import dataclass
from .encoding import Json
from .errors import DecodeError, EncodeError, Issue, Path
from .record import Record, Unknown
from .repairs import Issues
from .unset import UNSET, UnsetType

T = TypeVar("T")
_META = "/_meta"


@dataclass(frozen=True, slots=True)
class MetaSource:
    """The `_meta` of an object that a view gives access to, and how to decode it."""

    owner: Any
    strict: bool
    on_issue: Callable[[Issue], object] | None

    def read(self, codec: Codec, record: type[Record], key: str) -> Any:
        """Decode one entry, as a record with no other fields; UNSET if it is absent."""
        meta = self.owner.meta
        if not meta or key not in meta:
            return UNSET
        try:
            # Only one entry, so that a bad entry does not make the others unreadable.
            return codec.decode(record, {key: meta[key]}, strict=self.strict, on_issue=self._report)
        except DecodeError as error:
            place, name = _META + error.pointer, type(self.owner).__name__
            raise DecodeError(place, error.expected, error.found, name) from None

    def _report(self, issue: Issue) -> None:
        if self.on_issue is not None:
            place = _META + issue.pointer
            self.on_issue(Issue(place, issue.reason, issue.raw, issue.action))

    def write(self, codec: Codec, record: Record, key: str) -> None:
        """Replace one entry with the entry of a record; remove it if the record has none."""
        try:
            entry: Json = codec.encode(record)
        except EncodeError as error:
            place, name = _META + error.pointer, type(self.owner).__name__
            raise EncodeError(place, error.reason, name) from None
        meta: Json = dict(self.owner.meta or {})
        meta.pop(key, None)
        self.owner.meta = {**meta, **entry} or UNSET


class MetaView:
    """Typed access to the `_meta` of one object. Each attribute is an entry.

    Nothing is cached: reading decodes the entry, assigning encodes it. The other entries remain
    unchanged. Assigning gives the object a new `meta`, since the old one can be shared.

    Attributes:
        meta_source: the `_meta` and how to decode it.
    """

    def __init__(
        self,
        owner: Any,
        *,
        strict: bool = False,
        on_issue: Callable[[Issue], object] | None = None,
    ) -> None:
        """Create a view of the `_meta` of an object; for the arguments, see `MetaSource`."""
        self.meta_source = MetaSource(owner, strict, on_issue)


def view_of(owner: object, views: Mapping[type, type[MetaView]]) -> Any:
    """Look up the view for an object, or for its nearest base class.

    Raises:
        TypeError: If there is no such view.
    """
    for cls in type(owner).__mro__:
        if cls in views:
            return views[cls]
    raise TypeError(f"this extension adds no entries to the _meta of {type(owner).__name__}")


class Entry(Generic[T]):
    """One entry of `_meta`: an attribute of a `MetaView`.

    It is UNSET when the entry is absent. Assigning UNSET or deleting the attribute removes the
    entry.

    Raises:
        DecodeError: When read, the entry does not match the schema.
        EncodeError: When assigned, the value does not match the schema; nothing was changed.
    """

    def __init__(self, codec: Codec, record: type[Record], key: str) -> None:
        """Define an entry by its key. The field of its name in `record` decodes and encodes it."""
        self._codec = codec
        self._record = record
        self._key = key

    def __set_name__(self, view: type[MetaView], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, view: None, cls: type[MetaView]) -> Entry[T]: ...
    @overload
    def __get__(self, view: MetaView, cls: type[MetaView]) -> T | UnsetType: ...
    def __get__(self, view: MetaView | None, cls: type[MetaView]) -> Entry[T] | T | UnsetType:
        if view is None:
            return self
        record = view.meta_source.read(self._codec, self._record, self._key)
        value: T | UnsetType = getattr(record, self._name, UNSET)
        return value

    def __set__(self, view: MetaView, value: T | UnsetType) -> None:
        view.meta_source.write(self._codec, self._record(**{self._name: value}), self._key)

    def __delete__(self, view: MetaView) -> None:
        view.meta_source.write(self._codec, self._record(), self._key)


@dataclass(frozen=True, slots=True)
class Variants:
    """The variants that an extension adds to a union of the protocol.

    Attributes:
        type: the union of the extension: the added variants, or else the union of the protocol.
        codec: the codec of the extension.
        base: the union of the protocol.
        base_codec: the codec of the protocol.
        tags: the tags of the variants.
        classes: the classes of the variants.
    """

    type: Any
    codec: Codec
    base: Any
    base_codec: Codec
    tags: frozenset[str]
    classes: tuple[type, ...]

    def refine(self, value: Unknown) -> Any:
        """Convert an object with an unknown tag to the variant for that tag.

        The object is returned unchanged if no variant has the tag.

        Raises:
            DecodeError: If a variant has the tag, but the object does not match it.
        """
        return self.codec.decode(self.type, value.raw) if value.tag in self.tags else value

    def unrefine(self, value: Any) -> Any:
        """Return a variant as an object of the protocol's union.

        Raises:
            EncodeError: If the variant cannot be written as JSON.
            DecodeError: If it lacks fields that the protocol requires.
        """
        return self.base_codec.decode(self.base, self.codec.encode(value, self.type))


def refined(value: Any, variants: Mapping[type, Variants]) -> Any:
    """Return an object of the protocol as its added variant, and other values unchanged.

    Raises:
        DecodeError: If the object has the tag of a variant, but does not match it.
    """
    own = variants.get(value.__class__)
    return value if own is None else own.refine(value)


def unrefined(value: Any, variants: Mapping[type, Variants]) -> Any:
    """Return a variant as the protocol defines it, see `Variants.unrefine`; others unchanged."""
    for added in variants.values():
        if isinstance(value, added.classes):
            return added.unrefine(value)
    return value


def beside_tags(decode: Callable[[Any, Issues, Path], T]) -> Callable[..., T]:
    """Adapt a decoder without tags to unions, which pass the tags that they read."""

    def decode_beside(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> T:
        is_object = d.__class__ is dict
        own = {name: value for name, value in d.items() if name not in tags} if is_object else d
        return decode(own, issues, path)

    return decode_beside
