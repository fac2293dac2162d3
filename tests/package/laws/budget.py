"""The test budget: the same `LAWS_N` instances for each type and law in every run.

Each test covers all types of a surface, because the overhead of a pytest test or a hypothesis run
exceeds the time for checking one type. Failure messages name the types.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from .instances import ENTROPY, Choices
from .schemas import DISTINCT, SURFACES, TYPES, Surface

N = int(os.environ.get("LAWS_N", "3"))

# Health checks are disabled, because they would draw larger samples than the tests.
LAWS = settings(
    max_examples=N,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)

entropy = st.binary(min_size=ENTROPY, max_size=ENTROPY)
each_surface = pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)

# The exceptions that a failing check can raise. `pytest.fail.Exception` isn't an `Exception`.
FAILURES = (Exception, pytest.fail.Exception)
# A surface, the name of a definition, and the other arguments of a check.
Case = tuple[Any, ...]
Check = Callable[..., None]


def each_case(cases: Sequence[Case]) -> Callable[[Check], Check]:
    def decorate(check: Check) -> Check:
        @each_surface
        def test(surface: Surface) -> None:
            own = _own(surface, cases)
            failures: dict[str, BaseException] = {}
            for case in own:
                try:
                    check(*case)
                except FAILURES as error:
                    failures[case[1]] = error
            if failures:
                told = "\n".join(f"{name}: {error!r}" for name, error in failures.items())
                text = f"{surface}: {len(failures)} of {len(own)} types fail\n{told}"
                raise AssertionError(text) from next(iter(failures.values()))

        return _named_after(check, test)

    return decorate


def each_case_drawn(cases: Sequence[Case]) -> Callable[[Check], Check]:
    """Turn a check into a test that runs it `LAWS_N` times for each case of a surface.

    The check receives a case, the `Choices` for an instance, and the `Choices` for the operations.
    Hypothesis draws and shrinks the same bytes for all cases, and each case starts reading them at
    a different position.
    """

    def decorate(check: Check) -> Check:
        @each_surface
        def test(surface: Surface) -> None:
            tried = list(enumerate(_own(surface, cases)))

            @seed(f"{surface} {check.__qualname__}")
            @LAWS
            @given(first=entropy, second=entropy)
            def run(first: bytes, second: bytes) -> None:
                for start, case in tried:
                    choices = Choices(rotated(first, start)), Choices(rotated(second, start))
                    try:
                        with named(case):
                            check(*case, *choices)
                    except AssertionError:
                        tried[:] = [(start, case)]  # shrink only this case
                        raise

            run()

        return _named_after(check, test)

    return decorate


each_type = each_case(TYPES)
each_distinct_type = each_case(DISTINCT)
each_type_drawn = each_case_drawn(TYPES)


def rotated(data: bytes, start: int) -> bytes:
    start %= len(data)
    return data[start:] + data[:start]


@contextmanager
def named(case: Case) -> Iterator[None]:
    try:
        yield
    except FAILURES as error:
        raise AssertionError(f"{case[0]} {case[1]}: {error!r}") from error


def _own(surface: Surface, cases: Sequence[Case]) -> list[Case]:
    own = [case for case in cases if case[0] is surface]
    assert own
    return own


def _named_after(check: Check, test: Check) -> Check:
    test.__name__, test.__qualname__ = check.__name__, check.__qualname__
    test.__doc__, test.__module__ = check.__doc__, check.__module__
    return test
