"""Render what corresponds between two surfaces, as tables of rules and routes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from acpgen.emit.package import header
from acpgen.emit.python import quoting
from acpgen.emit.python.style import format_source
from acpgen.emit.rendering import template_errors
from acpgen.emit.rendering.environment import environment
from acpgen.ir.bridge import Bridge, Node, Ref, Rule


def render_bridge(bridge: Bridge, templates: Path) -> dict[str, str]:
    """The files of the bridge between two surfaces, by path within the package."""
    made = environment(templates)
    made.filters.update(expression=expression, literal=quoting.literal)
    tables = (bridge.to_newer, bridge.to_older)
    names = {
        "bridge": bridge,
        "kinds": sorted({"Route", *(kind for table in tables for kind in _kinds(table))}),
        "has_code": any("Code" in _kinds(table) for table in tables),
    }
    files: dict[str, str] = {}
    with template_errors.reported(templates, "the bridge"):
        for name, source in (("__init__", "package"), ("tables", "tables")):
            text = made.get_template(f"bridge/{source}.jinja").render(names)
            files[f"bridge/{name}.py"] = header("schema/overlay/bridge.toml") + format_source(text)
    return files


def expression(node: Node | None) -> str:
    """A rule as a Python expression."""
    match node:
        case None:
            return "None"
        case Ref(name):
            return quoting.literal(name)
        case Rule("Code", _, facts):
            return f"Code(custom.{facts['function']})"
        case Rule(kind):
            arguments = [f"{name}={_part(part)}" for name, part in _parts(node)]
            arguments += [f"{name}={_fact(value)}" for name, value in _facts(node)]
            return f"{kind}({', '.join(arguments)})"


def _parts(rule: Rule) -> Iterator[tuple[str, Any]]:
    for name, part in rule.parts.items():
        if rule.kind == "Members":
            part = {wire: node for wire, node in part.items() if node is not None}
        if part:
            yield name, part


def _facts(rule: Rule) -> Iterator[tuple[str, Any]]:
    fields = rule.parts.get("fields", {})
    for name, value in rule.facts.items():
        if name == "required":
            value = {wire for wire in value if fields.get(wire) is not None}
        if value or name == "minimum":
            yield name, value


def _part(part: Any) -> str:
    if isinstance(part, Mapping):
        items = [f"{quoting.literal(name)}: {expression(node)}" for name, node in part.items()]
        return "{" + ", ".join(items) + "}"
    return expression(part)


def _fact(value: Any) -> str:
    if isinstance(value, set):
        return f"frozenset({quoting.literal(sorted(value))})"
    return quoting.literal(value)


def _kinds(table: Mapping[str, Node]) -> set[str]:
    """The classes of rules in a table."""
    pending: list[Any] = list(table.values())
    kinds: set[str] = set()
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            pending += part.values()
        elif isinstance(part, Rule):
            kinds.add(part.kind)
            pending += part.parts.values()
    return kinds
