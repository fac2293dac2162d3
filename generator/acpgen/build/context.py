"""What is being made of a schema: definitions so far, their names, what is wrong with it."""

from __future__ import annotations

from acpgen.diagnostics import Problem, pointer
from acpgen.inputs.document import Document
from acpgen.inputs.overlay import Overlay
from acpgen.ir import naming
from acpgen.ir.model import Definition


class BuildContext:
    """Keeps definitions, names and problems together while a surface is built.

    Attributes:
        schemas: the `$defs`, by name.
        reserved: the names of the definitions that become types; envelopes do not.
        definitions: what has been made, by class or alias.
        problems: what was found wrong.
        notes: what is incomplete: left out of the output, and wrong in the vendored schema.
        matched: the overlay's entries that had a use, by their path within their file.
    """

    def __init__(self, document: Document, overlay: Overlay) -> None:
        self.file = document.file
        self.schemas = document.definitions
        self.reserved = {
            name for name, schema in self.schemas.items() if not schema.get("x-docs-ignore")
        }
        self.definitions: dict[str, Definition] = {}
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self.matched: set[tuple[str, ...]] = set()
        self._overlay = overlay
        self._places: dict[str, str] = {}  # where each class name is from

    def problem(self, at: str, code: str, message: str) -> None:
        """Note that something is wrong."""
        self.problems.append(Problem(self.file, at, code, message))

    def note(self, at: str, code: str, message: str) -> None:
        """Note that something is incomplete."""
        self.notes.append(Problem(self.file, at, code, message))

    def is_closed(self, name: str) -> bool:
        """Whether policy keeps a union or enumeration closed in the default mode."""
        return self._entry("closed", name, name in self._overlay.closed)

    def is_exclusive(self, name: str) -> bool:
        """Whether policy allows only one arm of an untagged union to be named."""
        return self._entry("exclusive", name, name in self._overlay.exclusive)

    def is_explained(self, name: str) -> bool:
        """Whether policy explains why a definition's side is not what its envelope says."""
        return self._entry("directions", name, name in self._overlay.directions)

    def _entry(self, section: str, key: str, there: bool) -> bool:
        if there:
            self.matched.add((section, key))
        return there

    def class_name(self, place: str, rule: str) -> str:
        """The class of an arm: by rule, or the overlay's where that name is not free."""
        free = rule not in self.reserved and rule not in self._places
        return self._name(place, rule, naming.is_class_name(rule) and free)

    def field_name(self, place: str, rule: str, taken: set[str]) -> str:
        """The field of a member: by rule, or the overlay's where that name is not free."""
        return self._name(place, rule, naming.is_member_name(rule) and rule not in taken)

    def _name(self, place: str, rule: str, usable: bool) -> str:
        named = self._overlay.names.get(place)
        if not self._entry("classes", place, named is not None) or usable:
            return rule
        return str(named)

    def add(self, definition: Definition) -> None:
        """Enter a definition under its name."""
        if self.claim(definition.name, definition.pointer, own=definition.definition is not None):
            self.definitions[definition.name] = definition

    def claim(self, name: str, at: str, *, own: bool = False) -> bool:
        """Take a class name, unless it is taken or is none.

        Args:
            own: whether the class stands for the `$defs` entry of that name.
        """
        if not naming.is_class_name(name):
            advice = (
                "rename it in the schema or free the name in acpgen.ir.naming"
                if own
                else ("rename it or name it in names.toml")
            )
            self.problem(at, "bad-name", f"{name!r} cannot be a class; {advice}")
            return False
        if name in self._places or (not own and name in self.reserved):
            where = self._places.get(name, pointer("$defs", name))
            self.problem(
                at,
                "name-collision",
                f"{name!r} is already the class of {where}; name this one in names.toml, as"
                " UNION/TAG or, where it is an object in place, RECORD/MEMBER",
            )
            return False
        self._places[name] = at
        return True
