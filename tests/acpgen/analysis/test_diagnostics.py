"""Bad input: every problem is reported, with where it is and what to do; nothing is written."""

from __future__ import annotations

import functools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.surface import Built, build, combine
from acpgen.cli.app import app
from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.sources.files import locate_schemas
from acpgen.schema.document import Document, load_document
from typer.testing import CliRunner

from tests.acpgen.diff.small import STRING, record, ref, tagged, union
from tests.support.paths import SURFACES

REQUEST = {"type": "object", "properties": {}, "x-method": "a/b", "x-side": "agent"}


def envelope(*names: str) -> dict[str, Any]:
    return {**record(params=union(*map(ref, names))), "x-docs-ignore": True}


def write(path: Path, **definitions: Any) -> Path:
    path.write_text(json.dumps({"$defs": {"Request": REQUEST, **definitions}}), encoding="utf-8")
    return path


def refused(*arguments: str | Path) -> str:
    """Run `generate`, which writes nothing. Return its errors."""
    result = CliRunner().invoke(app, ["generate", *map(str, arguments), "--out", "made"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert not Path("made").exists()
    return result.stderr


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def diagnose(name: str = "bad.json") -> list[str]:
    """Generate from a bad schema. Return the lines of the errors."""
    return refused("--schema", name, "--surface", "v2", "--strict-schema").splitlines()


# --- schemas -------------------------------------------------------------------------------------

UNION = union(tagged("big"))
CLIENTS = {**REQUEST, "x-side": "client"}
LISTS_A = {"ClientNotification": envelope("A")}
RENAME = "name it in names.toml as"
# The code and the pointer of the problem; the definitions; the message.
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "unresolved-ref /$defs/A/$ref": (
        {"A": {"$ref": "#/$defs/Missing"}},
        "'#/$defs/Missing' names nothing; add it to $defs or fix the reference",
    ),
    "unresolved-ref /$defs/A/unevaluatedProperties/$ref": (
        {"A": {**record(), "unevaluatedProperties": {"$ref": "#/$defs/Missing"}}},
        "'#/$defs/Missing' names nothing; add it to $defs or fix the reference",
    ),
    "unresolved-ref /$defs/A/$dynamicRef": (
        {"A": {"type": "string", "$dynamicRef": "#missing"}},
        "'#missing' names nothing; add it to $defs or fix the reference",
    ),
    "invalid-schema /$defs/A/enum": (
        {"A": {"enum": []}},
        "lists no values; list at least one",
    ),
    "unsupported /$defs/A/properties/x/maxLength": (
        {"A": record(x={"type": "string", "maxLength": 3})},
        "no rule reads 'maxLength'; add one to the generator",
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
        "'two words' cannot be a class; name it in names.toml as two words",
    ),
    "bad-name /$defs/Record": (
        {"Record": STRING},
        "'Record' cannot be a class; name it in names.toml as Record",
    ),
    "name-collision /$defs/U/anyOf/0": (
        {"U": UNION, "BigU": STRING},
        f"'BigU' is already the class of /$defs/BigU; {RENAME} U/big",
    ),
    "name-collision /$defs/U": (
        {"U": UNION, "UnknownU": STRING},
        f"'UnknownU' is already the class of /$defs/UnknownU; {RENAME} U/other",
    ),
    "name-collision /$defs/V": (
        {"V": UNION, "KnownV": STRING},
        f"'KnownV' is already the class of /$defs/KnownV; {RENAME} V/known",
    ),
    "name-collision /$defs/U/anyOf/1": (
        {"U": union(tagged("big"), record(x=STRING))},
        f"'U' is already the class of /$defs/U; {RENAME} U/1",
    ),
    "name-collision /$defs/A/properties/fooBar": (
        {"A": record(other=STRING, fooBar=STRING, foo_bar=STRING)},
        "members 'fooBar', 'foo_bar' of A are all 'foo_bar' in Python; name others in names.toml"
        " as A.foo_bar",
    ),
    "bad-name /$defs/A/properties/1": (
        {"A": record(**{"1": STRING})},
        "member '1' cannot be a field; name it in names.toml as A.1",
    ),
    "invalid-schema /$defs/C/x-side": (
        {"C": {"type": "string", "x-side": 1}},
        "must be a string; fix the schema",
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
        "x-side of A is 'client', this envelope makes it 'agent'; explain it in policy.toml under"
        " [directions]",
    ),
    "name-collision /$defs/CodecNotification": (
        {"CodecNotification": envelope("A"), "A": {**REQUEST, "x-side": "codec"}},
        "needs a module 'codec', and every surface has one already; rename it",
    ),
    "bad-name /$defs/A": (
        {**LISTS_A, "A": {**REQUEST, "x-method": "1/2"}},
        "method '1/2' cannot be a Python method; name it in names.toml as agent:1/2",
    ),
    "name-collision /$defs/A": (
        {
            "ClientNotification": envelope("A", "B"),
            "A": {**REQUEST, "x-method": "a/b"},
            "B": {**REQUEST, "x-method": "a-b"},
        },
        "method 'a/b' is 'a_b' in Python, as another one is; name it in names.toml as agent:a/b",
    ),
    "direction /$defs/AgentNotification": (
        {"AgentNotification": envelope("A", "B"), "A": CLIENTS, "B": CLIENTS},
        "lists two kinds of params of 'a/b'; remove one of them",
    ),
    "bad-name /$defs/AgentHandler": (
        {**LISTS_A, "A": REQUEST, "AgentHandler": record()},
        "'AgentHandler' cannot be a class; name it in names.toml as AgentHandler",
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
    """Walking a schema begins after the meta-schema check, also in a nested schema."""
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"$defs": ', "error[invalid-json]: bad.json: Expecting value at line 1 column 11;"),
        ('{\n "a": 1,,}', "error[invalid-json]: bad.json: Expecting property name enclosed"),
        ('{"a": NaN}', "error[invalid-json]: bad.json: NaN is not a JSON number;"),
        ('{"a": 1e999}', "error[invalid-json]: bad.json: 1e999 is out of range;"),
        ("[" * 100_000, "error[invalid-json]: bad.json: nested too deeply, more than 100 levels;"),
        (b'{"\xff": 1}', "error[invalid-json]: bad.json: "),
        ("[]", "error[not-acp]: bad.json: has no $defs;"),
        ('{"name": "package", "$defs": {}}', "error[not-acp]: bad.json: has no $defs;"),
        (
            json.dumps(DRAFT_7),
            "error[not-acp]: bad.json#/$schema: is another dialect of JSON Schema;",
        ),
    ],
    ids=range(9),
)
def test_bad_file(text: str | bytes, expected: str, folder: Path) -> None:
    (folder / "bad.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    [line] = diagnose()
    assert line.startswith(expected)


def test_missing_file() -> None:
    assert diagnose("none.json") == [
        "error[missing-file]: none.json: is neither a path nor a git revision of this project;"
        " give one of these, an address or npm:PACKAGE@VERSION"
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
    assert shown.startswith("error[missing-file]: bad.json: is one file; name the --surface")
    arguments = ["generate", "--schema", str(path), "--surface", "v1", "--out", "a-b"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "'a-b' cannot be imported; choose a name that is an identifier" in result.stderr


# --- the overlay ---------------------------------------------------------------------------------


@pytest.fixture
def overlay(folder: Path) -> Path:
    return Path(shutil.copytree(paths.SCHEMA / "overlay", folder / "schema" / "overlay"))


@functools.cache
def document(surface: str) -> Document:
    [source] = locate_schemas(paths.SCHEMA, [surface])
    return load_document(source.path, source.origin)


@functools.cache
def vendored() -> list[Built | InputError]:
    """All surfaces, built with the overlay as it is."""
    decisions = load_overlay(paths.SCHEMA / "overlay")
    return [build(document(surface), decisions, surface) for surface in SURFACES]


def fit(folder: Path, surface: str | None = None) -> None:
    """Compare an overlay with all surfaces as they are, or build one surface with it."""
    decisions = load_overlay(folder)
    built = vendored()
    if surface is not None:
        built = [build(document(surface), decisions, surface)]
    combine(built, decisions, vendored=True, whole=surface is None)


def problems(folder: Path, surface: str | None = None) -> list[str]:
    with pytest.raises(InputError) as caught:
        fit(folder, surface)
    return [problem.line() for problem in caught.value.problems]


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


RULE = "[v2_unstable.notice]\nop"
SEEDS = "[seeds.v1.'session/prompt']\n"
SEED = "/seeds/v1/session~1prompt"


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("policy", "[closed.Nothing]\nreason = 'r'", "/closed/Nothing: matches nothing"),
        ("policy", "[directions.No]\nreason = 'r'", "/directions/No: matches nothing"),
        ("policy", "[without_default.v2]\n'session/list' = 'r'", "/v2/session~1list: matches"),
        ("pages", "[v3]\n'a/b' = 'c'", "/v3/a~1b: matches nothing"),
        ("capabilities", "[v1.x]\n'a/b' = '/c'", "/v1/x/a~1b: matches nothing"),
        # The file ends with the table of the methods.
        ("summaries", "Nothing = 'x'", "/methods/Nothing: matches nothing in the schema; remove"),
        ("updates", "[v1.no]\nop = 'passthrough'", "/v1/no: matches nothing"),
        ("updates", "[seeds.v1.'a/b']\nx = { y = 'result/y' }", "/v1/a~1b/x: matches nothing"),
    ],
    ids=range(8),
)
def test_bad_entry(file: str, text: str, expected: str, overlay: Path) -> None:
    append(overlay / f"{file}.toml", text)
    [line] = problems(overlay)
    assert line.startswith("error[overlay]: schema/overlay/")
    assert expected in line


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("'patch'\nslot = 'x'\nnull = 'keep'", "null 'keep' is none of clears, keeps; fix the"),
        ("'patch_message'\nrole = 'a cook'", "role 'a cook' is not a name in Python; fix"),
        ("'set'\nslot = 'apply'", "slot 'apply' cannot be an attribute of a session state"),
        ("'set'", "set takes slot, and perhaps carries; fix the rule"),
        ("'forget'", "op 'forget' is none of patch_message,"),
        ("'upsert'\ncollection = 'x'\nkey = 'no'", "Notice has no member 'no'; fix the rule"),
        (
            "'upsert'\ncollection = 'x'\nkey = 'title'\nas = 'No'",
            "'No' is not a definition; fix the rule",
        ),
        ("'remove'\ncollection = 'x'", "remove takes collection, key; fix the rule"),
    ],
)
def test_bad_rule_of_an_update(rule: str, expected: str, overlay: Path) -> None:
    append(overlay / "updates.toml", f"{RULE} = {rule}")
    at = "error[overlay]: schema/overlay/updates.toml#/v2_unstable/notice: "
    assert any(line.startswith(at + expected) for line in problems(overlay, "v2_unstable"))


