"""The results of `make reality`, which are stored in RESULTS.toml.

The quirks in `programs.toml` explain the known differences. The table "Works with" is rendered from
both files.
"""

from __future__ import annotations

import datetime
import json
import sys
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from .programs import Program

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RESULTS = Path(__file__).resolve().parent / "RESULTS.toml"
PLAYED = "played"
NOT_OFFERED = "not offered"
MODES = {"v1": "protocol 1", "v2": "protocol 2"}
_HEAD = """\
# What real agents and clients did. Written by `make reality`; do not edit.
# `v1` is protocol 1. `v2` is protocol 2 on our side, with the bridge if the program speaks 1.
"""


@dataclass
class Measured:
    """The observed results of a program.

    Attributes:
        date: the date of the run.
        version: the version of its package.
        unavailable: the reason why the program couldn't be installed, if any.
        speaks: the protocol version that the program spoke in each mode, or 0 if it did not start.
        scenes: the outcome of each scene in each mode: PLAYED, NOT_OFFERED, or a description of
            the problem.
        problems: other findings, each preceded by its kind: `agent` and `client` for a protocol
            violation by that side, `issue` for a repair, `loss` for data that the bridge could not
            carry over, and `state` for a difference between our client's state and the recording.
    """

    date: datetime.date
    version: str
    unavailable: str = ""
    speaks: dict[str, int] = field(default_factory=dict[str, int])
    scenes: dict[str, dict[str, str]] = field(default_factory=dict[str, "dict[str, str]"])
    problems: list[str] = field(default_factory=list[str])

    def findings(self) -> list[str]:
        """Return the findings that need an explanation, as `MODE SCENE: OUTCOME` or `KIND: TEXT`.

        Losses don't need an explanation, since the guide to the bridge lists them.
        """
        scenes = [
            f"{mode} {scene}: {outcome}"
            for mode, outcomes in self.scenes.items()
            for scene, outcome in outcomes.items()
            if outcome not in (PLAYED, NOT_OFFERED)
        ]
        missing = [f"unavailable: {self.unavailable}"] if self.unavailable else []
        others = [each for each in self.problems if not each.startswith("loss: ")]
        return [*missing, *scenes, *others]


def read_results(path: Path = RESULTS) -> dict[str, Measured]:
    if not path.exists():
        return {}
    data = tomllib.loads(path.read_text("utf-8"))
    return {name: Measured(**about) for name, about in data.items()}


def write_results(results: dict[str, Measured], path: Path = RESULTS) -> None:
    path.write_text(_HEAD + "".join(_text(*each) for each in results.items()), "utf-8")


def _text(name: str, measured: Measured) -> str:
    lines = ["", f"[{_quoted(name)}]", f"date = {measured.date}"]
    lines.append(f"version = {_quoted(measured.version)}")
    if measured.unavailable:
        lines.append(f"unavailable = {_quoted(measured.unavailable)}")
    if measured.speaks:
        spoken = (f"{mode} = {version}" for mode, version in measured.speaks.items())
        lines.append(f"speaks = {{ {', '.join(spoken)} }}")
    if measured.problems:
        lines += ["problems = [", *(f"    {_quoted(each)}," for each in measured.problems), "]"]
    for mode, outcomes in measured.scenes.items():
        lines += ["", f"[{_quoted(name)}.scenes.{mode}]"]
        lines += [f"{scene} = {_quoted(outcome)}" for scene, outcome in outcomes.items()]
    return "\n".join(lines) + "\n"


def _quoted(text: Any) -> str:
    return json.dumps(text, ensure_ascii=False)


def unexplained(program: Program, measured: Measured) -> list[str]:
    """Return the findings that no quirk of the program explains."""
    quirks = program.quirks
    patterns = [each for quirk in quirks for each in (*quirk.explains, *quirk.sometimes)]
    return [
        finding
        for finding in measured.findings()
        if not any(fnmatchcase(finding, pattern) for pattern in patterns)
    ]


def outdated(program: Program, measured: Measured) -> list[str]:
    """Return the patterns of the program's quirks that match no finding."""
    findings = measured.findings()
    return [
        pattern
        for quirk in program.quirks
        for pattern in quirk.explains
        if not any(fnmatchcase(finding, pattern) for finding in findings)
    ]
