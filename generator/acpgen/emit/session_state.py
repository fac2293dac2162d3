"""What session updates do, as the template of the session state sees it."""

from __future__ import annotations

from acpgen.ir import naming
from acpgen.ir.model import Surface, UpdateRule

# The classes of the runtime for session updates, by operation.
RULES = {
    "append": "Append",
    "append_output": "AppendOutput",
    "message": "PatchMessage",
    "message_chunk": "AddToMessage",
    "patch": "Patch",
    "patch_output": "PatchOutput",
    "put": "Upsert",
    "remove": "Remove",
    "set": "Set",
}
# Of the rules for session updates, those that write back, the best ones first.
WRITERS = (("message",), ("put",), ("message_chunk", "patch"))


class Sessions:
    """The parts of a session state, in answers to the questions that its template asks."""

    def __init__(self, surface: Surface) -> None:
        self.union = surface.session_update
        self.content = surface.content_block
        self.updates = [each for each in surface.updates if each.operation != "keep"]

    def collections(self) -> dict[str, UpdateRule]:
        """The collections of a session state, each with the first rule that is about it."""
        found: dict[str, UpdateRule] = {}
        for update in self.updates:
            if update.into and update.way:
                found.setdefault(update.into, update)
        return found

    def slots(self) -> dict[str, UpdateRule]:
        """The members of a session state that hold one update, with its rule."""
        return {u.into: u for u in self.updates if u.into and not u.way}

    def rule_class(self, update: UpdateRule) -> str:
        """The class of the runtime's module `reducers` for a rule."""
        return RULES["patch_output" if update.output else update.operation]

    def writers(self) -> dict[str, str]:
        """By collection or role, the tag of the rule that writes its things back."""
        found: dict[str, str] = {}
        for operations in WRITERS:
            for update in self.updates:
                if update.operation in operations and (update.role or update.way):
                    found.setdefault(update.role or update.into or "", update.tag)
        return found

    def outputs(self) -> dict[str, str]:
        """By collection whose entries have output, the collection of that."""
        return {u.into: naming.output_name(u.into) for u in self.updates if u.output and u.into}

    def types(self) -> list[str]:
        """The types that the module of the session state names."""
        names = {self.union, self.content}
        for update in self.updates:
            names |= {*update.classes, update.entry, update.key_type, update.output}
        return sorted(name for name in names if name)
