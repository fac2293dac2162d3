"""Coverage-guided fuzzing of connections with atheris.

To fuzz for a minute, run `fuzz_connection.py -max_total_time=60`. The fuzzer draws the same values
as `test_fuzz` but is guided by coverage.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import atheris
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "generated"), str(ROOT)]

with atheris.instrument_imports(include=["acp_bindings"]):
    from tests.package.jsonrpc.invariants import SIDES, SURFACES, check_connection
    from tests.package.jsonrpc.test_fuzz import conversations, cut


@given(
    side=st.sampled_from(SIDES),
    surface=st.sampled_from([*SURFACES, None]),
    data=conversations | st.binary(),
    own=st.integers(0, 3),
    dice=st.randoms(use_true_random=False),
)
def check_any(side: Any, surface: Any, data: bytes, own: int, dice: Any) -> None:
    check_connection(side, surface, cut(data, dice), own, dice.randrange)


if __name__ == "__main__":
    atheris.Setup(sys.argv, check_any.hypothesis.fuzz_one_input)  # type: ignore[attr-defined]
    atheris.Fuzz()
