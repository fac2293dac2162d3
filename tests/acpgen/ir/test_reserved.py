"""Tests of the names that generated code uses."""

from __future__ import annotations

import pytest
from acpgen.common import paths
from acpgen.ir import reserved

SURFACES = ("v1", "v1_unstable", "v2", "v2_unstable")
SIDES = {"agent", "client", "protocol", "proxy"}


@pytest.mark.parametrize("surface", SURFACES)
def test_the_modules_of_a_surface_are_reserved(surface: str) -> None:
    modules = {path.stem for path in (paths.PACKAGE / surface).glob("*.py")}
    assert modules - SIDES - {"__init__"} == reserved.SURFACE_MODULES
