"""Read a schema file, and check that the generator has a rule for everything in it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from acpgen.diagnostics import InputError, Problem, display_path, pointer
from acpgen.inputs.json_file import JsonObject as JsonObject
from acpgen.inputs.json_file import read_json
from acpgen.ir.model import Origin

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REF_PREFIX = "#/$defs/"

_META_VALIDATOR = Draft202012Validator(Draft202012Validator.META_SCHEMA)
# Digests of the files that this process found valid; validation is most of the work of loading one.
_valid: set[str] = set()

# The keywords a schema may use: the generator has a rule for each, or it affects no value.
# `maxItems`, for example, is absent on purpose: the generated code would not enforce it.
KEYWORDS = frozenset(
    {
        *("$defs", "$ref", "$schema", "additionalProperties", "allOf", "anyOf", "const"),
        *("contentEncoding", "default", "description", "discriminator", "enum", "format", "items"),
        *("maximum", "minItems", "minLength", "minimum", "not", "oneOf", "pattern", "properties"),
        *("required", "title", "type", "unevaluatedProperties"),
    }
)
VENDOR_KEYWORDS = frozenset(
    {
        "x-deserialize-default-on-error",
        "x-deserialize-default-on-null",
        "x-deserialize-skip-invalid-items",
        "x-docs-ignore",
        "x-method",
        "x-side",
    }
)
# Formats that bound an integer, and formats that only annotate.
INTEGER_RANGES = {
    "uint8": (0, 2**8 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
PLAIN_FORMATS = frozenset({"date-time", "double", "float", "regex", "uri"})


@dataclass(frozen=True, slots=True)
class Document:
    """A checked schema file: valid against the meta-schema, with known keywords only.

    Attributes:
        file: its name in messages.
        root: the parsed JSON.
        origin: where the file came from.
    """

    file: str
    root: JsonObject
    origin: Origin

    @property
    def definitions(self) -> dict[str, JsonObject]:
        """The `$defs`, sorted by name so that their order in the file does not matter."""
        return dict(sorted(self.root["$defs"].items()))


def load_document(
    path: Path, origin: Origin | None = None, *, known: Container[str] = ()
) -> Document:
    """Read and check one schema file.

    Args:
        path: the file.
        origin: where it came from; by default, the file itself.
        known: digests of files that are valid JSON Schemas, which are not validated again.

    Raises:
        InputError: the schema cannot be used; lists every problem.
    """
    root, digest = read_json(path)
    origin = replace(origin or Origin(path.name, path.name, ""), sha256=digest)
    document = Document(display_path(path), root, origin)
    if digest in known:
        _valid.add(digest)
    problems = list(_check(document)) or list(_check_defaults(document))
    if problems:
        raise InputError(problems)
    return document


def _check(document: Document) -> Iterator[Problem]:
    root, file = document.root, document.file
    if not looks_like_acp(root):
        message = "has no $defs with an x-method; give an ACP schema of protocol 1 or 2"
        yield Problem(file, "", "not-acp", message)
        return
    if root.get("$schema", DIALECT) != DIALECT:
        message = f"is another dialect of JSON Schema; use {DIALECT}"
        yield Problem(file, "/$schema", "not-acp", message)
        return
    invalid = find_invalid(file, root, document.origin.sha256)
    if invalid:
        yield from invalid
        return
    for at, schema in subschemas(root):
        yield from _check_keywords(file, at, schema, root["$defs"])
    for name, definition in root["$defs"].items():
        at = pointer("$defs", name)
        if isinstance(definition, bool):
            message = f"{str(definition).lower()} is not a definition; describe its values"
            yield Problem(file, at, "unsupported", message)
        if not (name.isidentifier() and name.isascii()):
            message = "is not an ASCII identifier; rename the definition in the schema"
            yield Problem(file, at, "bad-name", message)


def find_invalid(file: str, root: JsonObject, digest: str) -> list[Problem]:
    """The places where a document is not a JSON Schema; looked for once for each digest."""
    if digest in _valid:
        return []
    problems = [
        Problem(
            file,
            pointer(*error.absolute_path),
            "invalid-schema",
            f"{_shorten(error.message)}; fix the schema",
        )
        for error in _META_VALIDATOR.iter_errors(root)
    ]
    if not problems:
        _valid.add(digest)
    return problems


def looks_like_acp(root: Any) -> bool:
    """Whether a JSON value has definitions, at least one of them with a method."""
    definitions = root.get("$defs") if isinstance(root, dict) else None
    return isinstance(definitions, dict) and any(
        isinstance(schema, dict) and "x-method" in schema for schema in definitions.values()
    )


def _shorten(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."


def subschemas(root: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """The schema objects of a document with their pointers; skips data such as `default`."""
    pending: list[tuple[str, Any]] = [("", root)]
    while pending:
        at, schema = pending.pop()
        if not isinstance(schema, dict):
            continue
        yield at, schema
        pending += [(at + pointer(*path), inner) for path, inner in direct_subschemas(schema)]


def direct_subschemas(schema: JsonObject) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The schemas directly inside one, each with its path: a keyword, and a name or index."""
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            yield from (((key, name), inner) for name, inner in value.items())
        elif key in ("allOf", "anyOf", "oneOf"):
            yield from (((key, index), inner) for index, inner in enumerate(value))
        elif key in ("items", "not", "additionalProperties"):
            yield (key,), value


