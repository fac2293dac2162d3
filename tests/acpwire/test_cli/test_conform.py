"""Tests of `acpgen conform`: its output, reports, options and exit codes."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from acpgen.cli.app import app
from acpgen.cli.output import terminal
from typer.testing import CliRunner, Result

PROGRAM = Path(__file__).parents[1] / "conform" / "agent_by_hand.py"
BY_HAND = [sys.executable, "-I", "-S", str(PROGRAM)]
LOGGING = [sys.executable, "-I", "-S", "-c", r"print('\x1b[1m starting'); input()"]
OLD = """
import json, sys
for line in sys.stdin:
    id = json.loads(line)["id"]
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": 1}}), flush=True)
"""


LOCKED = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    answer = {"error": {"code": -32000, "message": "sign in"}}
    if message["method"] == "initialize":
        answer = {"result": {"protocolVersion": 1}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""


def conform(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["conform", "--timeout", "20", *arguments])


@pytest.mark.slow
def test_agent_by_hand_conforms(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    done = conform("--prompt", "tool", "--json", "--junit", str(report), "--", *BY_HAND)
    data = json.loads(done.stdout)
    others = {each["id"]: each for each in data["verdicts"] if each["status"] != "passed"}
    assert (others, done.exit_code) == ({}, 0)
    assert (data["protocols"], data["conforms"]) == ([1, 2], True)
    assert data["counts"]["passed"] == len(data["verdicts"]) > 100
    cases = ElementTree.parse(report).findall("testsuite/testcase")
    assert len(cases) == len(data["verdicts"])
    assert all(len(case) == 0 for case in cases)


def test_without_prompts_what_is_about_tools_is_skipped() -> None:
    done = conform("--protocol", "1", "--only", "tools", "--json", "--", *BY_HAND)
    verdicts = json.loads(done.stdout)["verdicts"]
    assert {each["status"] for each in verdicts} == {"skipped"}
    assert all("--prompt" in each["reason"] for each in verdicts)
    assert done.exit_code == 0


SENT = """{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 2, \
"info": {"name": "acpgen-conform", "version": "1"}, "capabilities": {}}}"""
SUMMARY = rf"""protocol 2
  messages     1 failed
  negotiation  1 failed
