"""Tests that the conformance requirements and their probes are complete and consistent."""

from __future__ import annotations

from collections import Counter

import pytest
from acpgen.common import paths
from acpgen.inputs.overlay.decisions import NO_CAPABILITY
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.overlay.requirements import SIDES
from acpwire.conform.player import Player
from acpwire.conform.probes_of_agents import PlayedClient
from acpwire.surfaces import VERSIONS, load, surfaces_of

from tests.acpwire.conform.faults import FAULTS

OVERLAY = load_overlay(paths.SCHEMA / "overlay")
REQUIREMENTS = OVERLAY.requirements


@pytest.mark.parametrize("side", SIDES)
def test_ids_and_areas_are_unique_on_a_side(side: str) -> None:
    demands = [demand for demand in REQUIREMENTS.demands if demand.side == side]
    counted = Counter([*(each.id for each in demands), *{each.area for each in demands}])
    assert [name for name, number in counted.items() if number > 1] == []


def test_each_requirement_of_agents_is_judged_and_broken_by_a_fault() -> None:
    ids = {demand.id for demand in REQUIREMENTS.of("agent")}
    judged = {name for probe in Player.probes + PlayedClient.probes for name in probe.judges}
    assert judged <= ids
    assert {name for fault in FAULTS.values() for name in fault.breaks} == ids


@pytest.mark.parametrize("version", VERSIONS)
def test_each_method_of_a_stable_surface_has_a_requirement_or_a_reason(version: int) -> None:
    tables = load(surfaces_of(version)[0]).METHODS.values()
    methods = [method for table in tables for method in table]
    assert len(methods) > 15
    sides = [side for side in SIDES if REQUIREMENTS.of(side)]
    assert "agent" in sides
    assert [
        (side, method)
        for side in sides
        for method in methods
        if not REQUIREMENTS.covers(side, version, method)
    ] == [], "add them to schema/overlay/requirements.toml"


@pytest.mark.parametrize("name", ["agent-capabilities", "client-capabilities"])
def test_methods_that_must_be_advertised_need_a_capability(name: str) -> None:
    [demand] = [each for each in REQUIREMENTS.demands if each.id == name]
    needing = {
        method
        for (_, _, method), entries in OVERLAY.capabilities.items()
        for entry in entries
        if entry.member is None and entry.capability != NO_CAPABILITY
    }
    assert demand.methods
    assert set(demand.methods) <= needing


def test_capabilities_are_those_of_methods() -> None:
    known = {entry.capability for entries in OVERLAY.capabilities.values() for entry in entries}
    named = {
        capability for demand in REQUIREMENTS.demands for capability in demand.capabilities.values()
    }
    assert len(named) > 10
    assert named <= known
