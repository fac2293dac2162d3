# Made by acpgen 0.1.0 from templates/runtime/__init__.py.
# Do not edit it; make it again with `acpgen generate`.

"""What the generated surfaces share; it knows no protocol version."""

from __future__ import annotations

from .codec import SchemaInfo
from .errors import DecodeError, EncodeError, Issue
from .jsontext import set_json
from .record import Record, Unknown
from .unset import UNSET, UnsetType

__all__ = [
    "UNSET",
    "DecodeError",
    "EncodeError",
    "Issue",
    "Record",
    "SchemaInfo",
    "Unknown",
    "UnsetType",
    "set_json",
]
