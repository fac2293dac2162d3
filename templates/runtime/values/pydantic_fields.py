"""Support for surface classes as fields of pydantic models.

This module is imported when pydantic requests the schema of a class.

A field annotated with a single class is decoded by `decode` and encoded by `encode`, without a tag.
If a field is annotated with a union of variants, its JSON includes the variant's tag. Pydantic
requests the schemas of a union's classes one by one. The schema of the first variant handles all
variants so that an invalid value is reported only once.
"""

from __future__ import annotations

import inspect
import json
import sys
from dataclasses import dataclass
from importlib import import_module
from types import FrameType, UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin

# Types from `codec`. They can't be imported, because `codec` imports `record`, and `record` uses
# this module.
_Codec: TypeAlias = Any
_Definition: TypeAlias = Any

_KEY = "acp_bindings"  # the key of the field in the metadata of pydantic schemas


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a pydantic model that a codec decodes and encodes.

    Attributes:
        codec: the codec.
        type: the type for decoding and encoding values: a class, or the union that contains the
            field's variants.
        classes: the classes of the field's values, in the order of the annotation.
    """

    codec: _Codec
    type: Any
    classes: tuple[type, ...]

    @property
    def definition(self) -> _Definition:
        """The codec's definition of the type."""
        return next(entry for entry in self.codec.definitions if entry.type is self.type)

    @property
    def is_defined(self) -> bool:
        """True if the schema defines the type and the field accepts all of its classes."""
        definition = self.definition
        if definition.is_record:
            return not definition.union and self.type in self.classes
        return set(self.classes) == _arms(definition).keys()

    def read(self, value: Any) -> Any:
        """Validate a value of the field and return it, decoding it unless it is a typed object.

        Raises:
            ValueError: If the value is not valid for the field.
        """
        if isinstance(value, self.classes):
            return value
        if self.type in self.classes:
            self._refuse_other_variant(value)
        decoded = self.codec.decode(self.type, value)
        if not isinstance(decoded, self.classes):
            raise self._unexpected(decoded.__class__.__name__)
        return decoded

    def _refuse_other_variant(self, value: Any) -> None:
        """Reject another variant's tag, which would otherwise be decoded as an unknown field."""
        own = self.codec.fields_of(self.type)
        for union in _unions_of(self.codec, self.type):
            tag: Any = value.get(union.tag) if value.__class__ is dict else None
            if not isinstance(tag, str) or union.tag in own:
                continue
            arms = _arms(union)
            if tag != arms[self.type][0]:
                others = (cls.__name__ for cls, (other, _) in arms.items() if other == tag)
                raise self._unexpected(next(others, f"{union.tag} = {tag!r}"))

    def _unexpected(self, found: str) -> ValueError:
        expected = " or ".join(cls.__name__ for cls in self.classes)
        return ValueError(f"expected {expected}, found {found}")


def core_schema(cls: type) -> Any:
    """Return the pydantic schema that validates and serializes a field of a class.

    Raises:
        TypeError: If the class does not belong to a surface.
    """
    field = _field_of(cls)
    codec, definition = field.codec, field.definition
    pydantic: Any = import_module("pydantic_core")  # pydantic is not a dependency of this package

    def validate(value: Any) -> Any:
        if cls is not field.classes[0]:  # the first variant reports the error
            raise pydantic.ValidationError.from_exception_data(cls.__name__, [])
        try:
            return field.read(value)
        except ValueError as error:  # pydantic would add a prefix to the message of a ValueError
            details = {"error": error}
            raise pydantic.PydanticCustomError("value_error", "{error}", details) from None

    def serialize(value: Any) -> Any:
        if not isinstance(value, field.classes):
            reason = f"{value.__class__.__name__} is not {cls.__name__}"
            raise pydantic.PydanticSerializationUnexpectedValue(reason)
        return codec.encode(value, field.type)

    # Pydantic includes this name in the locations of errors in a union.
    validate.__name__ = definition.name
    is_first = cls is field.classes[0]
    reference = _reference_name(codec, definition.name) if is_first and field.is_defined else None
    schemas = pydantic.core_schema
    return schemas.no_info_plain_validator_function(
        validate,
        # With a reference, a model's JSON Schema defines the type separately.
        ref=reference,
        serialization=schemas.plain_serializer_function_ser_schema(serialize),
        metadata={_KEY: field},
    )


def json_schema(cls: type, schema: Any, handler: Any) -> Any:
    """Return the JSON Schema for a field of a class, given the result of `core_schema`."""
    field: _Field = schema["metadata"][_KEY]
    if field.is_defined:
        if cls is not field.classes[0]:  # the first variant's schema covers all variants
            raise import_module("pydantic_core").PydanticOmit
        return _resolved(field.codec, field.definition.name, handler, frozenset())
    # Refer to a definition and require the tags of one variant.
    definition = field.definition
    name = definition.union or definition.name
    around = _arms(_definition_named(field.codec, name))
    conditions: dict[str, Any] = {}
    for union in _unions_of(field.codec, cls):
        arms = _arms(union)
        if arms.keys() <= around.keys():
            tag, known = arms[cls][0], sorted(each for each, _ in arms.values() if each)
            conditions[union.tag or ""] = (
                {"not": {"enum": known}} if tag is None else {"const": tag}
            )
    reference = _reference(field.codec, name, handler, frozenset())
    return {"allOf": [reference], "properties": conditions, "required": sorted(conditions)}


