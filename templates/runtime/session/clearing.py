"""Debug mode: warns of updates that are made with None, which clears a member.

In other constructors, None often means "not given". Here, UNSET does, and None is sent as null.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping
from typing import Any

from .reducers import Patch, PatchMessage


def watch(rules: Mapping[type, object]) -> None:
    """Warn of None in the constructors of those updates with which it clears members.

    Args:
        rules: the rule of each class of updates.
    """
    for cls, rule in rules.items():
        if _clears(getattr(rule, "patch", rule)):
            _watch_class(cls)


def _clears(rule: object) -> bool:
    return isinstance(rule, PatchMessage) or (isinstance(rule, Patch) and rule.null_clears)


def _watch_class(cls: Any) -> None:
    construct = cls.__init__

    @functools.wraps(construct)
    def __init__(self: Any, **members: Any) -> None:
        construct(self, **members)
        for name, value in members.items():
            if value is None and name != "unknown_fields":
                text = f"{cls.__qualname__}({name}=None) clears {name}: pass UNSET to leave it"
                warnings.warn(text, stacklevel=2)

    cls.__init__ = __init__
