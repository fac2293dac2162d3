"""The codec of a surface: `decode`, `encode`, `loads`, `dumps`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from . import jsontext
from .constants import misses, unlisted_in
from .decoding import Decoder
from .deferred import dataclass
from .encoding import (
    Encoder,
    RecordEncoder,
    UnionEncoder,
    advice,
    find_class,
    not_read,
    other_surface,
    package_of,
    type_of,
    wrong_class,
)
from .errors import DecodeError, EncodeError, Issue, Misfit, Path, reason_of
from .jsontext import not_json
from .record import Record, Unknown
from .repairs import EXACT, RECEIVED, SILENT, STRICT, Issues, Mismatch, Reported, plainly

if TYPE_CHECKING:
    # This import isn't needed at run time. Type checkers support the module even if it is not
    # installed.
    from typing_extensions import TypeForm

    from .encoding import ObjectEncoder

T = TypeVar("T")
_Class: TypeAlias = type  # for use in functions with a parameter named `type`


@dataclass(frozen=True, slots=True)
class SchemaInfo:
    """The schema that a surface was generated from.

    Attributes:
        protocol_version: the protocol version, such as 2.
        stability: `stable` or `unstable`.
        source: the package or file that the schema was read from.
        sha256: the SHA-256 hash of the schema file, in hexadecimal.
        generator_version: the version of acpgen.
        unchecked: pointers to the parts of the schema that the generator does not support. Strict
            mode does not enforce these parts, so it accepts more values than the schema allows.
            Strict mode also treats each `oneOf` that contains or refers to such a part as `anyOf`.
    """

    protocol_version: int
    stability: str
    source: str
    sha256: str
    generator_version: str
    unchecked: tuple[str, ...] = ()


class Definition(NamedTuple):
    """One type of a surface.

    Attributes:
        name: the type's name.
        type: the class or alias.
        decode: the decoder.
        encode: the encoder; None if the values are already JSON.
        write: the writer, which creates text directly; None to write the result of `encode`.
        union: the name of the union that the type is a variant of, if the schema does not contain
            a definition for the type.
    """

    name: str
    type: Any
    decode: Decoder[Any]
    encode: Encoder | None = None
    write: Callable[[Any], str] | None = None
    union: str | None = None

    @property
    def arms(self) -> Mapping[type, tuple[str | None, ObjectEncoder]] | None:
        """The tag and the encoder for each class of a tagged union; None for other types."""
        return self.encode.arms if isinstance(self.encode, UnionEncoder) else None

    @property
    def tag(self) -> str | None:
        """The name of the field that contains a tagged union's tag; None for other types."""
        return self.encode.tag if isinstance(self.encode, UnionEncoder) else None

    @property
    def is_record(self) -> bool:
        """True if the type is a record class."""
        return isinstance(self.type, _Class) and issubclass(self.type, Record)

    @property
    def package(self) -> str:
        """The package of the surface that contains the type."""
        owner = self.type if isinstance(self.type, _Class) else self.decode
        return owner.__module__.rpartition(".")[0]

    def encoded(self, value: Any) -> Any:
        """Encode a value without checking it. An invalid value results in invalid JSON."""
        return value if self.encode is None else self.encode(value, ())


def record(
    type: type, decode: Decoder[Any], encode: ObjectEncoder, write: Callable[[Any], str]
) -> Definition:
    """Define a record class."""
    return Definition(type.__name__, type, decode, encode, write)


def alias(
    name: str,
    type: Any,
    decode: Decoder[Any],
    encode: Encoder | None = None,
    write: Callable[[Any], str] | None = None,
) -> Definition:
    """Define an alias. If no encoder is given, the values are already JSON."""
    return Definition(name, type, decode, encode, write)


