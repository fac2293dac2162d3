"""Tests that bad schemas are reported with a location and advice and that nothing is written."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.surface import Built, build_source, understand
from acpgen.cli.app import app
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.sources.files import Source
from acpgen.ir.model import Origin
from typer.testing import CliRunner

from tests.acpgen.analysis.refusals import refused
from tests.acpgen.diff.small import STRING, record, ref, tagged, union

pytestmark = pytest.mark.usefixtures("folder")

REQUEST = {"type": "object", "properties": {}, "x-method": "a/b", "x-side": "agent"}


def envelope(*names: str) -> dict[str, Any]:
    return {**record(params=union(*map(ref, names))), "x-docs-ignore": True}


def write(path: Path, **definitions: Any) -> Path:
    path.write_text(json.dumps({"$defs": {"Request": REQUEST, **definitions}}), encoding="utf-8")
    return path


def diagnose(name: str = "bad.json") -> list[str]:
    """Run `generate` on an invalid schema and return the lines that it prints."""
    return refused("--schema", name, "--surface", "v2", "--strict-schema").splitlines()


# --- schemas -------------------------------------------------------------------------------------

UNION = union(tagged("big"))
CLIENTS = {**REQUEST, "x-side": "client"}
LISTS_A = {"ClientNotification": envelope("A")}


def rename(key: str) -> str:
    return f"add a name for {key} to names.toml"


# The code and the JSON pointer of a problem, mapped to the definitions and the message.
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "unresolved-ref /$defs/A/$ref": (
        {"A": {"$ref": "#/$defs/Missing"}},
        "'#/$defs/Missing' does not exist; add it to $defs or fix the reference",
    ),
    "unresolved-ref /$defs/A/unevaluatedProperties/$ref": (
        {"A": {**record(), "unevaluatedProperties": {"$ref": "#/$defs/Missing"}}},
        "'#/$defs/Missing' does not exist; add it to $defs or fix the reference",
    ),
    "unresolved-ref /$defs/A/$dynamicRef": (
        {"A": {"type": "string", "$dynamicRef": "#missing"}},
        "'#missing' does not exist; add it to $defs or fix the reference",
    ),
    "invalid-schema /$defs/A/enum": (
        {"A": {"enum": []}},
        "lists no values; list at least one",
    ),
    "unsupported /$defs/A/properties/x/maxLength": (
        {"A": record(x={"type": "string", "maxLength": 3})},
        "'maxLength' is not supported; add a rule to the generator",
    ),
    "unknown-vendor-keyword /$defs/A/x-new": (
        {"A": {"type": "string", "x-new": True}},
        "unknown keyword 'x-new'; add a rule for it to the generator",
    ),
    "invalid-schema /$defs/A/x-docs-ignore": (
        {"A": {"type": "string", "x-docs-ignore": 1}},
        "must be true or false; fix the schema",
    ),
    "invalid-schema /$defs/A/type": (
        {"A": {"type": "strange"}},
        "'strange' is not valid under any of the given schemas; fix the schema",
    ),
    "bad-name /$defs/two words": (
        {"two words": STRING},
        f"'two words' cannot be a class name; {rename('two words')}",
    ),
    "bad-name /$defs/Record": (
        {"Record": STRING},
        f"'Record' cannot be a class name; {rename('Record')}",
    ),
    "name-collision /$defs/U/anyOf/0": (
        {"U": UNION, "BigU": STRING},
        f"'BigU' is already the class name of /$defs/BigU; {rename('U/big')}",
    ),
    "name-collision /$defs/U": (
        {"U": UNION, "UnknownU": STRING},
        f"'UnknownU' is already the class name of /$defs/UnknownU; {rename('U/other')}",
    ),
    "name-collision /$defs/V": (
        {"V": UNION, "KnownV": STRING},
        f"'KnownV' is already the class name of /$defs/KnownV; {rename('V/known')}",
    ),
    "name-collision /$defs/U/anyOf/1": (
        {"U": union(tagged("big"), record(x=STRING))},
        f"'U' is already the class name of /$defs/U; {rename('U/1')}",
    ),
    "name-collision /$defs/A/properties/fooBar": (
        {"A": record(other=STRING, fooBar=STRING, foo_bar=STRING)},
        "fields 'fooBar', 'foo_bar' of A have the same Python name, 'foo_bar'; add a name for"
        " A.foo_bar to names.toml",
    ),
    "bad-name /$defs/A/properties/1": (
        {"A": record(**{"1": STRING})},
        "field '1' has no valid Python name; add a name for A.1 to names.toml",
    ),
    "invalid-schema /$defs/C/x-side": (
        {"C": {"type": "string", "x-side": 1}},
        "must be a string; fix the schema",
    ),
    "invalid-schema /$defs/U/discriminator": (
        {"U": {**UNION, "discriminator": {"property": "kind"}}},
        "must be an object with a propertyName; fix the schema",
    ),
    "bad-default /$defs/A/properties/x/default": (
        {"A": record(x={"type": "string", "default": 5})},
        "5 is not of type 'string'; fix the default",
    ),
    "unsupported /$defs/A": (
        {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
        "refers to itself; break the cycle",
    ),
    "direction /$defs/ClientNotification": (
        {**LISTS_A, "A": CLIENTS},
        "x-side of A is 'client', but its envelope implies 'agent'; explain the difference in"
        " policy.toml under [directions]",
    ),
    "name-collision /$defs/CodecNotification": (
        {"CodecNotification": envelope("A"), "A": {**REQUEST, "x-side": "codec"}},
        "clashes with the module 'codec' in every surface; rename the side",
    ),
    "bad-name /$defs/A": (
        {**LISTS_A, "A": {**REQUEST, "x-method": "1/2"}},
        "method '1/2' has no valid Python name; add a name for agent:1/2 to names.toml",
    ),
    "name-collision /$defs/A": (
        {
            "ClientNotification": envelope("A", "B"),
            "A": {**REQUEST, "x-method": "a/b"},
            "B": {**REQUEST, "x-method": "a-b"},
        },
        "method 'a/b' has the same Python name as another method, 'a_b'; add a name for agent:a/b"
        " to names.toml",
    ),
    "direction /$defs/AgentNotification": (
        {"AgentNotification": envelope("A", "B"), "A": CLIENTS, "B": CLIENTS},
        "lists two params definitions for 'a/b'; remove one of them",
    ),
    "bad-name /$defs/AgentHandler": (
        {**LISTS_A, "A": REQUEST, "AgentHandler": record()},
        f"'AgentHandler' cannot be a class name; {rename('AgentHandler')}",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_schema(case: str, folder: Path) -> None:
    code, at = case.split(" ", 1)
    definitions, message = CASES[case]
    write(folder / "bad.json", **definitions)
    assert diagnose() == [f"error[{code}]: bad.json#{at}: {message}"]


@pytest.mark.parametrize("value", [None, 3, "a", [], {"a": 1}, [1]], ids=repr)
@pytest.mark.parametrize("keyword", ["properties", "$defs", "anyOf", "allOf", "items", "not"])
def test_keywords_of_the_wrong_form_are_errors(keyword: str, value: Any, folder: Path) -> None:
    """Every schema, even a nested one, must pass the meta-schema check before anything reads it."""
    if (keyword, value) in [("items", {"a": 1}), ("not", {"a": 1})]:
        value = {"properties": value}
    write(folder / "bad.json", A=record(x={keyword: value}))
    for line in (lines := diagnose()):
        assert line.startswith(f"error[invalid-schema]: bad.json#/$defs/A/properties/x/{keyword}")
    assert lines


def test_all_problems_are_listed_in_order(folder: Path) -> None:
    write(folder / "bad.json", C={"type": "string", "x-side": 1}, A={"$ref": "#/$defs/B"})
    assert [": ".join(line.split(": ")[:2]) for line in diagnose()] == [
        "error[unresolved-ref]: bad.json#/$defs/A/$ref",
        "error[invalid-schema]: bad.json#/$defs/C/x-side",
    ]


DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#", "$defs": {"A": REQUEST}}


AGAIN = "fix the file or fetch it again"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"$defs": ', f"[invalid-json]: bad.json: Expecting value at line 1 column 11; {AGAIN}"),
        (
            '{\n "a": 1,,}',
            "[invalid-json]: bad.json: Expecting property name enclosed in double quotes at line 2"
            f" column 9; {AGAIN}",
        ),
        ('{"a": NaN}', f"[invalid-json]: bad.json: NaN is not a JSON number; {AGAIN}"),
        ('{"a": 1e999}', f"[invalid-json]: bad.json: 1e999 is out of range; {AGAIN}"),
        ("[" * 100_000, f"[invalid-json]: bad.json: nested deeper than 100 levels; {AGAIN}"),
        (
            b'{"\xff": 1}',
            "[invalid-json]: bad.json: 'utf-8' codec can't decode byte 0xff in position 2: invalid"
            f" start byte; {AGAIN}",
        ),
        ("[]", "[not-acp]: bad.json: has no $defs; pass an ACP schema"),
        (
            '{"name": "package", "$defs": {}}',
            "[not-acp]: bad.json: has no $defs; pass an ACP schema",
        ),
        (
            json.dumps(DRAFT_7),
            "[not-acp]: bad.json#/$schema: is not the supported dialect of JSON Schema; use"
            " https://json-schema.org/draft/2020-12/schema",
        ),
    ],
    ids=range(9),
)
def test_bad_file(text: str | bytes, expected: str, folder: Path) -> None:
    (folder / "bad.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert diagnose() == [f"error{expected}"]


def test_missing_file() -> None:
    assert diagnose("none.json") == [
        "error[missing-file]: none.json: is neither a path nor a git revision of this project;"
        " pass an existing path, a git revision, a URL or npm:PACKAGE@VERSION"
    ]


def test_problems_of_all_surfaces_are_listed(folder: Path) -> None:
    for version in ("v1", "v2"):
        (folder / "schemas" / version).mkdir(parents=True)
        write(folder / "schemas" / version / "schema.json", A={"$ref": f"#/$defs/{version}"})
    assert [
        ": ".join(line.split(": ")[:2]) for line in refused("--schema", "schemas").splitlines()
    ] == [
        "error[unresolved-ref]: schemas/v1/schema.json#/$defs/A/$ref",
        "error[unresolved-ref]: schemas/v2/schema.json#/$defs/A/$ref",
    ]
    shutil.rmtree("schemas/v2")
    shown = refused("--schema", "schemas", "--surface", "v2")
    assert "has no schema for v2; omit the surface or add the file" in shown


def test_bad_arguments(folder: Path) -> None:
    path = write(folder / "bad.json")
    shown = refused("--schema", "bad.json")
    assert shown.startswith("error[missing-file]: bad.json: is one file; specify its surface")
    arguments = ["generate", "--schema", str(path), "--surface", "v1", "--out", "a-b"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "'a-b' cannot be imported; choose a name that is a Python identifier" in result.stderr


# --- another schema ------------------------------------------------------------------------------


def generated(schema: Path, *options: str) -> str:
    """Run `generate`, which must succeed, and return the notes."""
    result = CliRunner().invoke(app, ["generate", "--schema", str(schema), *options])
    assert result.exit_code == 0, result.stderr
    return result.stderr


def test_entries_of_the_overlay_need_no_use_in_another_schema(folder: Path) -> None:
    (folder / "schema" / "v2").mkdir(parents=True)
    write(folder / "schema" / "v2" / "schema.json")
    assert "overlay" not in generated(folder, "--out", "made")
    assert (folder / "made" / "v2" / "types.py").is_file()


def test_method_that_no_envelope_explains_is_a_note_for_another_schema(folder: Path) -> None:
    lone = {**CLIENTS, "x-method": "lone/request"}
    path = write(
        folder / "other.json",
        ClientNotification=envelope("Request"),
        AgentRequest=envelope("Lone"),
        Lone=lone,
        Orphan={**lone, "x-method": "lone/orphan"},
    )
    notes = generated(path, "--surface", "v2", "--out", "made")
    assert (
        "#/$defs/AgentRequest: lists Lone ('lone/request'), but no response envelope lists its"
        " result; list it\n"
    ) in notes
    assert (
        "#/$defs/Orphan: is not in an envelope, so its sender is unknown; add it to an envelope\n"
    ) in notes


def test_unsupported_parts_are_notes_for_another_schema(folder: Path) -> None:
    """Parts that constrain values are listed as unchecked. Other parts are only ignored."""
    arrays = {"type": "array", "prefixItems": [STRING], "items": False}
    path = write(
        folder / "other.json",
        A=record(x={**STRING, "maxLength": 3}, y={**STRING, "default": 5}),
        B={**STRING, "x-new": True},
        C={**STRING, "minlength": 1},
        D={**STRING, "x-deserialize-default-on-error": True},
        E=arrays,
        ClientNotification=envelope("Request"),
    )
    [surface], notes = understand(path, ["v2"])
    assert [(note.code, note.pointer, note.message) for note in notes] == [
        (
            "unchecked",
            "/$defs/A/properties/x/maxLength",
            "'maxLength' is not supported; strict mode does not check this",
        ),
        (
            "bad-default",
            "/$defs/A/properties/y/default",
            "5 is not of type 'string'; it is ignored",
        ),
        ("unknown-vendor-keyword", "/$defs/B/x-new", "unknown keyword 'x-new'; it is ignored"),
        ("unknown-keyword", "/$defs/C/minlength", "unknown keyword 'minlength'; it is ignored"),
        (
            "misplaced-keyword",
            "/$defs/D/x-deserialize-default-on-error",
            "has an effect only in the schema of an object's field; it is ignored",
        ),
        (
            "unchecked",
            "/$defs/E/items",
            "items with prefixItems is not supported; strict mode does not check this",
        ),
        (
            "unchecked",
            "/$defs/E/prefixItems",
            "'prefixItems' is not supported; strict mode does not check this",
        ),
    ]
    assert surface.unread == {
        "/$defs/A/properties/x/maxLength": "3",
        "/$defs/E/items": "false",
        "/$defs/E/prefixItems": '[{"type": "string"}]',
    }
    assert surface.schemas["E"] == arrays
    with pytest.raises(InputError):
        understand(path, ["v2"], strict=True)


def test_schemas_refer_to_classes(folder: Path) -> None:
    path = write(
        folder / "other.json",
        tool_call=STRING,
        A={"anyOf": [ref("tool_call"), {"type": "array", "items": ref("tool_call")}]},
        ClientNotification=envelope("Request"),
    )
    [surface], notes = understand(path, ["v2"])
    assert notes == []
    assert (surface.name, surface.version, surface.stability) == ("v2", 2, "stable")
    assert surface.schemas.keys() == {"A", "Request", "ToolCall"}
    assert surface.schemas["A"] == {
        "anyOf": [ref("ToolCall"), {"type": "array", "items": ref("ToolCall")}]
    }


def test_a_schema_that_was_edited_is_noted(folder: Path) -> None:
    path = write(folder / "other.json", ClientNotification=envelope("Request"))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    overlay = load_overlay(paths.SCHEMA / "overlay")
    for recorded in (digest, "", "0" * 64):
        source = Source("v2", path, Origin("label", "path", recorded))
        outcome = build_source(source, overlay, strict=False)
        assert isinstance(outcome, Built)
        notes = [note for note in outcome.notes if note.code == "edited-schema"]
        assert bool(notes) is (recorded == "0" * 64)
    [note] = notes
    assert (note.file, note.pointer) == ("other.json", "")
    assert note.message == (
        f"was edited by hand: sources.json lists sha256 000000000000…, but the file has"
        f" {digest[:12]}…; restore it, or record it as patched with"
        f" `acpgen sync {display_path(paths.SCHEMA)}`"
    )
