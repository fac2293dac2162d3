"""The commands: what they print, what they write, their exit codes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from acpgen import __version__
from acpgen.cli import completion
from acpgen.cli.app import app
from acpgen.cli.output import tables, terminal
from acpgen.commands.disk.lock import LOCK
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.inputs.sources.files import SURFACES
from commands.bumping import make_script
from diff.small import STRING, record, save
from support.paths import GOLDEN
from typer.testing import CliRunner, Result

GOLDEN_SCHEMA = GOLDEN / "schema.json"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def made(folder: Path) -> Path:
    """A small package, generated from the schema of the goldens."""
    package = folder / "made"
    arguments = ("--schema", str(GOLDEN_SCHEMA), "--surface", "v2", "--out", str(package))
    result = run("generate", *arguments)
    assert result.exit_code == 0, result.stderr
    return package


def check(package: Path, *more: str) -> Result:
    arguments = ("--schema", str(GOLDEN_SCHEMA), "--surface", "v2", "--out", str(package))
    return run("check", *arguments, *more)


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"acpgen {__version__}\n")


@pytest.mark.parametrize(
    "command", ["generate", "check", "inspect", "sync", "vendor", "diff", "trace"]
)
def test_help_has_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout


def test_checked_in_package_is_fresh() -> None:
    result = run("check")
    assert result.exit_code == 0, result.stdout
    found = paths.PACKAGE.rglob("*")
    files = [path for path in found if path.is_file() and path.suffix != ".pyc"]
    assert paths.PACKAGE / LOCK in files
    assert f"is fresh: {len(files)} files as generated" in result.stdout


def test_generate_ends_with_a_table(tmp_path: Path) -> None:
    package = tmp_path / "made"
    arguments = ("--schema", str(GOLDEN_SCHEMA), "--surface", "v2", "--out", str(package))
    result = run("generate", *arguments)
    words = result.stdout.splitlines()[0].split()
    assert words == ["surface", "records", "unions", "enums", "methods", "lines", "seconds"]
    assert "files changed" in result.stdout
    again = json.loads(run("generate", *arguments, "--json").stdout)
    assert again["written"] == []
    assert again["surfaces"][0]["surface"] == "v2"
    assert again["surfaces"][0]["methods"] == 7


def test_check_names_what_is_stale(tmp_path: Path) -> None:
    package = made(tmp_path)
    assert check(package).exit_code == 0
    with (package / "v2" / "types.py").open("a", encoding="utf-8") as file:
        file.write("# by hand\n")
    (package / "v2" / "codec.py").unlink()
    result = check(package)
    assert result.exit_code == 1
    assert "-# by hand" in result.stdout
    assert "changed: v2/types.py" in result.stdout
    assert "missing: v2/codec.py" in result.stdout
    assert "more lines of v2/codec.py" in result.stdout
    stale = json.loads(check(package, "--json").stdout)
    assert list(stale) == ["fresh", "stale", "notes"]
    assert stale["fresh"] is False
    assert stale["stale"] == [
        {"path": "v2/codec.py", "kind": "missing"},
        {"path": "v2/types.py", "kind": "changed"},
    ]
    [note] = stale["notes"]
    assert note.startswith(f"note unsupported at {display_path(GOLDEN_SCHEMA)}#/$defs: ")
    assert note in result.stderr


CHECKING = """
import json, sys
from acpgen.cli import app
from acpgen.common import paths
from acpgen.commands import check
check.count_if_unchanged(paths.PACKAGE, [])
print(json.dumps(sorted(sys.modules)))
"""


def test_a_check_by_the_lock_imports_nothing_that_generates() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHECKING], capture_output=True, text=True, check=True
    )
    modules = set(json.loads(done.stdout))
    assert {"acpgen.commands.disk.fingerprint", "acpgen.commands.disk.lock"} <= modules
    heavy = {"black", "datamodel_code_generator", "isort", "jinja2", "jsonschema", "urllib.request"}
    assert not heavy & modules
    assert not {name for name in modules if name.startswith(("acpgen.analysis", "acpgen.emit"))}


def test_generate_removes_only_what_it_once_generated(tmp_path: Path) -> None:
    schemas = tmp_path / "schemas"
    (schemas / "v2").mkdir(parents=True)
    shutil.copy(GOLDEN_SCHEMA, schemas / "v2" / "schema.json")
    shutil.copy(GOLDEN_SCHEMA, schemas / "v2" / "schema.unstable.json")
    package = tmp_path / "made"
    arguments = ("--schema", str(schemas), "--out", str(package))
    assert run("generate", *arguments).exit_code == 0
    (package / "v2_unstable" / "mine.py").write_text("mine = 1\n", encoding="utf-8")
    former = package / "former" / "folder" / "codec.py"
    former.parent.mkdir(parents=True)
    former.write_text("# Code generated by acpgen 0.0.1\n", encoding="utf-8")
    (schemas / "v2" / "schema.unstable.json").unlink()
    stale = run("check", *arguments)
    assert stale.exit_code == 1
    assert "extra: v2_unstable/codec.py" in stale.stdout
    assert run("generate", *arguments).exit_code == 0
    assert [path.name for path in (package / "v2_unstable").iterdir()] == ["mine.py"]
    assert not (package / "former").exists()


def test_inspect_shows_a_record() -> None:
    result = run("inspect", "Annotations", "--surface", "v1", "--json")
    shown = json.loads(result.stdout)
    assert shown["kind"] == "record"
    members = {member["wire"]: member for member in shown["members"]}
    assert members["lastModified"]["python"] == "last_modified"
    assert members["audience"]["description"].startswith("The roles that the content is meant for")
    assert members["audience"]["keywords"] == {
        "x-deserialize-default-on-error": "absent",
        "x-deserialize-skip-invalid-items": True,
    }
    assert shown["python"].startswith(
        "@dataclass(slots=True, kw_only=True, repr=False)\nclass Annotations(Record)"
    )


def test_inspect_shows_a_union() -> None:
    shown = json.loads(run("inspect", "StateUpdate", "--surface", "v2", "--json").stdout)
    assert shown["tag"] == "state"
    assert {"tag": "idle", "type": "IdleStateUpdate"} in shown["arms"]
    assert "ErrorIdleStateUpdate" in shown["classes"]
    text = run("inspect", "StateUpdate").stdout
    assert text.startswith("StateUpdate: tagged union of v2\n")


def test_inspect_shows_where_an_arm_without_a_tag_takes_other_tags_too() -> None:
    shown = json.loads(run("inspect", "AuthMethod", "--surface", "v1", "--json").stdout)
    assert {"tag": "none or other", "type": "object"} in shown["arms"]
    shown = json.loads(run("inspect", "MultiSelectItems", "--surface", "v1", "--json").stdout)
    assert [arm["tag"] for arm in shown["arms"]][-2:] == [None, "other"]


def test_inspect_says_what_may_be_null() -> None:
    found: dict[str, bool] = {}
    for name in ("CancelRequestNotification", "PromptRequest"):
        shown = json.loads(run("inspect", name, "--surface", "v1", "--json").stdout)
        found |= {each["wire"]: each["nullable"] for each in shown["members"]}
    # The id may be null by its alias.
    assert (found["requestId"], found["_meta"], found["sessionId"]) == (True, True, False)


def test_inspect_shows_the_class_for_other_tags() -> None:
    shown = json.loads(run("inspect", "UnknownCreateElicitationRequest", "--json").stdout)
    assert shown["kind"] == "class for other tags"
    assert (shown["union"], shown["tag"], shown["kept"]) == (
        "CreateElicitationRequest",
        "mode",
        False,
    )
    assert {each["wire"]: each["required"] for each in shown["members"]}["message"]
    assert all(each["description"] for each in shown["members"])
    assert shown["alternatives"] == "ElicitationSessionScope or ElicitationRequestScope"
    assert shown["python"].startswith(
        "@dataclass(slots=True)\nclass UnknownCreateElicitationRequest(Unknown)"
    )


def test_inspect_says_which_other_tags_only_the_default_mode_keeps() -> None:
    text = run("inspect", "UnknownSessionUpdate", "--surface", "v1").stdout
    assert text.startswith("UnknownSessionUpdate: class for other tags of v1\n")
    assert "\nany other sessionUpdate of SessionUpdate (kept by the default mode)\n" in text


def test_inspect_of_an_unknown_name_suggests_one() -> None:
    result = run("inspect", "StateUpdat")
    assert result.exit_code == 2
    assert (
        "error unknown-name at the schema#: no definition, class or method 'StateUpdat'; try"
        in result.stderr
    )
    assert "StateUpdate" in result.stderr.partition("; try ")[2].split(", ")


@pytest.fixture
def vendored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A schema folder that a test may write."""
    folder = tmp_path / "schema"
    shutil.copytree(paths.SCHEMA, folder)
    monkeypatch.setattr(paths, "SCHEMA", folder)
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.json")}


