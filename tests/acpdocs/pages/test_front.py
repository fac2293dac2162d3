"""Tests of the page header and of the front page, which shows the beginning of the README."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from acpdocs.pages.front import front_page
from acpdocs.zensical.building import repository_page
from acpgen import __version__
from acpgen.ir.surface import Surface

from tests.support.paths import GUIDE_TEMPLATES, README
from tests.support.site import Page

SVG = "{http://www.w3.org/2000/svg}"
# One worker runs all these tests, because reading the entire site is slow.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reference")]


def test_it_says_the_same_in_the_same_order_as_the_readme(site: dict[str, Page]) -> None:
    shown, _, rest = README.read_text(encoding="utf-8").partition("<!-- The front page")
    printed = r"^#+ ([^\n]+)|^```\w+\n(.*?)^```$|^- \*\*([^\n]+?)\*\*|^(Typed [^\[]+)"
    pieces = re.findall(printed, shown, re.M | re.S)
    words = [" ".join("".join(piece).split()) for piece in pieces]
    assert len(words) > 15
    text = site["index.html"].text
    start = 0
    for piece in words:
        start = text.find(piece, start)
        assert start >= 0, f"{piece} is not there, or not in its place"
    assert re.findall(r"^## (.+)$", rest, re.M)[0] == "A client"
    assert "A client The" not in text[start:]


def test_its_pictures_and_guides_are_on_the_site(site: dict[str, Page], built: Path) -> None:
    pictures = [link for link in site["index.html"].links if link.endswith(".svg")]
    assert pictures == list(front_page().pictures)
    assert len(pictures) == 3
    assert all((built / path).is_file() for path in pictures)
    linked = {link for link in site["index.html"].links if link.startswith("guides/")}
    assert {"guides/agent.html", "guides/client.html", "guides/vendoring.html"} <= linked


def test_the_drawing_of_the_parts_has_each_surface(surfaces: dict[str, Surface]) -> None:
    drawing = ElementTree.parse(GUIDE_TEMPLATES.parent / "overview" / "parts.svg")
    words = " ".join("".join(text.itertext()) for text in drawing.iter(f"{SVG}text"))
    assert {*surfaces, "acpgen", "acp_bindings", "sessions:", "bridge"} <= set(words.split())


def test_each_page_has_the_version_and_the_next_page(site: dict[str, Page]) -> None:
    for path in ("index.html", "v1/types/ToolCall.html", "guides/bridge.html"):
        page = site[path]
        assert page.text.count(__version__) == 2  # once in the header and once in the footer
        assert "Next" in page.text


@pytest.mark.parametrize(
    ("origin", "page"),
    [
        ("https://forge.example/team/project.git", "https://forge.example/team/project"),
        ("https://user:secret@forge.example/team/project", "https://forge.example/team/project"),
        ("ssh://git@forge.example/team/project.git", "https://forge.example/team/project"),
        ("ssh://git@forge.example:2222/team/project", "https://forge.example/team/project"),
        ("git@forge.example:team/project.git", "https://forge.example/team/project"),
        ("/srv/git/project", None),
        ("../project.git", None),
        ("", None),
    ],
)
def test_the_page_of_the_repository_follows_from_its_address(origin: str, page: str | None) -> None:
    assert repository_page(origin) == page
