"""Fixtures that provide the surfaces and the site, which is built once for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from acpdocs.content import SurfacePages
from acpdocs.pages.guides import sample_extension
from acpdocs.pages.surface import surface_pages
from acpgen.analysis.surface import understand
from acpgen.cli.app import app
from acpgen.ir.surface import Surface
from typer.testing import CliRunner

from tests.interop.environments import locked
from tests.support.site import Page, read


@pytest.fixture(scope="session")
def surfaces() -> dict[str, Surface]:
    found, _ = understand(None, [])
    return {surface.name: surface for surface in found}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that contains the site. The first worker builds the site for all workers.

    Before the build, the folder contains an outdated page, which the build must remove.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # shared by all workers of this run
    folder, is_built = base / "reference", base / "reference.built"
    with locked(base / "reference.lock"):
        if not is_built.exists():
            stale = folder / "docs" / "v3" / "index.md"
            stale.parent.mkdir(parents=True)
            stale.touch()
            done = CliRunner().invoke(app, ["docs", str(folder)])
            assert done.exit_code == 0, done.output
            is_built.touch()
    return folder / "site"


@pytest.fixture(scope="session")
def site(built: Path) -> dict[str, Page]:
    return read(built)


@pytest.fixture(scope="session")
def pages(surfaces: dict[str, Surface]) -> dict[str, SurfacePages]:
    return {pages.name: pages for pages in surface_pages(list(surfaces.values()))}


@pytest.fixture(scope="session")
def sample() -> Surface:
    return sample_extension()
