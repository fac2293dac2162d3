"""Tests that the site has a page for every method."""

from __future__ import annotations

from pathlib import Path

from acpdocs.content import SurfacePages
from acpgen.ir.surface import Surface

from tests.acpdocs.reference import at, each_surface, on_one_worker
from tests.support.site import Page

pytestmark = on_one_worker


@each_surface
def test_every_method_has_a_page(
    name: str, surfaces: dict[str, Surface], pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    surface = surfaces[name]
    found = [page for side in pages[name].methods.values() for page in side]
    assert len(found) == len(surface.methods) > 20
    assert len({page.path for page in found}) == len(found)
    for page in found:
        shown = site[at(page)]
        assert page.title in shown.text
        assert page.specification is None or page.specification in shown.links
        listed = site[f"{name}/{page.side}.html"]
        assert f"methods/{page.side}/{Path(at(page)).name}" in listed.links
    assert any(page.specification for page in found)


@each_surface
def test_a_method_names_its_handlers_and_callers(name: str, pages: dict[str, SurfacePages]) -> None:
    for page in (page for side in pages[name].methods.values() for page in side):
        sides = ["Agent", "Client"] if page.side == "protocol" else [page.side.title()]
        method = page.handlers[0].partition(".")[2]
        assert page.handlers == tuple(f"{side}Handler.{method}" for side in sides)
        assert page.callers == tuple(f"{side}Stub.{method}" for side in sides)
