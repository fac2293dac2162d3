"""Schemas of extensions, which are checked and merged with the protocol's schema.

The result is one document, which contains the protocol's definitions under qualified names, such as
`v2.ToolCall`. Entries of `_meta` and variants of unions become separate definitions.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from jsonschema import ValidationError

from acpgen.common.display import display_path
from acpgen.common.pointers import pointer, pointer_parts
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.json_file import read_json
from acpgen.inputs.validation import Validator
from acpgen.ir import naming
from acpgen.ir.model import Origin, Record, TaggedUnion
from acpgen.ir.queries import arms_by_tag
from acpgen.ir.surface import Surface
from acpgen.schema.document import (
    DIALECT,
    Document,
    JsonObject,
    check_keyword,
    shorten,
    subschemas,
    write_out_booleans,
)
from acpgen.schema.envelopes import find_envelopes
from acpgen.schema.keywords import REF_PREFIX
from acpgen.schema.nodes import Definitions

FORM = Path(__file__).with_name("extension.schema.json")
_FORM_TYPES = {"object": "an object", "string": "a string"}
# The prefix of references to the protocol's definitions.
SCHEME = "acp:"
# The keys of `_meta` that the specification reserves for W3C trace contexts.
RESERVED_KEYS = frozenset({"traceparent", "tracestate", "baggage"})


@dataclass(frozen=True, slots=True)
class ExtensionDocument:
    """The checked schema of an extension."""

    document: Document  # all definitions, with qualified names for the protocol's definitions
    own: frozenset[str]  # the names of definitions that are not from the protocol
    methods: Mapping[str, JsonObject]  # `x-methods`, with definition names instead of references
    # Maps each protocol class to the definition of the added `_meta` entries.
    meta: Mapping[str, str]
    # Maps each protocol union to the definition that adds variants to it.
    variants: Mapping[str, str]
    names: Mapping[str, str]  # `x-names`
    # Maps pointers into the document to pointers into the file, for definitions outside the file's
    # `$defs`.
    places: Mapping[str, str]
    # The errors in the file. The document omits the parts of the file that contain errors.
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()  # names that an extension should not define

    def place(self, at: str) -> str:
        """Return the pointer into the file that corresponds to a pointer into the document."""
        parts = at.split("/")
        for end in range(len(parts), 0, -1):
            start = "/".join(parts[:end])
            if start in self.places:
                return "/".join([self.places[start], *parts[end:]])
        return at

    def relocated(self, problem: Problem) -> Problem:
        """Return a problem with its pointer converted by `place`."""
        return replace(problem, pointer=self.place(problem.pointer))


def load_extension(
    path: Path,
    protocol: Document,
    base: Surface,
    origin: Origin | None = None,
    *,
    allow_unprefixed: bool,
) -> ExtensionDocument:
    """Read and check the schema of an extension.

    Args:
        path: the file.
        protocol: the schema of the extended surface.
        base: the extended surface.
        origin: the origin of the file, which by default is the file itself.
        allow_unprefixed: whether invalid names cause notes instead of problems. The name of a
            method or tag is invalid if it has no leading underscore or if the protocol already
            defines it.

    Raises:
        InputError: If no part of the file can be used. The error lists every problem.
    """
    root, digest = read_json(path)
    file = display_path(path)
    problems = [Problem(file, *fault) for fault in _check_form(root)]
    if any(problem.pointer == "" for problem in problems):
        raise InputError(problems)
    root = _without(root, [problem.pointer for problem in problems])
    origin = replace(origin or Origin(path.name, path.name, ""), sha256=digest)
    reader = _Reader(file, root, protocol, base)
    read = reader.read(origin)
    names = list(_improper_names(file, root, base))
    if not allow_unprefixed:
        advice = "; rename it, or pass --allow-unprefixed"
        reader.problems += [replace(problem, message=problem.message + advice) for problem in names]
    return replace(read, problems=(*problems, *reader.problems), notes=tuple(names))


def _without(root: JsonObject, places: list[str]) -> JsonObject:
    """Return a copy of a file without the entries that contain the given locations.

    Definitions are replaced with an empty object type instead of being removed.
    """
    usable: JsonObject = copy.deepcopy(root)
    for part, *names in map(pointer_parts, places):
        if not names:
            usable.pop(part, None)
        elif part == "$defs":
            usable[part][names[0]] = {"type": "object"}
        else:
            usable.get(part, {}).pop(names[0], None)
    return usable


def _improper_names(file: str, root: JsonObject, base: Surface) -> Iterator[Problem]:
    """Yield a problem for each name that the protocol defines, reserves or might define later."""

    def problem(path: tuple[str, ...], kind: str, is_known: bool) -> Problem:
        message = f"must begin with an underscore, like every {kind} of an extension"
        if is_known:
            message = f"is a {kind} of the protocol"
        return Problem(file, pointer(*path), "unprefixed", message)

    known_methods = {method.wire for method in base.methods}
    for wire in root.get("x-methods", {}):
        if wire in known_methods or not wire.startswith("_"):
            yield problem(("x-methods", wire), "method", wire in known_methods)
    for name, tags in root.get("x-variants", {}).items():
        known_tags = arms_by_tag(base.definitions.get(name))
        for tag in tags:
            if tag in known_tags or not tag.startswith("_"):
                yield problem(("x-variants", name, tag), "tag", tag in known_tags)
    for name, entries in root.get("x-meta", {}).items():
        for key in entries.keys() & RESERVED_KEYS:
            yield problem(("x-meta", name, key), "key", True)


def _qualified_schemas(protocol: Document, surface: str) -> dict[str, JsonObject]:
    """Return the protocol's types by qualified name, with references that use these names."""
    envelopes = find_envelopes(Definitions(protocol.definitions))
    return {
        naming.qualified(surface, name): _with_references(schema, f"{REF_PREFIX}{surface}.")
        for name, schema in protocol.definitions.items()
        if name not in envelopes
    }


