"""Building blocks of the generated encoders."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias, TypeVar

from .errors import DecodeError, EncodeError
from .record import Record, Unknown

T = TypeVar("T")
Json: TypeAlias = dict[str, Any]
# Takes the object and the members that the unions around it have written, and adds its own.
ObjectEncoder: TypeAlias = Callable[[Any, Json], Json]


def add_unknown(out: Json, value: Record, known: tuple[str, ...]) -> None:
    """Write the unknown fields of a record.

    Raises:
        EncodeError: a name collides with a member of the schema, or is not a string.
    """
    for name, item in (value.unknown_fields or {}).items():
        if name in known or name in out or name.__class__ is not str:
            owner = value.__class__.__name__
            reason = "is in the schema" if name.__class__ is str else "is not a string"
            raise EncodeError(f"{owner}: unknown field {name!r} {reason}")
        out[name] = item


def find_class(value: Any, arms: Mapping[type, T], name: str) -> T:
    """Look up the class of a value, or the nearest base class.

    Raises:
        EncodeError: neither is listed.
    """
    found = arms.get(value.__class__)
    if found is None:
        for base in value.__class__.__mro__:
            if base in arms:
                return arms[base]
        raise EncodeError(f"{name}: {value.__class__.__name__} is not one of its classes")
    return found


def encode_unknown(
    value: Unknown,
    out: Json,
    tag: str,
    known: Collection[str],
    check: Callable[[Json, Any, Any], Json] | None,
) -> Json:
    """Write an object with an unknown tag as it was received.

    Raises:
        EncodeError: a tag in the object is missing, wrong or one that the schema lists; or a
            required member is missing or wrong.
    """
    raw, name = value.raw, value.__class__.__name__
    if raw.get(tag) != value.tag or value.tag in known:
        raise EncodeError(f"{name}: raw[{tag!r}] must equal tag, and not be in the schema")
    for outer, written in out.items():
        if raw.get(outer) != written:
            raise EncodeError(f"{name}: raw[{outer!r}] must be {written!r} here")
    if check is not None:
        try:
            check(raw, [], ())
        except DecodeError as error:
            raise EncodeError(f"{name}: raw{error.pointer}: expected {error.expected}") from error
    return dict(raw)


def refuse_tag(
    out: Json,
    tag: str,
    known: Collection[str],
    any_string: bool,
    name: str,
    ruled_out: Collection[str] = (),
) -> Json:
    """Refuse an object of an arm without a tag whose unknown fields hold the tag of another arm.

    Args:
        out: the object.
        tag: the name of the tag.
        known: the tags of the arms.
        any_string: whether there is an arm for other tags.
        name: the union.
        ruled_out: the tags that the arm for other tags rules out.

    Raises:
        EncodeError: the object would decode as another type.
    """
    written = out.get(tag)
    is_other = any_string and written not in ruled_out
    if written.__class__ is str and (is_other or written in known):
        raise EncodeError(f"{name}: unknown field {tag!r} would make it another type")
    return out


def encode_choice(value: Any, arms: Mapping[type, ObjectEncoder], out: Json | None = None) -> Any:
    """Write a value of an untagged union: a record, an array or map of records, or plain JSON."""
    if value.__class__ is list:
        return [encode_choice(item, arms) for item in value]
    if value.__class__ is dict:
        return {name: encode_choice(item, arms) for name, item in value.items()}
    if isinstance(value, Record | Unknown):
        return find_class(value, arms, "untagged union")(value, {} if out is None else out)
    return value


def unshadowed(value: Any, out: T, decode: Callable[..., Any], name: str) -> T:
    """Refuse an object of an untagged union whose unknown fields make it fit an earlier arm.

    Raises:
        EncodeError: the object would decode as another type, or not at all.
    """
    first = value[0] if value.__class__ is list and value else value
    if isinstance(first, Record) and first.unknown_fields:
        try:
            back = decode(out, [], ())
        except DecodeError as error:
            raise EncodeError(f"{name}: its unknown fields make it ambiguous") from error
        if (back[0] if back.__class__ is list else back).__class__ is not first.__class__:
            raise EncodeError(f"{name}: its unknown fields make it another type")
    return out