def folder_of_one(folder: Path) -> str:
    """A folder with a schema of protocol 2."""
    (folder / "v2").mkdir(parents=True)
    shutil.copy(GOLDEN_SCHEMA, folder / "v2" / "schema.json")
    return str(folder)


def test_sync_of_a_folder_keeps_the_structure_only(tmp_path: Path, vendored: Path) -> None:
    folder_of_one(tmp_path / "package" / "schema")
    result = run("sync", str(tmp_path / "package"), "--json")
    assert result.exit_code == 0, result.stderr
    removed = ["v1/schema.json", "v1/schema.unstable.json", "v2/schema.unstable.json"]
    assert json.loads(result.stdout)["removed"] == removed
    assert not any((vendored / path).exists() for path in removed)
    written = json.loads((vendored / "v2" / "schema.json").read_text(encoding="utf-8"))
    assert "description" not in written["$defs"]["DrawRequest"]
    record = json.loads((vendored / "sources.json").read_text(encoding="utf-8"))
    [(name, entry)] = record["files"].items()
    assert (name, entry["path"]) == ("v2/schema.json", "schema/v2/schema.json")
    assert entry["version"] is None
    assert (vendored / "overlay" / "names.toml").exists()


def test_sync_of_one_file_leaves_the_others(tmp_path: Path, vendored: Path) -> None:
    before = (vendored / "v1" / "schema.json").read_bytes()
    result = run("sync", str(GOLDEN_SCHEMA), "--surface", "v2_unstable", "--json")
    assert result.exit_code == 0, result.stderr
    assert "v2/schema.unstable.json" in json.loads(result.stdout)["written"]
    record = json.loads((vendored / "sources.json").read_text(encoding="utf-8"))
    assert len(record["files"]) == 4
    assert record["files"]["v2/schema.unstable.json"]["source"] == "schema.json"
    assert (vendored / "v1" / "schema.json").read_bytes() == before


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("{", "invalid-json"),
        ('{"$defs": {}}', "not-acp"),
        ('{"$defs": {"A": {"x-method": "a", "type": 3}}}', "invalid-schema"),
        (None, "missing-file"),
    ],
)
def test_sync_of_something_else_changes_nothing(
    content: str | None, code: str, tmp_path: Path, vendored: Path
) -> None:
    source = tmp_path / "schema.json"
    if content is not None:
        source.write_text(content, encoding="utf-8")
    before = contents(vendored)
    result = run("sync", str(source), "--surface", "v1")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error {code} at ")
    assert contents(vendored) == before


