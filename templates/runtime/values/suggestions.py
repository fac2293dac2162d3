"""Suggestions for unknown names. This module is imported only when an error occurs.

The module accesses surfaces through their public names, as programs do.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from .official_names import OFFICIAL_NAMES


def of_name(package: str, name: str) -> str:
    """Return advice about a name that a surface does not contain, or an empty string."""
    surface = importlib.import_module(package)
    own = package.rpartition(".")[2]
    others = [sibling for sibling in _siblings(package) if name in sibling.TYPES]
    for other in others:
        if other.SCHEMA.protocol_version == surface.SCHEMA.protocol_version:
            return f"it is in {other.__name__.rpartition('.')[2]}"
    # A similar spelling is the least certain guess, so it is tried last.
    ours = [_counterpart(other, surface, name) for other in others]
    official = [known for known in OFFICIAL_NAMES.get(name, ()) if known in surface.__all__]
    meant = next((known for known in (*ours, *official) if known is not None), None)
    if meant is not None:
        return f"it is called {meant} in {own}"
    if others:
        return f"it is only in {others[0].__name__.rpartition('.')[2]}"
    return _nearest(name, surface.__all__)


def of_argument(cls: type, names: Iterable[str], name: str) -> str:
    """Return advice about an unknown argument of a constructor that accepts `names`."""
    # `sessionId` matches `session_id`, since case and underscores are ignored.
    letters = {known.replace("_", ""): known for known in names}
    meant = letters.get(name.replace("_", "").lower())
    if meant is not None:
        return f"it is called {meant}"
    for definition in _definitions(cls.__module__.rpartition(".")[0]):
        if definition.tag == name and cls in (definition.arms or {}):
            return f"the tag {name!r} is written automatically; omit it"
    return _nearest(name, letters.values())


def _siblings(package: str) -> Iterator[Any]:
    """Yield the package's other surfaces, starting with the equally stable ones."""
    whole = importlib.import_module(package.rpartition(".")[0])
    names = [module.name for module in pkgutil.iter_modules(whole.__path__) if module.ispkg]
    packages = [importlib.import_module(f"{whole.__name__}.{name}") for name in names]
    surface = importlib.import_module(package)
    surfaces = [module for module in packages if hasattr(module, "SCHEMA")]
    others = [module for module in surfaces if module is not surface]
    stability: Any = surface.SCHEMA.stability
    yield from sorted(others, key=lambda other: other.SCHEMA.stability != stability)


def _counterpart(other: ModuleType, surface: ModuleType, name: str) -> str | None:
    """Return the name of the type in `surface` that has the same role as type `name` in `other`.

    Roles are the params of a method, the result of a method, and a variant of a union.
    """
    there, here = _places(other), _places(surface)
    for place, names in there.items():
        if name in names and (counterparts := here.get(place)):
            return counterparts[0]
    return None


def _places(surface: Any) -> Mapping[tuple[str | None, ...], list[str]]:
    """Return the names of types by their role: (side, method, params or result) or (union, tag)."""
    places: dict[tuple[str | None, ...], list[str]] = {}
    names = {id(type_): name for name, type_ in reversed(surface.TYPES.items())}
    for side, methods in getattr(surface, "METHODS", {}).items():
        for method in methods.values():
            for role in ("params", "result"):
                name = names.get(id(getattr(method, role)))
                places.setdefault((side, method.name, role), []).extend([name] if name else [])
    for definition in _definitions(surface.__name__):
        arms: Mapping[type, tuple[str | None, object]] = definition.arms or {}
        for cls, (tag, _) in arms.items():
            places.setdefault((definition.name, tag), []).append(cls.__name__)
    return places


def _definitions(package: str) -> Sequence[Any]:
    """Return the `Definition` of each type of a surface."""
    definitions: Sequence[Any] = importlib.import_module(f"{package}.codec").CODEC.definitions
    return definitions


def _nearest(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), 1)
    return f"did you mean {near[0]}?" if near else ""
