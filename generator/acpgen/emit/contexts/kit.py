"""The kit of a surface: the entries of `kit.toml` that the surface's schema supports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from acpgen.emit.contexts.methods import MethodIndex
from acpgen.ir.model import Record
from acpgen.ir.queries import find_member, members_of
from acpgen.ir.surface import Surface

# The params fields that each operation on saved sessions reads.
_READ = {
    "new": (),
    "list": ("cwd", "cursor"),
    "replay": ("sessionId",),
    "continue": ("sessionId",),
    "delete": ("sessionId",),
    "fork": ("sessionId", "cwd"),
    "set_option": ("sessionId", "configId"),
    "set_mode": ("sessionId", "modeId"),
}


class Kit:
    """The parts of the kit that a surface supports.

    Some methods or types can be missing from schemas other than the vendored schema. The parts of
    the kit that depend on them are then omitted.
    """

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._methods = MethodIndex(surface)

    def parts(self) -> dict[str, Any]:
        """Return the supported entries of `kit.toml`, or none if the surface cannot have a kit."""
        kit, session = self._surface.kit, self._surface.session
        if not kit or session is None or kit["tool"]["kind"] not in self._surface.definitions:
            return {}
        parts = dict(kit)
        parts["cancelling"] = {
            wire: member
            for wire, member in kit.get("cancelling", {}).items()
            if self._has("agent", wire, ("sessionId", member))
        }
        parts["saved"] = self._saved(kit.get("saved"))
        parts["workspace"] = self._workspace(kit.get("workspace"))
        return {name: part for name, part in parts.items() if part}

    def _saved(self, saved: Mapping[str, Any] | None) -> dict[str, Any]:
        if not saved:
            return {}
        methods = {
            wire: entry
            for wire, entry in saved["methods"].items()
            if entry and self._has("agent", wire, _READ[entry["operation"]])
        }
        stated = {name: self._stated(entry) for name, entry in saved["stated"].items()}
        known = {name: entry for name, entry in stated.items() if entry}
        return {**saved, "methods": methods, "stated": known}

    def _stated(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return an entry of `stated`, extended with the class, slot and field of its update.

        The result is empty if the surface doesn't define the update or the setting's type.
        """
        rules = [rule for rule in self._surface.updates if rule.tag == entry["update"]]
        if not rules or rules[0].slot is None or entry["type"] not in self._surface.known:
            return {}
        [update], definitions = rules[0].classes, self._surface.known
        [field] = (member.name for member in members_of(definitions, update) if member.required)
        key = find_member(definitions, entry["type"], entry.get("key", ""))
        names = {"class": update, "slot": rules[0].slot.name, "field": field}
        return {"keep": "", **entry, **names, "key": key.name if key else ""}

    def _workspace(self, workspace: Mapping[str, Any] | None) -> dict[str, Any]:
        stated = {statement.name for statement in self._methods.statements("client")}
        if not workspace or "capabilities" not in stated:
            return {}
        methods = {
            wire: entry
            for wire, entry in workspace["methods"].items()
            if self._has("client", wire, ("sessionId",))
        }
        return {**workspace, "methods": methods} if methods else {}

    def _has(self, side: str, wire: str, members: Iterable[str]) -> bool:
        """Return whether a request exists, has these params fields, and has an object result."""
        known, methods = self._surface.known, self._methods.methods(side)
        named = (each for each in methods if each.kind == "request" and each.wire == wire)
        method = next(named, None)
        if method is None or not isinstance(known.get(method.result or ""), Record):
            return False
        return all(find_member(known, method.params, member) for member in members)
