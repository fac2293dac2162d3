"""The context of a build, which collects definitions, names and problems."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count

from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.inputs.overlay.decisions import NO_CAPABILITY, Overlay
from acpgen.ir import naming, reserved
from acpgen.ir.model import Definition
from acpgen.schema.document import Document
from acpgen.schema.envelopes import find_envelopes
from acpgen.schema.nodes import Definitions, Node, SchemaUnion
from acpgen.schema.unread import find_bad_default, find_unread


@dataclass(frozen=True, slots=True)
class DefinitionSite:
    """The origin of a definition."""

    name: str  # the class or alias of the definition
    at: str  # the pointer to the definition's schema
    definition: str | None = None  # the definition's name in `$defs`, if any
    owner: str | None = None  # the union that encodes a variant outside `$defs`
    description: str | None = None  # the definition's description in the schema


@dataclass(frozen=True, slots=True)
class Property:
    """A field as described by the schema, before its shape is built."""

    wire: str
    schema: Node
    required: bool


@dataclass(frozen=True, slots=True)
class FlatObject:
    """An object schema, merged with the objects in its `allOf`."""

    properties: tuple[Property, ...] = ()  # the fields of the object
    # The unions in the schema. An object must match all of these unions.
    unions: tuple[SchemaUnion, ...] = ()
    # The forbidden fields, each with a pointer to the schema that forbids it.
    absent: tuple[tuple[str, str], ...] = ()


class BuildContext:
    """The definitions, names and problems collected while a surface is built."""

    def __init__(
        self,
        document: Document,
        overlay: Overlay,
        pruned: frozenset[str] | None = None,
        *,
        own: frozenset[str] | None = None,
    ) -> None:
        """Name the definitions of a schema.

        Args:
            document: the schema.
            overlay: the decisions about names and rules.
            pruned: the pointers to the parts that were removed from the schema, or None if the
                schema must be supported completely.
            own: for an extension, the names of the definitions that are not from the protocol.
        """
        self.file = document.file
        self.schemas = Definitions(document.definitions, pruned or ())
        self.root = self.schemas.around(document.root)
        self._is_extension = own is not None
        # The names of the definitions that become types, excluding envelopes.
        self.reserved = self.schemas.keys() - find_envelopes(self.schemas) if own is None else own
        # The file or section for manually chosen names.
        self.names_file = "x-names" if self._is_extension else "names.toml"
        self.definitions: dict[str, Definition] = {}  # finished definitions, by class or alias
        # Objects that have a name but no definition yet.
        self.queue: deque[tuple[DefinitionSite, FlatObject]] = deque()
        self.problems: list[Problem] = []
        # Notes about incomplete parts of the schema. The output omits these parts. For the vendored
        # schema, notes are errors.
        self.notes: list[Problem] = []
        # The overlay entries that were used, as paths within their files.
        self.matched: set[tuple[str, ...]] = set()
        self.overlay = overlay
        self._is_strict = pruned is None
        # Whether name clashes must be resolved manually. Otherwise, clashing names are numbered.
        self._decides_names = self._is_strict or self._is_extension
        self._unusable = reserved.extension_names() if self._is_extension else frozenset()
        self._claimed: dict[str, str] = {}  # class name -> pointer to its schema
        self._keys: dict[str, str] = {}  # class name -> key in the overlay
        self.classes = self._name_definitions()  # the class or alias of each reserved definition
        # If several definitions have the same class, only the first is listed. `claim` reports the
        # others.
        self._definition_of = {class_: name for name, class_ in reversed(self.classes.items())}

    # --- problems ----------------------------------------------------------------------------

    def problem(self, at: str, code: str, message: str) -> None:
        """Record an error."""
        self.problems.append(Problem(self.file, at, code, message))

    def unsupported(self, at: str, message: str) -> None:
        """Record an unsupported part of the schema as an error."""
        self.problem(at, "unsupported", message)

    def note(self, at: str, code: str, message: str) -> None:
        """Record a note about an incomplete part."""
        self.notes.append(Problem(self.file, at, code, message))

    def note_misfit(
        self, file: str, path: Iterable[str], message: str, code: str = "overlay"
    ) -> None:
        """Record a note about an overlay entry that is missing or does not match the schema."""
        self.notes.append(Problem(f"schema/overlay/{file}", pointer(*path), code, message))

    def contradiction(self, at: str, message: str) -> None:
        """Record a contradiction between definitions of methods.

        The contradiction is an error if the schema must be supported completely. Otherwise, it is a
        note, and the build follows one of the contradictory statements.
        """
        (self.problem if self._is_strict else self.note)(at, "direction", message)

    def find_unread(self) -> list[Problem]:
        """Return problems about unsupported parts or, if there are none, about invalid defaults."""
        nodes = [node for name in sorted(self.reserved) for node in self.schemas[name].walk()]
        unread = [finding for node in nodes for finding in find_unread(node)]
        findings = unread or [finding for node in nodes for finding in find_bad_default(node)]
        return [Problem(self.file, *finding) for finding in findings]

    def deprecations(self) -> frozenset[str]:
        """Return the pointers to deprecated types and deprecated parts of types."""
        nodes = (node for name in self.reserved for node in self.schemas[name].walk())
        return frozenset(node.at for node in nodes if node.stated.get("deprecated") is True)

    # --- decisions in policy.toml ------------------------------------------------------------

    def is_closed(self, name: str) -> bool:
        """Return whether `policy.toml` closes a union or enumeration in the default mode."""
        return self._match("closed", name, is_listed=name in self.overlay.closed)

    def is_explained(self, name: str) -> bool:
        """Return whether `policy.toml` lets a definition's side differ from its envelope's side."""
        return self._match("directions", name, is_listed=name in self.overlay.directions)

    def has_batches(self, version: str) -> bool:
        """Return whether `policy.toml` specifies that a line may be a batch of messages."""
        stated = self.overlay.batches.get(version)
        is_listed = self._match("batches", version, is_listed=stated is not None)
        return is_listed and stated != NO_CAPABILITY

    def is_without_default(self, version: str, wire: str) -> bool:
        """Return whether `policy.toml` requires agents with sessions to define a method."""
        is_listed = (version, wire) in self.overlay.without_default
        return self._match("without_default", version, wire, is_listed=is_listed)

    def _match(self, section: str, *keys: str, is_listed: bool) -> bool:
        if is_listed:
            self.matched.add((section, *keys))
        return is_listed

    # --- names -------------------------------------------------------------------------------

    def _name_definitions(self) -> dict[str, str]:
        """Return the class of each definition, named after the definition if possible."""
        classes: dict[str, str] = {}
        for definition in sorted(self.reserved):
            taken = {*classes.values(), *self.reserved} - {definition}

            def is_usable(name: str, taken: set[str] = taken) -> bool:
                return self._can_be_class(name) and name not in taken

            is_named = naming.is_identifier(definition) or definition in self.overlay.names
            if self._is_extension or not is_named:  # can be renamed only manually; see `claim`
                classes[definition] = definition
            else:
                rule = naming.definition_class(definition)
                classes[definition] = self._name(definition, rule, is_usable, "Type")
        return classes

    def class_of(self, definition: Node) -> str:
        """Return the class of a definition, which can belong to another surface."""
        name = str(definition.name)
        return self.classes.get(name, name)

    def definition_of(self, class_: str) -> str | None:
        """Return the definition of a class, or None if it has no definition."""
        return self._definition_of.get(class_)

    def class_name(self, key: str, rule: str) -> str:
        """Return the class name for a key: `rule`, or the overlay's name if `rule` is unusable."""

        def is_usable(name: str) -> bool:
            is_free = name not in self._definition_of and name not in self._claimed
            return self._can_be_class(name) and is_free

        name = self._name(key, rule, is_usable, "Type")
        self._keys[name] = key
        return name

    def field_name(self, key: str, rule: str, taken: set[str]) -> str:
        """Return a field's name: `rule`, or the overlay's name if `rule` is taken or invalid."""
        return self._name(
            key, rule, lambda name: naming.is_member_name(name) and name not in taken, "member_"
        )

    def method_name(self, key: str, rule: str, taken: set[str]) -> str:
        """Return a method's name: `rule`, or the overlay's name if `rule` is taken or invalid."""
        return self._name(
            key, rule, lambda name: naming.is_method_name(name) and name not in taken, "method_"
        )

    def _name(self, key: str, rule: str, is_usable: Callable[[str], bool], base: str) -> str:
        """Return the first usable name among `rule`, the overlay's name and numbered names.

        If name clashes must be resolved manually, numbered names are not used. The result can then
        be an unusable name, which is reported later.
        """
        named = self.overlay.names.get(key)
        if named is not None:
            self.matched.add(("classes", key))
        if named is not None and self._is_extension:  # takes precedence over the rule
            return named
        if is_usable(rule) or (named is None and self._decides_names):
            return rule
        if named is not None and (self._decides_names or is_usable(named)):
            return named
        numbered = (f"{start}{number}" for number in count(2) for start in (rule, base))
        return next(filter(is_usable, numbered))

    def renaming(self, class_: str, definition: str | None) -> str:
        """Return advice on how to rename a class. `definition` is its definition, if it has one."""
        key = definition or self._keys.get(class_)
        if key is None or (definition is not None and self._is_extension):
            return "rename it in the schema"
        return f"add a name for {key} to {self.names_file}"

    def claim(self, name: str, at: str, *, definition: str | None = None) -> bool:
        """Reserve a class name for the schema at a pointer.

        If the name is taken or invalid, report a problem and return False. `definition` is the
        definition of the class, if any.
        """
        advice = self.renaming(name, definition)
        if not self._can_be_class(name):
            self.problem(at, "bad-name", f"{name!r} cannot be a class name; {advice}")
            return False
        reserving = self._definition_of.get(name, definition)
        if name in self._claimed or reserving != definition:
            where = self._claimed.get(name, pointer("$defs", reserving or ""))
            message = f"{name!r} is already the class name of {where}; {advice}"
            self.problem(at, "name-collision", message)
            return False
        self._claimed[name] = at
        return True

    def _can_be_class(self, name: str) -> bool:
        return naming.is_class_name(name) and name not in self._unusable

    def add(self, definition: Definition) -> None:
        """Claim the name of a definition and add the definition."""
        if self.claim(definition.name, definition.pointer, definition=definition.definition):
            self.definitions[definition.name] = definition

    def enqueue(self, site: DefinitionSite, flat: FlatObject) -> None:
        """Claim a name for an object whose definition is built later."""
        if self.claim(site.name, site.at):
            self.queue.append((site, flat))
