"""Tests of unwritable destinations, which are rejected before anything is generated."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from acpgen.analysis.extension import read_source
from acpgen.analysis.surface import understand
from acpgen.cli.app import app
from acpgen.commands import generation
from acpgen.commands.disk import package_folder
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError
from acpgen.emit.extension import render_extension
from acpgen.emit.layout import EXTENSION_MODULES, certain_modules
from acpgen.emit.package import render_package, render_surface
from typer.testing import CliRunner

from tests.acpgen.extensions.packages import sample
from tests.support.paths import GOLDEN

GOLDEN_SCHEMA = GOLDEN / "schema.json"


@pytest.fixture(autouse=True)
def _never_generate(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise AssertionError("it generates")

    monkeypatch.setattr(generation, "build_source", fail)
    monkeypatch.setattr(generation, "_render_shared", fail)
    monkeypatch.setattr("acpgen.emit.extension.render_extension", fail)


def arguments(command: str, folder: Path) -> list[str]:
    """Return the arguments that make a command write to a folder."""
    if command == "extend":
        return [command, "generate", str(sample("acme")), "--surface", "v2", "--out", str(folder)]
    return [command, str(folder)] if command == "vendor" else [command, "--out", str(folder)]


WRITTEN = "was not "
FILE, FOLDER = (f"is a {kind}; move it out of the way" for kind in ("file", "folder"))
PLACES = [
    ("acp/__init__.py", WRITTEN),
    ("acp/v2/types.py", WRITTEN),
    ("acp/runtime/values/record.py", WRITTEN),
    ("acp/runtime/values", FILE),
    ("acp", FILE),
    ("acp/v2/codec.py/", FOLDER),
]
OF_EXTENSION = [
    ("acp/__init__.py", WRITTEN),
    ("acp/types.py", WRITTEN),
    ("acp", FILE),
    ("acp/codec.py/", FOLDER),
]


@pytest.mark.parametrize(
    ("command", "place", "message"),
    [
        *(("generate", *each) for each in PLACES),
        *(("vendor", *each) for each in PLACES),
        *(("extend", *each) for each in OF_EXTENSION),
    ],
)
def test_it_is_refused_at_once(command: str, place: str, message: str, tmp_path: Path) -> None:
    """A foreign file, or a folder with the name of a generated file, must not be overwritten."""
    target = tmp_path / place
    if place.endswith("/"):
        target.mkdir(parents=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("mine = 1\n", encoding="utf-8")
    result = CliRunner().invoke(app, arguments(command, tmp_path / "acp"))
    assert result.exit_code == 2
    assert f"error[edited]: {display_path(target)}: {message}" in result.stderr
    assert place.endswith("/") or target.read_text(encoding="utf-8") == "mine = 1\n"


@pytest.mark.parametrize("missing", [os.W_OK, os.X_OK])
@pytest.mark.parametrize("command", ["generate", "vendor", "extend"])
def test_a_folder_without_permission_is_refused_at_once(
    command: str, missing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Simulate a missing permission, since the tests can run as root.
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path) != tmp_path or not mode & missing
    )
    result = CliRunner().invoke(app, arguments(command, tmp_path / "acp"))
    assert result.exit_code == 2
    assert result.stderr == (
        f"error[io]: {tmp_path}: cannot be written (Permission denied); fix this and retry\n"
    )


@pytest.mark.parametrize("types_only", [False, True])
def test_what_is_certain_is_generated(types_only: bool) -> None:
    [surface], _ = understand(GOLDEN_SCHEMA, ["v2"])
    rendered = {
        **render_package(paths.TEMPLATES, types_only=types_only),
        **render_surface(surface, paths.TEMPLATES, types_only=types_only),
    }
    certain = certain_modules(paths.TEMPLATES, ["v2"], types_only=types_only)
    assert len(certain) > 10
    assert set(certain) <= rendered.keys()


def test_what_is_certain_of_an_extension_is_generated() -> None:
    surface = read_source(str(sample("acme")), "v2").surface
    rendered = render_extension(surface, paths.TEMPLATES, "acp_bindings")
    assert set(EXTENSION_MODULES) < rendered.keys()


def test_the_root_of_the_file_system_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        package_folder(Path("/"))
    [problem] = caught.value.problems
    assert problem.message == "is the root of the file system; choose a folder in it, such as /acp"


def test_an_installed_program_needs_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "IN_CHECKOUT", False)
    with pytest.raises(InputError) as caught:
        package_folder(None)
    [problem] = caught.value.problems
    assert problem.line() == (
        "error[missing-file]: acpgen: is installed, not run from a checkout; "
        "pass the package folder with --out"
    )
