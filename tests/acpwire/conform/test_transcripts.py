"""Tests of everything that the probes send to a program that conforms to the specification.

Pass `--update-goldens` to rewrite the transcripts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acpgen.inputs.overlay.requirements import SIDES as SIDE_NAMES
from acpgen.inputs.overlay.requirements import RequiredOf
from acpwire.conform.judging import judge
from acpwire.conform.player import Player, Task
from acpwire.conform.wire import Wire
from acpwire.surfaces import VERSIONS

from tests.acpwire.conform.here import PATIENCE, PROGRAMS, REQUIREMENTS, SIDES, opener
from tests.support import virtual_time
from tests.support.goldens import check_golden

TRANSCRIPTS = Path(__file__).with_name("transcripts")
LONGEST = 1000  # the number of characters after which a line is cut
# Strings that differ between runs, and their replacements.
CHANGING = {sys.executable: "python", str(Path.cwd()): "/checkout"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="transcripts have POSIX paths")


def recording(side: RequiredOf, wires: dict[str, Wire]) -> type[Player]:
    """Return a class of players that add the wire of each probe to `wires`."""

    class Recording(SIDES[side]):  # type: ignore[misc]
        def __init__(self, wire: Wire, version: int, probe: str, *more: Any) -> None:
            wires[probe] = wire
            super().__init__(wire, version, probe, *more)

    Recording.probes = SIDES[side].probes
    return Recording


def sent(wire: Wire) -> list[str]:
    """Return the lines sent to the program. Long lines are cut."""
    return [
        text if len(text) <= LONGEST else f"{text[:100]}... ({len(text)} characters)"
        for text in (line.text for line in wire.lines if line.sent)
    ]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("side", SIDE_NAMES)
def test_probes_send_what_the_transcript_lists(
    side: RequiredOf, version: int, request: pytest.FixtureRequest
) -> None:
    opened = opener(side, PROGRAMS[side], lambda: lambda data: [data])
    every: list[Wire] = []
    of_probes: dict[str, Wire] = {}

    @asynccontextmanager
    async def open(command: Sequence[str], timeout: float) -> AsyncGenerator[Wire]:
        async with opened(command, timeout) as wire:
            every.append(wire)
            yield wire

    task = Task((str(version),), PATIENCE, ("tool",), open=open, folder="/project")
    judged = judge(recording(side, of_probes), task, REQUIREMENTS.of(side), [version])
    report = virtual_time.run(judged, within=600)
    lines = ["## no probe"]
    lines += [line for wire in every if wire not in of_probes.values() for line in sent(wire)]
    for probe in sorted(of_probes):
        lines += ["", f"## {probe}", *sent(of_probes[probe])]
    lines += ["", "## verdicts"]
    for verdict in report.verdicts:
        lines.append(f"{verdict.requirement.id}: {verdict.status} {verdict.reason}".rstrip())
    text = "\n".join(lines)
    for part, constant in CHANGING.items():
        text = text.replace(part, constant)
    text = re.sub(r"(?<=/\.acpgen-conform-)\w+", "x", text)
    check_golden(TRANSCRIPTS / f"{side}-{version}.txt", text.splitlines(), request)
