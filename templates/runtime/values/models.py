"""Objects of the protocol as members of pydantic's models. Loaded when pydantic asks for it.

A member is read from JSON and written as JSON. The class of an arm of a tagged union is read and
written as one, with its tag, so that members may be unions: pydantic asks each arm in turn.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from .codec import Codec


def core_schema(cls: type) -> Any:
    """Return the schema by which pydantic validates and serialises a member of a class.

    Raises:
        TypeError: the class belongs to no surface.
    """
    codec, kind = _home(cls)

    pydantic: Any = import_module("pydantic_core")  # no dependency of this package

    def validate(value: Any) -> Any:
        try:
            decoded = value if isinstance(value, cls) else codec.decode(kind, value)
            if not isinstance(decoded, cls):
                raise ValueError(f"expected {cls.__name__}, found {decoded.__class__.__name__}")
        except ValueError as error:  # as it is; pydantic would put words before it
            details = {"error": error}
            raise pydantic.PydanticCustomError("value_error", "{error}", details) from None
        return decoded

    schemas = pydantic.core_schema
    serialization = schemas.plain_serializer_function_ser_schema(_serialize)
    return schemas.no_info_plain_validator_function(validate, serialization=serialization)


def _serialize(value: Any) -> Any:
    """Encode a value by its own class: pydantic may ask another arm of a union."""
    try:
        codec, kind = _home(value.__class__)
    except TypeError as error:
        pydantic: Any = import_module("pydantic_core")
        raise pydantic.PydanticSerializationUnexpectedValue(str(error)) from None
    return codec.encode(value, kind)


def _home(cls: type) -> tuple[Codec, Any]:
    """Find the codec of a class, and the type that it is decoded and encoded as."""
    for base in cls.__mro__:
        module = sys.modules.get(f"{base.__module__.rpartition('.')[0]}.codec")
        codec = getattr(module, "CODEC", None)
        if isinstance(codec, Codec):
            unions = [entry for entry in codec.definitions if base in (entry.arms or ())]
            # The arms of a union that is an arm itself are arms of the outer one, too.
            widest = max(unions, key=lambda entry: len(entry.arms or ()), default=None)
            return codec, base if widest is None else widest.type
    raise TypeError(f"{cls.__qualname__} belongs to no surface")
