"""Each `acpgen` command line in the README, the guides and `--help` is parsed and run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from acpgen.cli.app import app
from acpgen.common.paths import SCHEMA
from typer.testing import CliRunner

from tests.support import preloaded
from tests.support.guides import only_block
from tests.support.paths import EXAMPLES, GUIDE_TEMPLATES, README, ROOT

COMMAND: Any = typer.main.get_command(app)
USAGE_ERROR: Any = typer.BadParameter.__base__  # typer doesn't export this class
PAGES = [
    README,
    *sorted(GUIDE_TEMPLATES.glob("*.md*")),
    *sorted((ROOT / "templates" / "new").rglob("README.md")),
]
INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n'
# Patterns for command lines that are parsed but not run, with the reasons.
EXCEPTIONS = {
    r"npm:": "downloads a package; the guides' tests run such commands with local copies",
    r"HEAD~1": "needs the history of a checkout",
    r"\bSOURCE|\bDIR\b|\bFILE\b": "has a placeholder",
    r"my-agent --acp|my-client\b.* --agent": "starts a program of the reader",
    r"acpgen conform": "takes long; tests/acpwire/conform judges programs, the guide's too",
    r"acpgen trace /tmp/acp.log": "reads a recording that an editor makes",
    r"acpgen serve": "runs until it is interrupted; tests/acpwire/test_serve.py runs it",
    r"acpgen connect": "needs a server; tests/acpwire/test_connect.py runs one",
    r"acpgen trace --follow": "follows the file until it is interrupted",
    r"acpgen docs": "builds the site; tests/acpdocs does the same",
    r"acpgen sync": "changes this checkout",
    r"acpgen generate(?!.*--out)|acpgen check$": "is about this checkout",
    r"acpgen vendor (?!--check)(?!.*--surface)": "writes all surfaces; the same with one is run",
    r"short\.json|sed ": "is run by the test of its guide",
    r"--surface v1(?!_)": "writes another surface; the same for v2 is run",
    r"session_models": "is about a schema of its guide",
    r"migration\.html|grep -i": "the same without the pipe is run",
}


def on_pages() -> Iterator[str]:
    for page in PAGES:
        text = page.read_text("utf-8")
        for block in re.findall(r"^```(?:console|sh|yaml)[^\n]*\n(.*?)^```", text, re.S | re.M):
            yield from re.findall(r"^(?:\$ )?((?:[^#\n]*\| |\.venv/bin/)?acpgen .*)$", block, re.M)
        prose = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
        yield from re.findall(r"`(acpgen [^`]+)`", prose)


def in_help(command: Any = COMMAND) -> Iterator[str]:
    texts = [command.help, command.epilog, *(getattr(each, "help", "") for each in command.params)]
    yield from re.findall(r"`(acpgen [^`]+)`", " ".join(filter(None, texts)))
    for inner in getattr(command, "commands", {}).values():
        yield from in_help(inner)


LINES = sorted({" ".join(line.split()) for line in (*on_pages(), *in_help())})
# Pages can mention these commands without arguments.
NAMED = {"acpgen extend", "acpgen new"} | {
    f"acpgen {name}"
    for name in ("bridge", "conform", "connect", "diff", "docs", "inspect", "port", "serve", "sync")
}
NAMED |= {f"acpgen {name}" for name in ("trace", "vendor", "wrap", "new agent", "new client")}
WRITTEN_OUT = [line for line in LINES if line not in NAMED]
# If lines differ only in the output folder, only one of them is run.
RUN = list(
    {
        re.sub(r"\b(tool|myproject)/\w+|(?<=--out )acme", "FOLDER", line): line
        for line in WRITTEN_OUT
        if not any(re.search(part, line) for part in EXCEPTIONS)
    }.values()
)


def arguments(line: str) -> list[str]:
    """Return the arguments of `acpgen`, excluding redirections and other programs in a pipeline."""
    part = next(part for part in line.split(" | ") if "acpgen " in part)
    words = shlex.split(re.split(r" [<>] ", part)[0])
    return words[[word.rpartition("/")[2] for word in words].index("acpgen") + 1 :]


def parse(words: list[str]) -> Any:
    command, parent = COMMAND, None
    while hasattr(command, "commands"):
        parent = command.context_class(command, parent=parent)
        name, command, words = command.resolve_command(parent, words)
        assert command is not None, name
    command.make_context(command.name, words, parent=parent)
    return command


def test_there_are_command_lines_in_all_places() -> None:
    assert len(WRITTEN_OUT) > 60
    assert len(RUN) > 25
    assert set(on_pages()) - set(in_help())
    assert set(in_help()) - set(on_pages())


def test_each_exception_is_about_a_command_line() -> None:
    for part in EXCEPTIONS:
        assert any(re.search(part, line) for line in WRITTEN_OUT), part


@pytest.mark.parametrize("line", sorted(NAMED))
def test_a_command_that_is_named_exists(line: str) -> None:
    command = COMMAND
    for name in line.split()[1:]:
        command = getattr(command, "commands", {}).get(name, command)
    assert command is not COMMAND


@pytest.mark.parametrize("line", WRITTEN_OUT)
def test_a_command_line_is_parsed(line: str) -> None:
    assert parse(arguments(line)).callback is not None


def test_a_mistake_in_a_command_line_is_found() -> None:
    with pytest.raises(USAGE_ERROR, match="--surfaces"):
        parse(arguments("acpgen vendor tool/acp --surfaces v2"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that the command lines refer to."""
    shutil.copy(EXAMPLES / "agent.py", tmp_path)
    shutil.copy(SCHEMA / "v2" / "schema.json", tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("import acp\n", "utf-8")
    extension = only_block("extending.md", "json")
    for name in ("acme.schema.json", "old.json"):
        (tmp_path / name).write_text(extension, "utf-8")
    for name in ("acp.log", "lines.jsonl", "talk.jsonl"):
        (tmp_path / name).write_text(INITIALIZE, "utf-8")
    python = tmp_path / "bin" / "python"  # a script, since a link would hide the environment
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', "utf-8")
    python.chmod(0o755)
    return tmp_path


def acpgen(words: list[str], given: str = "") -> tuple[int | None, str]:
    """Run a command in this process, to reuse the modules that other tests generated."""
    done = CliRunner().invoke(app, words, given)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def acpgen_with_agent(folder: Path, words: list[str]) -> tuple[int | None, str]:
    """Run a command that starts an agent, and stop it once the agent responds."""
    with subprocess.Popen(
        [*preloaded.acpgen(), *words],
        cwd=folder,
        env={**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(INITIALIZE)
        process.stdin.flush()
        response = process.stdout.readline()
        printed, _ = process.communicate(timeout=300)
    return process.returncode, response + printed


@pytest.mark.parametrize("line", RUN)
def test_a_command_line_runs(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    words = arguments(line)
    if words[:2] == ["vendor", "--check"]:
        acpgen(["vendor", words[2], "--surface", "v2", "--types-only"])
    if words[:2] == ["extend", "check"]:
        acpgen(["extend", "generate", words[2], "--surface", "v2", *words[3:]])
    redirected = re.search(r" < (\S+)", line)
    given = (folder / redirected[1]).read_text("utf-8") if redirected else ""
    starts_agent = words[-1] == "agent.py"
    code, printed = acpgen_with_agent(folder, words) if starts_agent else acpgen(words, given)
    # Exit codes 1 and 3 aren't failures. They report differences and incompatible changes.
    assert code in (0, 1, 3), printed
    assert "Traceback" not in printed
