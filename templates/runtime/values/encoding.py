"""Building blocks of the generated encoders."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeAlias, TypeVar

from .decoding import Decoder
from .errors import EncodeError, step
from .jsontext import as_read, is_array, is_object
from .record import Record, Unknown, members
from .refusals import not_read, position, refusal, type_of, within, wrong_class
from .repairs import EXACT, Mismatch

T = TypeVar("T")
Json: TypeAlias = dict[str, Any]
# Takes the object and the members that the unions around it have written, and adds its own.
ObjectEncoder: TypeAlias = Callable[[Any, Json], Json]

# What the encoder of a record raises if a member cannot be written.
FAILURES: Final = (AttributeError, TypeError, EncodeError)


def array(value: Any, expected: str) -> list[Any]:
    """Return an array whose items are to be encoded.

    Args:
        value: the array.
        expected: what it should be, in words.

    Raises:
        EncodeError: it is none.
    """
    if not is_array(value):
        raise wrong_class(value, expected)
    items: list[Any] = value
    return items


def mapping(value: Any, expected: str) -> dict[str, Any]:
    """Return a map whose values are to be encoded.

    Args:
        value: the map.
        expected: what it should be, in words.

    Raises:
        EncodeError: it is none.
    """
    if not is_object(value):
        raise wrong_class(value, expected)
    entries: dict[str, Any] = value
    return entries


def failed(error: Exception, cls: type, value: Any, member: str = "") -> EncodeError:
    """Return the error for a record that cannot be written: where in it, and why.

    Args:
        error: one of `FAILURES`, raised by its encoder.
        cls: its class.
        value: the record.
        member: the wire name of the last member whose encoder was called; empty for none.
    """
    place = step(member) if member else ""
    if not isinstance(error, EncodeError):
        return refusal(str(error), value, place)
    if error.culprit is value:
        return error
    names = (name for name in members(cls) if _letters(name) == _letters(member))
    inside = position((getattr(value, name, None) for name in names), error.culprit)
    return within(error, value, place + inside)


def _letters(name: str) -> str:
    """The letters of a name, which it has in Python and in JSON."""
    return name.replace("_", "").lower()


def add_unknown(out: Json, value: Record, known: tuple[str, ...]) -> None:
    """Write the unknown fields of a record.

    Raises:
        EncodeError: a name collides with a member of the schema, or is not a string; or they are
            no dictionary.
    """
    fields: Any = value.unknown_fields
    if not is_object(fields):
        raise refusal(f"unknown_fields: expected dict or None, found {type_of(fields)}", value)
    for name, item in fields.items():
        if name in known or name in out or not isinstance(name, str):
            reason = "is in the schema" if isinstance(name, str) else "is not a string"
            raise refusal(f"the unknown field {name!r} {reason}", value)
        out[name] = item


def find_class(value: Any, arms: Mapping[type, T], name: str) -> T:
    """Look up the class of a value, or the nearest base class.

    Raises:
        EncodeError: neither is listed.
    """
    arm = arms.get(value.__class__)
    if arm is None:
        for base in value.__class__.__mro__:
            if base in arms:
                return arms[base]
        raise wrong_class(value, name)
    return arm


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
    raw: Any = value.raw
    name = value.__class__.__name__
    if not is_object(raw):
        raise refusal(f"raw of {name}: expected dict, found {type_of(raw)}", value)
    if raw.get(tag) != value.tag or value.tag in known:
        reason = f"raw[{tag!r}] of {name} must equal tag, and not be in the schema"
        raise refusal(reason, value, step(tag))
    for outer, written in out.items():
        if raw.get(outer) != written:
            reason = f"raw[{outer!r}] of {name} must be {written!r} here"
            raise refusal(reason, value, step(outer))
    if check is not None:
        try:
            check(raw, EXACT, ())
        except Mismatch as error:
            reason = f"{not_read(error)} in raw of {name}"
            raise refusal(reason, value, error.pointer) from None
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
        raise EncodeError("", f"the unknown field {tag!r} would make it another type of {name}")
    return out


def encode_choice(value: Any, arms: Mapping[type, ObjectEncoder], out: Json | None = None) -> Any:
    """Write a value of an untagged union: a record, an array or map of records, or plain JSON."""
    if is_array(value):
        return [encode_choice(item, arms) for item in value]
    if is_object(value):
        return {name: encode_choice(item, arms) for name, item in value.items()}
    if isinstance(value, Record | Unknown):
        return find_class(value, arms, "untagged union")(value, {} if out is None else out)
    return value


def unshadowed(value: Any, out: T, decode: Decoder[Any], name: str) -> T:
    """Refuse a value of an untagged union that decoding would not give back.

    Raises:
        EncodeError: it would be decoded as another type, or not at all.
    """
    try:
        _give_back(value, out, decode, name)
    except EncodeError:
        _give_back(value, as_read(out), decode, name)
    return out


def _give_back(value: Any, out: Any, decode: Decoder[Any], name: str) -> None:
    given = value if is_array(value) else [value]
    has_unknown = any(isinstance(record, Record) and record.unknown_fields for record in given)
    try:
        back = decode(out, EXACT, ())
    except Mismatch as error:
        if has_unknown:
            reason = f"its unknown fields make it ambiguous as {name}"
            raise refusal(reason, value) from error
        raise refusal(not_read(error), value, error.pointer) from None
    pairs = zip(given, back if back.__class__ is list else [back], strict=False)
    if any(isinstance(one, Record) and not isinstance(one, type(other)) for one, other in pairs):
        what = "its unknown fields make it" if has_unknown else "it would be"
        raise refusal(f"{what} another type of {name}", value)
