"""Analyzes extension schemas, which follow the same rules as the protocol's schema.

An extension's definitions can refer to foreign definitions, which belong to the extended surface.
Foreign definitions have qualified names such as `v2.ToolCall`, and no code is generated for them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

from acpgen.analysis.build_context import BuildContext
from acpgen.analysis.capabilities import capability_roots, form_of
from acpgen.analysis.definitions import build_definitions, mark_annotated
from acpgen.analysis.methods import check_reserved
from acpgen.analysis.surface import ASSERTIONS, Built, build, build_pruned
from acpgen.common import paths
from acpgen.common.pointers import pointer, pointer_parts
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.sources.fetch import Fetched, fetch
from acpgen.inputs.sources.files import locate_schemas
from acpgen.inputs.sources.json_file import JsonObject
from acpgen.ir import naming
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Arm,
    Capability,
    CapabilityForm,
    Definition,
    Dictionary,
    Member,
    Method,
    Origin,
    Record,
    Reference,
    Shape,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.queries import classes_of, find_member, map_inner, strip_null, target
from acpgen.ir.surface import MetaEntries, Surface, SurfaceExtension, VariantUnion
from acpgen.schema.document import Document, load_document
from acpgen.schema.extension import ExtensionDocument, load_extension
from acpgen.schema.nodes import Definitions


@cache
def read_base(surface: str) -> tuple[Document, Surface]:
    """Return the vendored schema of a surface and the surface built from it."""
    overlay = load_overlay(paths.SCHEMA / "overlay")
    [source] = locate_schemas(paths.SCHEMA, [surface])
    document = load_document(source.path, source.origin)
    return document, build(document, overlay, surface).surface


def read_extension(
    path: Path,
    protocol: Document,
    base: Surface,
    origin: Origin | None = None,
    *,
    strict: bool = False,
    allow_unprefixed: bool,
) -> Built:
    """Load and build an extension of a surface.

    Args:
        path: the schema of the extension.
        protocol: the schema of the extended surface.
        base: the extended surface.
        origin: the origin of the extension's schema, which by default is the file itself.
        strict: whether unsupported parts are reported as problems instead of notes.
        allow_unprefixed: whether names without an underscore are reported as notes instead of
            problems.

    Raises:
        InputError: If the schema cannot be used. The error lists every problem.
    """
    read = load_extension(path, protocol, base, origin, allow_unprefixed=allow_unprefixed)
    try:
        cyclic = Definitions(read.document.definitions).cyclic()
        if cyclic:
            file, message = read.document.file, "refers to itself; break the cycle"
            raise InputError([Problem(file, node.at, "unsupported", message) for node in cyclic])
        built = build_pruned(
            read.document,
            lambda pruned, parts: _Builder(replace(read, document=pruned), base, parts).build(),
            strict=strict,
            noted=ASSERTIONS,
        )
    except InputError as error:
        # Drop problems at, around or inside the location of a problem in `read.problems`, because
        # that problem might have caused them.
        places = [f"{problem.pointer}/" for problem in read.problems]
        others = [
            problem
            for problem in map(read.relocated, error.problems)
            if not any(
                place.startswith(f"{problem.pointer}/") or f"{problem.pointer}/".startswith(place)
                for place in places
            )
        ]
        raise InputError([*read.problems, *others]) from error
    if read.problems:
        raise InputError(list(read.problems))
    unread = {read.place(at): text for at, text in built.surface.unread.items()}
    return replace(
        built,
        surface=replace(built.surface, unread=dict(sorted(unread.items()))),
        notes=(*read.notes, *map(read.relocated, built.notes)),
    )


def read_source(
    source: str, surface: str, *, strict: bool = False, allow_unprefixed: bool = False
) -> Built:
    """Load and build an extension of a vendored surface; see `read_extension`."""
    document, base = read_base(surface)
    with fetch(source) as fetched:
        path, origin = _schema_file(fetched)
        built = read_extension(
            path, document, base, origin, strict=strict, allow_unprefixed=allow_unprefixed
        )
        return replace(built, notes=tuple(fetched.renamed(built.notes)))


def _schema_file(fetched: Fetched) -> tuple[Path, Origin]:
    """Return the single schema that a source contains, with its origin."""
    if fetched.path.is_file():
        return fetched.path, Origin(fetched.label, fetched.path.name, "")
    inner = fetched.path / "schema"
    folder = inner if inner.is_dir() else fetched.path
    schemas = sorted(folder.glob("*.json"))
    if len(schemas) != 1:
        names = ", ".join(schema.name for schema in schemas) or "none"
        message = f"must contain exactly one JSON file, the schema (found {names}); pass a file"
        raise InputError([Problem(str(folder), "", "missing-file", message)])
    label = fetched.label if fetched.copy_of else schemas[0].name
    return schemas[0], Origin(label, schemas[0].relative_to(fetched.path).as_posix(), "")


class _Builder:
    """A builder for one extension."""

    def __init__(
        self, read: ExtensionDocument, base: Surface, pruned: frozenset[str] | None
    ) -> None:
        self._read = read
        self._base = base
        overlay = Overlay(names=dict(read.names))
        self._context = BuildContext(read.document, overlay, pruned, own=read.own)
        self._foreign = qualify(base)

    def build(self) -> Built:
        """Build the definitions and then the parts that refer to them."""
        context, read = self._context, self._read
        context.problems += context.find_unread()
        if not context.problems:
            build_definitions(context)
        is_incomplete = bool(context.problems)
        methods = self._methods()
        check_reserved(methods, context)
        if is_incomplete:
            raise InputError(context.problems)
        definitions = mark_annotated(self._with_short_names(context.definitions))
        definitions = {
            name: replace(definition, pointer=read.place(definition.pointer))
            for name, definition in sorted(definitions.items())
        }
        extension = SurfaceExtension(
            base=self._base.name,
            meta=self._meta(),
            variants=self._variants(definitions),
        )
        if not read.problems:  # after a problem, entries can refer to omitted parts
            for key in read.names:
                if ("classes", key) not in context.matched:
                    message = "matches nothing in this schema; fix or remove the entry"
                    context.problem(pointer("x-names", key), "unknown-name", message)
        if context.problems:
            raise InputError(context.problems)
        summaries = {
            wire: " ".join(stated["description"].split())
            for wire, stated in read.methods.items()
            if stated.get("description")
        }
        surface = Surface(
            name=self._base.name,
            version=self._base.version,
            stability=self._base.stability,
            origin=read.document.origin,
            definitions=definitions,
            methods=methods,
            method_summaries=summaries,
            extension=extension,
            foreign=self._foreign,
        )
        return Built(surface, frozenset(context.matched), tuple(context.notes))

    # --- methods -----------------------------------------------------------------------------

    def _methods(self) -> tuple[Method, ...]:
        methods: list[Method] = []
        for wire, stated in sorted(self._read.methods.items()):
            at = pointer("x-methods", wire)
            if self._context.schemas[stated["params"]].types != {"object"}:
                message = "params must be objects; refer to a definition of an object"
                self._context.problem(f"{at}/params", "unsupported", message)
            for side in ("agent", "client") if stated["side"] == "both" else (stated["side"],):
                method = Method(
                    wire,
                    self._method_name(wire, side, methods),
                    side,
                    "request" if "result" in stated else "notification",
                    stated["params"],
                    stated.get("result"),
                    capability=self._capability(stated, side, at),
                    page=stated.get("page"),
                )
                methods.append(method)
        return tuple(sorted(methods, key=lambda method: method.side))

    def _method_name(self, wire: str, side: str, before: list[Method]) -> str:
        """Return a method's Python name, which must be unique among the side's methods."""
        context, at = self._context, pointer("x-methods", wire)
        siblings = {method.name: method.wire for method in before if method.side == side}
        # Agents and clients also handle the methods of the `protocol` side.
        inherited = {
            method.name: method.wire
            for method in self._base.methods
            if method.side in (side, "protocol") and method.wire != wire
        }
        taken = siblings | inherited
        key = f"{side}:{wire}"
        name = context.method_name(key, naming.method_name(wire), set(taken))
        advice = f"add a name for {key} to {context.names_file}"
        if name in taken:
            message = f"has the same Python name as {taken[name]!r}, {name!r}; {advice}"
            context.problem(at, "name-collision", message)
        elif not naming.is_method_name(name):
            context.problem(at, "bad-name", f"has no valid Python name; {advice}")
        return name

    def _capability(self, stated: JsonObject, side: str, at: str) -> Capability | None:
        """Return a method's required capability, which the protocol must define."""
        if "capability" not in stated:
            return None
        root = capability_roots(self._base.methods).get(side)
        wires = pointer_parts(stated["capability"])
        path: list[str] = []
        form: CapabilityForm = "object"
        for index, wire in enumerate(wires):
            member = find_member(self._base.definitions, root, wire)
            if member is None:
                where = f"the {'result' if side == 'agent' else 'params'} of initialize"
                message = f"{stated['capability']!r} is not in {where}; fix the name, or use _meta"
                self._context.problem(f"{at}/capability", "unknown-name", message)
                break
            path.append(member.name)
            form = form_of(member.shape, self._base.definitions)
            if isinstance(strip_null(member.shape), AnyJson | Dictionary):
                path += wires[index + 1 :]
                break
            root = target(member.shape)
        return Capability(stated["capability"], tuple(path), form)

    # --- entries of _meta ----------------------------------------------------------------------

    def _with_short_names(self, definitions: dict[str, Definition]) -> dict[str, Definition]:
        """Return the definitions, with the prefixes removed from the names of `_meta` entries."""
        renamed = dict(definitions)
        for name in self._read.meta.values():
            record = definitions.get(name)
            assert isinstance(record, Record), "_meta entries must be fields of an object"
            members = tuple(
                (
                    replace(member, name=naming.meta_entry(member.wire))
                    if f"{name}.{member.wire}" not in self._read.names
                    and naming.is_entry_name(naming.meta_entry(member.wire))
                    else member
                )
                for member in record.members
            )
            for member in members:
                if not naming.is_entry_name(member.name):
                    advice = f"add a name for {name}.{member.wire} to x-names"
                    message = f"has no valid Python name; {advice}"
                    self._context.problem(member.pointer, "bad-name", message)
            for short, count in Counter(member.name for member in members).items():
                if count > 1:
                    wires = [member.wire for member in members if member.name == short]
                    advice = f"add a name for {name}.{wires[0]} to x-names"
                    listed = ", ".join(wires)
                    message = f"entries {listed} have the same Python name, {short!r}; {advice}"
                    self._context.problem(record.pointer, "name-collision", message)
            renamed[name] = replace(record, members=members)
        return renamed

    def _meta(self) -> tuple[MetaEntries, ...]:
        """Return the `_meta` entries of each class, base classes first."""
        entries: list[MetaEntries] = []
        views: dict[str, str] = {}
        owners = sorted(self._read.meta, key=lambda name: (len(self._bases(name)), name))
        for owner in owners:
            bases = [views[base] for base in self._bases(owner) if base in views]
            views[owner] = naming.meta_view(naming.unqualified(owner))
            record = self._read.meta[owner]
            entries.append(MetaEntries(owner, record, views[owner], bases[0] if bases else None))
            self._context.claim(views[owner], pointer("$defs", record))
        return tuple(entries)

    def _bases(self, name: str) -> list[str]:
        """Return the base classes of a protocol class, nearest first."""
        record = self._foreign.get(name)
        base = record.base if isinstance(record, Record) else None
        return [] if base is None else [base, *self._bases(base)]

    # --- variants ------------------------------------------------------------------------------

    def _variants(self, definitions: dict[str, Definition]) -> tuple[VariantUnion, ...]:
        variants: list[VariantUnion] = []
        known = {**self._foreign, **definitions}
        unions: dict[str, str] = {}  # by variant class
        for base, name in sorted(self._read.variants.items()):
            union, protocol = definitions[name], self._foreign[base]
            assert isinstance(protocol, TaggedUnion), "only open protocol unions have variants"
            assert protocol.unknown is not None, "only open protocol unions have variants"
            stated = self._context.schemas[name].arms
            # A variant has no tag if an unsupported tag field was removed.
            if not isinstance(union, TaggedUnion) or len(union.arms) < len(stated) - 1:
                message = (
                    f"a variant must be an object without the field {protocol.tag!r};"
                    " fix the variant"
                )
                self._context.problem(pointer("$defs", name), "unsupported", message)
                continue
            classes = [
                class_ for arm in union.arms for class_ in classes_of(Reference(arm.target), known)
            ]
            for class_ in classes:
                if unions.setdefault(class_, name) != name:
                    message = (
                        f"{class_} is also a variant of {unions[class_]}; define a class for"
                        " each union"
                    )
                    self._context.problem(union.pointer, "ambiguous-union", message)
            tags = tuple(arm.tag for arm in union.arms)
            variants.append(VariantUnion(name, base, protocol.unknown.name, tags, tuple(classes)))
        return tuple(variants)


