"""The picture of an agent at work shows what the editor prints today."""

from __future__ import annotations

from html import unescape
from xml.etree import ElementTree

from examples import picture
from support.paths import ROOT

DRAWN = ROOT / "templates/reference/overview/at-work.svg"


def texts(drawn: str) -> list[str]:
    """Return the texts of a picture, in their order."""
    texts = (each.text or "" for each in ElementTree.fromstring(drawn).iter() if each.text)
    return [unescape(text) for text in texts if "{" not in text]  # without the style sheet


def test_the_picture_shows_what_the_editor_prints() -> None:
    assert texts(DRAWN.read_text(encoding="utf-8")) == texts(picture.draw(picture.conversation()))


def test_the_picture_loads_nothing() -> None:
    assert "url(http" not in DRAWN.read_text(encoding="utf-8")
