"""Building blocks of the generated encoders.

The arguments of an encoder are a value and its path. Encoders for objects also accept a dictionary
that contains the fields written by the surrounding unions, and add their own fields to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from .decoding import Decoder
from .deferred import fields_of
from .errors import DecodeError, EncodeError, Misfit, Path, pointer
from .jsontext import as_read, is_array, is_object
from .record import Record, Unknown
from .repairs import EXACT, Mismatch
from .unset import UNSET

T = TypeVar("T")
Json: TypeAlias = dict[str, Any]
Encoder: TypeAlias = Callable[[Any, Path], Any]


if TYPE_CHECKING:
    from typing import Protocol  # unused at run time, since creating a protocol class is slow

    class ObjectEncoder(Protocol):
        """An encoder for an object."""

        def __call__(self, value: Any, path: Path, out: Json | None = None, /) -> Json: ...


# --- null, arrays and maps -------------------------------------------------------------------


def nullable_json(encode: Encoder) -> Encoder:
    """Return an encoder for values that can be null."""
    return lambda value, path: None if value is None else encode(value, path)


def array_json(encode: Encoder, expected: str, values: Any, path: Path) -> list[Any]:
    """Encode the items of an array. `expected` describes the array in error messages.

    Raises:
        EncodeError: If `values` is not an array or an item cannot be encoded.
    """
    if not is_array(values):
        raise wrong_class(values, expected, path)
    return [encode(item, (path, index)) for index, item in enumerate(values)]


def map_json(encode: Encoder, expected: str, values: Any, path: Path) -> Json:
    """Encode the values of a map; see `array_json`."""
    if not is_object(values):
        raise wrong_class(values, expected, path)
    return {name: encode(item, (path, name)) for name, item in values.items()}


# --- records ---------------------------------------------------------------------------------


class RecordEncoder:
    """An encoder for the records of one class.

    The class determines the fields, their order, and whether they are optional or constant.
    """

    def __init__(
        self,
        cls: type[Record],
        known: tuple[str, ...],
        encoders: Callable[[], Mapping[str, Encoder]] = dict,
        subtypes: Callable[[], Mapping[str, RecordEncoder]] = dict,
        discriminator: str = "",
    ) -> None:
        """Create an encoder.

        Some arguments are functions, since the encoders that they return might not exist yet.

        Args:
            cls: the class.
            known: the wire names of the fields, followed by the names of fields that must be
                absent.
            encoders: a function that returns the encoders for the fields that are not already JSON,
                by wire name.
            subtypes: a function that returns the encoders for the subclasses, by the value of the
                discriminator.
            discriminator: the wire name of the field that selects a subclass.
        """
        self.cls = cls
        self._known = known
        self._make_encoders = encoders
        self._make_subtypes = subtypes
        self._discriminator = discriminator

    def __call__(self, value: Any, path: Path, out: Json | None = None, /) -> Json:
        """Encode a record.

        Raises:
            EncodeError: If the value is an instance of another class, or if a field or unknown
                field is invalid.
        """
        if not isinstance(value, self.cls):
            raise wrong_class(value, self.cls.__name__, path)
        # A subclass has additional fields, so its own encoder is needed.
        for subtype in self._subtypes.values():
            if isinstance(value, subtype.cls):
                return subtype(value, path, out)
        written: Json = {} if out is None else out
        try:
            for name, wire, is_constant, encode in self._members:
                # The final check rejects a record without a required field.
                member = getattr(value, name)
                if member is not UNSET or is_constant:
                    written[wire] = member if encode is None else encode(member, (path, wire))
            if value.unknown_fields is not None:
                self._add_unknown(value.unknown_fields, path, written)
        except (AttributeError, TypeError) as error:  # for example, if a slot has no value
            raise EncodeError(pointer(path), str(error)) from None
        return written

    @property
    def wire_names(self) -> list[str]:
        """The wire names of the fields."""
        return [wire for _, wire, _, _ in self._members]

    @cached_property
    def _subtypes(self) -> Mapping[str, RecordEncoder]:
        return self._make_subtypes()

    @cached_property
    def _members(self) -> list[tuple[str, str, bool, Encoder | None]]:
        """For each field, its name, its wire name, whether it is constant, and its encoder."""
        # The fields are in the same order as in `known`, which can have additional names at the
        # end.
        fields, defaults = fields_of(self.cls)
        names = [name for name in fields if name != "unknown_fields"]
        encoders = dict(self._make_encoders())
        if self._subtypes:
            encode = encoders.get(self._discriminator)
            encoders[self._discriminator] = partial(self._outside_of_subtypes, encode)
        members: list[tuple[str, str, bool, Encoder | None]] = []
        for name, wire in zip(names, self._known, strict=False):
            # Defaults other than UNSET are constants, such as the tag of a subtype.
            default = defaults.get(name, UNSET)
            if default is not UNSET:
                encoders[wire] = partial(_constant, default)
            members.append((name, wire, default is not UNSET, encoders.get(wire)))
        return members

    def _outside_of_subtypes(self, encode: Encoder | None, value: Any, path: Path) -> Any:
        # If the value selects a subtype, the record would be decoded as that subtype, which can
        # require more fields.
        for tag, subtype in self._subtypes.items():
            if value == tag:
                raise EncodeError(pointer(path), f"{tag!r} requires {subtype.cls.__name__}")
        return value if encode is None else encode(value, path)

    def _add_unknown(self, fields: Any, path: Path, out: Json) -> None:
        """Write the unknown fields of a record.

        Raises:
            EncodeError: If `fields` is not a dictionary, or if a name is not a string or is the
                name of a field in the schema.
        """
        if not is_object(fields):
            reason = f"unknown_fields: expected dict or None, found {type_of(fields)}"
            raise EncodeError(pointer(path), reason)
        for name, item in fields.items():
            if name in self._known or name in out or not isinstance(name, str):
                reason = "is in the schema" if isinstance(name, str) else "is not a string"
                raise EncodeError(pointer(path), f"the unknown field {name!r} {reason}")
            out[name] = item


def _constant(expected: str, value: Any, path: Path) -> str:
    if value != expected:
        raise EncodeError(pointer(path), f"must be {expected}")
    return expected


# --- tagged unions ---------------------------------------------------------------------------


class UnionEncoder:
    """An encoder for the objects of one tagged union."""

    def __init__(
        self,
        name: str,
        tag: str,
        arms: Callable[[], Mapping[type, tuple[str | None, ObjectEncoder]]],
    ) -> None:
        """Create an encoder. `arms` returns, for each class, the tag to write and the encoder."""
        self.tag = tag
        self._name = name
        self._make_arms = arms

    def __call__(self, value: Any, path: Path, out: Json | None = None, /) -> Json:
        """Encode an object.

        Raises:
            EncodeError: If the value is not an instance of one of the classes or cannot be encoded.
        """
        tag, encode = find_class(value, self.arms, self._name, path)
        written: Json = {} if out is None else out
        if tag is not None:
            written[self.tag] = tag
        return encode(value, path, written)

    @cached_property
    def arms(self) -> Mapping[type, tuple[str | None, ObjectEncoder]]:
        """The tag and the encoder for each class."""
        return self._make_arms()


def find_class(value: Any, arms: Mapping[type, T], name: str, path: Path = ()) -> T:
    """Return the entry in `arms` for the class of a value or its nearest base class.

    Raises:
        EncodeError: If there is no such entry. The error contains `name`, the name of the union.
    """
    # Try the class itself first, since few programs subclass the classes of the surface.
    arm = arms.get(value.__class__)
    if arm is None:
        for base in value.__class__.__mro__:
            if base in arms:
                return arms[base]
        raise wrong_class(value, name, path)
    return arm


def encode_unknown(
    value: Unknown,
    path: Path,
    out: Json | None = None,
    *,
    tag: str,
    known: Collection[str],
    check: Callable[[Json, Any, Path], Json] | None = None,
) -> Json:
    """Encode an object with an unknown tag as the JSON object that was received.

    Raises:
        EncodeError: If a tag in the JSON object is missing, wrong or defined by the schema, or if a
            required field is missing or invalid.
    """
    raw: Any = value.raw
    name = value.__class__.__name__
    if not is_object(raw):
        raise EncodeError(pointer(path), f"raw of {name}: expected dict, found {type_of(raw)}")
    if raw.get(tag) != value.tag or value.tag in known:
        reason = f"raw[{tag!r}] of {name} must equal tag and must not be in the schema"
        raise EncodeError(pointer((path, tag)), reason)
    # The tags in the raw object must match the tags that the surrounding unions wrote.
    for outer, written in (out or {}).items():
        if raw.get(outer) != written:
            reason = f"raw[{outer!r}] of {name} must be {written!r} here"
            raise EncodeError(pointer((path, outer)), reason)
    if check is not None:
        try:
            check(raw, EXACT, path)
        except Mismatch as error:
            raise EncodeError(error.pointer, f"{not_read(error)} in raw of {name}") from None
    return dict(raw)  # a copy, since changes to the JSON must not affect the object


def refuse_tag(
    out: Json,
    path: Path,
    tag: str,
    known: Collection[str],
    any_string: bool,
    name: str,
    ruled_out: Collection[str] = (),
) -> Json:
    """Reject an object of the untagged variant if an unknown field is another variant's tag.

    Args:
        out: the encoded object.
        path: the path of the object.
        tag: the name of the field with the tag.
        known: the tags of the variants.
        any_string: whether one variant accepts all other tags except `ruled_out`.
        name: the name of the union.
        ruled_out: the tags that the variant for all other tags does not accept.

    Raises:
        EncodeError: If the object would be decoded as another variant.
    """
    written = out.get(tag)
    is_other = any_string and written not in ruled_out
    if written.__class__ is str and (is_other or written in known):
        reason = f"the unknown field {tag!r} would make the object another variant of {name}"
        raise EncodeError(pointer(path), reason)
    return out


# --- untagged unions -------------------------------------------------------------------------


def encode_choice(value: Any, path: Path, arms: Mapping[type, ObjectEncoder]) -> Any:
    """Encode a value of an untagged union: a record, an array or map of records, or plain JSON."""
    if is_array(value):
        return [encode_choice(item, (path, index), arms) for index, item in enumerate(value)]
    if is_object(value):
        return {name: encode_choice(item, (path, name), arms) for name, item in value.items()}
    if isinstance(value, Record | Unknown):
        return find_class(value, arms, "untagged union", path)(value, path)
    return value


def unshadowed(value: Any, out: T, path: Path, decode: Decoder[Any], name: str) -> T:
    """Reject an untagged union's value if decoding would not restore the value.

    Raises:
        EncodeError: If the encoded value would be decoded as another type or rejected.
    """
    # Tuples and subclasses of JSON types are written like JSON types but rejected by decoders. Such
    # values are rare, so they are replaced only if decoding fails.
    try:
        _give_back(value, out, path, decode, name)
    except EncodeError:
        _give_back(value, as_read(out, path), path, decode, name)
    return out


def _give_back(value: Any, out: Any, path: Path, decode: Decoder[Any], name: str) -> None:
    items = value if is_array(value) else [value]
    has_unknown = any(isinstance(item, Record) and item.unknown_fields for item in items)
    try:
        back = decode(out, EXACT, path)
    except Mismatch as error:
        if has_unknown:
            reason = f"its unknown fields prevent it from being decoded as {name}"
            raise EncodeError(pointer(path), reason) from error
        raise EncodeError(error.pointer, not_read(error)) from None
    pairs = zip(items, back if back.__class__ is list else [back], strict=False)
    if any(isinstance(item, Record) and not isinstance(item, type(read)) for item, read in pairs):
        cause = "its unknown fields make it" if has_unknown else "it would be decoded as"
        raise EncodeError(pointer(path), f"{cause} another variant of {name}")


# --- errors in Python's terms -----------------------------------------------------------------

# The names of JSON types in decoder errors, and the corresponding Python types.
_JSON_TYPE = r"\b(array|boolean|integer|null|number|object|string)(?=s?\b)"
_IN_PYTHON = {
    "array": "list",
    "boolean": "bool",
    "integer": "int",
    "null": "None",
    "number": "float",
    "object": "dict",
    "string": "str",
}


def type_of(value: object) -> str:
    """Return the class name of a value for an error message, which must not reveal the value.

    For UNSET, return `UNSET`.
    """
    return "UNSET" if value is UNSET else str(value.__class__.__name__)


def wrong_class(value: Any, expected: str, path: Path) -> EncodeError:
    """Return the error for a value of an unexpected class."""
    error = EncodeError(pointer(path), f"expected {expected}, found {type_of(value)}")
    error.misfit = Misfit(value, expected)
    return error


def not_read(error: DecodeError) -> str:
    """Describe, in Python's terms, why a decoder rejected encoded data."""
    about = error.args[2:] if isinstance(error, Mismatch) else ()
    expected, found = error.expected, error.found
    # Constants must not be converted to Python's terms: "object" can be a constant.
    names_constants = any(isinstance(item, tuple | dict) for item in about[:1])
    if not names_constants and not expected.startswith("one of "):
        expected = _words(expected)
    found = {"null": "NoneType", "nothing": "UNSET"}.get(found) or _words(found)
    return f"expected {expected}, found {found}"