# --- names of the protocol's definitions -------------------------------------------------------


def qualify(surface: Surface) -> dict[str, Definition]:
    """Return a surface's definitions with qualified names, also in references."""

    def name_of(name: str) -> str:
        return naming.qualified(surface.name, name)

    def shape_of(shape: Shape) -> Shape:
        if isinstance(shape, Reference):
            return Reference(name_of(shape.name))
        return map_inner(shape, shape_of)

    def arms_of(arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
        return tuple(replace(arm, target=name_of(arm.target)) for arm in arms)

    def members_of(members: tuple[Member, ...]) -> tuple[Member, ...]:
        return tuple(replace(member, shape=shape_of(member.shape)) for member in members)

    def qualified(definition: Definition) -> Definition:
        definition = replace(definition, name=name_of(definition.name))
        if isinstance(definition, Alias):
            return replace(definition, shape=shape_of(definition.shape))
        owner = definition.owner and name_of(definition.owner)
        if isinstance(definition, Record):
            return replace(
                definition,
                members=members_of(definition.members),
                base=definition.base and name_of(definition.base),
                owner=owner,
                subtypes=arms_of(definition.subtypes),
            )
        unknown, default = definition.unknown, definition.default
        if unknown is not None:
            choice = unknown.choice and shape_of(unknown.choice)
            assert choice is None or isinstance(choice, UntaggedUnion), "a union stays a union"
            unknown = replace(
                unknown,
                name=name_of(unknown.name),
                known=name_of(unknown.known),
                members=members_of(unknown.members),
                choice=choice,
            )
        return replace(
            definition,
            arms=arms_of(definition.arms),
            default=None if default is None else shape_of(default),
            unknown=unknown,
            owner=owner,
        )

    return {name_of(name): qualified(each) for name, each in surface.definitions.items()}
