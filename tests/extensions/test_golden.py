"""The complete package of a small extension that has one of everything, compared whole."""

from __future__ import annotations

import pytest
from acpgen.common import paths
from acpgen.emit.extension import render_extension
from extensions.packages import build, sample
from support.paths import GOLDEN_EXTENSION as EXPECTED


def test_the_package_is_the_golden_one(request: pytest.FixtureRequest) -> None:
    rendered = render_extension(build(sample("acme")).surface, paths.TEMPLATES, "acp_bindings")
    if request.config.getoption("--update-goldens"):
        EXPECTED.mkdir(parents=True, exist_ok=True)
        for path, text in rendered.items():
            (EXPECTED / path).write_text(text, encoding="utf-8")
    stored = sorted(path.name for path in EXPECTED.iterdir() if path.is_file())
    assert stored == sorted(rendered)
    for path in stored:
        assert rendered[path] == (EXPECTED / path).read_text(encoding="utf-8"), path


def test_the_sample_has_one_of_everything() -> None:
    surface = build(sample("acme")).surface
    assert surface.extension is not None
    assert len(surface.extension.meta) == 3
    assert {each.base is None for each in surface.extension.meta} == {True, False}
    assert len(surface.extension.variants) == 2
    assert {(each.side, each.kind) for each in surface.methods} == {
        ("agent", "request"),
        ("client", "request"),
        ("client", "notification"),
    }
    assert any(each.capability for each in surface.methods)


def test_bindings_may_be_relative_or_elsewhere() -> None:
    surface = build(sample("acme")).surface
    for bindings in ("..acp", "my.project.acp"):
        rendered = render_extension(surface, paths.TEMPLATES, bindings)
        text = "\n".join(rendered.values())
        assert f"from {bindings} import v2" in text
        assert f"from {bindings}.runtime.values.record import Record" in text
        assert "acp_bindings" not in text
