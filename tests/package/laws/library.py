"""Helpers that decode, encode and compare values, distinguishing 1, 1.0 and True."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from acp_bindings.runtime import DecodeError, Issue

from .instances import Path
from .schemas import Json, Surface


class Outcome(NamedTuple):
    value: Any  # the typed value, or None if decoding failed
    issues: list[Issue]  # the issues that decoding recovered from
    error: DecodeError | None  # why it failed


def decode(surface: Surface, name: str, data: Json, strict: bool = False) -> Outcome:
    issues: list[Issue] = []
    try:
        value = surface.module.decode(
            surface.module.TYPES[name], data, strict=strict, on_issue=issues.append
        )
    except DecodeError as error:
        return Outcome(None, issues, error)
    return Outcome(value, issues, None)


def encode(surface: Surface, name: str, value: Any) -> Json:
    return surface.module.encode(value, surface.module.TYPES[name])


def json_text(value: Json) -> str:
    return escaped(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def escaped(text: str) -> str:
    """Return JSON text with unpaired surrogates as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def writer(module: ModuleType, name: str) -> Callable[[Any], str] | None:
    """Return the generated writer function for a definition, or None if it has none."""
    codec = importlib.import_module(f"{module.__name__}.codec")
    found: Callable[[Any], str] | None = getattr(codec, f"write_{name}", None)
    return found


def same(one: Json, other: Json) -> bool:
    """Return whether two JSON values have equal types, signs and contents, in any field order."""
    if one.__class__ is not other.__class__:
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(v, other[k]) for k, v in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return bool(one == other and math.copysign(1, one) == math.copysign(1, other))
    return bool(one == other)


def pointer(path: Path) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def resolve(value: Json, at: str) -> Json:
    for part in at.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(part)]
        elif isinstance(value, dict):
            value = value[part]
        else:
            raise LookupError(at)
    return value
