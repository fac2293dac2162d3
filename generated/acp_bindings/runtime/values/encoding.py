# Made by acpgen 0.1.0 from templates/runtime/values/encoding.py.
# Do not edit it; make it again with acpgen.

"""What the generated encoders are made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias, TypeVar

from .errors import DecodeError, EncodeError
from .record import Record, Unknown

T = TypeVar("T")
Json: TypeAlias = dict[str, Any]
# An encoder of an object adds to the members that the unions around it have already written.
ObjectEncoder: TypeAlias = Callable[[Any, Json], Json]


def add_unknown(out: Json, value: Record, known: tuple[str, ...]) -> None:
    """Write members the schema does not name.

    Raises:
        EncodeError: the schema does name one of them, or a name is no string.
    """
    for name, item in (value.unknown_fields or {}).items():
        if name in known or name in out or name.__class__ is not str:
            owner = value.__class__.__name__
            reason = "the schema names it" if name.__class__ is str else "it is no string"
            raise EncodeError(f"{owner}: {name!r} is no unknown field, {reason}")
        out[name] = item


def find_class(value: Any, arms: Mapping[type, T], name: str) -> T:
    """Look up a value's class, or the nearest class it extends."""
    found = arms.get(value.__class__)
    if found is None:
        for base in value.__class__.__mro__:
            if base in arms:
                return arms[base]
        raise EncodeError(f"{name}: {value.__class__.__name__} is none of its types")
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
        EncodeError: the object lacks its tags, its tag is a known one, or a member it must have is
            missing or wrong.
    """
    raw, name = value.raw, value.__class__.__name__
    if raw.get(tag) != value.tag or value.tag in known:
        raise EncodeError(f"{name}: raw must hold {tag!r} with the value of tag, one not listed")
    for outer, written in out.items():
        if raw.get(outer) != written:
            raise EncodeError(f"{name}: raw must hold {outer!r}: {written!r} here")
    if check is not None:
        try:
            check(raw, [], ())
        except DecodeError as error:
            raise EncodeError(f"{name}: raw{error.pointer}: expected {error.expected}") from error
    return dict(raw)


def refuse_tag(out: Json, tag: str, known: Collection[str], any_string: bool, name: str) -> Json:
    """Refuse an object without a tag whose unknown fields would give it one.

    Raises:
        EncodeError: it would not be read back as what it is.
    """
    written = out.get(tag)
    if written.__class__ is str and (any_string or written in known):
        raise EncodeError(f"{name}: {tag!r} among the unknown fields would make it another type")
    return out


def encode_choice(value: Any, arms: Mapping[type, ObjectEncoder], out: Json | None = None) -> Any:
    """Write a value of an untagged union: an object, objects in arrays or maps, or plain JSON."""
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
        EncodeError: it would not be read back as what it is.
    """
    first = value[0] if value.__class__ is list and value else value
    if isinstance(first, Record) and first.unknown_fields:
        try:
            back = decode(out, [], ())
        except DecodeError as error:
            raise EncodeError(f"{name}: unknown fields make it ambiguous") from error
        if (back[0] if back.__class__ is list else back).__class__ is not first.__class__:
            raise EncodeError(f"{name}: unknown fields make it another type")
    return out
