"""Edits that don't change which values are valid: formats and unknown annotations."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.tools.evolution.draft import Draft, pick

FORMATS: dict[str, tuple[str, ...]] = {
    "string": (
        *("byte", "email", "uuid", "ipv4", "hostname", "duration", "date", "time", "password"),
        *("json-pointer", "uri-reference", "uri-template", "idn-email", "iri", "x-path", "int32"),
    ),
    "integer": ("int128", "uint128", "unix-time", "decimal", "uuid", "uint24", "int53"),
    "number": ("decimal", "int64", "half", "percentage"),
    "array": ("set",),
    "object": ("uri", "int32", "map"),
}
ANNOTATIONS: dict[str, tuple[Any, ...]] = {
    "examples": (["a", 1, None], [], [{"k": {"$ref": "#/nowhere"}}]),
    "deprecated": (True, False),
    "readOnly": (True, False),
    "writeOnly": (True,),
    "$comment": ("For those who read schemas: a/b~c %20 \"quoted\" '''",),
    "title": ("A title\nof two lines", "", "class"),
    "description": ('A """quoted""" text \\', "Ends in a backslash \\\\", "\N{SNOWMAN}\t\x07"),
    "contentMediaType": ("application/json",),
    "contentEncoding": ("base64", "quoted-printable"),
    "contentSchema": ({"type": "object", "required": ["a"]},),
    "$anchor": ("anchored",),
    "x-order": (1, None, "first", {"a": []}),
    "x-since": ("2.5.0",),
    "x-deserialize-lossy": (True,),
    "x-docs-group": ("sessions",),
    "x-enum-varnames": (["A", "B"],),
    "nullable": (True, False),
    "example": ("one", {"not": {"type": "null"}}),
    "xml": ({"name": "n"},),
    "externalDocs": ({"url": "https://example.com"},),
    "unknownKeyword": (1, {"type": "nonsense"}),
}


def add_format(draft: Draft, chance: Random) -> str:
    place, kind = pick(
        chance,
        (
            (place, kind)
            for place in draft.places()
            for kind in sorted(draft.json_types(place.schema) & FORMATS.keys())
            if "format" not in place.schema
        ),
    )
    place.schema["format"] = name = chance.choice(FORMATS[kind])
    return f"add the format {name!r} at {place}"


def replace_format(draft: Draft, chance: Random) -> str:
    place = draft.place(chance, lambda each: "format" in each.schema)
    kind = min(draft.json_types(place.schema), default="string")
    old = place.schema["format"]
    place.schema["format"] = new = chance.choice((*FORMATS.get(kind, ("byte",)), "uint8", "int64"))
    return f"replace the format {old!r} by {new!r} at {place}"


def add_annotation(draft: Draft, chance: Random) -> str:
    keyword = chance.choice(list(ANNOTATIONS))
    place = draft.place(chance, lambda each: keyword not in each.schema)
    place.schema[keyword] = value = chance.choice(ANNOTATIONS[keyword])
    return f"annotate {place} with {keyword}: {value!r}"


def annotate_everything(draft: Draft, chance: Random) -> str:
    keyword = chance.choice([k for k in ANNOTATIONS if k != "$anchor"])
    value = chance.choice(ANNOTATIONS[keyword])
    name = chance.choice(draft.types())
    for place in draft.places():
        if place.definition == name:
            place.schema[keyword] = value
    return f"annotate all of the definition {name} with {keyword}: {value!r}"


def annotate_document(draft: Draft, chance: Random) -> str:
    keyword, value = chance.choice(
        (("$id", "https://example.com/acp.json"), ("$comment", "Generated."), ("x-version", 3))
    )
    draft.root[keyword] = value
    return f"annotate the document with {keyword}: {value!r}"