def arm(
    name: str,
    type: Any,
    union: str,
    decode: Decoder[Any],
    encode: ObjectEncoder,
    *classes: _Class,
) -> Definition:
    """Define a variant that has no definition in the schema.

    The variant is decoded and encoded as a value of its union. If `type` is an alias, `classes` are
    the classes that the alias combines.
    """

    def decode_arm(value: Any, issues: Issues, path: Path) -> Any:
        # Call the union's decoder, since only that decoder reads the tag.
        decoded = decode(value, issues, path)
        if not isinstance(decoded, classes or type):
            raise Mismatch(path, plainly, name, decoded)
        return decoded

    def encode_arm(value: Any, path: Path) -> Any:
        if isinstance(type, _Class) and not isinstance(value, type):
            raise wrong_class(value, name, path)
        return encode(value, path)

    return Definition(name, type, decode_arm, encode_arm, union=union)


class Codec:
    """The decoders and encoders for one surface's types.

    Types are looked up by identity, since hashing a large union takes longer than decoding a small
    message. The definitions keep the types alive, so identities are not reused.

    Attributes:
        definitions: the types. An extension's types come before the types of its surface.
    """

    def __init__(self, definitions: list[Definition]) -> None:
        self.definitions = definitions
        # Several aliases can be the same object, such as `str`. They are then decoded in the same
        # way. Errors use the name of the first alias or, if a class has aliases, the class name.
        self._by_id: dict[int, Definition] = {id(entry.type): entry for entry in definitions[::-1]}
        for entry in definitions:
            if getattr(entry.type, "__name__", "") == entry.name:
                self._by_id[id(entry.type)] = entry
        # Here and above, the order is reversed so that an object's first definition is used.
        self._decoders = {id(entry.type): entry.decode for entry in definitions[::-1]}
        self._writers = {id(entry.type): entry.write for entry in definitions[::-1] if entry.write}
        # If no type is given, `dumps` writes a record without the tag of a union.
        records = (entry for entry in definitions if entry.is_record)
        self._own_writers = {entry.type: entry.write for entry in records if entry.write}

    def decode(
        self,
        type: TypeForm[T],
        data: Any,
        *,
        strict: bool = False,
        on_issue: Callable[[Issue], object] | None = None,
    ) -> T:
        """Decode parsed JSON into typed objects.

        Free-form JSON (`_meta`, raw tool input, ...) is shared with the result, not copied.

        Args:
            type: a class, union or alias of the surface.
            data: parsed JSON, as returned by `json.loads`.
            strict: whether to accept only data that the schema allows. The default mode also
                repairs invalid values as specified in the schema (`x-deserialize-*`) and keeps
                unknown variants. A repaired list can be shorter than the schema allows. Such a list
                cannot be encoded.
            on_issue: called after successful decoding, for each repair and each unknown variant.

        Raises:
            DecodeError: If the data does not match the type.
            TypeError: If the type does not belong to this surface.
        """
        decode = self._decoders.get(id(type)) or self._definition_of(type).decode
        issues = STRICT if strict else SILENT if on_issue is None else Reported()
        try:
            value: T = decode(data, issues, ())
        except (DecodeError, RecursionError) as error:
            raise self._decode_error(type, error) from None
        # Repairs are reported only after decoding succeeds.
        if on_issue is not None and isinstance(issues, Reported):
            issues.report(on_issue)
        return value

    def receive(
        self, type: TypeForm[T], data: Any, on_issue: Callable[[Issue], object] | None = None
    ) -> T:
        """Decode JSON that a connection received; see `decode`.

        Received constants that the schema does not list are remembered. If the program forwards
        such a constant, it is not reported as a possible typo.
        """
        issues = RECEIVED if on_issue is None else Reported(is_received=True)
        decode = self._decoders.get(id(type)) or self._definition_of(type).decode
        try:
            value: T = decode(data, issues, ())
        except (DecodeError, RecursionError) as error:
            raise self._decode_error(type, error) from None
        if on_issue is not None and isinstance(issues, Reported):
            issues.report(on_issue)
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

        If an object contains duplicate names, the last value is used, as in `json.loads`.

        Raises:
            DecodeError: If the data does not match the type, or if the text is not valid JSON.
                Trailing text, NaN and 1e400 are invalid.
            TypeError: If the type does not belong to this surface.
        """
        decode = self._decoders.get(id(type)) or self._definition_of(type).decode
        issues = STRICT if strict else SILENT if on_issue is None else Reported()
        try:
            value: T = decode(jsontext.parse(text), issues, ())
        except (ValueError, RecursionError) as error:
            raise self._decode_error(type, error) from None
        if on_issue is not None and isinstance(issues, Reported):
            issues.report(on_issue)
        return value

    def encode(
        self,
        value: Any,
        type: TypeForm[Any] | None = None,
        *,
        on_issue: Callable[[Issue], object] | None = None,
    ) -> Any:
        """Encode a typed object as JSON values: dict, list, str, int, float, bool and None.

        Free-form JSON is shared with the result, not copied.

        Args:
            value: an object of this surface.
            type: the type to encode the value as. By default, the definition of the value's class
                is used, which does not include the tag that a union adds. For a variant without a
                definition in the schema, pass its union.
            on_issue: called after successful encoding, for each constant that the schema does not
                list. These constants are encoded anyway. Custom values are not reported where the
                schema allows them.

        Raises:
            EncodeError: If the value does not match the type and decoding would therefore not
                restore it; if it contains a value that JSON cannot represent, such as NaN; or if
                reading it raises an exception.
            TypeError: If the type does not belong to this surface.
        """
        if on_issue is not None:
            before = misses.last
            encoded = self.encode(value, type)
            if misses.last is not before:
                self._report_unlisted(value, type, on_issue)
            return encoded
        try:
            definition = self._definition_for(value, type)
            if definition.write is not None:
                # Write the value only to check it, which is faster than decoding the result.
                definition.write(value)
                return definition.encoded(value)
        except Exception:  # any exception; `_encode_exactly` determines the error and its location
            pass
        return self._encode_exactly(value, type)

    def dumps(
        self,
        value: Any,
        type: TypeForm[Any] | None = None,
        # A keyword-only parameter would make each call slower.
        on_issue: Callable[[Issue], object] | None = None,
    ) -> str:
        r"""Encode a typed object as one line of JSON text; see `encode`.

        Half of a surrogate pair is written as an escape, such as `\ud83d`.

        Raises:
            EncodeError: As for `encode`.
            TypeError: If the type does not belong to this surface.
        """
        before = misses.last
        text = None
        try:
            own = value.__class__
            expected: Any = type
            # The writer for an alias checks the class of the value. The writer for a record does
            # not.
            if expected is None or expected is own:
                write = self._own_writers.get(own)
            elif expected.__class__ is not _Class:
                write = self._writers.get(id(expected))
            else:
                write = None  # the value might be of another class
            if write is not None and jsontext.is_standard:
                text = write(value)
                if not text.isascii():
                    text.encode()
        except Exception:  # an error as in `encode`, or half of a surrogate pair to be escaped
            text = None
        if text is None:
            encoded = self.encode(value, type)
            try:
                text = jsontext.write(encoded)
            except EncodeError as error:
                raise self._encode_error(value, type, error, encoded) from None
        if on_issue is not None and misses.last is not before:
            self._report_unlisted(value, type, on_issue)
        return text

    def _report_unlisted(
        self, value: Any, type: TypeForm[Any] | None, on_issue: Callable[[Issue], object]
    ) -> None:
        """Report the constants in a value that the schema does not list.

        The value might contain no such constants, since another thread might have recorded the
        last miss.
        """
        definition = self._definition_for(value, type)
        for issue in unlisted_in(lambda: definition.encoded(value)):
            on_issue(issue)

    def _encode_exactly(self, value: Any, type: TypeForm[Any] | None) -> Any:
        """Encode a value and reject it unless decoding restores it."""
        encoded = None
        try:
            definition = self._definition_for(value, type)
            encoded = definition.encoded(value)
            try:
                data = jsontext.as_read(encoded)
            except RecursionError:  # too deeply nested for text; `dumps` rejects such values
                definition.decode(encoded, EXACT, ())
            else:
                definition.decode(data, EXACT, ())
                jsontext.dumps(data)
        except MemoryError:
            raise
        except Exception as error:  # subclasses of JSON types can raise any exception
            raise self._encode_error(value, type, error, encoded) from None
        return encoded

    def tag(self, value: Any, union: TypeForm[Any]) -> str | None:
        """Return the tag that a union writes for a value.

        Args:
            value: an instance of one of the union's classes.
            union: a tagged union of the surface.

        Returns:
            The tag, such as `agent_message_chunk`; None if the union writes no tag for the value.

        Raises:
            EncodeError: If the value is not an instance of one of the union's classes.
            TypeError: If the type is not a tagged union of this surface.
        """
        definition = self._definition_of(union)
        if definition.arms is None:
            raise UnknownTypeError(f"{definition.name} is not a tagged union")
        tag, _ = find_class(value, definition.arms, definition.name)
        return value.tag if isinstance(value, Unknown) else tag

    def fields_of(self, type: TypeForm[Any]) -> Collection[str]:
        """Return the wire names of a record type's fields, or an empty list for other types."""
        encode = self._definition_of(type).encode
        return encode.wire_names if isinstance(encode, RecordEncoder) else ()

    def _definition_for(self, value: Any, type: Any) -> Definition:
        """Return the definition for encoding a value."""
        if type is not None:
            return self._definition_of(type)
        # Also check the base classes, since programs can subclass the classes of the surface.
        for base in value.__class__.__mro__:
            definition = self._by_id.get(id(base))
            if definition is not None and definition.union:
                union = definition.union
                raise EncodeError("", f"is not a definition of the schema; encode it as {union}")
            if definition is not None and definition.is_record:
                return definition
        theirs = package_of(value)
        if theirs is None:
            raise EncodeError("", "is not a class of this surface")
        own = self.definitions[0].package
        raise EncodeError("", f"is a class of {other_surface(theirs, own)}")

    def _definition_of(self, type: Any) -> Definition:
        known = self._by_id.get(id(type))
        if known is not None:
            return known
        # The program might have created an equal union or alias.
        for definition in self.definitions:
            if definition.type == type:
                return definition
        raise UnknownTypeError(f"{type!r} is not a type of this surface")

    def _decode_error(self, type: Any, error: ValueError | RecursionError) -> DecodeError:
        if not isinstance(error, DecodeError):
            error = not_json(error)
        name = self._definition_of(type).name
        return DecodeError(error.pointer, error.expected, error.found, name)

    def _encode_error(
        self, value: Any, type: Any, error: Exception, encoded: Any = None
    ) -> Exception:
        """Return the error to raise, including the location of the invalid value."""
        if isinstance(error, UnknownTypeError):
            return error
        try:
            name = type_of(value) if type is None else self._definition_of(type).name
            if isinstance(error, DecodeError):
                return EncodeError(error.pointer, not_read(error), name)
            place = ""
            if isinstance(error, EncodeError):
                place, reason = error.pointer, error.reason + self._advice(error.misfit)
            elif isinstance(error, RecursionError):
                reason = "nested too deeply"
            else:
                reason = reason_of(error)
            return EncodeError(place or jsontext.find_unwritable(encoded), reason, name)
        except MemoryError:
            raise
        except Exception:  # raised by the value while the error was being created
            return EncodeError("", "raises an exception when it is read")

    def _advice(self, misfit: Misfit | None) -> str:
        """Return advice about a value of the wrong class, to be appended to the error message."""
        for definition in self.definitions:
            if misfit is not None and definition.name == misfit.expected:
                return advice(misfit, definition.package)
        return ""


class UnknownTypeError(TypeError):
    """Raised when a type does not belong to the surface that decodes or encodes it."""
