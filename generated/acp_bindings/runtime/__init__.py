# Made by acpgen 0.1.0 from templates/package/runtime.jinja.
# Do not edit it; make it again with acpgen.
"""What the generated surfaces share: it knows none of their types."""

from __future__ import annotations

from .jsonrpc.errors import CapabilityError, ConnectionClosed, RequestError, VersionMismatch
from .jsonrpc.method import (
    Caller,
    Capability,
    Handler,
    Method,
    CapabilityRequirement,
    Stub,
    Surface,
)
from .values.codec import SchemaInfo
from .values.errors import DecodeError, EncodeError, Issue
from .values.jsontext import set_json
from .values.record import Record, Unknown
from .values.unset import UNSET, UnsetType

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
    "CapabilityRequirement",
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
