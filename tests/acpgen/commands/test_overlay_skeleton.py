"""Tests of problem summaries and of the file with missing overlay entries."""

from __future__ import annotations

from pathlib import Path

from acpgen.analysis.updates import MISSING_RULE
from acpgen.commands.overlay_skeleton import LISTED, summarise, write_skeleton
from acpgen.common.problems import Problem


def test_summaries_count_the_problems_of_each_kind() -> None:
    few = [Problem("a.toml", f"/{number}", "few", "is wrong") for number in range(2)]
    many = [Problem("b.toml", f"/{number}", "many", "is wrong") for number in range(LISTED + 3)]
    assert list(summarise([*many, *few])) == [
        "2 of kind few",
        *(problem.line() for problem in few),
        f"{LISTED + 3} of kind many",
        *(problem.line() for problem in many[:LISTED]),
        "... and 3 more",
    ]


def test_problems_up_to_the_limit_are_all_listed() -> None:
    problems = [Problem("a.toml", f"/{number}", "many", "is wrong") for number in range(LISTED)]
    assert list(summarise(problems)) == [
        f"{LISTED} of kind many",
        *(problem.line() for problem in problems),
    ]


def test_an_earlier_skeleton_is_removed_if_no_entry_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "missing.toml"
    for _ in range(2):
        assert write_skeleton(path, [Problem("a.toml", "/x", "overlay", "is wrong")]) == 0
        assert not path.exists()
        path.touch()


def test_a_missing_rule_needs_an_operation(tmp_path: Path) -> None:
    path = tmp_path / "missing.toml"
    problem = Problem("updates.toml", "/v2/a~1b", MISSING_RULE, "has no rule")
    assert write_skeleton(path, [problem]) == 1
    assert path.read_text(encoding="utf-8") == (
        "# Missing in updates.toml: fill in, uncomment and move to that file.\n\n"
        '# [v2."a/b"]\n# op = ""\n'
    )
