"""The session state of a surface, for use by the session state template."""

from __future__ import annotations

from typing import Any

from acpgen.emit.python.quoting import literal
from acpgen.ir import naming
from acpgen.ir.model import Enumeration, Reference
from acpgen.ir.queries import classes_of, find_member, unwrap
from acpgen.ir.session import (
    ClassName,
    Collection,
    ImpliedUpdate,
    NewEntry,
    Reducer,
    Slot,
    UpdateRule,
)
from acpgen.ir.surface import Surface


class SessionState:
    """Queries about a session state, for use by the session state template.

    Attributes:
        union: the union of session updates.
        content: the union for the content of messages, if there is one.
        rules: the rules that change the state.
        cancelled_as: the status to use for cancelled tool calls, if the schema has no status
            `cancelled` but has another suitable status.
    """

    def __init__(self, surface: Surface) -> None:
        self.union = surface.session_update
        self.content = surface.content_block
        self.rules = [rule for rule in surface.updates if rule.reducer is not None]
        self._definitions = surface.definitions
        self._implied_updates = surface.implied_updates
        self.cancelled_as = self._cancelled_as(surface)

    def collections(self) -> dict[str, str]:
        """Return the types of the state's collections, by name."""
        by_name: dict[str, list[Collection]] = {}
        for collection in self._kept():
            by_name.setdefault(collection.name, []).append(collection)
        return {name: _dictionary(collections) for name, collections in by_name.items()}

    def timeline(self) -> list[str]:
        """Return the classes of timeline items, except messages."""
        classes = [collection.entry for collection in self._kept()]
        ruled = {name for rule in self.rules if not _may_fail(rule) for name in rule.classes}
        updates = classes_of(Reference(self.union), self._definitions) if self.union else []
        return list(dict.fromkeys([*classes, *(name for name in updates if name not in ruled)]))

    def _kept(self) -> list[Collection]:
        """Return the collections to which rules add entries."""
        rules = (rule for rule in self.rules if rule.operation != "remove")
        return [rule.collection for rule in rules if rule.collection is not None]

    def _cancelled_as(self, surface: Surface) -> str | None:
        calls = next((kept for kept in self._kept() if kept.name == "tool_calls"), None)
        status = calls and find_member(surface.definitions, calls.entry, "status")
        shape = status and unwrap(status.shape, surface.definitions)
        if not isinstance(shape, Enumeration) or shape.other or "cancelled" in shape.values:
            return None
        return "failed" if "failed" in shape.values else None

    def slots(self) -> dict[str, Slot]:
        """Return the slots of the state, by name."""
        return {rule.slot.name: rule.slot for rule in self.rules if rule.slot is not None}

    def implied_updates(self) -> dict[str, list[ImpliedUpdate]]:
        """Return the updates that responses imply, by the method's wire name."""
        by_method: dict[str, list[ImpliedUpdate]] = {}
        for implied in self._implied_updates:
            by_method.setdefault(implied.method, []).append(implied)
        return by_method

    def reducer(self, value: Any) -> str:
        """Return the expression for a reducer or for an argument of a reducer."""
        match value:
            case Reducer(name, arguments, options):
                written = [self.reducer(argument) for argument in arguments]
                written += [f"{key}={literal(option)}" for key, option in options.items()]
                return f"reducers.{naming.pascal(name)}({', '.join(written)})"
            case NewEntry(entry, key, defaults):
                members = [f"{key}=key", *(f"{k}={literal(v)}" for k, v in defaults.items())]
                return f"lambda key: {entry}({', '.join(members)})"
            case ClassName(name):
                return name
            case _:
                return literal(value)

    def outputs(self) -> dict[str, str]:
        """Map the names of collections of entries to the names of their output collections."""
        names = [rule.collection.name for rule in self.rules if rule.has_output and rule.collection]
        return {name: naming.output_name(name) for name in names}

    def replayers(self) -> dict[str, UpdateRule]:
        """Return the rules that convert entries or messages to updates, by collection or role."""
        ranked = [rule for rule in self.rules if rule.rank is not None]
        replayers: dict[str, UpdateRule] = {}
        for rule in sorted(ranked, key=lambda rule: rule.rank or 0):
            name = rule.collection.name if rule.collection else rule.role
            if name is not None:
                replayers.setdefault(name, rule)
        return replayers


def _dictionary(collections: list[Collection]) -> str:
    """Derive the type of a collection from the rules that describe the collection."""
    keys = dict.fromkeys(collection.key_type for collection in collections)
    entries = dict.fromkeys(collection.entry for collection in collections)
    return f"dict[{' | '.join(sorted(keys, key='None'.__eq__))}, {' | '.join(entries)}]"


def _may_fail(rule: UpdateRule) -> bool:
    """Return whether a rule can fail. An update whose rule fails is added to the timeline."""
    # The key can be missing from an unknown variant, and the output might not be valid base64.
    is_nested = rule.collection is not None and len(rule.collection.key_path) > 1
    return is_nested or rule.has_output or rule.operation == "append_output"
