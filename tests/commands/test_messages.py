"""What the commands say: which name, which surface, what to do; tables; JSON of usage errors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from acpgen.cli import completion
from acpgen.cli.app import app
from acpgen.cli.output import tables, terminal
from commands.bumping import make_script
from support.paths import GOLDEN
from typer.testing import CliRunner, Result


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


# --- inspect ---------------------------------------------------------------------------------


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
    result = run("inspect", f"{GOLDEN / 'schema.json'}#/$defs/DrawRequest")
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
    schema = ("--schema", str(GOLDEN / "schema.json"), "--surface", "v2")
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
