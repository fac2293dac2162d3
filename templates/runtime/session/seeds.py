"""What responses say of the state of a session, as the updates that would say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..values.unset import UNSET

# The class of an update, and where the values of its members are, by their names: `params` or
# `result`, then the names of attributes. Without a class, the path of `update` leads to the update
# itself. No class of its own, which would take time at import.
Seed: TypeAlias = tuple[Callable[..., Any] | None, Mapping[str, tuple[str, ...]]]


def read_seed(seed: Seed, params: Any, result: Any) -> Any:
    """Return the update that a response amounts to; None if it says nothing of the kind.

    Args:
        seed: the update, and where its members are.
        params: the params of the request.
        result: its result.
    """
    update, members = seed
    values: dict[str, Any] = {}
    for name, (start, *path) in members.items():
        value = params if start == "params" else result
        for attribute in path:
            value = getattr(value, attribute, None)
        if value is None or value is UNSET:
            return None
        values[name] = value
    return values["update"] if update is None else update(**values)
