"""Tests of the wheel that pip and pre-commit install, including its schema and templates."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from acpgen import __version__

from tests.support.paths import ROOT

# All tests run on a single worker, so that the wheel is built only once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the content of the wheel, for PYTHONPATH."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    subprocess.run([*pip, "wheel", *options, ROOT], check=True)
    [wheel] = folder.glob(f"acp_bindings-{__version__}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def contents(folder: Path) -> dict[Path, bytes]:
    files = (path for path in folder.rglob("*") if path.suffix != ".pyc" and path.is_file())
    return {path: path.read_bytes() for path in files}


def test_what_is_imported_comes_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "import acpgen, acp_bindings.v2; print(acpgen.__file__, acp_bindings.v2.__file__)"
    found = run(installed, tmp_path, "-c", code).stdout.split()
    assert [Path(each).is_relative_to(installed) for each in found] == [True, True]


def test_what_writes_the_reference_is_left_out(installed: Path) -> None:
    names = {path.name for path in installed.iterdir() if path.suffix == ""}
    assert names == {"acp_bindings", "acpgen", "acpport", "acpwire"}
    wanted = {path.name for path in (ROOT / "templates").iterdir()} - {"reference"}
    templates = installed / "acpgen" / "data" / "templates"
    assert {path.name for path in templates.iterdir()} == wanted


def test_pytest_finds_the_fixtures(installed: Path) -> None:
    [wheel] = metadata.distributions(path=[str(installed)])
    [plugin] = wheel.entry_points.select(group="pytest11")
    assert plugin.value == "acp_bindings.testing.plugin"


def test_it_vendors_what_the_checkout_has(installed: Path, tmp_path: Path) -> None:
    """The optional parts of a package need only templates, which the wheel contains unchanged."""
    data = installed / "acpgen" / "data"
    for folder in ("schema", "templates"):
        found = {path.relative_to(data): text for path, text in contents(data / folder).items()}
        assert len(found) > 10
        for path, text in found.items():
            assert (ROOT / path).read_bytes() == text
    vendor = ("-m", "acpgen", "vendor", "acp_bindings", "--surface", "v2", "--types-only")
    outcome = run(installed, tmp_path, *vendor)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    for name in ("codec.py", "definitions.py", "types.py"):
        expected = (ROOT / "generated" / "acp_bindings" / "v2" / name).read_bytes()
        assert (tmp_path / "acp_bindings" / "v2" / name).read_bytes() == expected
    checked = run(installed, tmp_path, "-m", "acpgen", "vendor", "--check", "acp_bindings")
    assert checked.returncode == 0, checked.stderr


def test_the_package_in_it_is_checked_by_its_lock(installed: Path, tmp_path: Path) -> None:
    package = installed / "acp_bindings"
    for command in (("vendor", "--check", package), ("check", "--out", package)):
        checked = run(installed, tmp_path, "-m", "acpgen", *map(str, command))
        assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(
    "command",
    [("generate",), ("check",), ("sync", str(ROOT / "schema"))],
    ids=lambda command: command[0],
)
def test_what_belongs_to_a_checkout_is_refused(
    installed: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    before = contents(installed)
    outcome = run(installed, tmp_path, "-m", "acpgen", *command)
    assert outcome.returncode == 2
    assert "is installed, not run from a checkout" in outcome.stderr
    assert contents(installed) == before
    assert [*tmp_path.iterdir()] == []


def test_it_takes_a_schema_to_a_typed_conversation(installed: Path, tmp_path: Path) -> None:
    """The commands in the guide about extensions need only the wheel."""
    page = (ROOT / "templates" / "reference" / "guides" / "extending.md").read_text("utf-8")
    for language, name in (("json", "acme.schema.json"), ("python", "talk.py")):
        [text] = re.findall(rf'^```{language} title="{name}"\n(.*?)^```$', page, re.S | re.M)
        (tmp_path / name).write_text(text, encoding="utf-8")
    [command] = re.findall(r"^\$ (acpgen extend generate acme.*)$", page, re.M)
    extended = run(installed, tmp_path, "-m", *command.split())
    assert (extended.returncode, extended.stderr) == (0, "")
    talked = run(installed, tmp_path, "talk.py")
    assert (talked.returncode, talked.stderr) == (0, "")
    [printed] = re.findall(r"^```text\n(.*?)^```$", page, re.S | re.M)
    assert talked.stdout == printed
    # With the marker `py.typed`, type checkers use the annotations of both packages.
    assert (installed / "acp_bindings" / "py.typed").is_file()
    assert (tmp_path / "acme" / "py.typed").is_file()
