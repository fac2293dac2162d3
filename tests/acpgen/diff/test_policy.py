"""Tests of the policies that determine which changes make `acpgen diff` fail."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from acpgen.cli.app import app
from acpgen.common.display import display_path
from acpgen.common.problems import InputError
from acpgen.diff.policy import ExceptionEntry, Policy, judge, read_policy
from acpgen.diff.report import Report
from typer.testing import CliRunner

from tests.acpgen.diff.projects import (
    NEW,
    OLD,
    project,
    run_in_project,
)
from tests.acpgen.diff.small import (
    changes,
)


@pytest.fixture
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder that is also the working directory."""
    monkeypatch.chdir(tmp_path)
    return project(tmp_path)


TODAY = date(2030, 1, 31)


def outcomes(policy: Policy) -> dict[str, tuple[str, str]]:
    differences = Report("old", "new", tuple(changes(OLD, NEW)))
    judged = judge(differences, policy, None, TODAY)
    return {each.change.name: (each.outcome, each.reason) for each in judged.verdicts}


@pytest.mark.parametrize(
    ("policy", "failing"),
    [
        (Policy(), {"Other.text", "Innermost.text", "Ask.text", "Inner"}),
        (Policy(python="never"), {"Other.text", "Innermost.text", "Ask.text"}),
        (Policy(wire="never"), {"Other.text", "Innermost.text", "Ask.text", "Inner"}),
        (Policy(wire="never", python="never"), set[str]()),
        (
            Policy(wire="compatible", python="never"),
            {"Other.text", "Innermost.text", "Ask.text", "Outer.more"},
        ),
    ],
)
def test_a_policy_says_which_effects_fail(policy: Policy, failing: set[str]) -> None:
    assert {
        name for name, (outcome, _) in outcomes(policy).items() if outcome == "fails"
    } == failing


def test_an_exception_holds_until_its_day() -> None:
    for until, expected in (
        (TODAY, ("excepted", "until 2030-01-31: unread")),
        (date(2030, 1, 30), ("fails", "its exception expired on 2030-01-30: unread")),
    ):
        entry = ExceptionEntry("Other.text", "type changed", "unread", until)
        found = outcomes(Policy(exceptions=(entry,)))
        assert found["Other.text"] == expected
        assert found["Ask.text"] == ("fails", "")


def test_an_exception_that_matches_nothing_is_noted() -> None:
    entries = tuple(
        ExceptionEntry(name, what, "unread", TODAY)
        for name, what in (
            ("Other.text", "type changed"),
            ("Other.text", "field removed"),
            ("Outer.more", "field added"),  # allowed even without an exception
        )
    )
    differences = Report("old", "new", tuple(changes(OLD, NEW)))
    judged = judge(differences, Policy(exceptions=entries, file="policy.toml"), None, TODAY)
    assert [note.pointer for note in judged.notes] == ["/exceptions/1", "/exceptions/2"]


def test_mistakes_in_a_policy_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(
        "[fail]\nwire = 'worst'\napi = 'breaking'\n[[exceptions]]\nname = 'x'\nwhat = 3\n"
        "until = 2030-01-31T00:00:00\n[more]\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError) as caught:
        read_policy(path)
    assert [problem.pointer for problem in caught.value.problems] == [
        "/exceptions/0/reason",
        "/exceptions/0/until",
        "/exceptions/0/what",
        "/fail/api",
        "/fail/wire",
        "/more",
    ]


@pytest.mark.usefixtures("in_project")
def test_text_ends_with_verdicts() -> None:
    result = run_in_project()
    assert (result.exit_code, result.stderr) == (3, "")
    assert result.stdout.splitlines()[-2:] == [
        r"excepted: Other.text: type changed: until 9999-12-31: it is\n: unread, 100 %",
        "policy: 1 fail, 1 excepted, 3 pass, 1 not used",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--format", "gitlab"),
            "--format gitlab: requires a file and a line for each change; add --used-by",
        ),
        (
            ("--used-by", "src", "--extension"),
            "--used-by: applies to surfaces, not to extensions; omit it",
        ),
    ],
)
def test_options_that_do_not_fit(options: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(app, ["diff", "v2", "v2", *options])
    assert result.exit_code == 2
    shown = " ".join(result.stderr.replace("│", " ").split())
    assert f" Invalid value for {message} ╰" in shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fail = 1", "/fail: must be a table; write [fail]"),
        ("[fail]\nwire = 'x'", "/fail/wire: must be one of breaking, compatible, internal, never"),
        ("[fail]\nunknown = 1", "/fail/unknown: must be true or false"),
        ("[fail]\nmore = 1", "/fail/more: unknown key; use one of wire, python, unknown"),
        ("more = 1", "/more: unknown key; use one of fail, exceptions"),
        (
            "exceptions = 1",
            "/exceptions: must be tables; write [[exceptions]] before each exception",
        ),
        (
            "exceptions = [1]",
            "/exceptions: must be tables; write [[exceptions]] before each exception",
        ),
        (
            "[[exceptions]]\nname = ''\nwhat = 'a'\nreason = 'r'\nuntil = 2030-01-31",
            "/exceptions/0/name: must be a non-empty string; "
            "an exception requires name, what, reason, until",
        ),
        (
            "[[exceptions]]\nname = 'a'\nwhat = 'a'\nreason = 'r'\nuntil = '2030'",
            "/exceptions/0/until: must be a date, such as 2030-01-31; "
            "an exception requires name, what, reason, until",
        ),
    ],
)
def test_a_mistake_in_a_policy_is_explained(text: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_policy(path)
    [problem] = caught.value.problems
    assert f"{problem.pointer}: {problem.message}" == expected


@pytest.mark.parametrize("content", [b"[fail", b"a = '\xff'"])
def test_a_policy_that_is_not_toml_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"policy\.toml: is not valid TOML \(.*; fix the file"):
        read_policy(path)


def test_an_empty_policy_is_the_default(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.touch()
    assert read_policy(path) == Policy(file=display_path(path))
