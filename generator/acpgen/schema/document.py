"""Reader for schema files, which must be JSON Schemas with definitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from acpgen.common.display import display_path
from acpgen.common.pointers import pointer
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.json_file import JsonObject as JsonObject
from acpgen.inputs.sources.json_file import read_json
from acpgen.inputs.validation import Validator
from acpgen.ir.model import Origin
from acpgen.schema import keywords
from acpgen.schema.keywords import REF_PREFIX, direct_subschemas

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_META_VALIDATOR = Validator(dict(Draft202012Validator.META_SCHEMA))


@dataclass(frozen=True, slots=True)
class Document:
    """A schema file that is valid and has no dangling references."""

    file: str  # the name of the file for use in messages
    root: JsonObject  # the parsed JSON
    origin: Origin  # the source of the file

    @property
    def definitions(self) -> dict[str, JsonObject]:
        """The `$defs`, sorted by name so that their order in the file does not matter."""
        return {
            name: {} if schema is True else {"not": {}} if schema is False else schema
            for name, schema in sorted(self.root["$defs"].items())
        }


def load_document(path: Path, origin: Origin | None = None) -> Document:
    """Read and check a schema file.

    If `origin` is None, the file itself is the origin.

    Raises:
        InputError: If the schema cannot be used. The error lists every problem.
    """
    root, digest = read_json(path)
    file = display_path(path)
    # Validate against the meta-schema first, because walking a schema relies on valid keywords.
    problems = list(_check_form(file, root)) or list(_check_content(file, root))
    if problems:
        raise InputError(problems)
    write_out_booleans(root)
    origin = replace(origin or Origin(path.name, path.name, ""), sha256=digest)
    return Document(file, root, origin)


def write_out_booleans(root: Any) -> None:
    """Replace `true` in `allOf`, `anyOf` and `oneOf` with the equivalent object, `{}`."""
    for _, schema in subschemas(root):
        for key in ("allOf", "anyOf", "oneOf"):
            if isinstance(schema.get(key), list):
                schema[key] = [{} if part is True else part for part in schema[key]]


def _check_form(file: str, root: Any) -> Iterator[Problem]:
    """Check that a file is a JSON Schema with definitions."""
    if not looks_like_acp(root):
        yield Problem(file, "", "not-acp", "has no $defs; pass an ACP schema")
    elif root.get("$schema", DIALECT) != DIALECT:
        message = f"is not the supported dialect of JSON Schema; use {DIALECT}"
        yield Problem(file, "/$schema", "not-acp", message)
    else:
        yield from find_invalid(file, root)


def _check_content(file: str, root: JsonObject) -> Iterator[Problem]:
    """Check the keywords, references and names that the meta-schema doesn't cover."""
    schemas = [*subschemas(root, unread=True)]
    names = ("$anchor", "$dynamicAnchor")
    definitions = {REF_PREFIX + name for name in root["$defs"]}
    anchors = {f"#{each[name]}" for _, each in schemas for name in names if name in each}
    for at, schema in schemas:
        for key, value in schema.items():
            mistake = check_keyword(key, value)
            is_anchor = key == "$dynamicRef" and value in ("#", *anchors)
            is_reference = key in ("$ref", "$dynamicRef") and not is_anchor
            if is_reference and value not in definitions:
                message = f"{value!r} does not exist; add it to $defs or fix the reference"
                mistake = "unresolved-ref", message
            if mistake is not None:
                yield Problem(file, at + pointer(key), *mistake)


def find_invalid(file: str, root: JsonObject) -> list[Problem]:
    """Return a problem for each location where a document isn't a valid JSON Schema."""
    code, errors = "invalid-schema", _META_VALIDATOR.errors(root)
    faults = [
        (error.absolute_path, f"{shorten(error.message)}; fix the schema") for error in errors
    ]
    return [Problem(file, pointer(*path), code, message) for path, message in faults]


def looks_like_acp(root: Any) -> bool:
    """Return whether a JSON value contains definitions, as every revision of the schema does."""
    definitions = root.get("$defs") if isinstance(root, dict) else None
    return isinstance(definitions, dict) and bool(definitions)


def shorten(text: str) -> str:
    """Truncate a message that is too long."""
    return text if len(text) <= 200 else text[:197] + "..."


def subschemas(
    root: JsonObject, at: str = "", *, unread: bool = False
) -> Iterator[tuple[str, JsonObject]]:
    """Yield each schema object in a document, with its pointer.

    Data such as `default` is skipped.

    Args:
        root: the document.
        at: the pointer to the document.
        unread: whether to include schemas in unsupported keywords.
    """
    pending = [(at, root)] if isinstance(root, dict) else []
    while pending:
        at, schema = pending.pop()
        yield at, schema
        pending += [
            (at + pointer(*path), inner)
            for path, inner in direct_subschemas(schema, unread=unread)
            if isinstance(inner, dict)
        ]


def check_keyword(key: str, value: Any) -> tuple[str, str] | None:
    """Return the code and message for an invalid keyword value, or None if the value is valid."""
    if key in keywords.VENDOR:
        names_method = key in ("x-method", "x-side")
        if not isinstance(value, str if names_method else bool):
            wanted = "a string" if names_method else "true or false"
            return "invalid-schema", f"must be {wanted}; fix the schema"
    if key == "discriminator":
        named = value.get("propertyName") if isinstance(value, dict) else None
        if not isinstance(named, str):
            return "invalid-schema", "must be an object with a propertyName; fix the schema"
    if key == "enum" and not value:
        return "invalid-schema", "lists no values; list at least one"
    return None
