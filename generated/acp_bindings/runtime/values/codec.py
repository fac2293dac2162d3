# Made by acpgen 0.1.0 from templates/runtime/values/codec.py.
# Do not edit it; make it again with acpgen.

"""The public functions of a surface: `decode`, `encode`, `loads`, `dumps`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from . import jsontext
from .decoding import Decoder
from .encoding import ObjectEncoder
from .errors import DecodeError, EncodeError, Issue, Issues, Path, pointer
from .jsontext import not_json

if TYPE_CHECKING:
    # Type checkers know it without an installation; nothing of it is needed at run time.
    from typing_extensions import TypeForm

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SchemaInfo:
    """Which schema a surface was generated from.

    Attributes:
        protocol_version: 1 or 2.
        stability: `stable` or `unstable`.
        source: the package or file the schema came from.
        sha256: of the schema file, in hexadecimal.
        generator_version: the version of acpgen.
    """

    protocol_version: int
    stability: str
    source: str
    sha256: str
    generator_version: str


class Definition(NamedTuple):
    """One type of a surface.

    Attributes:
        name: its name.
        type: its class or alias.
        decode: its decoder.
        encode: its encoder, or None where a value is JSON already.
        encode_object: the same for a type whose values are objects with members of their own.
    """

    name: str
    type: Any
    decode: Decoder[Any]
    encode: Callable[[Any], Any] | None = None
    encode_object: ObjectEncoder | None = None


def record(type: type, decode: Decoder[Any], encode: ObjectEncoder) -> Definition:
    """A class."""
    return Definition(type.__name__, type, decode, encode_object=encode)


def union(name: str, type: Any, decode: Decoder[Any], encode: ObjectEncoder) -> Definition:
    """An alias whose values are objects with members of their own."""
    return Definition(name, type, decode, encode_object=encode)


def alias(
    name: str, type: Any, decode: Decoder[Any], encode: Callable[[Any], Any] | None = None
) -> Definition:
    """An alias with other values; without an encoder, they are JSON as they are."""
    return Definition(name, type, decode, encode)


def restrict_to_arm(decode: Decoder[Any], name: str, *classes: type) -> Decoder[Any]:
    """The decoder of an arm without a definition of its own: the union's, for that arm alone."""

    def decode_arm(value: Any, issues: Issues, path: Path) -> Any:
        found = decode(value, issues, path)
        if not isinstance(found, classes):
            raise DecodeError(pointer(path), name, found.__class__.__name__)
        return found

    return decode_arm


