"""Tests that the pages mark the parts that only the unstable surfaces contain."""

from __future__ import annotations

from acpdocs.content import SurfacePages
from acpgen.emit.contexts.codec import CodecContext
from acpgen.ir.model import Record
from acpgen.ir.surface import Surface

from tests.acpdocs.reference import on_one_worker
from tests.support.site import Page

pytestmark = on_one_worker


def test_parts_that_the_stable_surface_lacks_are_marked_unstable(
    surfaces: dict[str, Surface], pages: dict[str, SurfacePages], site: dict[str, Page]
) -> None:
    for version in ("v1", "v2"):
        stable, unstable = surfaces[version], surfaces[f"{version}_unstable"]
        expected = {*CodecContext(unstable).class_names()} - {*CodecContext(stable).class_names()}
        marked = {page.name for page in pages[unstable.name].types if page.unstable}
        assert marked == expected
        assert marked
        for definition in unstable.definitions.values():
            known = stable.definitions.get(definition.name)
            if isinstance(definition, Record) and isinstance(known, Record):
                new = {m.wire for m in definition.members} - {m.wire for m in known.members}
                page = next(p for p in pages[unstable.name].types if p.name == definition.name)
                assert {m.wire for m in page.members if m.unstable} == new
        shown = [page for page in pages[version].types if page.unstable]
        shown += [p for side in pages[version].methods.values() for p in side if p.unstable]  # type: ignore[misc]
        assert shown == []
        assert "unstable" in site[f"{version}_unstable/types/{min(marked)}.html"].text
