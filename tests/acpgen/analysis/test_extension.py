"""Tests of the names that an extension uses for the protocol's definitions."""

from __future__ import annotations

from acpgen.analysis.extension import qualify
from acpgen.analysis.surface import understand
from acpgen.ir.model import Reference, TaggedUnion


def test_alternatives_for_other_tags_have_qualified_names() -> None:
    [surface], _ = understand(None, ["v2"])
    definitions = qualify(surface)
    union = definitions["v2.CreateElicitationRequest"]
    assert isinstance(union, TaggedUnion)
    assert union.unknown is not None
    assert union.unknown.choice is not None
    shapes = [arm.shape for arm in union.unknown.choice.arms]
    assert shapes == [
        Reference("v2.ElicitationSessionScope"),
        Reference("v2.ElicitationRequestScope"),
    ]


def test_the_alternative_without_a_tag_has_a_qualified_name() -> None:
    [surface], _ = understand(None, ["v1"])
    definitions = qualify(surface)
    defaults = {
        name: union.default
        for name, union in definitions.items()
        if isinstance(union, TaggedUnion) and union.default is not None
    }
    assert defaults["v1.McpServer"] == Reference("v1.McpServerStdio")
    assert isinstance(untagged := definitions["v1.ContentBlock"], TaggedUnion)
    assert untagged.default is None
