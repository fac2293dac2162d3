"""Generates `types.py` with datamodel-code-generator.

The input is a plain JSON Schema in which every type has a name. Docstrings and defaults, which a
schema cannot express, are passed to the class templates in `templates/types/dcg` as extra data.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from datamodel_code_generator import InputFileType, generate
from datamodel_code_generator.enums import DataModelType
from datamodel_code_generator.format import PythonVersion
from datamodel_code_generator.parser import LiteralType

from acpgen.emit.contexts.annotations_and_defaults import (
    UNKNOWN_PARAMETER,
    UNLISTED,
    annotation,
    default,
    parameter,
    parameter_annotation,
)
from acpgen.emit.contexts.docstrings import documentation
from acpgen.emit.python import quoting
from acpgen.inputs.sources.json_file import JsonObject
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Array,
    Boolean,
    Definition,
    Dictionary,
    Enumeration,
    Integer,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.naming import unqualified
from acpgen.ir.queries import own_members, unknown_of
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe_member
from acpgen.schema.document import DIALECT
from acpgen.schema.keywords import REF_PREFIX, references

_ROOT = "SchemaDocument"


def write_types(surface: Surface, templates: Path, only: Collection[str] | None = None) -> str:
    """Return the unformatted source of `types.py`, without its imports.

    `only` lists the definitions to write. None means all definitions.
    """
    schema, extra = _lay_out(surface, surface.definitions if only is None else only)
    with warnings.catch_warnings():
        # On Python 3.10, a warning recommends 3.11, although the output is the same.
        warnings.simplefilter("ignore", FutureWarning)
        written = generate(
            schema,
            input_file_type=InputFileType.JsonSchema,
            output=None,
            output_model_type=DataModelType.DataclassesDataclass,
            target_python_version=PythonVersion.PY_310,
            custom_template_dir=templates / "types" / "dcg",
            extra_template_data=defaultdict(dict, extra),
            custom_class_name_generator=str,  # names from `naming` are used unchanged
            custom_file_header="",
            disable_future_imports=True,
            disable_timestamp=True,
            enum_field_as_literal=LiteralType.All,
            formatters=[],
            snake_case_field=True,
            use_standard_collections=True,
            use_type_alias=True,
            use_union_operator=True,
        )
    assert isinstance(written, str)
    names = {_stand_in(name): name for name in surface.foreign}
    return _with_names(_without_imports(written), names)


def _without_imports(source: str) -> str:
    """Return the source without imports, except the aliases of shadowed built-in types."""
    try:
        nodes = ast.parse(source).body
    except SyntaxError:
        return source  # `Modules` reports the error and names the template
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    kept = [
        ast.unparse(node) + "\n"
        for node in imports
        if isinstance(node, ast.ImportFrom) and node.module == "builtins"
    ]
    end = max((node.end_lineno or 0 for node in imports), default=0)
    return "".join([*kept, *source.splitlines(keepends=True)[end:]])


def _stand_in(name: str) -> str:
    """Return the placeholder that represents another surface's class while types are generated.

    Placeholders contain a non-ASCII character, so they differ from the names of definitions.
    """
    return "Ω" + unqualified(name)


def _with_names(source: str, names: Mapping[str, str]) -> str:
    """Return the source with some identifiers renamed."""
    lines = source.splitlines(keepends=True)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline) if names else ()
    for token in reversed(list(tokens)):
        if token.type == tokenize.NAME and token.string in names:
            (row, start), (_, end) = token.start, token.end
            line = lines[row - 1]
            lines[row - 1] = line[:start] + names[token.string] + line[end:]
    return "".join(lines)


def _lay_out(surface: Surface, only: Collection[str]) -> tuple[JsonObject, dict[str, Any]]:
    """Return the normalized schema of the definitions `only`, and extra template data by class."""
    texts = documentation(surface)
    root = _ROOT
    while root in surface.definitions:
        root += "_"
    definitions: JsonObject = {}
    extra: dict[str, Any] = {root: {"acp": {"skip": True}}}
    for name in only:
        definition = surface.definitions[name]
        data: dict[str, Any] = {"docstring": quoting.docstring(texts[name])}
        definitions[name] = _definition(definition, surface, data)
        extra[name] = {"acp": data}
        unknown = unknown_of(definition)
        if unknown is not None:
            definitions[unknown.name] = {"type": "object", "properties": {}}
            docstring = quoting.docstring(texts[unknown.name])
            extra[unknown.name] = {"acp": {"docstring": docstring, "unknown": True}}
        if isinstance(definition, TaggedUnion) and unknown is not None:
            known = [_known(arm, surface) for arm in _arms(definition, surface)]
            definitions[unknown.known] = {"anyOf": known}
            extra[unknown.known] = {"acp": {"docstring": quoting.docstring(texts[unknown.known])}}
    for name in {*references(definitions)} - definitions.keys():
        definitions[name] = {"type": "object", "properties": {}}
        extra[name] = {"acp": {"skip": True}}
    schema = {"$schema": DIALECT, "title": root, "$defs": dict(sorted(definitions.items()))}
    return schema, extra


def _definition(definition: Definition, surface: Surface, data: dict[str, Any]) -> JsonObject:
    if isinstance(definition, Alias):
        if definition.needs_annotation:
            data["annotated"] = quoting.literal(definition.name)
        return _shape(definition.shape)
    if isinstance(definition, TaggedUnion):
        arms, unknown = _arms(definition, surface), definition.unknown
        if unknown is None:
            return {"anyOf": [_shape(arm) for arm in arms]}
        # The variants that are open unions. The alias for known tags contains only the known
        # variants of these unions.
        nested = [_shape(arm) for arm in arms if _known(arm, surface) != _shape(arm)]
        return {"anyOf": [_reference(unknown.known), *nested, _reference(unknown.name)]}
    return _record(definition, surface, data)


def _arms(union: TaggedUnion, surface: Surface) -> list[Shape]:
    """Return the variants of a union and their subtypes, except the variant for unknown tags."""
    names = [arm.target for arm in union.arms]
    for name in list(names):
        target = surface.known[name]
        if isinstance(target, Record):
            names += [arm.target for arm in target.subtypes]
    arms: list[Shape] = [Reference(name) for name in dict.fromkeys(names)]
    return arms if union.default is None else [*arms, union.default]


def _known(arm: Shape, surface: Surface) -> JsonObject:
    """Return the schema of a variant or, for an open union, the alias for its known tags."""
    target = surface.known.get(arm.name) if isinstance(arm, Reference) else None
    unknown = None if target is None else unknown_of(target)
    return _shape(arm) if unknown is None else _reference(unknown.known)


def _record(record: Record, surface: Surface, data: dict[str, Any]) -> JsonObject:
    own = own_members(record, surface.known)
    data["defaults"] = {member.name: default(member) for member in own if not member.required}
    data["docstrings"] = {
        member.name: quoting.docstring(" ".join(text.split()))
        for member in own
        if (text := describe_member(surface, record.name, member))
    }
    data["constructor"] = _constructor(record, surface)
    schema: JsonObject = {
        "type": "object",
        "properties": {member.name: _shape(member.shape) for member in own},
        # datamodel-code-generator must treat all fields as required, because the value of absent
        # fields is `UNSET`, not None.
        "required": [member.name for member in own],
    }
    if record.base:
        schema["allOf"] = [_reference(record.base)]
    return schema


def _constructor(record: Record, surface: Surface) -> str:
    """Return the constructor's signature for type checkers, or "" if the fields imply it."""
    accepted = {
        member.name: parameter_annotation(member.shape, surface.known) for member in record.members
    }
    if all(accepted[member.name] == annotation(member.shape) for member in record.members):
        return ""
    members = sorted(record.members, key=lambda member: not member.required)
    parameters = [parameter(member, accepted[member.name]) for member in members]
    return f"def __init__(self, *, {', '.join([*parameters, UNKNOWN_PARAMETER])}) -> None: ..."


def _shape(shape: Shape) -> JsonObject:
    match shape:
        case AnyJson():
            return {}
        case Null():
            return {"type": "null"}
        case Boolean():
            return {"type": "boolean"}
        case String():
            return {"type": "string"}
        case Integer():
            return {"type": "integer"}
        case Number():
            return {"type": "number"}
        case Enumeration(values, base, other, lenient):
            listed = {"enum": list(values), **_shape(base)}
            others = _reference(UNLISTED) if isinstance(base, String) else _shape(base)
            return {"anyOf": [listed, others]} if other or lenient else listed
        case Array(items):
            return {"type": "array", "items": _shape(items)}
        case Dictionary(values):
            return {"type": "object", "additionalProperties": _shape(values) or True}
        case Reference(name):
            return _reference(name)
        case Nullable(inner):
            return {"anyOf": [_shape(inner), {"type": "null"}]}
        case UntaggedUnion(arms):
            return {"anyOf": [_shape(arm.shape) for arm in arms]}


def _reference(name: str) -> JsonObject:
    return {"$ref": REF_PREFIX + (_stand_in(name) if "." in name else name)}