def _check_defaults(document: Document) -> Iterator[Problem]:
    """Check that defaults are valid: decoding replaces invalid values with them."""
    for at, schema in subschemas(document.root):
        if "default" in schema:
            whole = {**schema, "$defs": document.root["$defs"]}
            try:
                errors = list(Draft202012Validator(whole).iter_errors(schema["default"]))
            except RecursionError:
                continue  # the schema refers to itself; `build` reports that
            for error in errors:
                message = f"{_shorten(error.message)}; fix the default"
                yield Problem(document.file, f"{at}/default", "bad-default", message)


def _check_keywords(
    file: str, at: str, schema: JsonObject, definitions: JsonObject
) -> Iterator[Problem]:
    for key, value in schema.items():
        found = _check_keyword(key, value, definitions)
        if found is not None:
            code, message = found
            yield Problem(file, at + pointer(key), code, message)


def _check_keyword(key: str, value: Any, definitions: JsonObject) -> tuple[str, str] | None:
    """The code and message of what is wrong with one keyword; None if nothing is."""
    if key.startswith("x-") and key not in VENDOR_KEYWORDS:
        message = f"unknown vendor keyword {key!r}; add a rule for it to the generator"
        return "unknown-vendor-keyword", message
    if key not in KEYWORDS | VENDOR_KEYWORDS:
        return "unknown-keyword", f"unknown keyword {key!r}; add a rule for it to the generator"
    names_method = key in ("x-method", "x-side")
    if key.startswith("x-") and not isinstance(value, str if names_method else bool):
        wanted = "a string" if names_method else "true or false"
        return "invalid-schema", f"must be {wanted}; fix the schema"
    if key == "discriminator" and not _names_a_property(value):
        return "invalid-schema", "must be an object with a propertyName; fix the schema"
    if key == "$ref" and not _names_a_definition(value, definitions):
        message = f"{value!r} names nothing; add it to $defs or fix the reference"
        return "unresolved-ref", message
    if key == "format" and value not in PLAIN_FORMATS and value not in INTEGER_RANGES:
        return "unknown-keyword", f"unknown format {value!r}; add a rule for it to the generator"
    if key in ("additionalProperties", "unevaluatedProperties") and value is False:
        return "unsupported", "closed objects are not supported; allow other members"
    return None


def _names_a_property(discriminator: Any) -> bool:
    return isinstance(discriminator, dict) and isinstance(discriminator.get("propertyName"), str)


def _names_a_definition(reference: str, definitions: JsonObject) -> bool:
    return reference.startswith(REF_PREFIX) and reference.removeprefix(REF_PREFIX) in definitions