@pytest.mark.parametrize(
    ("record", "lacks"),
    [("{}", "'files'"), ('{"files": {"v1/schema.json": {"version": null}}}', "'source'")],
)
def test_sync_beside_a_record_that_cannot_be_used_changes_nothing(
    record: str, lacks: str, tmp_path: Path, vendored: Path
) -> None:
    (vendored / "sources.json").write_text(record, encoding="utf-8")
    before = contents(vendored)
    changelog = tmp_path / "CHANGELOG.md"
    # With a part that starts from another schema, the vendored one is not read for the changelog.
    text = f"## Unreleased\n\n### Schema: `{GOLDEN_SCHEMA}` → `b`\n\nold\n"
    changelog.write_text(text, encoding="utf-8")
    source = str(vendored / "v2" / "schema.json")
    result = run("sync", source, "--surface", "v2", "--changelog", str(changelog))
    assert result.exit_code == 2
    assert result.stderr.startswith("error invalid-schema at ")
    assert result.stderr.endswith(
        f"sources.json#: lacks {lacks}; run `acpgen sync` again, without --surface\n"
    )
    assert contents(vendored) == before
    assert changelog.read_text(encoding="utf-8") == text


def test_sync_with_a_changelog_that_cannot_be_used_changes_nothing(
    tmp_path: Path, vendored: Path
) -> None:
    source = folder_of_one(tmp_path / "source")
    before = contents(vendored)
    result = run("sync", source, "--changelog", str(tmp_path / "CHANGELOG.md"))
    assert result.exit_code == 2
    assert contents(vendored) == before


