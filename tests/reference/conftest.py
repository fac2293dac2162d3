"""The surfaces, and the site built from them once for all tests of the reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpgen.build.surface import understand
from acpgen.ir.surface import Surface
from acpgen.reference.building import build_site
from acpgen.reference.pages.guides import sample_extension
from acpgen.reference.site import write_site_sources


@pytest.fixture(scope="session")
def surfaces() -> dict[str, Surface]:
    found, _ = understand(None, [])
    return {surface.name: surface for surface in found}


@pytest.fixture(scope="session")
def built(surfaces: dict[str, Surface], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    folder = tmp_path_factory.mktemp("reference")
    write_site_sources(list(surfaces.values()), folder, sample=sample_extension())
    return build_site(folder)
