"""Tests that the site contains pages for the sample extension in the guide about extensions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from acpdocs.pages.surface import extension_pages
from acpgen.ir.model import Capability
from acpgen.ir.surface import Surface

from tests.acpdocs.reference import on_one_worker

pytestmark = on_one_worker


def test_each_type_and_method_has_a_page(sample: Surface, built: Path) -> None:
    assert sample.methods
    assert sample.definitions
    for name in sample.definitions:
        assert (built / "acme" / "types" / f"{name}.html").exists()
    for method in sample.methods:
        page = (built / "acme" / "methods" / method.side / f"{method.name}.html").read_text()
        assert str(method.wire) in page


def test_types_of_the_protocol_are_linked_and_have_no_pages_of_their_own(
    sample: Surface, built: Path
) -> None:
    assert sample.foreign
    text = (built / "acme" / "types" / "SessionUpdate.html").read_text()
    assert 'href="../../v2/types/SessionUpdate.html"' in text
    assert {each.stem for each in (built / "acme" / "types").iterdir()} == {*sample.definitions}


def test_a_capability_of_an_extension_is_shown(sample: Surface) -> None:
    capability = Capability("/capabilities/_meta/acme", ("capabilities", "meta", "acme"))
    methods = tuple(replace(each, capability=capability) for each in sample.methods)
    [page, *_] = extension_pages(replace(sample, methods=methods), "acme").methods["agent"]
    assert page.capability is not None
    assert (page.capability.text, page.capability.target) == (capability.pointer, None)