@pytest.mark.parametrize(
    ("update", "members", "expected"),
    [
        ("no", "used = 'result/used'", "no rule says what the update 'no' does"),
        ("usage_update", "used = 'used'", "'used' does not begin with params/ or result/"),
        (
            "usage_update",
            "used = 'result/used'",
            "the result of session/prompt has no member 'used'",
        ),
        (
            "usage_update",
            "used = 'result/stopReason'",
            "UsageUpdate requires 'size', which nothing here can fill",
        ),
        (
            "current_mode_update",
            "currentModeId = 'result/stopReason'",
            "'result/stopReason' is not of the type of 'currentModeId' of CurrentModeUpdate",
        ),
        (
            "current_mode_update",
            "'*' = 'result/stopReason'",
            "'result/stopReason' is not a CurrentModeUpdate",
        ),
    ],
)
def test_bad_seed_of_a_state(update: str, members: str, expected: str, overlay: Path) -> None:
    append(overlay / "updates.toml", f"{SEEDS}{update} = {{ {members} }}")
    at = f"error[overlay]: schema/overlay/updates.toml#{SEED}/{update}: "
    assert f"{at}{expected}; fix the entry" in problems(overlay, "v1")


@pytest.mark.parametrize(
    ("surface", "entry", "value", "missing"),
    [
        ("v1_unstable", "session/update", "/clientCapabilities/no", "'/clientCapabilities/no'"),
        ("v2_unstable", "session/update#no", "/capabilities/auth", "'no'"),
    ],
)
def test_bad_capability(surface: str, entry: str, value: str, missing: str, overlay: Path) -> None:
    path = overlay / "capabilities.toml"
    head = f"[{surface}.client]\n"
    text = path.read_text("utf-8")
    assert head in text
    path.write_text(text.replace(head, f"{head}'{entry}' = '{value}'\n"), "utf-8")
    at = f"capabilities.toml#/{surface}/client/{entry.replace('/', '~1')}: {missing} is not there"
    assert any(at in line for line in problems(overlay, surface))