def advice(misfit: Misfit, package: str) -> str:
    """Return advice about a value of the wrong class, to be appended to an error message.

    Args:
        misfit: the value and the expected class.
        package: the package of the surface that the expected class belongs to.

    Returns:
        The advice, or an empty string.
    """
    surface = package.rpartition(".")[2]
    if hasattr(misfit.value, "__await__"):
        return "; await it"
    if misfit.value.__class__ is dict:
        return f"; use {surface}.decode({surface}.{misfit.expected}, ...)"
    theirs = package_of(misfit.value)
    if theirs is None or theirs == package:
        return ""
    return f" from {other_surface(theirs, package)}"


def other_surface(theirs: str, package: str) -> str:
    """Describe the surface of a value and the surface that rejects the value.

    Args:
        theirs: the package of the value's surface.
        package: the package of the surface that rejects the value.
    """
    name, own = theirs.rpartition(".")[2], package.rpartition(".")[2]
    if name == own:  # the value is from another copy of the package
        name, own = theirs, package
    return f"{name}; this surface is {own}"


def package_of(value: object) -> str | None:
    """Return the package of a protocol object's surface, or None for any other object."""
    # The class just before `Record` in the MRO is generated. Earlier classes can belong to the
    # program.
    classes = value.__class__.__mro__
    for cls, base in pairwise(classes):
        if base is Record or base is Unknown:
            return cls.__module__.rpartition(".")[0]
    return None


def _words(text: str) -> str:
    """Replace the names of JSON types in a decoder's description with Python's names."""
    return re.sub(_JSON_TYPE, lambda match: _IN_PYTHON[match[1]], text)
