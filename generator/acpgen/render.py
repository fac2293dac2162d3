"""Render a surface to the source of its modules."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import black
import black.mode
import jinja2

from acpgen import __version__, naming, text
from acpgen.docs import handler_text, stub_text
from acpgen.layout import write_types
from acpgen.model import (
    Alias,
    Array,
    Boolean,
    Capability,
    Choice,
    Definition,
    Dictionary,
    Method,
    Nullable,
    Record,
    Reference,
    Shape,
    String,
    Surface,
    TaggedUnion,
    Unknown,
    Update,
)

MODE = black.Mode(target_versions={black.mode.TargetVersion.PY310}, line_length=100)
# The classes of the runtime for session updates, by operation.
RULES = {
    "append": "Append",
    "append_output": "AppendOutput",
    "message": "PatchMessage",
    "message_chunk": "AddToMessage",
    "patch": "Patch",
    "patch_output": "PatchOutput",
    "put": "Put",
    "remove": "Remove",
    "set": "Set",
}
# Of the rules for session updates, those that write back, the best ones first.
WRITERS = (("message",), ("put",), ("message_chunk", "patch"))
AGAIN = "Do not edit it; make it again with `acpgen generate`."


def format_source(source: str) -> str:
    """Format Python source; the style of every generated module."""
    return black.format_str(source, mode=MODE)


def header(made_from: str) -> str:
    """The first lines of a generated file."""
    return f"# Made by acpgen {__version__} from {text.comment(made_from)}.\n# {AGAIN}\n"


def surface_header(surface: Surface) -> str:
    """The first lines of a surface's files: which schema they are made from."""
    origin = surface.origin
    return header(f"{origin.label}, {origin.path} (sha256 {origin.sha256})")


def render_surface(surface: Surface, templates: Path) -> dict[str, str]:
    """The files of one surface, by path within the package."""
    environment = _environment(templates, View(surface))
    named = {name: environment.get_template(name) for name in TEMPLATES}
    head = surface_header(surface)
    init = named["surface_init.jinja"].render()
    types = named["types_head.jinja"].render()
    view = View(surface)
    sides = {
        f"{surface.name}/{side}.py": format_source(head + named["side.jinja"].render(side=side))
        for side in view.sides()
        if side != "protocol"
    }
    session: dict[str, str] = {}
    if surface.session_update is not None:
        source = head + named["session.jinja"].render()
        session[f"{surface.name}/session.py"] = format_source(source)
    return {
        f"{surface.name}/__init__.py": format_source(head + init),
        f"{surface.name}/codec.py": head + _codec(surface, named),
        f"{surface.name}/methods.py": format_source(head + named["methods.jinja"].render()),
        **sides,
        **session,
        f"{surface.name}/types.py": format_source(write_types(surface, head + types, templates)),
    }


TEMPLATES = (
    "codec/alias.jinja",
    "codec/head.jinja",
    "codec/record.jinja",
    "codec/tables.jinja",
    "codec/union.jinja",
    "methods.jinja",
    "session.jinja",
    "side.jinja",
    "surface_init.jinja",
    "types_head.jinja",
)


def _environment(templates: Path, view: View) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the output is Python; everything from a schema goes through `literal`
    )
    environment.filters["literal"] = text.literal
    environment.filters["tuple"] = tuple
    environment.filters["capability"] = _capability
    environment.filters["constant"] = lambda method: naming.constant(method.side, method.name)
    environment.filters["constant_name"] = naming.rule_name
    environment.filters["pascal"] = naming.pascal
    environment.filters["handler_docstring"] = lambda method: text.docstring(
        handler_text(method, view.surface), margin=8
    )
    environment.filters["stub_docstring"] = lambda method: text.docstring(
        stub_text(method, view.surface), margin=8
    )
    environment.globals.update(
        view=view,
        surface=view.surface,
        width=MODE.line_length,
        generator_version=__version__,
    )
    return environment


def _capability(capability: Capability) -> str:
    return f"Capability({text.literal(capability.pointer)}, {text.literal(capability.path)})"


def _codec(surface: Surface, named: dict[str, jinja2.Template]) -> str:
    """The source of `codec.py`, without its header."""
    # One definition at a time: black goes twice over all it is given when it changes any of it.
    parts = [
        format_source(named[f"codec/{definition.kind}.jinja"].render(definition=definition))
        for definition in surface.definitions.values()
    ]
    parts.append(format_source(named["codec/tables.jinja"].render()))
    body = "\n\n".join(parts)
    head = named["codec/head.jinja"].render(used=_used(body, CODEC_IMPORTS))
    return format_source(head) + "\n\n" + body


