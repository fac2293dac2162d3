"""Tests of the printed lines and the checked requirements of recordings that break many rules.

The goldens show styles as Rich markup. Pass `--update-goldens` to rewrite them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from acpwire.recording.reading import read_lines
from acpwire.rules.checker import follow
from acpwire.trace.printing import show

from tests.support.goldens import check_golden
from tests.support.styled import styled_lines

RECORDINGS = Path(__file__).with_name("recordings")


@pytest.mark.parametrize("name", ["v1", "v2", "bridge", "messages"])
def test_a_recording_is_printed_and_judged_as_before(
    name: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    with (RECORDINGS / f"{name}.jsonl").open("rb") as file:
        conversation = follow(read_lines(file))
    lines = styled_lines(monkeypatch)
    show(conversation)
    lines += ["", "Requirements that each line was checked for:"]
    lines += [
        f"{entry.line}: {', '.join(sorted(entry.judged))}"
        for entry in conversation.entries
        if entry.judged
    ]
    check_golden(RECORDINGS / f"{name}.txt", lines, request)
