# Made by acpgen 0.1.0 from templates/runtime_init.jinja.
# Do not edit it; make it again with acpgen.
"""What the generated surfaces share: it knows none of their types."""

from __future__ import annotations

from .codec import SchemaInfo
from .errors import (
    CapabilityError,
    ConnectionClosed,
    DecodeError,
    EncodeError,
    Issue,
    RequestError,
    VersionMismatch,
)
from .jsontext import set_json
from .method import Caller, Capability, Handler, Method, Need, Stub, Surface
from .record import Record, Unknown
from .unset import UNSET, UnsetType

__all__ = [
    "UNSET",
    "Caller",
    "Capability",
    "CapabilityError",
    "ConnectionClosed",
    "DecodeError",
    "EncodeError",
    "Handler",
    "Issue",
    "Method",
    "Need",
    "Record",
    "RequestError",
    "SchemaInfo",
    "Stub",
    "Surface",
    "Unknown",
    "UnsetType",
    "VersionMismatch",
    "set_json",
]
