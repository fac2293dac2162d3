"""Tests of mistakes in templates."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from acpgen.analysis.surface import understand
from acpgen.common.paths import TEMPLATES
from acpgen.common.problems import InputError
from acpgen.emit.package import render_package, render_surface
from acpgen.ir.surface import Surface

from tests.support.paths import GOLDEN


@pytest.fixture(scope="module")
def surface() -> Surface:
    [found], _ = understand(GOLDEN / "schema.json", ["v2"])
    return found


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    """An editable copy of the templates."""
    return Path(shutil.copytree(TEMPLATES, tmp_path / "templates"))


def edit(path: Path, number: int, line: str) -> None:
    """Insert a line at the given line number."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(lines) >= number
    path.write_text("".join([*lines[: number - 1], line + "\n", *lines[number - 1 :]]))


@pytest.mark.parametrize(
    ("template", "line", "message"),
    [
        ("codec/record.jinja", "{% if %}", r"TemplateSyntaxError: .*, when rendering v2"),
        ("codec/decode.jinja", "{% endif %}", r"TemplateSyntaxError: .*, when rendering v2"),
        ("codec/record.jinja", "{{ nowhere }}", r"UndefinedError: 'nowhere' .*, when rendering v2"),
        ("codec/union.jinja", "{{ 1 + 'a' }}", r"TypeError: .*, when rendering v2"),
        ("codec/record.jinja", "x = (", r"generates invalid Python \(.*\), in v2/codec"),
        (
            "codec/tables.jinja",
            "x = nowhere",
            r"UnknownNameError: .* 'nowhere', in v2/codec.py: 'x",
        ),
        (
            "methods/side.jinja",
            "x = ]",
            r"generates invalid Python \(.*\), in v2/agent.py",
        ),
        (
            "types/dcg/dataclass.jinja2",
            "x = = 1",
            r"generates invalid Python .*, in v2/types.py: 'x = = 1'",
        ),
        ("types/dcg/dataclass.jinja2", "{{ a.b.c }}", r"UndefinedError: .*, when rendering v2"),
    ],
)
def test_it_is_named(
    template: str, line: str, message: str, surface: Surface, templates: Path
) -> None:
    path = templates / template
    number = path.read_text(encoding="utf-8").count("\n")
    edit(path, number, line)
    with pytest.raises(InputError) as caught:
        render_surface(surface, templates)
    [problem] = caught.value.problems
    assert (problem.code, problem.file) == ("template", str(path))
    assert re.match(message, problem.message)
    assert problem.line().startswith(f"error[template]: {path}:{problem.lineno}: ")
    assert problem.as_json()["line"] == problem.lineno
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[problem.lineno - 1] == line


def test_it_is_named_in_modules_that_are_copied(templates: Path) -> None:
    path = templates / "runtime/values/record.py"
    number = path.read_text(encoding="utf-8").count("\n")
    edit(path, number, "x = = 1")
    with pytest.raises(InputError) as caught:
        render_package(templates)
    [problem] = caught.value.problems
    assert (problem.code, problem.file, problem.lineno) == ("template", str(path), number)


def test_a_bug_keeps_its_traceback(
    surface: Surface, templates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acpgen.emit.package.write_types", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        render_surface(surface, templates)
