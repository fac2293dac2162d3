"""Tests that turn diagrams show each message on the page and each transition in the runtime."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from acp_bindings.runtime.session.turn_phases import PHASES, PHASES_WITHOUT_ECHO
from acpdocs import turn_drawings

from tests.support.paths import GUIDE_TEMPLATES
from tests.support.printed import fenced

GUIDE = "sessions-and-turns.md"
PAGE = GUIDE_TEMPLATES / GUIDE
TEXT = PAGE.read_text(encoding="utf-8")
SVG = "{http://www.w3.org/2000/svg}"


def svg(text: str) -> ElementTree.Element:
    """Check that a diagram is a single, well-formed Markdown block, and return its SVG element."""
    assert "\n\n" not in text
    [drawing] = ElementTree.fromstring(text).iter(f"{SVG}svg")
    [title], [words] = named(drawing, "title"), named(drawing, "desc")
    assert drawing.attrib["aria-labelledby"].split() == [title.attrib["id"], words.attrib["id"]]
    # The diagram uses the text color, so it contains no color codes.
    assert "#" not in ElementTree.tostring(drawing, "unicode")
    return drawing


def named(drawing: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    return drawing.findall(f".//{SVG}{tag}")


def test_each_message_of_the_page_is_in_its_drawing() -> None:
    page = turn_drawings.draw_turns(TEXT)
    drawn = [svg(figure) for figure in re.findall(r"<figure>.*?</figure>", page, re.S)]
    printed = fenced(PAGE, "text")[:2]
    for number, (drawing, block) in enumerate(zip(drawn, printed, strict=True), 1):
        assert named(drawing, "title")[0].text == f"A turn in protocol {number}"
        labels = [text.text for text in named(drawing, "text")]
        read = turn_drawings.messages(block)
        assert len(read) == block.count("\n") > 5
        for message in read:
            assert message.label in labels
            assert not message.shown or message.shown in labels
        assert {"Clean up", "Delete the cache", "yes", "Done."} <= set(labels)
        # One bar represents the prompt, and the other represents the permission request.
        assert len(named(drawing, "rect")) == 2


TABLES = {"PHASES": PHASES, "PHASES_WITHOUT_ECHO": PHASES_WITHOUT_ECHO}


def test_the_usual_events_are_in_the_runtime() -> None:
    events = {event for table in TABLES.values() for row in table.values() for event in row}
    assert set(turn_drawings._USUAL) <= events


@pytest.mark.parametrize("name", TABLES)
def test_each_transition_of_the_runtime_is_in_the_drawing(name: str) -> None:
    table = TABLES[name]
    assert turn_drawings.transitions(name) == table
    drawing = svg(turn_drawings.draw_phases(table, "A turn", "turn"))
    drawn = [tuple(arrow.attrib["data-transition"].split()) for arrow in named(drawing, "g")]
    assert len(drawn) == len(set(drawn)) == sum(map(len, table.values())) > 8
    assert set(drawn) == {
        (phase, event, then) for phase, row in table.items() for event, then in row.items()
    }
    [words] = named(drawing, "desc")
    assert words.text is not None
    for phase, row in table.items():
        for event, then in row.items():
            assert re.search(rf"\b{phase}: [^.]*\b{event} leads to {then}\b", words.text)
