"""Render the bridge between two surfaces: the tables of its rules and routes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from acpgen.common.paths import BRIDGE
from acpgen.common.problems import InputError, Problem
from acpgen.emit import template_errors
from acpgen.emit.package import header
from acpgen.emit.python import quoting
from acpgen.emit.python.formatting import format_source
from acpgen.emit.template_environment import environment
from acpgen.ir.bridge import Bridge, Call, CustomFunction

_OVERLAY = "schema/overlay/bridge.toml"
_CUSTOM = "runtime/bridge/custom.py"


def render_bridge(bridge: Bridge, templates: Path) -> dict[str, str]:
    """Render the files of the bridge between two surfaces, by path within the package.

    Raises:
        InputError: a rule names code that does not exist, or a template has a mistake.
    """
    used = list(_walk([bridge.to_newer.rules, bridge.to_older.rules]))
    functions = {each.name for each in used if isinstance(each, CustomFunction)}
    module = ast.parse((templates / _CUSTOM).read_text(encoding="utf-8"))
    missing = functions - {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    if missing:
        message = f"is no function of templates/{_CUSTOM}; add it"
        raise InputError(
            [Problem(_OVERLAY, "", "overlay", f"{name!r} {message}") for name in sorted(missing)]
        )
    names = {
        "bridge": bridge,
        "classes": {"Promise", "Route", "Table", "Update"}
        | {each.name for each in used if isinstance(each, Call)},
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


def _walk(value: Any) -> Iterator[Call | CustomFunction]:
    """Yield the calls and functions in a value."""
    match value:
        case CustomFunction():
            yield value
        case Call(_, arguments, keywords):
            yield value
            yield from _walk([*arguments, keywords])
        case list():
            for item in value:
                yield from _walk(item)
        case Mapping():
            yield from _walk([*value.values()])
        case _:
            pass


def _expression(value: Any) -> str:
    """Return a value in the tables as a Python expression."""
    match value:
        case CustomFunction(name):
            return f"custom.{name}"
        case Call(name, arguments, keywords):
            named = (f"{key}={_expression(part)}" for key, part in keywords.items())
            return f"{name}({', '.join([*map(_expression, arguments), *named])})"
        case Mapping():
            items = [f"{quoting.literal(key)}: {_expression(part)}" for key, part in value.items()]
            return "{" + ", ".join(items) + "}"
        case frozenset():
            return f"frozenset({quoting.literal(sorted(value))})"
        case _:
            return quoting.literal(value)
