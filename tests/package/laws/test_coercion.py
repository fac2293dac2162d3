"""Law 7: no value is converted to another JSON type, even if the values look alike."""

from __future__ import annotations

from collections.abc import Iterator

from tests.package.laws.budget import each_distinct_type
from tests.package.laws.instances import Path
from tests.package.laws.library import decode, encode, same
from tests.package.laws.mutations import put
from tests.package.laws.schemas import Json, Surface
from tests.package.laws.walk import cases


def leaves(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Yield the scalars in a JSON value, with their paths."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from leaves(each, (*path, index))
    else:
        yield path, value


def lookalikes(value: Json) -> list[Json]:
    """Return values of other types that equal the value in Python or look like it."""
    if value is None:
        return ["null", "", False]
    if isinstance(value, bool):
        return [int(value), float(value), str(value).lower()]
    if isinstance(value, int):
        return [str(value), float(value), *([bool(value)] if value in (0, 1) else [])]
    if isinstance(value, float):
        return [str(value), *([int(value)] if value.is_integer() else [])]
    return [[value], None]


@each_distinct_type
def test_no_value_is_converted(surface: Surface, name: str) -> None:
    for drawn in cases(surface, name):
        for path, value in leaves(drawn.value):
            for other in lookalikes(value):
                data = put(drawn.value, path, other)
                outcome = decode(surface, name, data)
                if outcome.error is None and not outcome.issues:
                    back = encode(surface, name, outcome.value)
                    assert same(back, data), f"{data} came back as {back}"