def test_sync_notes_the_changes_of_the_chosen_surfaces_only(tmp_path: Path, vendored: Path) -> None:
    source = tmp_path / "source"
    for surface in ("v1", "v1_unstable", "v2"):
        save(vendored / SURFACES[surface], {"Thing": record(a=STRING)})
        save(source / SURFACES[surface], {"Thing": record(a=STRING, b=STRING)})
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text("## Unreleased\n", encoding="utf-8")
    chosen = ("--surface", "v1", "--surface", "v2")
    result = run("sync", str(source), *chosen, "--changelog", str(changelog))
    assert result.exit_code == 0, result.stderr
    noted = changelog.read_text(encoding="utf-8")
    assert re.findall(r"^#### (.*)$", noted, re.M) == ["v1", "v2"]
    assert noted.count("`Thing.b`") == 2


def test_sync_records_the_name_of_the_working_directory(
    tmp_path: Path, vendored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder_of_one(tmp_path / "upstream"))
    result = run("sync", ".")
    assert result.exit_code == 0, result.stderr
    record = json.loads((vendored / "sources.json").read_text(encoding="utf-8"))
    assert record["files"]["v2/schema.json"]["source"] == "upstream"


def test_sync_of_an_empty_source_does_not_take_the_working_directory(
    vendored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vendored)
    result = run("sync", "")
    assert result.exit_code == 2
    assert result.stderr.startswith("error missing-file at ''#: does not exist")


