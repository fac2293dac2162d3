"""The session state of a surface as its template sees it."""

from __future__ import annotations

from acpgen.ir import naming
from acpgen.ir.model import Enumeration
from acpgen.ir.queries import find_member, unwrap
from acpgen.ir.session import Collection, Slot, UpdateRule
from acpgen.ir.surface import Surface


class SessionState:
    """Answers the questions that the template asks about a session state.

    Attributes:
        union: the union of session updates.
        content: the union that messages are made of, if there is one.
        rules: the rules that change the state.
        cancelled_as: the status that tells of a cancelled tool call, if the schema lists none.
    """

    def __init__(self, surface: Surface) -> None:
        self.union = surface.session_update
        self.content = surface.content_block
        self.rules = [rule for rule in surface.updates if rule.operation != "passthrough"]
        self.cancelled_as = self._cancelled_as(surface)

    def collections(self) -> dict[str, Collection]:
        """The collections of the state, by name."""
        found: dict[str, Collection] = {}
        for rule in self.rules:
            if rule.collection is not None:
                found.setdefault(rule.collection.name, rule.collection)
        return found

    def _cancelled_as(self, surface: Surface) -> str | None:
        calls = self.collections().get("tool_calls")
        status = calls and find_member(surface.definitions, calls.entry, "status")
        shape = status and unwrap(status.shape, surface.definitions)
        if not isinstance(shape, Enumeration) or shape.other or "cancelled" in shape.values:
            return None
        return "failed" if "failed" in shape.values else None

    def slots(self) -> dict[str, Slot]:
        """The slots of the state, by name."""
        return {rule.slot.name: rule.slot for rule in self.rules if rule.slot is not None}

    def outputs(self) -> dict[str, str]:
        """The collections of the output of entries, by the collection of the entries."""
        names = [rule.collection.name for rule in self.rules if rule.output and rule.collection]
        return {name: naming.output_name(name) for name in names}

    def writers(self) -> dict[str, UpdateRule]:
        """The rules that write entries or messages back as updates, by collection or role."""
        ranked = [rule for rule in self.rules if rule.rank is not None]
        found: dict[str, UpdateRule] = {}
        for rule in sorted(ranked, key=lambda rule: rule.rank or 0):
            name = rule.collection.name if rule.collection else rule.role
            if name is not None:
                found.setdefault(name, rule)
        return found