def protocol_bundle(protocol: Document) -> JsonObject:
    """Return the protocol's schema for other tools, with `acp:NAME` as the `$id` of each type."""
    definitions = {
        name: {"$id": SCHEME + name, **_with_references(schema, SCHEME)}
        for name, schema in protocol.definitions.items()
    }
    return {"$schema": DIALECT, "$id": SCHEME + "schema", "$defs": definitions}


def _with_references(schema: JsonObject, prefix: str) -> JsonObject:
    """Return a copy of a schema with the prefix of its references replaced."""
    copied = copy.deepcopy(schema)
    for _, inner in subschemas(copied):
        if "$ref" in inner:
            inner["$ref"] = prefix + inner["$ref"].removeprefix(REF_PREFIX)
    return copied


# --- the form ----------------------------------------------------------------------------------


def _check_form(root: Any) -> Iterator[tuple[str, str, str]]:
    """Check the form of a file, and yield a pointer, a code and a message for each problem."""
    for error in Validator(json.loads(FORM.read_text(encoding="utf-8"))).errors(root):
        yield from _explain(error)


def _explain(error: ValidationError) -> Iterator[tuple[str, str, str]]:
    at, code = pointer(*error.absolute_path), "invalid-schema"
    instance: Any = error.instance
    schema: Any = error.schema
    match error.validator:
        case "additionalProperties":
            known = ", ".join(schema["properties"])
            for name in sorted(instance.keys() - schema["properties"].keys()):
                yield at + pointer(name), code, f"is not a known key; use one of {known}"
        case "anyOf" if not at:
            yield at, code, "adds nothing to the protocol; add x-methods, x-meta or x-variants"
        case "required":
            missing = (member for member in schema["required"] if member not in instance)
            yield at, code, f"lacks {' and '.join(missing)}; add it"
        case "type" if str(schema["type"]) in _FORM_TYPES:
            yield at, code, f"must be {_FORM_TYPES[schema['type']]}; fix the schema"
        case "pattern" if error.absolute_path[-1] == "$ref":
            message = f"{instance!r} is neither #/$defs/NAME nor acp:NAME; fix the reference"
            yield at, "unresolved-ref", message
        case "pattern":
            advice = "use a pointer such as /capabilities/_meta/acme"
            yield at, code, f"{instance!r} is not a JSON pointer; {advice}"
        case "minProperties":
            yield at, code, "is empty; add an entry or remove it"
        case _:
            yield at, code, f"{shorten(error.message)}; fix the schema"


# --- the parts ---------------------------------------------------------------------------------


