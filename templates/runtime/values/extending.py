"""Extensions to the protocol's types: `_meta` entries and union variants."""

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
    """The object whose `_meta` a view accesses, and the options for decoding it.

    Attributes:
        owner: the object.
        strict: whether to decode in strict mode.
        on_issue: called for each decoding issue.
    """

    owner: Any
    strict: bool
    on_issue: Callable[[Issue], object] | None

    def read(self, codec: Codec, record: type[Record], key: str) -> Any:
        """Decode one entry into a record with only this entry, or return UNSET if it is absent."""
        meta = self.owner.meta
        if not meta or key not in meta:
            return UNSET
        try:
            # Decode only this entry so that other entries can be invalid without affecting it.
            return codec.decode(record, {key: meta[key]}, strict=self.strict, on_issue=self._report)
        except DecodeError as error:
            place, name = _META + error.pointer, type(self.owner).__name__
            raise DecodeError(place, error.expected, error.found, name) from None

    def _report(self, issue: Issue) -> None:
        if self.on_issue is not None:
            place = _META + issue.pointer
            self.on_issue(Issue(place, issue.reason, issue.raw, issue.action))

    def write(self, codec: Codec, record: Record, key: str) -> None:
        """Replace one entry with a record's entry, or remove the entry if the record has none."""
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

    Entries are not cached: they are decoded when an attribute is read and encoded when it is
    assigned. Other entries remain unchanged. An assignment replaces the object's `meta` with a new
    dictionary, since other objects might also use the old dictionary.

    Attributes:
        meta_source: the object and the options for decoding its `_meta`.
    """

    def __init__(
        self,
        owner: Any,
        *,
        strict: bool = False,
        on_issue: Callable[[Issue], object] | None = None,
    ) -> None:
        """Create a view of an object's `_meta`; see `MetaSource` for the arguments."""
        self.meta_source = MetaSource(owner, strict, on_issue)


def view_of(owner: object, views: Mapping[type, type[MetaView]]) -> Any:
    """Return the view class for an object's class or its nearest base class.

    Raises:
        TypeError: If there is no such view class.
    """
    for cls in type(owner).__mro__:
        if cls in views:
            return views[cls]
    raise TypeError(f"this extension adds no entries to the _meta of {type(owner).__name__}")


class Entry(Generic[T]):
    """A descriptor that represents one `_meta` entry as an attribute of a `MetaView`.

    If the entry is absent, the attribute is UNSET. Assigning UNSET or deleting the attribute
    removes the entry.

    Raises:
        DecodeError: If the attribute is read and the entry does not match the schema.
        EncodeError: If an assigned value does not match the schema. The entry is not changed.
    """

    def __init__(self, codec: Codec, record: type[Record], key: str) -> None:
        """Create a descriptor.

        Args:
            codec: the codec of the extension.
            record: a record class with a field for the entry. The field and the attribute have the
                same name.
            key: the key of the entry.
        """
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
    """The variants that an extension adds to one of the protocol's unions.

    Attributes:
        type: the extension's union, which contains the added variants and the protocol's union.
        codec: the extension's codec.
        base: the protocol's union.
        base_codec: the protocol's codec.
        tags: the tags of the added variants.
        classes: the classes of the added variants.
    """

    type: Any
    codec: Codec
    base: Any
    base_codec: Codec
    tags: frozenset[str]
    classes: tuple[type, ...]

    def refine(self, value: Unknown) -> Any:
        """Convert an object with an unknown tag to the added variant for that tag.

        If no added variant has the tag, the object is returned unchanged.

        Raises:
            DecodeError: If the object does not match the variant for its tag.
        """
        return self.codec.decode(self.type, value.raw) if value.tag in self.tags else value

    def unrefine(self, value: Any) -> Any:
        """Convert an added variant to an object of the protocol's union.

        Raises:
            EncodeError: If the variant cannot be encoded.
            DecodeError: If a field that the protocol requires is missing from the variant.
        """
        return self.base_codec.decode(self.base, self.codec.encode(value, self.type))


def refined(value: Any, variants: Mapping[type, Variants]) -> Any:
    """Convert an object with an unknown tag to an added variant, and return other values unchanged.

    Raises:
        DecodeError: If the object does not match the variant for its tag.
    """
    own = variants.get(value.__class__)
    return value if own is None else own.refine(value)


def unrefined(value: Any, variants: Mapping[type, Variants]) -> Any:
    """Convert an added variant as in `Variants.unrefine`, and return other values unchanged."""
    for added in variants.values():
        if isinstance(value, added.classes):
            return added.unrefine(value)
    return value


def beside_tags(decode: Callable[[Any, Issues, Path], T]) -> Callable[..., T]:
    """Wrap a decoder so that it accepts `tags`, the names of fields to ignore."""

    def decode_beside(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> T:
        is_object = d.__class__ is dict
        own = {name: value for name, value in d.items() if name not in tags} if is_object else d
        return decode(own, issues, path)

    return decode_beside
