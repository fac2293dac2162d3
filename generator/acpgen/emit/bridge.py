"""Rendering of the bridge between two surfaces: the tables of rules and routes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acpgen.common.paths import BRIDGE
from acpgen.common.problems import InputError, Problem
from acpgen.emit import template_errors
from acpgen.emit.package import header
from acpgen.emit.python import quoting
from acpgen.emit.python.formatting import format_source
from acpgen.emit.python.generated_imports import Imports
from acpgen.emit.template_environment import environment
from acpgen.ir.bridge import Bridge, Call, CustomFunction

_OVERLAY = "schema/overlay/bridge.toml"
_CUSTOM = "runtime/bridge/custom.py"


def render_bridge(bridge: Bridge, templates: Path) -> dict[str, str]:
    """Render the files of the bridge between two surfaces, by path within the package.

    Raises:
        InputError: If a rule refers to a missing function, or if a template contains an error.
    """
    made = environment(templates)
    made.filters.update(expression=_expression, literal=quoting.literal)
    with template_errors.reported(templates, "the bridge"):
        package = made.get_template("bridge/package.jinja").render(bridge=bridge)
        tables = made.get_template("bridge/tables.jinja").render(bridge=bridge)
        _check_functions(tables, templates / _CUSTOM)
        tables = Imports(templates / "runtime", ".").complete("tables", tables)
    texts = {"__init__": package, "tables": tables}
    return {f"{BRIDGE}/{n}.py": header(_OVERLAY) + format_source(t) for n, t in texts.items()}


def _check_functions(tables: str, path: Path) -> None:
    """Check that the module at `path` defines the custom functions that the tables use."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    known = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    used = set()
    for node in ast.walk(ast.parse(tables)):
        match node:
            case ast.Attribute(value=ast.Name(id="custom"), attr=name):
                used.add(name)
            case _:
                pass
    message = f"is not a function of templates/{_CUSTOM}; add it"
    if missing := sorted(used - known):
        problems = [Problem(_OVERLAY, "", "overlay", f"{name!r} {message}") for name in missing]
        raise InputError(problems)


def _expression(value: Any) -> str:
    """Return a Python expression for a value in the tables."""
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