@pytest.mark.parametrize(
    "entry",
    [
        "classes/Annotations",  # a definition has its summary under types
        "members/Annotations/nothing",
        "members/Annotations/v3/audience",
        "members/Nothing/audience",
        "values/StopReason/bored",
        "values/Nothing/end_turn",
    ],
)
def test_unused_summary(entry: str, overlay: Path) -> None:
    section, _, name = entry.partition("/")
    path = overlay / "summaries.toml"
    added = f"[{section}]\n{name.replace('/', '.')} = 'x'\n"
    path.write_text(path.read_text("utf-8").replace(f"[{section}]\n", added), encoding="utf-8")
    assert problems(overlay) == [
        f"error[overlay]: schema/overlay/summaries.toml#/{entry}: matches nothing in the schema;"
        " remove the entry"
    ]


def test_a_summary_has_no_use_beside_one_for_each_version(
    overlay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command, and all surfaces built anew."""
    for version in ("v1", "v2"):
        shutil.copytree(paths.SCHEMA / version, overlay.parent / version)
    shutil.copy(paths.SCHEMA / "sources.json", overlay.parent)
    monkeypatch.setattr(paths, "SCHEMA", overlay.parent)
    path = overlay / "summaries.toml"
    added = "[members]\nAnnotations.v1.audience = 'x'\nAnnotations.v2.audience = 'x'\n"
    path.write_text(path.read_text("utf-8").replace("[members]\n", added), encoding="utf-8")
    assert refused() == (
        "error[overlay]: schema/overlay/summaries.toml#/members/Annotations/audience: matches"
        " nothing in the schema; remove the entry\n"
    )


@pytest.mark.parametrize(
    "entry",
    [
        "types/Annotations",
        "classes/UserMessageChunk",
        "methods/logout",
        "members/Annotations/audience",
        "members/ContentChunk/content",  # of a definition that other classes extend
        "members/CreateElicitationRequest/message",  # of arms and the class for other tags
        "values/StopReason/refusal",
        "values/ErrorCode/-32601",
    ],
)
def test_missing_summary(entry: str, overlay: Path) -> None:
    name = entry.partition("/")[2].replace("/", ".")
    path = overlay / "summaries.toml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.split(" = ")[0].strip('"') != name]
    assert len(kept) == len(lines) - 1
    path.write_text("".join(kept), encoding="utf-8")
    assert problems(overlay, "v1_unstable") == [
        f"error[missing-summary]: schema/overlay/summaries.toml#/{entry}: has no summary;"
        " write one line that describes it"
    ]


def test_update_without_a_rule(overlay: Path) -> None:
    path = overlay / "updates.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[v2.plan_update]", "[v2.plan_updated]"), encoding="utf-8")
    at = "schema/overlay/updates.toml#/v2/plan_update: has no rule; add one that says what"
    assert any(at in line for line in problems(overlay, "v2"))


# --- another schema ------------------------------------------------------------------------------


def generated(schema: Path, *options: str) -> str:
    """Generate from a schema. Return the notes."""
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
    assert "#/$defs/AgentRequest: lists Lone ('lone/request'), and no response" in notes
    assert "#/$defs/Orphan: is in no envelope, so that nothing says who sends it" in notes
