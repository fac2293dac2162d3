"""The requirements are data: each is judged, and each method has one."""

from __future__ import annotations

from collections import Counter

import pytest
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.overlay.requirements import SIDES
from acpgen.wire.conform.agent import AGENT
from acpgen.wire.conform.watching import WATCHED
from conform.faults import FAULTS

REQUIREMENTS = load_overlay(paths.SCHEMA / "overlay").requirements


@pytest.mark.parametrize("side", SIDES)
def test_ids_are_unique_on_a_side(side: str) -> None:
    counted = Counter(demand.id for demand in REQUIREMENTS.demands if demand.side == side)
    assert [name for name, number in counted.items() if number > 1] == []


def test_each_requirement_of_agents_is_judged_and_broken_by_a_fault() -> None:
    ids = {demand.id for demand in REQUIREMENTS.of("agent")}
    judged = {name for probe in AGENT.probes.listed for name in probe.judges}
    assert judged | {*WATCHED, *AGENT.watched} == ids
    assert {name for fault in FAULTS.values() for name in fault.breaks} == ids
