"""Bad input: every problem is reported, with where it is and what to do; nothing is written."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis import surface
from acpgen.cli.app import app
from acpgen.commands import generate
from acpgen.commands.running.parallel import InPlace
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.ir.model import Origin
from acpgen.schema.document import Document, load_document
from typer.testing import CliRunner, Result

STRING = {"type": "string"}
PARAMS = {"type": "object", "properties": {}}
REQUEST = {"type": "object", "properties": {}, "x-method": "a/b", "x-side": "agent"}


def tagged(tag: str, value: str, **extra: Any) -> dict[str, Any]:
    """An arm of a union: an object whose member `tag` is `value`."""
    schema = {"type": "string", "const": value}
    return {"type": "object", "properties": {tag: schema}, "required": [tag], **extra}


def envelope(*names: str, member: str = "params") -> dict[str, Any]:
    """The envelope of these definitions."""
    listed = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
    return {"type": "object", "properties": {member: listed}, "x-docs-ignore": True}


def write(folder: Path, **definitions: Any) -> Path:
    path = folder / "bad.json"
    path.write_text(json.dumps({"$defs": {"Request": REQUEST, **definitions}}), encoding="utf-8")
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["generate", *arguments])


def diagnose(schema: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run `generate` on a bad schema. Return the lines of its errors, with relative paths."""
    monkeypatch.chdir(schema.parent)
    result = run("--schema", schema.name, "--surface", "v2", "--out", "made", "--strict-schema")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert not (schema.parent / "made").exists()
    return result.stderr.splitlines()