# What the templates may use. A surface without, say, a map of records does not use all of it.
CODEC_IMPORTS = {
    "functools": ("partial",),
    "codec": ("alias", "only", "record", "union"),
    "decoding": (
        *("Arm", "ObjectDecoder", "Tags", "anything", "boolean", "choose"),
        *("default", "default_member", "entries", "enumerated", "integer", "items", "json_object"),
        *(
            "keep_unknown",
            "missing",
            "new",
            "null",
            "nullable",
            "number",
            "repaired",
            "string",
            "unknown",
            "valid_entries",
        ),
        *("valid_items", "wrong", "wrong_member"),
    ),
    "encoding": (
        *("Json", "ObjectEncoder", "add_unknown", "encode_choice", "encode_unknown"),
        *("find_class", "refuse_tag", "unshadowed"),
    ),
    "errors": ("DecodeError", "EncodeError", "Issues", "Path"),
    "unset": ("UNSET",),
}


def _used(source: str, imports: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Of the names a module may import, those its source uses."""
    nodes = ast.walk(ast.parse(source))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return {
        module: [each for each in offered if each in names] for module, offered in imports.items()
    }


def render_package(templates: Path) -> dict[str, str]:
    """The files that belong to no surface: the runtime, emitted as it is, and the package."""
    files = {"py.typed": ""}
    for path in sorted((templates / "runtime").glob("*.py")):
        origin = header(f"templates/runtime/{path.name}")
        files[f"runtime/{path.name}"] = origin + "\n" + path.read_text(encoding="utf-8")
    source = (templates / "package" / "__init__.py").read_text(encoding="utf-8")
    files["__init__.py"] = header("templates/package/__init__.py") + "\n" + source
    return files


@dataclass(frozen=True, slots=True)
class Leaf:
    """A class of a union, the tag to write for it, and the encoder for the rest."""

    name: str
    tag: str | None
    encoder: str


@dataclass(frozen=True, slots=True)
class Export:
    """A row of the table that `decode` and `encode` look types up in.

    Attributes:
        kind: `record`, `union` or `alias`: the function of the runtime that makes the row.
        decoder: the expression of its decoder.
    """

    kind: str
    name: str
    decoder: str
    encoder: str | None


def unknown_of(definition: Definition) -> Unknown | None:
    """The class for unlisted tags, if the definition is a union that has one."""
    return definition.unknown if isinstance(definition, TaggedUnion) else None


class View:
    """A surface as the templates see it: answers to the questions they ask."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.definitions = surface.definitions
        self.nested = self._nested()

    # --- methods -----------------------------------------------------------------------------

    def sides(self) -> list[str]:
        """Who handles methods; the agent, the client and either one are always there."""
        return list(
            dict.fromkeys(["agent", "client", "protocol", *(m.side for m in self.surface.methods)])
        )

    def methods(self, side: str) -> list[Method]:
        """The methods that a side handles, extensions last."""
        return [method for method in self.surface.methods if method.side == side]

    def handled(self, side: str) -> list[Method]:
        """What a handler of that side has: the agent and the client handle the protocol, too."""
        shared = self.methods("protocol") if side in ("agent", "client") else []
        return [*self.methods(side), *shared]

    def twin(self, method: Method) -> Method | None:
        """The notification that has the name of a request."""
        return next(
            (
                each
                for each in self.methods(method.side)
                if method.wire
                and each.wire == method.wire
                and each.kind != method.kind == "request"
            ),
            None,
        )

    def table(self, side: str) -> list[Method]:
        """The methods by which the others are found: one for each name in JSON."""
        named: dict[str, Method] = {}
        for method in self.methods(side):
            if method.wire:
                named.setdefault(method.wire, method)
        return list(named.values())

    def has_capabilities(self) -> bool:
        """Whether any method needs one."""
        return any(method.capability or method.needs for method in self.surface.methods)

    def has_needs(self) -> bool:
        """Whether a member of any params needs one."""
        return any(method.needs for method in self.surface.methods)

    def method_types(self, side: str | None = None) -> list[str]:
        """The params and results of the methods of a side; of all, with what members need."""
        methods = self.handled(side) if side else self.surface.methods
        names = {name for m in methods for name in (m.params, m.result) if name}
        if side is None:
            names |= {need.kind for m in methods for need in m.needs if need.kind}
        return sorted(names)

    # --- session updates ---------------------------------------------------------------------

    def collections(self) -> dict[str, Update]:
        """The collections of a session state, each with the first rule that is about it."""
        found: dict[str, Update] = {}
        for update in self.surface.updates:
            if update.into and update.way:
                found.setdefault(update.into, update)
        return found

    def slots(self) -> dict[str, Update]:
        """The members of a session state that hold one update, with its rule."""
        return {u.into: u for u in self.surface.updates if u.into and not u.way}

    def rule_class(self, update: Update) -> str:
        """The class of the runtime for a rule."""
        return RULES["patch_output" if update.output else update.operation]

    def rule_classes(self) -> list[str]:
        """Those that the module of the session state names."""
        updates = [each for each in self.surface.updates if each.operation != "keep"]
        names = {self.rule_class(each) for each in updates}
        # A patch with output holds one without.
        return sorted(names | ({RULES["patch"]} if any(each.output for each in updates) else set()))

    def writers(self) -> dict[str, str]:
        """By collection or role, the tag of the rule that writes its things back."""
        found: dict[str, str] = {}
        for operations in WRITERS:
            for update in self.surface.updates:
                if update.operation in operations and (update.role or update.way):
                    found.setdefault(update.role or update.into or "", update.tag)
        return found

    def outputs(self) -> dict[str, str]:
        """By collection whose entries have output, the collection of that."""
        return {
            u.into: f"{u.into[:-1]}_output" for u in self.surface.updates if u.output and u.into
        }

    def session_types(self) -> list[str]:
        """The types that the module of the session state names."""
        names = {self.surface.session_update, self.surface.content_block}
        for update in self.surface.updates:
            if update.operation != "keep":
                names |= {*update.classes, update.entry, update.key_type, update.output}
        return sorted(name for name in names if name)

    # --- definitions -------------------------------------------------------------------------

    def class_names(self) -> list[str]:
        """Every class and alias of `types.py`."""
        unknown = [u.name for d in self.definitions.values() if (u := unknown_of(d))]
        return sorted([*self.definitions, *unknown])

    def is_object(self, name: str) -> bool:
        """Whether a definition is always an object with members of its own."""
        definition = self.definitions[name]
        if isinstance(definition, Alias):
            shape = definition.shape
            if isinstance(shape, Reference):
                return self.is_object(shape.name)
            return isinstance(shape, Choice) and all(
                isinstance(arm.shape, Reference) and self.is_object(arm.shape.name)
                for arm in shape.arms
            )
        return True

    def _nested(self) -> frozenset[str]:
        """Definitions that a tagged union decodes into, so that they are handed its tag."""
        found: set[str] = set()
        pending: list[str] = []
        for definition in self.definitions.values():
            if isinstance(definition, TaggedUnion):
                pending += [arm.target for arm in definition.arms]
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += self._targets(self.definitions[name])
        return frozenset(found)

    def _targets(self, definition: Definition) -> list[str]:
        """Definitions that decode the same object as this one does."""
        if isinstance(definition, Alias):
            return self._references(definition.shape)
        arms = definition.special if isinstance(definition, Record) else definition.arms
        names = [arm.target for arm in arms]
        if isinstance(definition, TaggedUnion) and definition.default is not None:
            names += self._references(definition.default)
        return names

    def _references(self, shape: Shape) -> list[str]:
        if isinstance(shape, Reference):
            return [shape.name]
        if isinstance(shape, Choice):
            return [name for arm in shape.arms for name in self._references(arm.shape)]
        return []

    def classes(self, shape: Shape) -> list[str]:
        """The classes that the values of a shape, or the items of its arrays, may have."""
        if isinstance(shape, Choice):
            return [name for arm in shape.arms for name in self.classes(arm.shape)]
        if isinstance(shape, Array):
            return self.classes(shape.items)
        if isinstance(shape, Nullable):
            return self.classes(shape.shape)
        if not isinstance(shape, Reference):
            return []
        definition = self.definitions[shape.name]
        if isinstance(definition, Alias):
            return self.classes(definition.shape)
        if isinstance(definition, Record):
            return [definition.name, *(arm.target for arm in definition.special)]
        return [leaf.name for leaf in self.leaves(definition)]

    def leaves(self, union: TaggedUnion) -> list[Leaf]:
        """The classes of a tagged union."""
        found: list[Leaf] = []
        for arm in union.arms:
            for name in self.classes(Reference(arm.target)):
                found.append(Leaf(name, arm.tag, f"encode_{arm.target}"))
        if union.default is not None:
            for name in self.classes(union.default):
                found.append(Leaf(name, None, f"_encode_{union.name}_default"))
        if union.unknown is not None:
            found.append(Leaf(union.unknown.name, None, f"_encode_{union.unknown.name}"))
        return found

    def choice_encoders(self, choice: Choice) -> list[Leaf]:
        """The classes of an untagged union with their encoders."""
        found: list[Leaf] = []
        for arm in choice.arms:
            shape = arm.shape.items if isinstance(arm.shape, Array) else arm.shape
            if isinstance(shape, Reference):
                found += [Leaf(each, None, f"encode_{shape.name}") for each in self.classes(shape)]
        return found

    def exports(self) -> tuple[list[Export], list[Export]]:
        """The table's rows: `$defs` names, and classes without a definition of their own."""
        named: list[Export] = []
        arms: list[Export] = []
        for name, definition in self.definitions.items():
            encoder = f"encode_{name}" if self.needs_encoder(Reference(name)) else None
            kind = "union" if self.is_object(name) else "alias"
            kind = "record" if isinstance(definition, Record) else kind
            row = Export(kind, name, f"decode_{name}", encoder)
            if definition.definition is not None:
                named.append(row)
            else:
                arms.append(self._arm_export(row, definition))
            unknown = unknown_of(definition)
            if unknown is not None and isinstance(definition, TaggedUnion):
                owner = definition.owner or name
                arms.append(self._owned("record", unknown.name, owner, [unknown.name]))
        return named, arms

    def _arm_export(self, row: Export, definition: Definition) -> Export:
        owner = definition.owner if isinstance(definition, Record | TaggedUnion) else None
        if isinstance(definition, Alias):
            owners = [self.definitions[name] for name in self.classes(definition.shape)]
            owner = next((each.owner for each in owners if isinstance(each, Record)), None)
        if owner is None:
            return row
        return self._owned(row.kind, row.name, owner, self.classes(Reference(row.name)))

    def _owned(self, kind: str, name: str, owner: str, classes: list[str]) -> Export:
        decoder = f"only(decode_{owner}, {text.literal(name)}, {', '.join(classes)})"
        return Export(kind, name, decoder, f"encode_{owner}")

    # --- shapes ------------------------------------------------------------------------------

    def resolve(self, shape: Shape) -> Shape:
        """A shape without references to aliases of plain strings and booleans."""
        if isinstance(shape, Nullable):
            return replace(shape, shape=self.resolve(shape.shape))
        if isinstance(shape, Reference):
            definition = self.definitions[shape.name]
            if isinstance(definition, Alias):
                inner = self.resolve(definition.shape)
                if isinstance(inner, Boolean) or inner == String():
                    return inner
        return shape

    def unaliased(self, shape: Shape, items: bool) -> Shape:
        """A shape whose items are at hand, where they are to be judged one by one."""
        while items and isinstance(shape, Reference):
            definition = self.definitions[shape.name]
            if not isinstance(definition, Alias):
                break
            shape = definition.shape
        return shape

    def builtin(self, shape: Shape) -> str | None:
        """The Python class whose values are exactly those of a shape, if there is one."""
        if isinstance(shape, Boolean):
            return "bool"
        if shape == String():
            return "str"
        if isinstance(shape, Dictionary) and shape.values.kind == "anything":
            return "dict"
        return None

    def needs_encoder(self, shape: Shape) -> bool:
        """Whether values of a shape are not JSON already."""
        match shape:
            case Reference(name):
                definition = self.definitions[name]
                return not isinstance(definition, Alias) or self.needs_encoder(definition.shape)
            case Array(items):
                return self.needs_encoder(items)
            case Dictionary(values):
                return self.needs_encoder(values)
            case Nullable(inner):
                return self.needs_encoder(inner)
            case Choice(arms):
                return any(self.needs_encoder(arm.shape) for arm in arms)
            case _:
                return False

    def json_types(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """JSON types as the runtime knows them: an integer is a number."""
        return tuple(dict.fromkeys("number" if each == "integer" else each for each in types))

    def has_distinct(self) -> bool:
        """Whether some alias is `Annotated` with its name."""
        return any(isinstance(d, Alias) and d.distinct for d in self.definitions.values())

    def has_unknown(self) -> bool:
        """Whether some union has a class for unlisted tags."""
        return any(unknown_of(each) for each in self.definitions.values())

    def has_optional(self) -> bool:
        """Whether some record has a member that may be absent."""
        records = [each for each in self.definitions.values() if isinstance(each, Record)]
        return any(not member.required for record in records for member in record.members)

    def expected(self, shape: Shape) -> str:
        return text.expected(shape, self.surface)

    def summary_json(self) -> dict[str, Any]:
        """Counts for the table at the end of `generate`."""
        kinds = [definition.kind for definition in self.definitions.values()]
        enums = [
            each
            for each in self.definitions.values()
            if isinstance(each, Alias) and each.shape.kind == "enumeration"
        ]
        unions = kinds.count("union") + sum(
            isinstance(each, Alias) and isinstance(each.shape, Choice)
            for each in self.definitions.values()
        )
        methods = len({(m.side, m.wire) for m in self.surface.methods if m.wire})
        return {
            "records": kinds.count("record"),
            "unions": unions,
            "enums": len(enums),
            "methods": methods,
        }


def to_json(value: Any) -> str:
    """Stable JSON text for a program to read."""
    return json.dumps(value, indent=2, sort_keys=True)
