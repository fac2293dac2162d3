"""A strict reader of JSON files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, TypeAlias

from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem

JsonObject: TypeAlias = dict[str, Any]

# The maximum nesting depth of a file. With this limit, code can safely walk schemas recursively.
# The depth of ACP schemas is less than a tenth of the limit.
DEPTH = 100


def read_json(path: Path) -> tuple[Any, str]:
    """Parse a JSON file and return its value and its SHA-256 digest in hexadecimal.

    Raises:
        InputError: If the file is missing, unreadable, not UTF-8, not JSON or nested too deeply.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        message = f"cannot be read ({error.strerror}); check the file"
        raise InputError([Problem(display_path(path), "", "missing-file", message)]) from error
    try:
        text = data.decode("utf-8")
        value = json.loads(text, parse_constant=_reject_constant, parse_float=_finite)
        _check_depth(value)
    except (ValueError, RecursionError) as error:
        reason = str(error)
        if isinstance(error, json.JSONDecodeError):
            reason = f"{error.msg} at line {error.lineno} column {error.colno}"
        elif isinstance(error, RecursionError):
            reason = f"nested deeper than {DEPTH} levels"
        message = f"{reason}; fix the file or fetch it again"
        raise InputError([Problem(display_path(path), "", "invalid-json", message)]) from error
    return value, hashlib.sha256(data).hexdigest()


def _check_depth(value: Any) -> None:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEPTH):
        parts = (holder.values() if isinstance(holder, dict) else holder for holder in level)
        level = [part for items in parts for part in items if isinstance(part, dict | list)]
    if level:
        raise RecursionError


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is out of range")
    return value


def _reject_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")
