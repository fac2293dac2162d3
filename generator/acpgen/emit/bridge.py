"""Render what corresponds between two surfaces, as tables of rules and routes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from acpgen.common.paths import BRIDGE
from acpgen.common.problems import InputError, Problem
from acpgen.emit.package import header
from acpgen.emit.python import quoting
from acpgen.emit.python.style import format_source
from acpgen.emit.rendering import template_errors
from acpgen.emit.rendering.environment import environment
from acpgen.ir.bridge import Bridge, Code, Ref, Rule

_OVERLAY = "schema/overlay/bridge.toml"
_CUSTOM = "runtime/bridge/custom.py"


def render_bridge(bridge: Bridge, templates: Path) -> dict[str, str]:
    """The files of the bridge between two surfaces, by path within the package.

    Raises:
        InputError: a rule names code that is not there, or a template has a mistake.
    """
    rules = list(_walk([*bridge.to_newer.rules.values(), *bridge.to_older.rules.values()]))
    functions = {rule.function for rule in rules if isinstance(rule, Code)}
    _check_code(functions, templates / _CUSTOM)
    names = {
        "bridge": bridge,
        "classes": sorted(
            {"Promise", "Route", "Update"} | {type(r).__name__ for r in rules} - {"Ref"}
        ),
        "has_code": bool(functions),
    }
    made = environment(templates)
    made.filters.update(expression=_expression, literal=quoting.literal)
    files: dict[str, str] = {}
    with template_errors.reported(templates, "the bridge"):
        for name, source in (("__init__", "package"), ("tables", "tables")):
            text = made.get_template(f"bridge/{source}.jinja").render(names)
            files[f"{BRIDGE}/{name}.py"] = header(_OVERLAY) + format_source(text)
    return files


def _expression(value: Any) -> str:
    """A rule, or a part of one, as a Python expression."""
    match value:
        case Ref(name):
            return quoting.literal(name)
        case Code(function):
            return f"Code(custom.{function})"
        case _ if isinstance(value, Rule):
            arguments = [
                f"{field.name}={_expression(part)}"
                for field in fields(value)
                if (part := getattr(value, field.name)) != _default(field)
            ]
            return f"{type(value).__name__}({', '.join(arguments)})"
        case Mapping():
            items = [f"{quoting.literal(key)}: {_expression(part)}" for key, part in value.items()]
            return "{" + ", ".join(items) + "}"
        case frozenset():
            return f"frozenset({quoting.literal(sorted(value))})"
        case _:
            return quoting.literal(value)


def _default(field: Field[Any]) -> Any:
    """What an argument is where it is left out: what the runtime takes for it, too."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


def _walk(rules: Iterable[Any]) -> Iterator[Rule]:
    """Rules, and all rules in them."""
    for rule in rules:
        if isinstance(rule, Rule):
            yield rule
            yield from _walk(getattr(rule, field.name) for field in fields(rule))
        elif isinstance(rule, Mapping):
            yield from _walk(rule.values())


def _check_code(functions: Iterable[str], path: Path) -> None:
    """Check that the functions that rules name are in a module."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    known = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    problems = [
        Problem(_OVERLAY, "", "overlay", f"{name!r} is no function of templates/{_CUSTOM}; add it")
        for name in functions
        if name not in known
    ]
    if problems:
        raise InputError(problems)
