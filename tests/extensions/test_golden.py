"""The complete package of a small extension that has one of each part, compared whole."""

from __future__ import annotations

import pytest
from acpgen.common import paths
from acpgen.emit.extension import render_extension
from acpgen.ir.surface import Surface
from extensions.packages import build, sample
from support.paths import GOLDEN_EXTENSION as EXPECTED


@pytest.fixture(scope="module")
def surface() -> Surface:
    return build(sample("small")).surface


def test_the_package_is_the_golden_one(surface: Surface, request: pytest.FixtureRequest) -> None:
    rendered = render_extension(surface, paths.TEMPLATES, "acp_bindings")
    if request.config.getoption("--update-goldens"):
        EXPECTED.mkdir(parents=True, exist_ok=True)
        for path, text in rendered.items():
            (EXPECTED / path).write_text(text, encoding="utf-8")
    stored = {path.name: path.read_text("utf-8") for path in EXPECTED.iterdir() if path.is_file()}
    assert rendered == stored


@pytest.mark.parametrize("bindings", ["..acp", "my.project.acp"])
def test_bindings_may_be_relative_or_elsewhere(bindings: str, surface: Surface) -> None:
    text = "\n".join(render_extension(surface, paths.TEMPLATES, bindings).values())
    assert f"from {bindings} import v2" in text
    assert f"from {bindings}.runtime.values.record import Record" in text
    assert "acp_bindings" not in text
