"""Tests that descriptions of shapes link to the types that they mention."""

from __future__ import annotations

import pytest
from acpdocs.content import TextRun, sentence
from acpdocs.links import Links, relative_link, side_title
from acpgen.ir.model import Array, Capability, Nullable, Reference, String
from acpgen.ir.surface import Surface

COST = TextRun("Cost", "v2/types/Cost.md", code=True)


def test_the_types_in_a_shape_are_linked(surfaces: dict[str, Surface]) -> None:
    links = Links(surfaces["v2"])
    assert links.type("Cost") == COST
    assert links.shape(Reference("Cost")) == (COST,)
    listed = links.shape(Nullable(Array(Reference("Cost"))))
    assert listed == (TextRun("list of "), COST, TextRun(" or null"))


def test_other_text_in_a_shape_is_not_linked(surfaces: dict[str, Surface]) -> None:
    """A pattern in a schema can contain any text, including text that looks like a path."""
    runs = Links(surfaces["v2"]).shape(String(0, "\0../x\0"))
    assert [run.target for run in runs] == [None] * len(runs)
    assert "../x" in "".join(run.text for run in runs)


def test_the_gaps_of_a_sentence_are_filled() -> None:
    runs = sentence("After {one}, {two}.", one=COST, two=(TextRun("a"), TextRun("b")))
    assert "".join(run.text for run in runs) == "After Cost, ab."
    assert runs[1] is COST
    assert sentence("All.") == (TextRun("All."),)


def test_capabilities_are_linked_except_those_of_extensions(
    surfaces: dict[str, Surface], sample: Surface
) -> None:
    capability = Capability("/session/close", ("session", "close"))
    target = "v2/capabilities.md#agent.session.close"
    linked = TextRun("/session/close", target, code=True)
    assert Links(surfaces["v2"]).capability("agent", capability) == linked
    plain = TextRun("/session/close", code=True)
    assert Links(sample).capability("agent", capability) == plain


def test_methods_of_both_sides_are_of_either_side() -> None:
    titles = [side_title(side) for side in ("agent", "protocol")]
    assert titles == ["Methods of the agent", "Methods of either side"]


@pytest.mark.parametrize(
    ("page", "target", "expected"),
    [
        ("v2/index.md", "v2/types/Cost.md#member-amount", "types/Cost.md#member-amount"),
        ("v2/types/Cost.md", "index.md", "../../index.md"),
        ("index.md", "v2/index.md", "v2/index.md"),
        ("v2/agent.md", "v2/agent.md#initialize", "#initialize"),
        ("v2/agent.md", "v2/agent.md", "agent.md"),
        ("index.md", "https://example.org/a#b", "https://example.org/a#b"),
    ],
)
def test_links_are_relative_to_their_page(page: str, target: str, expected: str) -> None:
    assert relative_link(page, target) == expected
