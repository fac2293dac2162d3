"""Tests that schemas with arbitrary keywords satisfy the laws or are reported as unsupported."""

from __future__ import annotations

import os

import pytest

from tests.tools.evolution import attempt
from tests.tools.evolution.mutants import KEYWORDS, is_schema, mutant

# The number of mutants and the seed of the first mutant. In contrast to mutants, the edits that
# `make evolve` tries keep a schema valid.
N = int(os.environ.get("MUTANTS_N", str(len(KEYWORDS))))
FIRST = int(os.environ.get("MUTANTS_FIRST", "0"))

pytestmark = pytest.mark.xdist_group("evolution")


@pytest.mark.parametrize("number", range(FIRST, FIRST + N))
def test_a_mutant_keeps_the_laws_or_is_refused_with_reasons(number: int) -> None:
    evolution = mutant(number)
    report = attempt.attempt(evolution, compared=False)
    story = "\n".join([str(evolution), *report.failures])
    assert not report.failures, story
    assert report.problems or is_schema(evolution.root), story


def test_mutants_are_refused_and_accepted() -> None:
    verdicts = [is_schema(mutant(number).root) for number in range(len(KEYWORDS))]
    assert min(verdicts.count(True), verdicts.count(False)) > len(KEYWORDS) / 10