def _reference(codec: _Codec, name: str, handler: Any, outer: frozenset[str]) -> Any:
    """Return a reference to a definition and add the definition to the model's JSON Schema.

    `outer` contains the references to the definitions that are already being added.
    """
    surface, _, own = name.rpartition(".")
    if surface:  # an extension's reference to a definition of its surface
        package = next(each for each in _packages(codec) if each.rpartition(".")[2] == surface)
        codec, name = import_module(f"{package}.codec").CODEC, own
    reference = _reference_name(codec, name)
    if reference in outer:
        return handler({"type": "definition-ref", "schema_ref": reference})
    pydantic: Any = import_module("pydantic")
    # The adapter registers the JSON Schema function of `_Named`. Handlers call that function only
    # for inner schemas.
    schema = pydantic.TypeAdapter(_Named(codec, name, outer)).core_schema
    return handler({"type": "chain", "steps": [{**schema, "ref": reference}]})


@dataclass(frozen=True, slots=True)
class _Named:
    """A placeholder type that pydantic replaces with a schema definition; see `_reference`."""

    codec: _Codec
    name: str
    outer: frozenset[str]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return {"type": "any"}

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return _resolved(self.codec, self.name, handler, self.outer)


def _resolved(codec: _Codec, name: str, handler: Any, outer: frozenset[str]) -> Any:
    """Return the JSON Schema of a definition, with its references adapted to the model."""

    around = outer | {_reference_name(codec, name)}

    def resolved(part: Any) -> Any:
        if part.__class__ is list:
            return [resolved(item) for item in part]
        if part.__class__ is not dict:
            return part
        rest = {key: resolved(item) for key, item in part.items() if key != "$ref"}
        if "$ref" not in part:
            return rest
        target = part["$ref"].rpartition("/")[2]
        return {**_reference(codec, target, handler, around), **rest}

    return resolved(json.loads(_text(codec, name)))


# --- finding types ---------------------------------------------------------------------------


def _field_of(cls: type) -> _Field:
    """Return the field whose schema pydantic requests from a class."""
    codec, base = _home(cls)
    alternatives = _alternatives(cls)
    # Use the smallest union that contains all variants in the annotation.
    best: _Field | None = None
    for union in _unions_of(codec, base):
        variants = tuple(each for each in alternatives if each in _arms(union))
        if len(variants) > max(1, len(best.classes) if best else 0):
            best = _Field(codec, union.type, variants)
    return best or _Field(codec, base, (cls,))


def _home(cls: type) -> tuple[_Codec, type]:
    """Return the codec of a class, and the class or base class that belongs to that codec.

    Raises:
        TypeError: If the class does not belong to a surface.
    """
    for base in cls.__mro__:
        module = sys.modules.get(f"{base.__module__.rpartition('.')[0]}.codec")
        codec = getattr(module, "CODEC", None)
        if codec is not None:
            return codec, base
    raise TypeError(f"{cls.__qualname__} does not belong to a surface")


def _unions_of(codec: _Codec, cls: type) -> list[_Definition]:
    """Return the tagged unions that a class is a variant of, smallest first."""
    unions = [entry for entry in codec.definitions if cls in _arms(entry)]
    return sorted(unions, key=lambda entry: len(_arms(entry)))


def _arms(definition: _Definition) -> dict[type, tuple[str | None, Any]]:
    return dict(definition.arms or {})


def _definition_named(codec: _Codec, name: str) -> _Definition:
    return next(entry for entry in codec.definitions if entry.name == name)


def _packages(codec: _Codec) -> list[str]:
    """Return the packages that define a codec's classes: the extension, if any, and the surface."""
    return list(dict.fromkeys(entry.package for entry in codec.definitions if entry.is_record))


def _reference_name(codec: _Codec, name: str) -> str:
    return f"{_packages(codec)[0]}.{name}"


def _text(codec: _Codec, name: str) -> str:
    """Return the JSON Schema of a definition as JSON text."""
    modules = (import_module(f"{package}.definitions") for package in _packages(codec))
    text: str = next(module.DEFINITIONS[name] for module in modules if name in module.DEFINITIONS)
    return text


def _plain(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _alternatives(cls: type) -> tuple[Any, ...]:
    """Return the members of the annotated union that contains a class, or only the class.

    Pydantic does not pass the annotation. Therefore, this function searches the local variables of
    its callers and stops at the first caller that has no variable with the class.
    """
    frame: FrameType | None = inspect.currentframe()
    while frame is not None:
        held = list(frame.f_locals.values())
        if frame.f_globals.get("__name__") != __name__:
            if any(get_origin(value) in (Union, UnionType) for value in held):
                for value in held:  # a tuple contains the resolved types of quoted names
                    parts: Any = value if value.__class__ is tuple else get_args(value)
                    members = tuple(map(_plain, parts))
                    if cls in members:
                        return members
            if not any(value is cls for value in held):
                break
        frame = frame.f_back
    return (cls,)
