"""Tests that edited schemas satisfy the laws, for a few seeds. `make evolve` tries many more."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.paths import SURFACES
from tests.tools.evolution import attempt
from tests.tools.evolution.evolve import EDITS, evolve

SEEDS = range(25)

# One worker runs all these tests so that the schemas are read only once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("evolution")]


@pytest.mark.parametrize("seed", SEEDS)
def test_an_edited_schema_keeps_the_laws_or_is_refused_with_reasons(seed: int) -> None:
    # Checking all types is slow, so most seeds check only the types that the edits affect.
    report = attempt.attempt_seed(seed, whole=seed == 0, formatted=seed == 0)
    told = "\n".join([str(report.evolution), *report.failures, f"repeat: {attempt.REPEAT} {seed}"])
    assert not report.failures, told
    assert report.problems or report.tried["valid"] > 0, told


def test_the_seeds_see_many_kinds_of_edits_and_all_surfaces() -> None:
    evolutions = [evolve(seed) for seed in SEEDS]
    assert len({kind for each in evolutions for kind in each.kinds}) > len(EDITS) / 3
    assert {each.surface for each in evolutions} == set(SURFACES)
    assert {len(each.steps) for each in evolutions} == {1, 2, 3, 4}


def test_an_evolution_follows_from_its_seed() -> None:
    """A seed gives the same result in every process, even if sets are ordered differently."""
    code = (
        "from tests.tools.evolution.evolve import evolve\n"
        "print(*map(evolve, range(145, 165)), sep='\\n')"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": order},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout
        for order in ("0", "1")
    ]
    assert told[0] == told[1]
    assert told[0].count("seed ") == 20
