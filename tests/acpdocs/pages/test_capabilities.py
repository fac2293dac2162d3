"""Tests that the capability pages list every capability."""

from __future__ import annotations

from acpdocs.content import SurfacePages
from acpgen.ir.surface import Surface

from tests.acpdocs.reference import each_surface, on_one_worker
from tests.support.site import Page

pytestmark = on_one_worker


@each_surface
def test_every_capability_has_an_anchor_and_lists_what_needs_it(
    name: str, surfaces: dict[str, Surface], pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    needed: dict[tuple[str, str], int] = {}
    for method in surfaces[name].methods:
        capabilities = [method.capability] if method.capability else []
        for capability in [*capabilities, *(need.capability for need in method.needs)]:
            key = (method.side, capability.pointer)
            needed[key] = needed.get(key, 0) + 1
    rows = {
        (side, row.pointer): row for side, rows in pages[name].capabilities.items() for row in rows
    }
    assert len(needed) > 5
    assert {key: len(rows[key].needed_by) for key in needed} == needed
    assert not any(row.needed_by for key, row in rows.items() if key not in needed)
    ids = site[f"{name}/capabilities.html"].ids
    assert all(row.anchor in ids for row in rows.values())


@each_surface
def test_a_capability_has_the_summary_of_its_type(
    name: str, surfaces: dict[str, Surface], pages: dict[str, SurfacePages]
) -> None:
    summaries = surfaces[name].summaries
    rows = [row for rows in pages[name].capabilities.values() for row in rows]
    described = [row for row in rows if row.shape[0].text in summaries]
    assert len(described) > 5
    for row in described:
        assert row.summary == summaries[row.shape[0].text]
