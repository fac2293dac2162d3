"""Read a schema file and check that it is one we understand, before anything is built from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator

from acpgen.diagnostics import InputError, Problem, display_path, pointer
from acpgen.ir.model import Origin

JsonObject: TypeAlias = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REF_PREFIX = "#/$defs/"

# Every keyword the generator gives a meaning to, or may ignore because it changes no value.
# `maxItems`, say, is absent on purpose: a rule we would not check must not pass unseen.
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
# Formats that bound a number, and formats that only say what a string or number is for.
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
    """A schema file as read: checked against the meta-schema, every keyword known.

    Attributes:
        file: the name to use in messages.
        root: the parsed JSON.
        origin: where the file came from.
    """

    file: str
    root: JsonObject
    origin: Origin

    @property
    def definitions(self) -> dict[str, JsonObject]:
        """The `$defs`, ordered by name so that their order in the file does not matter."""
        return dict(sorted(self.root["$defs"].items()))


def read_json(path: Path) -> tuple[Any, str]:
    """Parse a JSON file.

    Returns:
        The value, and the sha256 of the file in hexadecimal.

    Raises:
        InputError: the file is missing, unreadable, not UTF-8 or not JSON.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            [
                Problem(
                    display_path(path),
                    "",
                    "missing-file",
                    f"cannot be read ({error.strerror}); check it",
                )
            ]
        ) from error
    try:
        text = data.decode("utf-8")
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise InputError([_not_json(path, f"{error.msg} at {where}")]) from error
    except RecursionError as error:
        raise InputError([_not_json(path, "nested too deeply")]) from error
    except ValueError as error:
        raise InputError([_not_json(path, str(error))]) from error
    return value, hashlib.sha256(data).hexdigest()


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is out of range")
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _not_json(path: Path, reason: str) -> Problem:
    return Problem(
        display_path(path), "", "invalid-json", f"{reason}; mend the file or fetch it again"
    )


def load(path: Path, origin: Origin | None = None) -> Document:
    """Read and check one schema file.

    Args:
        path: the file.
        origin: where it came from; by default, the file itself.

    Raises:
        InputError: with everything found wrong.
    """
    root, digest = read_json(path)
    label = origin.label if origin else path.name
    document = Document(
        file=display_path(path),
        root=root,
        origin=Origin(label=label, path=origin.path if origin else path.name, sha256=digest),
    )
    problems = list(_check(document)) or list(_check_defaults(document))
    if problems:
        raise InputError(problems)
    return document


def _check(document: Document) -> Iterator[Problem]:
    root, file = document.root, document.file
    if not looks_like_acp(root):
        yield Problem(
            file,
            "",
            "not-acp",
            "has no $defs with an x-method; give an ACP schema of protocol 1 or 2",
        )
        return
    if root.get("$schema", DIALECT) != DIALECT:
        yield Problem(file, "/$schema", "not-acp", f"another dialect of JSON Schema; use {DIALECT}")
        return
    invalid = False
    for error in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(root):
        invalid = True
        at = pointer(*error.absolute_path)
        yield Problem(file, at, "invalid-schema", f"{_shorten(error.message)}; mend the schema")
    if invalid:
        return
    for at, schema in subschemas(root):
        yield from _check_keywords(file, at, schema, root["$defs"])
    for name, definition in root["$defs"].items():
        if isinstance(definition, bool):
            message = f"{str(definition).lower()} is no definition; say what it is"
            yield Problem(file, pointer("$defs", name), "unsupported", message)
        if not (name.isidentifier() and name.isascii()):
            yield Problem(
                file,
                pointer("$defs", name),
                "bad-name",
                "the name of a definition must be an ASCII identifier; rename it in the schema",
            )


def looks_like_acp(root: Any) -> bool:
    """Whether a JSON value could be an ACP schema: definitions, some of them of a method."""
    definitions = root.get("$defs") if isinstance(root, dict) else None
    return isinstance(definitions, dict) and any(
        isinstance(schema, dict) and "x-method" in schema for schema in definitions.values()
    )


def _shorten(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."


def subschemas(root: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Every schema object in a document with its pointer; data such as `default` is not one."""
    pending: list[tuple[str, Any]] = [("", root)]
    while pending:
        at, schema = pending.pop()
        if not isinstance(schema, dict):
            continue
        yield at, schema
        for key, value in schema.items():
            here = at + pointer(key)
            if key in ("properties", "$defs"):
                pending += [(here + pointer(name), item) for name, item in value.items()]
            elif key in ("allOf", "anyOf", "oneOf"):
                pending += [(here + pointer(index), item) for index, item in enumerate(value)]
            elif key in ("items", "not", "additionalProperties"):
                pending.append((here, value))


def _check_defaults(document: Document) -> Iterator[Problem]:
    """A default stands in for a bad value, so it must not be one itself."""
    for at, schema in subschemas(document.root):
        if "default" in schema:
            whole = {**schema, "$defs": document.root["$defs"]}
            try:
                errors = list(Draft202012Validator(whole).iter_errors(schema["default"]))
            except RecursionError:
                continue  # the schema refers to itself, which is a problem of its own
            for error in errors:
                message = f"{_shorten(error.message)}; mend the default"
                yield Problem(document.file, f"{at}/default", "bad-default", message)


def _names_a_property(discriminator: Any) -> bool:
    return isinstance(discriminator, dict) and isinstance(discriminator.get("propertyName"), str)


def _names_a_definition(reference: str, definitions: JsonObject) -> bool:
    return reference.startswith(REF_PREFIX) and reference.removeprefix(REF_PREFIX) in definitions


def _check_keywords(
    file: str, at: str, schema: JsonObject, definitions: JsonObject
) -> Iterator[Problem]:
    for key, value in schema.items():
        here = at + pointer(key)
        if key.startswith("x-"):
            if key not in VENDOR_KEYWORDS:
                yield Problem(
                    file,
                    here,
                    "unknown-vendor-keyword",
                    f"{key!r} has no rule here; teach it to the generator, saying what it does",
                )
            elif isinstance(value, str) != (key in ("x-method", "x-side")):
                yield Problem(
                    file, here, "invalid-schema", "value of another type; mend the schema"
                )
        elif key not in KEYWORDS:
            yield Problem(
                file,
                here,
                "unknown-keyword",
                f"{key!r} has no rule here; teach it to the generator, saying what it means",
            )
        elif key == "discriminator" and not _names_a_property(value):
            message = "must be an object with a propertyName; mend the schema"
            yield Problem(file, here, "invalid-schema", message)
        elif key == "$ref" and not _names_a_definition(value, definitions):
            yield Problem(
                file, here, "unresolved-ref", f"{value!r} names nothing; add it to $defs or mend it"
            )
        elif key == "format" and value not in PLAIN_FORMATS and value not in INTEGER_RANGES:
            yield Problem(
                file, here, "unknown-keyword", f"format {value!r} has no rule here; add it to load"
            )
        elif key in ("additionalProperties", "unevaluatedProperties") and value is False:
            yield Problem(
                file, here, "unsupported", "closed objects are not supported; allow other members"
            )
