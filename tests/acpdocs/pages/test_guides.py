"""Tests that the site contains the example programs."""

from __future__ import annotations

from pathlib import Path

from tests.acpdocs.reference import on_one_worker
from tests.examples.driving import HERE, PROGRAMS
from tests.support.site import Page

pytestmark = on_one_worker


def test_the_example_programs_are_complete_on_the_site(site: dict[str, Page]) -> None:
    page = site["guides/examples.html"]
    for name in PROGRAMS:
        code = (HERE / name).read_text(encoding="utf-8")
        assert "".join(code.split()) in "".join(page.text.split()), name
        assert {Path(name).stem, f"{Path(name).stem}-page"} & {*page.ids}, name
    for guide, name in (
        ("agent", "agent_with_tools"),
        ("agent", "coder"),
        ("client", "editor"),
        ("remote", "websocket"),
    ):
        assert f"examples.html#{name}" in site[f"guides/{guide}.html"].links