failed json-lines (MUST) Standard output contains only messages, each on one line of UTF-8 JSON.
      sent:     {SENT}
      received: \x1b[1m starting
      expected: a JSON object in UTF-8, followed by a line break
      page:     protocol/v2/transports#stdio
failed initialize (MUST) The response to `initialize` contains a protocol version.
      sent:     {SENT}
      received: the program exited with status 0
      expected: a result with a protocolVersion that is an integer
      page:     protocol/v2/initialization
{shlex.join(LOGGING)} does not conform: 2 failed
"""


def test_summary_says_what_was_sent_what_came_and_what_should_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(terminal, "FOLDS", False)
    only = ["--only", "json-lines", "--only", "initialize"]
    done = conform("--protocol", "2", *only, "--", *LOGGING)
    assert done.stdout == SUMMARY
    assert done.exit_code == 1


def failing(tmp_path: Path, baseline: str, *options: str) -> tuple[Result, list[dict[str, Any]]]:
    """Run `acpgen conform` with a baseline on an agent that fails two requirements."""
    path = tmp_path / "baseline.toml"
    path.write_text(baseline, "utf-8")
    only = ["--protocol", "1", "--only", "json-lines", "--only", "initialize"]
    done = conform(*only, "--baseline", str(path), "--json", *options, "--", *LOGGING)
    return done, json.loads(done.stdout)["verdicts"]


def test_failures_of_the_baseline_are_expected(tmp_path: Path) -> None:
    baseline = "[v1]\njson-lines = 'it logs'\ninitialize = 'it exits'\n"
    done, verdicts = failing(tmp_path, baseline)
    assert {each["status"] for each in verdicts} == {"expected"}
    assert [each["reason"] for each in verdicts] == ["it logs", "it exits"]
    assert done.exit_code == 0


def test_other_failures_are_failures_and_junit_has_them(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    done, verdicts = failing(tmp_path, "[v1]\ninitialize = 'it exits'\n", "--junit", str(report))
    assert [each["status"] for each in verdicts] == ["failed", "expected"]
    assert done.exit_code == 1
    [suite] = ElementTree.parse(report).findall("testsuite")
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "received: \\x1b[1m starting" in (failure.text or "")


def test_expected_failure_that_passes_is_stale(tmp_path: Path) -> None:
    path = tmp_path / "baseline.toml"
    path.write_text("[v2]\nnew-session = 'not yet'\n", "utf-8")
    options = ["--protocol", "2", "--only", "new-session", "--baseline", str(path)]
    done = conform(*options, "--", *BY_HAND)
    assert done.exit_code == 1
    assert "stale new-session" in done.stdout
    assert "passes now; remove it from the baseline (reason given there: not yet)" in done.stdout


@pytest.mark.parametrize(
    ("baseline", "place", "message"),
    [
        ("[v3]\ninitialize = 'x'\n", "#/v3/initialize", "unknown requirement"),
        ("[v1]\nbatches = 'x'\n", "#/v1/batches", "unknown requirement"),
        ("[v1]\ninitialize = ' '\n", "#/v1/initialize", "has no reason"),
        ("v1 = 3\n", "#/v1/", "unknown requirement"),
        ("[v1", "", "is not valid TOML"),
    ],
)
def test_baseline_that_cannot_be_used(
    tmp_path: Path, baseline: str, place: str, message: str
) -> None:
    path = tmp_path / "baseline.toml"
    path.write_text(baseline, "utf-8")
    done = conform("--baseline", str(path), "--", *BY_HAND)
    assert done.exit_code == 2
    assert f"baseline.toml{place}: {message}" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--", "no-such-program"], "no-such-program: cannot be started"),
        (["--only", "nothing", "--", *BY_HAND], "unknown requirement 'nothing'; use an id or an"),
        (
            ["--protocol", "2", "--", sys.executable, "-I", "-S", "-c", OLD],
            "supports only protocol 1; pass --protocol 1",
        ),
    ],
)
def test_what_cannot_be_judged_is_an_error(arguments: list[str], message: str) -> None:
    done = conform(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_agent_that_wants_its_user_to_sign_in_cannot_be_judged_and_so_does_not_conform() -> None:
    options = ["--only", "new-session", "--only", "turn-ends"]
    done = conform(*options, "--", sys.executable, "-I", "-S", "-c", LOCKED)
    assert "skipped new-session: the agent requires the user to sign in first" in done.stdout
    assert "not reached turn-ends: the response to session/new was" in done.stdout
    assert done.exit_code == 1


def test_version_that_is_not_spoken_is_named() -> None:
    done = conform("--only", "initialize", "--", sys.executable, "-I", "-S", "-c", OLD)
    assert done.exit_code == 0
    assert "protocol 2: not supported by the program" in done.stdout


CRASHING = "raise SystemExit('first\\nlast')"


def test_end_of_a_program_is_shown_in_one_line() -> None:
    options = ["--protocol", "1", "--only", "initialize", "--json"]
    done = conform(*options, "--", sys.executable, "-I", "-S", "-c", CRASHING)
    [verdict] = json.loads(done.stdout)["verdicts"]
    words = "the program exited with status 1; its standard error ended with: last"
    assert verdict["failures"][0]["received"] == words


def test_turn_without_a_stop_reason_is_shown_with_its_end() -> None:
    code = BY_HAND[-1:]
    program = f"""
import runpy, sys
sys.argv = {code}
agent = runpy.run_path({code[0]!r})
state = agent["Session"].state
agent["Session"].state = lambda self, name, **more: state(self, name)
agent["Agent"]().serve()
"""
    options = ["--protocol", "2", "--only", "turn-ends", "--json"]
    done = conform(*options, "--", sys.executable, "-I", "-S", "-c", program)
    [verdict] = json.loads(done.stdout)["verdicts"]
    assert '"state": "idle"' in verdict["failures"][0]["received"]
    assert "stopReason" in verdict["failures"][0]["expected"]