@pytest.fixture
def overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The overlay beside a copy of the vendored schemas, which `generate` then reads.

    The schemas are the same in all tests, so they are checked only once.
    """
    shutil.copytree(paths.SCHEMA, tmp_path / "schema")
    monkeypatch.setattr(paths, "SCHEMA", tmp_path / "schema")
    monkeypatch.setattr(surface, "load_document", load_once)
    monkeypatch.setattr(generate, "processes", lambda *given: InPlace())
    return tmp_path / "schema" / "overlay"


def load_once(path: Path, origin: Origin | None) -> Document:
    key = path.read_bytes(), origin
    if key not in _documents:
        _documents[key] = load_document(path, origin)
    return replace(_documents[key], file=display_path(path))


_documents: dict[tuple[bytes, Origin | None], Document] = {}


CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "unresolved reference": (
        {"A": {"$ref": "#/$defs/Missing"}},
        [
            "error unresolved-ref at bad.json#/$defs/A/$ref: '#/$defs/Missing' names nothing;"
            " add it to $defs or fix the reference"
        ],
    ),
    "assertion without a rule": (
        {"A": {"type": "object", "properties": {"x": {"type": "string", "maxLength": 3}}}},
        [
            "error unsupported at bad.json#/$defs/A/properties/x/maxLength: no rule reads"
            " 'maxLength'; add one to the generator"
        ],
    ),
    "unknown keyword": (
        {"A": {"type": "string", "maxlength": 3}},
        [
            "error unknown-keyword at bad.json#/$defs/A/maxlength: unknown keyword 'maxlength';"
            " add a rule for it to the generator"
        ],
    ),
    "unknown vendor keyword": (
        {"A": {"type": "string", "x-new": True}},
        [
            "error unknown-vendor-keyword at bad.json#/$defs/A/x-new: unknown keyword 'x-new'; add"
            " a rule for it to the generator"
        ],
    ),
    "vendor keyword with a value of another type": (
        {"A": {"type": "string", "x-docs-ignore": 1}},
        [
            "error invalid-schema at bad.json#/$defs/A/x-docs-ignore: must be true or false; fix"
            " the schema"
        ],
    ),
    "not a JSON Schema": (
        {"A": {"type": "strange"}},
        [
            "error invalid-schema at bad.json#/$defs/A/type: 'strange' is not valid under any of"
            " the given schemas; fix the schema"
        ],
    ),
    "closed object": (
        {"A": {"type": "object", "properties": {}, "additionalProperties": False}},
        [
            "error unsupported at bad.json#/$defs/A/additionalProperties: a closed object has no"
            " rule; allow any value"
        ],
    ),
    "name that is no identifier": (
        {"two words": STRING, "naïve": STRING},
        [
            "error bad-name at bad.json#/$defs/naïve: is not an ASCII identifier; rename the"
            " definition in the schema",
            "error bad-name at bad.json#/$defs/two words: is not an ASCII identifier; rename the"
            " definition in the schema",
        ],
    ),
    "name that the output uses": (
        {"Record": STRING},
        [
            "error bad-name at bad.json#/$defs/Record: 'Record' cannot be a class; rename it in"
            " the schema or free the name in acpgen.ir.naming"
        ],
    ),
    "class name collision": (
        {"U": {"anyOf": [tagged("a", "big")]}, "BigU": STRING},
        [
            "error name-collision at bad.json#/$defs/U/anyOf/0: 'BigU' is already the class of"
            " /$defs/BigU; name this one in names.toml, as UNION/TAG or, for an object in place,"
            " RECORD/MEMBER"
        ],
    ),
    "unknown arm's name collision": (
        {"U": {"anyOf": [tagged("a", "big")]}, "UnknownU": STRING},
        [
            "error name-collision at bad.json#/$defs/U: 'UnknownU' is already the class of"
            " /$defs/UnknownU; name this one in names.toml, as UNION/TAG or, for an object in"
            " place, RECORD/MEMBER"
        ],
    ),
    "known arms' name collision": (
        {"U": {"anyOf": [tagged("a", "big")]}, "KnownU": STRING},
        [
            "error name-collision at bad.json#/$defs/U: 'KnownU' is already the class of"
            " /$defs/KnownU; name this one in names.toml, as UNION/TAG or, for an object in"
            " place, RECORD/MEMBER"
        ],
    ),
    "arm without a name": (
        {"U": {"anyOf": [tagged("a", "big"), {"type": "object", "properties": {"x": STRING}}]}},
        [
            "error name-collision at bad.json#/$defs/U/anyOf/1: 'U' is already the class of"
            " /$defs/U; name this one in names.toml, as UNION/TAG or, for an object in place,"
            " RECORD/MEMBER"
        ],
    ),
    "field name collision": (
        {
            "A": {
                "type": "object",
                "properties": {"other": STRING, "fooBar": STRING, "foo_bar": STRING},
            }
        },
        [
            "error name-collision at bad.json#/$defs/A/properties/fooBar: members 'fooBar',"
            " 'foo_bar' of A are both 'foo_bar' in Python; name one of them in names.toml"
        ],
    ),
    "field that is no name": (
        {"A": {"type": "object", "properties": {"1": STRING}}},
        [
            "error bad-name at bad.json#/$defs/A/properties/1: member '1' cannot be a field; name"
            " it in names.toml as A.1"
        ],
    ),
    "several problems": (
        {"A": {"$ref": "#/$defs/B"}, "C": {"type": "string", "x-side": 1}},
        [
            "error unresolved-ref at bad.json#/$defs/A/$ref: '#/$defs/B' names nothing; add it to"
            " $defs or fix the reference",
            "error invalid-schema at bad.json#/$defs/C/x-side: must be a string; fix the schema",
        ],
    ),
    "default that is not of its type": (
        {"A": {"type": "object", "properties": {"x": {"type": "string", "default": 5}}}},
        [
            "error bad-default at bad.json#/$defs/A/properties/x/default: 5 is not of type"
            " 'string'; fix the default"
        ],
    ),
    "alias of itself": (
        {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
        [
            "error unsupported at bad.json#/$defs/A: refers to itself; break the cycle",
        ],
    ),
    "side that is not the envelope's": (
        {"ClientNotification": envelope("A"), "A": {**REQUEST, "x-side": "client"}},
        [
            "error direction at bad.json#/$defs/ClientNotification: x-side of A is 'client', this"
            " envelope makes it 'agent'; explain it in policy.toml under [directions]"
        ],
    ),
    "side that is a module": (
        {"CodecNotification": envelope("A"), "A": {**REQUEST, "x-side": "codec"}},
        [
            "error name-collision at bad.json#/$defs/CodecNotification: needs a module"
            " 'codec', and every surface has one already; rename it"
        ],
    ),
    "method that is no name": (
        {"ClientNotification": envelope("A"), "A": {**REQUEST, "x-method": "1/2"}},
        [
            "error bad-name at bad.json#/$defs/A: method '1/2' cannot be a Python method; name it"
            " in names.toml as agent:1/2"
        ],
    ),
    "methods of one name": (
        {
            "ClientNotification": envelope("A", "B"),
            "A": {**REQUEST, "x-method": "a/b"},
            "B": {**REQUEST, "x-method": "a-b"},
        },
        [
            "error name-collision at bad.json#/$defs/A: method 'a/b' is 'a_b' in Python, as"
            " another one is; name it in names.toml"
        ],
    ),
    "method with two kinds of params": (
        {"ClientNotification": envelope("A", "B"), "A": REQUEST, "B": REQUEST},
        [
            "error direction at bad.json#/$defs/ClientNotification: lists two kinds of params of"
            " 'a/b'; remove one of them"
        ],
    ),
    "definition with the name of a handler": (
        {"ClientNotification": envelope("A"), "A": REQUEST, "AgentHandler": PARAMS},
        [
            "error bad-name at bad.json#/$defs/AgentHandler: 'AgentHandler' cannot be a class;"
            " rename it in the schema or free the name in acpgen.ir.naming"
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_schema(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    definitions, expected = CASES[case]
    assert diagnose(write(tmp_path, **definitions), monkeypatch) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"$defs": ', "invalid-json at bad.json#: Expecting value at line 1 column 11;"),
        ('{\n "a": 1,,}', "invalid-json at bad.json#: Expecting property name enclosed"),
        ('{"a": NaN}', "invalid-json at bad.json#: NaN is not a JSON number;"),
        ("[" * 100_000, "invalid-json at bad.json#: nested too deeply, more than 100 levels;"),
        ("[]", "not-acp at bad.json#: has no $defs;"),
        ('{"name": "package", "$defs": {}}', "not-acp at bad.json#: has no $defs;"),
        (
            json.dumps(
                {"$schema": "http://json-schema.org/draft-07/schema#", "$defs": {"A": REQUEST}}
            ),
            "not-acp at bad.json#/$schema: is another dialect of JSON Schema;",
        ),
    ],
)
def test_bad_file(
    text: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.json").write_text(text, encoding="utf-8")
    [line] = diagnose(tmp_path / "bad.json", monkeypatch)
    assert line.startswith(f"error {expected}")


def test_file_that_is_not_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.json").write_bytes(b'{"\xff": 1}')
    [line] = diagnose(tmp_path / "bad.json", monkeypatch)
    assert line.startswith("error invalid-json at bad.json#: ")


def test_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [line] = diagnose(tmp_path / "none.json", monkeypatch)
    assert line == (
        "error missing-file at none.json#: is neither a path nor a git revision of this project;"
        " give one of these, an address or npm:PACKAGE@VERSION"
    )


def test_problems_of_all_surfaces_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("v1", "v2"):
        (tmp_path / "schemas" / version).mkdir(parents=True)
        bad = write(tmp_path, A={"$ref": f"#/$defs/{version}"})
        bad.rename(tmp_path / "schemas" / version / "schema.json")
    monkeypatch.chdir(tmp_path)
    result = run("--schema", "schemas", "--out", "made")
    assert result.exit_code == 2
    assert [line.split(": ")[0] for line in result.stderr.splitlines()] == [
        "error unresolved-ref at schemas/v1/schema.json#/$defs/A/$ref",
        "error unresolved-ref at schemas/v2/schema.json#/$defs/A/$ref",
    ]
    assert not (tmp_path / "made").exists()


def test_file_without_surface(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    monkeypatch.chdir(tmp_path)
    result = run("--schema", path.name, "--out", "made")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "error missing-file at bad.json#: is one file; name the --surface"
    )


def test_folder_without_the_surface(tmp_path: Path) -> None:
    (tmp_path / "v1").mkdir()
    write(tmp_path / "v1").rename(tmp_path / "v1" / "schema.json")
    result = run("--schema", str(tmp_path), "--surface", "v2", "--out", str(tmp_path / "made"))
    assert result.exit_code == 2
    assert "has no schema for v2; omit the surface or add the file" in result.stderr


def test_output_folder_that_cannot_be_imported(tmp_path: Path) -> None:
    result = run(
        "--schema", str(write(tmp_path)), "--surface", "v1", "--out", str(tmp_path / "a-b")
    )
    assert result.exit_code == 2
    assert "'a-b' cannot be imported; choose a name that is an identifier" in result.stderr


def test_problems_as_json(tmp_path: Path) -> None:
    path = write(tmp_path, A={"$ref": "#/$defs/B"})
    result = run("--schema", str(path), "--surface", "v2", "--out", str(tmp_path / "m"), "--json")
    assert result.exit_code == 2
    [problem] = json.loads(result.stdout)["problems"]
    assert (problem["code"], problem["pointer"]) == ("unresolved-ref", "/$defs/A/$ref")


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (
            "names.toml",
            "[classes.X]\nname = 'Y'\n",
            "/classes/X: lacks reason; an entry needs name and reason",
        ),
        ("policy.toml", "[closed.Nothing]\nreason = 'r'\n", "/closed/Nothing: matches nothing"),
        ("policy.toml", "[closed", ": is not valid TOML"),
        ("policy.toml", "[directions.No]\nreason = 'r'\n", "/directions/No: matches nothing"),
        ("pages.toml", "[v3]\n'a/b' = 'c'\n", "/v3/a~1b: matches nothing"),
        ("capabilities.toml", "[v1.x]\n'a/b' = '/c'\n", "/v1/x/a~1b: matches nothing"),
        ("updates.toml", "[v3]\nx = 5\n", "/v3/x: must be a table"),
        ("capabilities.toml", "[v3]\nx = 5\n", "/v3/x: must be a table"),
        ("pages.toml", "[v3]\nx = 5\n", "/v3/x: must be a string"),
        # What would count for nothing, so that a union meant to be closed would be open.
        (
            "policy.toml",
            "[close.RequestPermissionOutcome]\nreason = 'r'\n",
            "policy.toml#/close: unknown section; use one of closed, directions",
        ),
        ("policy.toml", "[close]\n", "policy.toml#/close: unknown section; use one of"),
        (
            "names.toml",
            "[class.X]\nname = 'Y'\nreason = 'r'\n",
            "names.toml#/class: unknown section; use one of classes, deprecated",
        ),
        (
            "summaries.toml",
            "[type]\nX = 'x'\n",
            "summaries.toml#/type: unknown section; use one of"
            " types, classes, members, values, methods",
        ),
        ("policy.toml", "[closed]\nX = 3\n", "/closed/X: must be a table; fix the entry"),
        ("policy.toml", "[closed.X]\nreason = 3\n", "/closed/X/reason: must be a string; fix"),
        (
            "names.toml",
            "[classes.X]\nname = 3\nreason = 'r'\n",
            "/classes/X/name: must be a string; fix the entry",
        ),
        (
            "names.toml",
            "[deprecated.X]\nname = 'Y'\nsince = 0.2\n",
            "/deprecated/X/since: must be a string; fix the entry",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = ['set']\n",
            "/v2_unstable/notice/op: must be a string; fix the entry",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'set'\nslot = 'x'\ncarries = 'a'\n",
            "/v2_unstable/notice/carries: must be a list of strings; fix the entry",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'set'\nslot = 'x'\ncarries = ['a', 1]\n",
            "/v2_unstable/notice/carries/1: must be a string; fix the entry",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'patch'\nslot = 'x'\nnull = 'keep'\n",
            "/v2_unstable/notice: null 'keep' is none of clears, keeps; fix the rule",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'patch_message'\nrole = 'cook'\n",
            "/v2_unstable/notice: role 'cook' is none of user, agent, thought; fix",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'set'\nslot = 'apply'\n",
            "/v2_unstable/notice: slot 'apply' cannot be an attribute of a session state",
        ),
        ("updates.toml", "[v1.no]\nop = 'passthrough'\n", "/v1/no: matches nothing"),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'forget'\n",
            "/v2_unstable/notice: op 'forget' is none of patch_message,",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'set'\n",
            "/v2_unstable/notice: set takes slot, and perhaps carries; fix the rule",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'upsert'\ncollection = 'x'\nkey = 'no'\n",
            "/v2_unstable/notice: Notice has no member 'no'; fix the rule",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'upsert'\ncollection = 'x'\nkey = 'title'\nas = 'No'\n",
            "/v2_unstable/notice: 'No' is not a definition; fix the rule",
        ),
        (
            "updates.toml",
            "[v2_unstable.notice]\nop = 'remove'\ncollection = 'x'\n",
            "/v2_unstable/notice: remove takes collection, key; fix the rule",
        ),
        (
            "updates.toml",
            "[seeds.v1.'session/prompt']\nusage_update = 5\n",
            "/seeds/v1/session~1prompt/usage_update: must be a table; fix the entry",
        ),
        (
            "updates.toml",
            "[seeds.v1.'session/prompt']\nusage_update = { used = 5 }\n",
            "/seeds/v1/session~1prompt/usage_update/used: must be a string; fix the entry",
        ),
        (
            "updates.toml",
            "[seeds.v1.'session/no']\nusage_update = { used = 'result/used' }\n",
            "/seeds/v1/session~1no/usage_update: matches nothing in the schema; remove the entry",
        ),
        (
            "updates.toml",
            "[seeds.v1.'session/prompt']\nno_update = { used = 'result/used' }\n",
            "/seeds/v1/session~1prompt/no_update: no rule says what the update 'no_update' does; "
            "fix the entry",
        ),
        (
            "updates.toml",
            "[seeds.v1.'session/prompt']\nusage_update = { used = 'used' }\n",
            "/seeds/v1/session~1prompt/usage_update: 'used' does not begin with params/ or "
            "result/; fix the entry",
        ),
        (
            "updates.toml",
            "[seeds.v1.'session/prompt']\nusage_update = { used = 'result/used' }\n",
            "/seeds/v1/session~1prompt/usage_update: the result of session/prompt has no member "
            "'used'; fix the entry",
        ),
        (
            "updates.toml",
            "[seeds.v1.'session/prompt']\nusage_update = { used = 'result/stopReason' }\n",
            "/seeds/v1/session~1prompt/usage_update: UsageUpdate requires 'size', which nothing "
            "here can fill; fix the entry",
        ),
        (
            "updates.toml",
            "[seeds.v1.'session/prompt']\n"
            "current_mode_update = { currentModeId = 'result/stopReason' }\n",
            "/seeds/v1/session~1prompt/current_mode_update: 'result/stopReason' is not of the type "
            "of 'currentModeId' of CurrentModeUpdate; fix the entry",
        ),
        (
            "updates.toml",
            "[seeds.v1.'session/prompt']\ncurrent_mode_update = { '*' = 'result/stopReason' }\n",
            "/seeds/v1/session~1prompt/current_mode_update: 'result/stopReason' is not a "
            "CurrentModeUpdate; fix the entry",
        ),
        (
            "capabilities.toml",
            "[v1_unstable.client]\n'session/update' = '/clientCapabilities/no'\n",
            "/v1_unstable/client/session~1update: '/clientCapabilities/no' is not there",
        ),
        (
            "capabilities.toml",
            "[v2_unstable.client]\n'session/update#no' = '/capabilities/auth'\n",
            "/v2_unstable/client/session~1update#no: 'no' is not there",
        ),
        # The file ends with the table of the methods.
        ("summaries.toml", "Nothing = 'x'\n", "/methods/Nothing: matches nothing"),
    ],
)
def test_bad_overlay_of_the_vendored_schema(
    file: str, text: str, expected: str, overlay: Path, tmp_path: Path
) -> None:
    with (overlay / file).open("a", encoding="utf-8") as stream:
        stream.write(f"\n{text}")
    result = run("--out", str(tmp_path / "made"))
    assert result.exit_code == 2
    assert expected in result.stderr
    assert not (tmp_path / "made").exists()


def test_unused_class_summary_of_the_vendored_schema(overlay: Path, tmp_path: Path) -> None:
    path = overlay / "summaries.toml"
    text = path.read_text(encoding="utf-8")
    # A definition has its summary under types.
    path.write_text(text.replace("[classes]\n", "[classes]\nAnnotations = 'x'\n"), encoding="utf-8")
    result = run("--out", str(tmp_path / "made"))
    assert result.exit_code == 2
    assert "#/classes/Annotations: matches nothing in the schema; remove" in result.stderr


@pytest.mark.parametrize(
    ("lines", "unused"),
    [
        (("[members]", "Annotations.nothing = 'x'"), "members/Annotations/nothing"),
        (("[members]", "Annotations.v3.audience = 'x'"), "members/Annotations/v3/audience"),
        (("[members]", "Nothing.audience = 'x'"), "members/Nothing/audience"),
        (("[values]", "StopReason.bored = 'x'"), "values/StopReason/bored"),
        (("[values]", "Nothing.end_turn = 'x'"), "values/Nothing/end_turn"),
        # With a line for each version, the one for both has no use.
        (
            ("[members]", "Annotations.v1.audience = 'x'", "Annotations.v2.audience = 'x'"),
            "members/Annotations/audience",
        ),
    ],
)
def test_unused_summary_of_the_vendored_schema(
    lines: tuple[str, ...], unused: str, overlay: Path, tmp_path: Path
) -> None:
    path = overlay / "summaries.toml"
    text = path.read_text(encoding="utf-8")
    added = "\n".join((*lines, ""))
    path.write_text(text.replace(f"{lines[0]}\n", added), encoding="utf-8")
    result = run("--out", str(tmp_path / "made"))
    assert result.exit_code == 2
    assert result.stderr == (
        f"error overlay at schema/overlay/summaries.toml#/{unused}: matches nothing in the"
        " schema; remove the entry\n"
    )


@pytest.mark.parametrize(
    ("file", "section"), [("policy.toml", "closed"), ("summaries.toml", "types")]
)
def test_section_of_the_overlay_that_is_no_table(
    file: str, section: str, overlay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (overlay / file).write_text(f"{section} = 3\n", encoding="utf-8")
    monkeypatch.chdir(overlay.parents[1])
    result = run("--out", "made")
    assert result.exit_code == 2
    assert result.stderr == (
        f"error overlay at schema/overlay/{file}#/{section}: must be a table; fix the entry\n"
    )


@pytest.mark.parametrize(
    "entry",
    [
        "types/Annotations",
        "classes/UserMessageChunk",
        "methods/logout",
        "members/Annotations/audience",  # of all surfaces
        "members/ContentChunk/content",  # of a definition that other classes extend
        "members/CreateElicitationRequest/message",  # of arms and the class for other tags
        "values/StopReason/refusal",
        "values/ErrorCode/-32601",
    ],
)
def test_missing_summary_of_the_vendored_schema(entry: str, overlay: Path, tmp_path: Path) -> None:
    name = entry.partition("/")[2].replace("/", ".")
    path = overlay / "summaries.toml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.split(" = ")[0].strip('"') != name]
    assert len(kept) == len(lines) - 1
    path.write_text("".join(kept), encoding="utf-8")
    result = run("--out", str(tmp_path / "made"))
    assert result.exit_code == 2
    assert result.stderr == (
        f"error missing-summary at schema/overlay/summaries.toml#/{entry}: has no summary;"
        " write one line that describes it\n"
    )
    assert not (tmp_path / "made").exists()


def test_update_without_a_rule_in_the_vendored_schema(overlay: Path, tmp_path: Path) -> None:
    path = overlay / "updates.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[v2.plan_update]", "[v2.plan_updated]"), encoding="utf-8")
    result = run("--out", str(tmp_path / "made"))
    assert result.exit_code == 2
    assert (
        "schema/overlay/updates.toml#/v2/plan_update: has no rule; add one that says what"
        in result.stderr
    )
    assert not (tmp_path / "made").exists()


def test_entries_of_the_overlay_need_no_use_in_another_schema(tmp_path: Path) -> None:
    (tmp_path / "schema" / "v2").mkdir(parents=True)
    write(tmp_path / "schema" / "v2").rename(tmp_path / "schema" / "v2" / "schema.json")
    result = run("--schema", str(tmp_path), "--out", str(tmp_path / "made"))
    assert result.exit_code == 0, result.stderr
    assert "overlay" not in result.stderr
    assert (tmp_path / "made" / "v2" / "types.py").is_file()


def test_method_that_no_envelope_explains_is_a_note_for_another_schema(tmp_path: Path) -> None:
    lone = {**REQUEST, "x-method": "lone/request", "x-side": "client"}
    path = write(
        tmp_path,
        ClientNotification=envelope("Request"),
        AgentRequest=envelope("Lone"),
        Lone=lone,
        Orphan={**lone, "x-method": "lone/orphan"},
    )
    result = run("--schema", str(path), "--surface", "v2", "--out", str(tmp_path / "made"))
    assert result.exit_code == 0, result.stderr
    assert "#/$defs/AgentRequest: lists Lone ('lone/request'), and no response" in result.stderr
    assert "#/$defs/Orphan: is in no envelope, so that nothing says who sends it" in result.stderr
