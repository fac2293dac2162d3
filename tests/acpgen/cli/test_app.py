"""Tests of the command line: version, help and usage errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from acpgen import __version__
from acpgen.cli.app import app
from typer.testing import CliRunner, Result

from tests.support.paths import GOLDEN

GOLDEN_SCHEMA = GOLDEN / "schema.json"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def check(package: Path, *more: str) -> Result:
    arguments = ("--schema", str(GOLDEN_SCHEMA), "--surface", "v2", "--out", str(package))
    return run("check", *arguments, *more)


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"acpgen {__version__}\n")


def test_a_choice_that_there_is_not_is_named_without_words_of_a_library() -> None:
    result = run("vendor", "acp", "--surface", "protocol 3", "--json")
    [problem] = json.loads(result.stdout)["problems"]
    start = "Invalid value for '--surface': 'protocol 3' is not a surface; pass a name such as v1, "
    assert problem["message"].startswith(start)


def test_help_states_no_type_for_flags() -> None:
    for command in ((), ("vendor",), ("extend",), ("extend", "check")):
        assert "<bool>" not in run(*command, "--help").stdout


OF_A_SMALL_SCHEMA = ("--schema", str(GOLDEN_SCHEMA), "--surface", "v2", "--out", "never_written")


def without(module: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run acpgen in a process that cannot import the given module."""
    program = f"""
import importlib.machinery, sys
class Without(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, *rest):
        return None if name == {module!r} else super().find_spec(name, *rest)
sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Without
from acpgen.__main__ import main
main()"""
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("module", "words", "command", "extra"),
    [
        ("typer", ("generate",), "acpgen", "wire"),
        ("black", ("generate", *OF_A_SMALL_SCHEMA), "acpgen generate", "generator"),
        ("jsonschema", ("inspect", "Diff"), "acpgen inspect", "generator"),
        ("jsonschema", ("extend", "protocol"), "acpgen extend", "generator"),
        ("jsonschema", ("conform", "x"), "acpgen conform", "wire"),
        ("libcst", ("port", "src"), "acpgen port", "port"),
    ],
)
def test_a_command_whose_dependency_is_missing_names_the_extra(
    module: str, words: tuple[str, ...], command: str, extra: str
) -> None:
    done = without(module, *words)
    assert done.returncode == 2
    install = f"`pip install '.[{extra}]'` in a checkout, or `pip install 'acp-bindings[{extra}]'`"
    assert (done.stdout, done.stderr) == ("", f"{command} requires {module}; run {install}\n")


@pytest.mark.slow
@pytest.mark.parametrize("module", ["black", "jinja2", "datamodel_code_generator", "libcst"])
def test_the_other_commands_work(module: str, tmp_path: Path) -> None:
    assert "conform" in without(module, "--help").stdout
    done = without(module, "trace", "--json", "/dev/null")
    assert "no-messages" in done.stdout
    assert without(module, "new", "agent", str(tmp_path / "agent")).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("generate", "--nonsense"), "No such option: --nonsense"),
        (("inspect",), "Missing argument"),
        (("nonsense",), "No such command 'nonsense'"),
        (("check", "--surface", "w9"), "'w9' is not a surface"),
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
