"""A script that prints the public names of the installed SDK as JSON, with each model's fields.

The public names of a module are the names in its `__all__` or, if it has no `__all__`, all names
that it defines without a leading underscore. The public methods of classes that aren't models are
also listed. A name that several modules export is listed once: under the schema module if possible,
or else under the topmost module.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import acp
from pydantic import BaseModel


def modules() -> Iterator[ModuleType]:
    yield acp
    for each in pkgutil.walk_packages(acp.__path__, "acp."):
        if "._" not in each.name:
            yield importlib.import_module(each.name)


def exported(module: ModuleType) -> list[str]:
    if hasattr(module, "__all__"):
        return [
            name for name in module.__all__ if not isinstance(getattr(module, name), ModuleType)
        ]
    names: list[str] = []
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return [name for name in names if not name.startswith("_")]


def methods(value: Any) -> set[str]:
    if not isinstance(value, type) or issubclass(value, BaseModel):
        return set()
    bases = [base for base in value.__mro__ if base.__module__.split(".")[0] == "acp"]
    return {
        name
        for base in bases
        for name, member in vars(base).items()
        if not name.startswith("_") and (callable(member) or hasattr(member, "__get__"))
    }


def fields(value: Any) -> list[str] | None:
    is_model = isinstance(value, type) and issubclass(value, BaseModel)
    return sorted(value.model_fields) if is_model else None


def names() -> dict[str, list[str] | None]:
    places: dict[tuple[str, int], list[str]] = {}
    for module in modules():
        for name in exported(module):
            key = name, id(getattr(module, name))
            places.setdefault(key, []).append(module.__name__)
    found: dict[str, list[str] | None] = {}
    for (name, _), where in places.items():
        place = min(where, key=lambda each: (not each.endswith(".schema"), each.count("."), each))
        value = getattr(importlib.import_module(place), name)
        found[f"{place}.{name}"] = fields(value)
        found.update(dict.fromkeys(f"{place}.{name}.{method}" for method in methods(value)))
    return found


if __name__ == "__main__":
    print(json.dumps(names()))