class _Reader:
    """A reader for extension schemas with a valid form."""

    def __init__(self, file: str, root: JsonObject, protocol: Document, base: Surface) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._root = root
        self._base = base
        self._protocol = _qualified_schemas(protocol, base.name)
        self._own: dict[str, JsonObject] = {}
        self._places: dict[str, str] = {}

    def read(self, origin: Origin) -> ExtensionDocument:
        """Read all parts of the schema."""
        for name, schema in self._root.get("$defs", {}).items():
            at = pointer("$defs", name)
            if not (name.isidentifier() and name.isascii()):
                message = "is not an ASCII identifier; rename the definition"
                self._problem(at, "bad-name", message)
            self._own[name] = self._resolved(schema, at)
        methods = self._methods()
        variants = {
            naming.qualified(self._base.name, name): name
            for name, tags in self._part("x-variants")
            if self._define_variants(name, tags)
        }
        meta = {
            naming.qualified(self._base.name, name): self._define_meta(name, entries)
            for name, entries in self._part("x-meta")
        }
        root = {"$defs": {**self._own, **self._protocol}}
        return ExtensionDocument(
            document=Document(self._file, root, origin),
            own=frozenset(self._own),
            methods=methods,
            meta=meta,
            variants=variants,
            names=self._root.get("x-names", {}),
            places=self._places,
        )

    def _part(self, key: str) -> list[tuple[str, JsonObject]]:
        return sorted(self._root.get(key, {}).items())

    def _problem(self, at: str, code: str, message: str) -> None:
        self.problems.append(Problem(self._file, at, code, message))

    # --- references --------------------------------------------------------------------------

    def _resolved(self, schema: Any, at: str) -> JsonObject:
        """Return a copy of a schema with its references resolved, and report invalid keywords."""
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        copied: JsonObject = copy.deepcopy(schema)
        write_out_booleans(copied)
        for here, inner in subschemas(copied, at):
            for key, value in list(inner.items()):
                if key == "$ref":
                    inner[key] = REF_PREFIX + self._target(value, here + "/$ref")
                    continue
                fault = check_keyword(key, value)
                if key in ("x-method", "x-side"):
                    fault = "misplaced-keyword", "has no effect here; define methods in x-methods"
                if fault is not None:
                    self._problem(here + pointer(key), *fault)
                    del inner[key]
        return copied

    def _target(self, reference: str, at: str) -> str:
        """Return the name of the definition that a reference points to.

        For a dangling reference, report a problem and create a placeholder definition so that the
        remaining checks can run.
        """
        if reference.startswith(SCHEME):
            name = naming.qualified(self._base.name, reference.removeprefix(SCHEME))
            known, where = list(self._protocol), f"is not a type of {self._base.name}"
        elif reference.startswith(REF_PREFIX):
            name = reference.removeprefix(REF_PREFIX)
            known, where = list(self._root.get("$defs", {})), "is not in $defs"
        else:
            name, known = "", []
            where = f"is neither {REF_PREFIX}NAME nor {SCHEME}NAME"
        if name not in known:
            advice = _advice(
                name.rpartition(".")[2], [qualified.rpartition(".")[2] for qualified in known]
            )
            self._problem(at, "unresolved-ref", f"{reference!r} {where}; {advice}")
            name = f"UnresolvedReference{len(self.problems)}"
            self._own[name] = {"type": "object"}
        return name

    # --- methods, entries, variants ----------------------------------------------------------

    def _methods(self) -> dict[str, JsonObject]:
        entries: dict[str, JsonObject] = {}
        for wire, stated in self._part("x-methods"):
            at = pointer("x-methods", wire)
            entries[wire] = dict(stated)
            for key in ("params", "result"):
                if key in stated:
                    entries[wire][key] = self._target(stated[key]["$ref"], f"{at}/{key}/$ref")
        return entries

    def _define_meta(self, owner: str, entries: JsonObject) -> str:
        """Define the `_meta` entries of a class and return the name of the definition."""
        at, name = pointer("x-meta", owner), naming.meta_record(owner)
        known = [
            definition.name
            for definition in self._base.definitions.values()
            if isinstance(definition, Record)
            and any(member.wire == "_meta" for member in definition.members)
        ]
        if owner not in known:
            message = f"is not a {self._base.name} type with _meta; {_advice(owner, known)}"
            self._problem(at, "unknown-name", message)
        members = {
            key: self._resolved(schema, at + pointer(key))
            for key, schema in sorted(entries.items())
        }
        about = f"The entries that this extension adds to the `_meta` of `{owner}`."
        self._define(name, at, {"type": "object", "description": about, "properties": members})
        self._places[pointer("$defs", name, "properties")] = at
        return name

    def _define_variants(self, union: str, tags: JsonObject) -> bool:
        """Define a union with additional variants if the protocol's union is open.

        Return whether the union was defined.
        """
        at = pointer("x-variants", union)
        definition = self._base.definitions.get(union)
        if not isinstance(definition, TaggedUnion) or definition.unknown is None:
            known = [
                definition.name
                for definition in self._base.definitions.values()
                if isinstance(definition, TaggedUnion) and definition.unknown is not None
            ]
            message = f"is not an open union of {self._base.name}; {_advice(union, known)}"
            self._problem(at, "unknown-name", message)
            return False
        tag, arms = definition.tag, list[JsonObject]()
        for index, (value, reference) in enumerate(sorted(tags.items())):
            here = at + pointer(value)
            target = self._target(reference["$ref"], f"{here}/$ref")
            if target in self._protocol:
                message = "is a type of the protocol; wrap it in a definition with allOf"
                self._problem(f"{here}/$ref", "unsupported", message)
            constant = {tag: {"type": "string", "const": value}}
            referred = [{"$ref": REF_PREFIX + target}]
            arms.append(
                {"type": "object", "properties": constant, "required": [tag], "allOf": referred}
            )
            self._places[pointer("$defs", union, "anyOf", index)] = here
        arms.append({"$ref": REF_PREFIX + naming.qualified(self._base.name, union)})
        about = f"A variant of this extension, or any other `{union}` of the protocol."
        discriminator = {"propertyName": tag}
        self._define(
            union, at, {"description": about, "anyOf": arms, "discriminator": discriminator}
        )
        return True

    def _define(self, name: str, at: str, schema: JsonObject) -> None:
        if name in self._own:
            message = f"needs the name {name!r}, which is already in $defs; rename that definition"
            self._problem(at, "name-collision", message)
        self._own[name] = schema
        self._places[pointer("$defs", name)] = at


def _advice(name: str, known: list[str]) -> str:
    """Suggest known names that are similar to an unknown name."""
    similar = " or ".join(get_close_matches(name, known))
    return f"did you mean {similar}?" if similar else "fix the name"
