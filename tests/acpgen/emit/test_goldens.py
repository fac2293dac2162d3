"""Tests of the complete output for a small schema and of the behavior of a larger package."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, get_args

import pytest
from acpdocs.facts.examples import Examples
from acpdocs.facts.sample_values import Samples
from acpdocs.pages.surface import surface_pages
from acpgen.analysis.surface import build
from acpgen.common.paths import TEMPLATES
from acpgen.common.problems import InputError
from acpgen.emit.package import render_package, render_surface
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.model import Alias, Array, Boolean, Null, Record, Shape
from acpgen.ir.queries import walk
from acpgen.ir.surface import Surface
from acpgen.schema import keywords
from acpgen.schema.document import load_document, subschemas

from tests.support.paths import GOLDEN

SMALL = GOLDEN / "small.json"
OVERLAY = Overlay(
    pages={("v2", "canvas/draw"): "drawing", ("v2", "relay/pass"): "/relays"},
    summaries={"CanvasId": "The id of a canvas."},
    members={
        ("*", "_meta"): "Whatever the sender adds.",
        ("DrawRequest", "tags"): "Words to find the drawing by, of any length and in any number.",
        ("Circle", "radius"): "Half of the diameter.",
    },
    methods={"canvas/draw": "Have the client draw."},
    deprecated={
        "Ring": ("Circle", "0.2.0"),
        "Round": ("Circle", "0.2.0"),
        "Tint": ("Colour", "0.2.0"),
        "DrawRequest": ("Circle", "0.2.0"),  # again a separate class
        "Nothing": ("Gone", "0.2.0"),
    },
)


@pytest.fixture(scope="module")
def small() -> Surface:
    return build(load_document(SMALL), OVERLAY, "v2").surface


@pytest.fixture(scope="module")
def surface() -> Surface:
    return build(load_document(GOLDEN / "schema.json"), OVERLAY, "v2").surface


def test_output_is_the_golden_one(small: Surface, request: pytest.FixtureRequest) -> None:
    rendered = render_surface(small, TEMPLATES)
    expected = GOLDEN / "expected"
    if request.config.getoption("--update-goldens"):
        for path, text in rendered.items():
            (expected / path).parent.mkdir(parents=True, exist_ok=True)
            (expected / path).write_text(text, encoding="utf-8")
    stored = {
        path.relative_to(expected).as_posix(): path.read_text(encoding="utf-8")
        for path in expected.rglob("*.py")
    }
    assert rendered == stored


def test_schema_uses_every_keyword_the_generator_allows() -> None:
    root = json.loads(SMALL.read_text(encoding="utf-8"))
    used = {key for _, schema in subschemas(root) for key in schema}
    assert (keywords.RULES | keywords.VENDOR) - used == set()


def test_schema_uses_every_kind_of_shape(small: Surface) -> None:
    members = [m.shape for d in small.definitions.values() for m in getattr(d, "members", ())]
    aliases = [d.shape for d in small.definitions.values() if isinstance(d, Alias)]
    used = {type(inner) for shape in (*members, *aliases) for inner in walk(shape)}
    assert set(get_args(Shape)) - used == {Null}  # no ACP definition accepts only null


@pytest.mark.parametrize("kind", [Boolean, Array])
def test_a_kind_that_the_codec_lacks_is_an_error(
    kind: type, small: Surface, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "kind", "made-up")
    with pytest.raises(InputError, match=r"error\[template\]: .*has no branch for made-up"):
        render_surface(small, TEMPLATES, types_only=True)


@pytest.fixture(scope="module")
def shapes(surface: Surface, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("golden")
    files = {**render_package(TEMPLATES), **render_surface(surface, TEMPLATES)}
    for path, text in files.items():
        target = folder / "golden_bindings" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    yield importlib.import_module("golden_bindings.v2")
    sys.path.remove(str(folder))


def test_descriptions_become_docstrings(shapes: ModuleType) -> None:
    assert shapes.DrawRequest.__doc__ == (
        'A record. It says "draw" \\ and """stops""".\n    Second line.\n\n'
        "    Wire: canvas/draw. Source: ACP v2 schema, $defs/DrawRequest.\n    "
    )


def test_open_enumerations_in_place_have_names(shapes: ModuleType) -> None:
    issues: list[Any] = []
    style = shapes.Style(finish=shapes.Unlisted("matt"), colour="red")
    assert shapes.dumps(style, on_issue=issues.append) == '{"colour":"red","finish":"matt"}'
    [issue] = issues
    assert (issue.pointer, issue.reason) == (
        "/finish",
        "not one of matte, gloss; did you mean 'matte'?",
    )
    assert get_args(shapes.StyleFinish)[1] is shapes.Unlisted
    assert shapes.decode(shapes.StyleFinish, "silk") == "silk"


def test_a_former_name_works_and_warns(shapes: ModuleType) -> None:
    with pytest.warns(DeprecationWarning, match="Ring has been called Circle since acp-bi"):
        former = shapes.Ring
    assert former is shapes.Circle
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = shapes.Nothing


DRAW = {"canvasId": "c", "shapes": [{"type": "circle", "radius": 1}], "from": "me"}


@pytest.mark.parametrize(
    ("name", "data", "cls"),
    [
        ("DrawRequest", DRAW, "DrawRequest"),
        ("DrawAgainRequest", DRAW, "DrawRequest"),
        (
            "DrawRequest",
            {**DRAW, "place": {"x": 1}, "labels": {"a": "big"}, "new": 1},
            "DrawRequest",
        ),
        ("Shape", {"type": "circle", "radius": 1.5}, "Circle"),
        ("Shape", {"type": "_cube", "planId": "p"}, "UnknownShape"),
        ("Option", {"id": "i", "type": "flag", "value": True}, "FlagOption"),
        ("Content", {"blob": "b", "text": 5}, "BlobContent"),
        ("Items", {"type": "plain", "text": "t"}, "TextContent"),
        ("Items", {"type": "z"}, "UnknownItems"),
        ("Items", {"blob": "b"}, "BlobContent"),
        ("Extra", {"userId": 1}, "UserScope"),
        ("Extra", {"userId": "no"}, "dict"),
        ("Lists", [{"blob": "b"}], "list"),
        ("Id", None, "NoneType"),
        ("Value", ["a"], "list"),
    ],
)
def test_each_shape_decodes_and_comes_back(
    shapes: ModuleType, name: str, data: Any, cls: str
) -> None:
    kind = shapes.TYPES[name]
    value = shapes.decode(kind, data)
    assert type(value).__name__ == cls
    assert shapes.encode(value, kind) == data
    assert shapes.loads(kind, shapes.dumps(value, kind)) == value


@pytest.mark.parametrize(
    ("name", "data", "pointer"),
    [
        ("DrawRequest", {**DRAW, "shapes": []}, "/shapes"),
        ("DrawRequest", {**DRAW, "from": ""}, "/from"),
        ("Currency", "EU", ""),
        ("Version", 65536, ""),
        ("Shape", {"type": "_cube"}, "/planId"),
        ("Shape", {"type": "circle", "radius": "1"}, "/radius"),
        ("Items", {"type": "plain", "blob": "b"}, "/text"),
    ],
)
def test_each_shape_refuses_what_it_is_not(
    shapes: ModuleType, name: str, data: Any, pointer: str
) -> None:
    with pytest.raises(shapes.DecodeError) as caught:
        shapes.decode(shapes.TYPES[name], data)
    assert caught.value.pointer == pointer


def test_each_example_of_the_reference_decodes(shapes: ModuleType, surface: Surface) -> None:
    missing: list[str] = []
    [pages] = surface_pages([surface])
    for page in pages.types:
        example = page.example
        if example is None:
            missing.append(page.name)
            continue
        value = shapes.decode(getattr(shapes, page.name), example.value, strict=example.strict)
        assert value == eval(
            example.python, {each: getattr(shapes, each) for each in example.classes}
        )
    assert missing == ["Currency"]  # no sample matches the pattern of this type


def test_each_sample_of_a_member_decodes(shapes: ModuleType, surface: Surface) -> None:
    """Examples in the reference omit most optional fields, so each field is added in turn."""
    examples, samples = Examples(surface), Samples(surface)
    for record in surface.definitions.values():
        if not isinstance(record, Record):
            continue
        example = examples.of(record.name)
        assert example is not None
        for member in record.members:
            if member.const is None and member.wire != record.discriminator:
                sample = samples.of_shape(member.shape, member.wire)
                data = {**example.value, member.wire: sample.value}
                shapes.decode(getattr(shapes, record.name), data, strict=True)
