"""Check the schema of an extension against its form, `extension.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import ValidationError

from acpgen.common.pointers import pointer
from acpgen.inputs.validation import Validator
from acpgen.schema.document import shorten

FORM = Path(__file__).with_name("extension.schema.json")
_TYPES = {"object": "an object", "string": "a string"}


def check_form(root: Any) -> Iterator[tuple[str, str, str]]:
    """Check a file against the form; yields a pointer, a code and a message for each problem."""
    form = json.loads(FORM.read_text(encoding="utf-8"))
    for error in Validator(form).errors(root):
        yield from _explain(error)


def _explain(error: ValidationError) -> Iterator[tuple[str, str, str]]:
    at, code = pointer(*error.absolute_path), "invalid-schema"
    instance: Any = error.instance
    schema: Any = error.schema
    match error.validator:
        case "additionalProperties":
            known = ", ".join(schema["properties"])
            for name in sorted(instance.keys() - schema["properties"].keys()):
                yield at + pointer(name), code, f"is not part of the form; use one of {known}"
        case "anyOf" if not at:
            yield at, code, "adds nothing to the protocol; give it x-methods, x-meta or x-variants"
        case "required":
            missing = " and ".join(
                member for member in schema["required"] if member not in instance
            )
            yield at, code, f"lacks {missing}; add it"
        case "type" if str(schema["type"]) in _TYPES:
            yield at, code, f"must be {_TYPES[schema['type']]}; fix the schema"
        case "pattern" if error.absolute_path[-1] == "$ref":
            message = f"{instance!r} is neither #/$defs/NAME nor acp:NAME; fix the reference"
            yield at, "unresolved-ref", message
        case "pattern":
            advice = "write one like /capabilities/_meta/acme"
            yield at, code, f"{instance!r} is no JSON pointer; {advice}"
        case "minProperties":
            yield at, code, "is empty; add an entry or remove it"
        case _:
            yield at, code, f"{shorten(error.message)}; fix the schema"
