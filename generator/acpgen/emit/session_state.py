"""Session states as their template sees them."""

from __future__ import annotations

from acpgen.ir import naming
from acpgen.ir.session import Collection, Slot, UpdateRule
from acpgen.ir.surface import Surface


class SessionState:
    """The parts of a session state, in answers to the questions that its template asks."""

    def __init__(self, surface: Surface) -> None:
        self.union = surface.session_update
        self.content = surface.content_block
        self.rules = [rule for rule in surface.updates if rule.operation != "passthrough"]

    def collections(self) -> dict[str, Collection]:
        """The collections of the state, by name."""
        found: dict[str, Collection] = {}
        for rule in self.rules:
            if rule.collection is not None:
                found.setdefault(rule.collection.name, rule.collection)
        return found

    def slots(self) -> dict[str, Slot]:
        """The slots of the state, by name."""
        return {rule.slot.name: rule.slot for rule in self.rules if rule.slot is not None}

    def outputs(self) -> dict[str, str]:
        """By collection whose entries have output, the collection of that output."""
        names = [rule.collection.name for rule in self.rules if rule.output and rule.collection]
        return {name: naming.output_name(name) for name in names}

    def writers(self) -> dict[str, UpdateRule]:
        """By collection or role, the rule that writes its entries or messages back."""
        ranked = [rule for rule in self.rules if rule.rank is not None]
        found: dict[str, UpdateRule] = {}
        for rule in sorted(ranked, key=lambda rule: rule.rank or 0):
            name = rule.collection.name if rule.collection else rule.role
            if name is not None:
                found.setdefault(name, rule)
        return found
