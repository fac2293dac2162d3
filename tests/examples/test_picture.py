"""Tests that the picture of an agent at work matches the editor's current output."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.examples import picture
from tests.support.paths import ROOT

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = ROOT / "templates/reference/overview/at-work.svg"


def texts(drawn: str) -> set[str]:
    """Return the set of a picture's text elements that don't depend on timing.

    The editor draws the session's current state. Therefore, the editor can skip the pending or
    in-progress state of a short step, or draw the same plan twice.
    """
    found = (each.text or "" for each in ElementTree.fromstring(drawn).iter(f"{SVG}text"))
    return {text for text in found if not text.startswith(("○", "▶"))}


def test_the_picture_shows_what_the_editor_prints() -> None:
    drawn = texts(DRAWN.read_text(encoding="utf-8"))
    assert len(drawn) > 20
    assert drawn == texts(picture.draw(picture.conversation()))


def test_the_picture_loads_nothing() -> None:
    assert "url(http" not in DRAWN.read_text(encoding="utf-8")