def test_without_the_extra_one_line_says_what_to_install() -> None:
    program = (
        "import importlib.util as u; find = u.find_spec;"
        "u.find_spec = lambda name, *a: None if name in ('typer', 'black') else find(name, *a);"
        "from acpgen.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "acpgen needs typer, black: pip install 'acp-bindings[generator]'\n"
    assert done.stdout == ""


# --- names -----------------------------------------------------------------------------------


def test_a_name_is_found_on_the_surface_that_has_it() -> None:
    assert run("inspect", "ToolCall").stdout.startswith("ToolCall: record of v1\n")
    only = run("inspect", "ToolCall", "--surface", "v2")
    assert only.exit_code == 2
    assert "no definition, class or method 'ToolCall'; try " in only.stderr
    assert only.stderr.endswith(", or omit --surface to look in all\n")


def test_a_method_is_shown() -> None:
    shown = json.loads(run("inspect", "session/prompt", "--json").stdout)
    [call] = shown["calls"]
    assert (shown["kind"], shown["surface"]) == ("method", "v2")
    assert (call["side"], call["kind"]) == ("agent", "request")
    assert (call["params"], call["result"]) == ("PromptRequest", "PromptResponse")
    text = run("inspect", "session/prompt").stdout
    assert "request to agent: session_prompt(PromptRequest) -> PromptResponse\n" in text


def test_members_and_names_of_other_schemas_are_shown() -> None:
    for path in ("ToolCall.toolCallId", "ToolCall.tool_call_id"):
        shown = json.loads(run("inspect", path, "--json").stdout)
        assert (shown["name"], shown["kind"]) == ("ToolCall.toolCallId", "member")
        assert [each["wire"] for each in shown["members"]] == ["toolCallId"]
    shown = json.loads(run("inspect", "InitializeRequest.info.name", "--json").stdout)
    assert shown["pointer"] == "/$defs/Implementation/properties/name"
    result = run("inspect", f"{GOLDEN_SCHEMA}#/$defs/DrawRequest")
    assert result.stdout.startswith("DrawRequest: record of v2\n"), result.stderr


# --- completion ------------------------------------------------------------------------------


def test_shells_complete_names_surfaces_and_sources() -> None:
    assert "ToolCallUpdate" in completion.complete_name("ToolCall")
    assert completion.complete_name("session/pro") == ["session/prompt"]
    assert completion.complete_revision("v2") == ["v2", "v2_unstable"]
    source = "npm:@agentclientprotocol/sdk@"
    sources = completion.complete_source("npm:")
    assert sources[0] == source
    assert len(sources) == 2
    assert sources[1].startswith(source)


IN_BASH = """
eval "$(acpgen --show-completion bash)"
COMP_WORDS=(acpgen {words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_acpgen_completion acpgen
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("inspect session/pro", ["session/prompt"]),
        ("generate --surface v1", ["v1", "v1_unstable"]),
    ],
)
def test_bash_completes_what_was_begun(words: str, expected: list[str]) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", IN_BASH.format(words=words)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == expected, done.stderr


# --- npm -------------------------------------------------------------------------------------

FAILING = "#!/bin/sh\necho 'npm error code {code}' >&2\nexit 1\n"
EMPTY = """#!/bin/sh
mkdir package && echo 1 > package/index.js && tar -czf a.tgz package && rm -r package
echo '[{"name": "a", "version": "1", "filename": "a.tgz", "integrity": "sha512-x"}]'
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that comes first on the path."""
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("E404", "check the name and version"),
        ("ETARGET", "check the name and version"),
        ("ENOTFOUND", "check the network and npm's registry, or give a path"),
        ("ETIMEDOUT", "check the network and npm's registry, or give a path"),
        ("E500", "see why with `npm pack`, or give a path"),
    ],
)
def test_npm_fails(code: str, advice: str, programs: Path) -> None:
    make_script(programs / "npm", FAILING.format(code=code))
    result = run("diff", "npm:a@1", "v2")
    assert result.exit_code == 2
    assert result.stderr == (
        f"error fetch-failed at npm:a@1#: npm pack failed (code {code}); {advice}\n"
    )


def test_a_package_without_a_schema_says_so(programs: Path) -> None:
    make_script(programs / "npm", EMPTY)
    result = run("diff", "npm:a@1", "v2")
    assert result.stderr == (
        "error fetch-failed at npm:a@1#: has no folder `schema`; name a package with ACP schemas,"
        " such as npm:@agentclientprotocol/sdk\n"
    )


# --- vendor ----------------------------------------------------------------------------------


def test_files_that_were_removed_are_counted_apart(tmp_path: Path) -> None:
    schema = ("--schema", str(GOLDEN_SCHEMA), "--surface", "v2")
    whole = run("vendor", str(tmp_path / "acp"), *schema)
    assert whole.exit_code == 0, whole.stderr
    files = len([each for each in (tmp_path / "acp").rglob("*") if each.is_file()])
    result = run("vendor", str(tmp_path / "acp"), "--types-only", *schema)
    kept = len([each for each in (tmp_path / "acp").rglob("*") if each.is_file()])
    assert 0 < kept < files
    assert f"of {kept} files changed, {files - kept} removed\n" in result.stdout


# --- usage -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("generate", "--nonsense"), "No such option: --nonsense"),
        (("inspect",), "Missing argument"),
        (("nonsense",), "No such command 'nonsense'"),
        (("check", "--surface", "v9"), "'v9' is not one of"),
    ],
)
def test_usage_errors_are_json_on_demand(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments, "--json")
    assert result.exit_code == 2
    [problem] = json.loads(result.stdout)["problems"]
    assert problem["code"] == "usage"
    assert message in problem["message"]
    assert result.stderr == ""
    assert message.split()[0] in run(*arguments).stderr


# --- tables ----------------------------------------------------------------------------------

ROWS = [("sessionConfigOptions", "one of two, three or four", ""), ("name", "text", "yes")]


def table(width: int | None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(terminal, "FOLDS", width is not None)
    monkeypatch.setattr(terminal.out, "_width", width or 1000)
    with terminal.out.capture() as captured:
        tables.grid(("wire", "type", "required"), ROWS)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_a_table_that_fits_does_not_split_names(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = table(48, monkeypatch)
    assert lines[0].split() == ["wire", "type", "required"]
    assert max(map(len, lines)) <= 48
    assert lines[1].startswith("sessionConfigOptions  one of")


def test_a_narrow_table_is_a_list_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table(30, monkeypatch) == [
        "sessionConfigOptions",
        "  type: one of two, three or",
        "        four",
        "name",
        "  type: text",
        "  required: yes",
    ]


def test_in_a_pipe_cells_are_separated_by_tabs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table(None, monkeypatch)
    assert capsys.readouterr().out == (
        "wire\ttype\trequired\nsessionConfigOptions\tone of two, three or four\t\nname\ttext\tyes\n"
    )
