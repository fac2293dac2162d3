"""How much is tried: `LAWS_N` instances for each type and law, the same ones in each run."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from .schemas import TYPES

N = int(os.environ.get("LAWS_N", "6"))

# Health checks are off on purpose: they judge a strategy by a sample larger than these runs.
LAWS = settings(
    max_examples=N,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)

each_type = pytest.mark.parametrize(
    ("surface", "name"),
    [pytest.param(surface, name, id=f"{surface.name}-{name}") for surface, name in TYPES],
)