class Codec:
    """Decodes and encodes the types of one surface.

    Types are looked up by identity: hashing a large union costs more than decoding a small message.
    """

    def __init__(self, definitions: tuple[Definition, ...]) -> None:
        self._definitions = definitions
        # Aliases such as `str` may be shared; then they mean the same, and the first is the name.
        self._by_id: dict[int, Definition] = {id(each.type): each for each in definitions[::-1]}
        self._decoders = {id(each.type): each.decode for each in definitions}
        self._encoders = {
            id(each.type): each.encode_object for each in definitions if each.encode_object
        }

    def decode(
        self,
        type: TypeForm[T],
        data: Any,
        *,
        strict: bool = False,
        on_issue: Callable[[Issue], object] | None = None,
    ) -> T:
        """Turn parsed JSON into typed objects.

        Free-form JSON inside (`_meta`, raw tool input, ...) is passed on as it is, not copied.

        Args:
            type: a class of the surface, or one of its unions and aliases.
            data: what `json.loads` gives.
            strict: accept exactly what the schema allows. The default mode also does what the
                schema orders for bad values (`x-deserialize-*`) and keeps unknown variants.
            on_issue: called once for each difference the default mode made, after success.

        Raises:
            DecodeError: the data is not of that type.
            TypeError: the type is none of this surface.
        """
        decode = self._decoders.get(id(type)) or self._find(type).decode
        issues: list[Issue] | None = None if strict else []
        try:
            value: T = decode(data, issues, ())
        except (DecodeError, RecursionError) as error:
            raise self._failure(type, error) from None
        if issues and on_issue is not None:
            for issue in issues:
                on_issue(issue)
        return value

    def loads(
        self,
        type: TypeForm[T],
        text: str | bytes | bytearray,
        *,
        strict: bool = False,
        on_issue: Callable[[Issue], object] | None = None,
    ) -> T:
        """Parse JSON text and decode it; see `decode`.

        Of two members with one name the last counts, as with `json.loads`.

        Raises:
            DecodeError: the text is not JSON (trailing text, NaN, 1e400 and lone surrogates
                included), or the data is not of that type.
            TypeError: the type is none of this surface.
        """
        decode = self._decoders.get(id(type)) or self._find(type).decode
        issues: list[Issue] | None = None if strict else []
        try:
            value: T = decode(jsontext.parse(text), issues, ())
        except (ValueError, RecursionError) as error:
            raise self._failure(type, error) from None
        if issues and on_issue is not None:
            for issue in issues:
                on_issue(issue)
        return value

    def encode(self, value: Any, type: TypeForm[Any] | None = None) -> Any:
        """Turn a typed object into JSON values: dict, list, str, int, float, bool, None.

        Free-form JSON inside is passed on as it is, not copied.

        Args:
            value: an object of this surface.
            type: what to write it as; by default, the definition of its own class. A union writes
                its tag.

        Raises:
            EncodeError: the value is not of that type, or its unknown fields contradict it.
            TypeError: the type is none of this surface.
        """
        try:
            if type is None:
                encode = self._encoders.get(id(value.__class__)) or self._find_encoder(value)
                return encode(value, {})
            return self._encode_as(value, self._find(type))
        except (AttributeError, TypeError, RecursionError) as error:
            raise self._refusal(value, error) from error

    def dumps(self, value: Any, type: TypeForm[Any] | None = None) -> str:
        """Encode a typed object and write it as one line of JSON text; see `encode`.

        Raises:
            EncodeError: as for `encode`, or it holds NaN, an infinity or a lone surrogate.
            TypeError: the type is none of this surface.
        """
        if type is not None:
            return jsontext.write(self.encode(value, type))
        try:
            encode = self._encoders.get(id(value.__class__)) or self._find_encoder(value)
            return jsontext.write(encode(value, {}))
        except (AttributeError, TypeError, RecursionError) as error:
            raise self._refusal(value, error) from error

    def _encode_as(self, value: Any, definition: Definition) -> Any:
        if definition.encode_object is not None:
            if isinstance(definition.type, _CLASS) and not isinstance(value, definition.type):
                raise EncodeError(f"{definition.name}: {value.__class__.__name__} is not one")
            return definition.encode_object(value, {})
        return value if definition.encode is None else definition.encode(value)

    def _find(self, type: Any) -> Definition:
        found = self._by_id.get(id(type))
        if found is not None:
            return found
        for definition in self._definitions:
            if definition.type == type:
                return definition
        raise UnknownTypeError(f"{type!r} is none of the types of this surface")

    def _find_encoder(self, value: Any) -> ObjectEncoder:
        for base in value.__class__.__mro__:
            if id(base) in self._encoders:
                return self._encoders[id(base)]
        raise EncodeError(f"{value.__class__.__name__} is none of the classes of this surface")

    def _failure(self, type: Any, error: ValueError | RecursionError) -> DecodeError:
        if not isinstance(error, DecodeError):
            error = not_json(error)
        name = self._find(type).name
        return DecodeError(error.pointer, error.expected, error.found, name)

    def _refusal(self, value: Any, error: Exception) -> Exception:
        if isinstance(error, UnknownTypeError):
            return error
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        return EncodeError(f"{value.__class__.__name__}: {reason}")


class UnknownTypeError(TypeError):
    """Raised when a type is none of the surface that is asked to decode or encode it."""


_CLASS = type
