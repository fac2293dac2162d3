"""Rules that answer requests for permission, so that the user need not be asked each time."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any, Literal, TypeAlias
from weakref import WeakSet

from ..jsonrpc.logs import logger_of
from ..values.deferred import dataclass

_log = logger_of(__name__)
# The classes of handlers that were warned already that they ask nobody.
_silent: WeakSet[type] = WeakSet()

Answer: TypeAlias = Literal["allow_once", "allow_always", "reject_once", "reject_always"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRule:
    """How to answer requests for permission for some tool calls.

    What a tool call says of itself is the agent's word: rules spare questions, but are no fence.

    Attributes:
        answer: the kind of option to select. Where the agent does not offer to allow, or reject,
            always, the rule does so once.
        kinds: the kinds of tool calls that it is for, such as `read`; None for all.
        paths: the files and folders that it is for: each location of the tool call must be one of
            them or inside of one; None for all, and for tool calls that name no location.
    """

    answer: Answer
    kinds: Collection[str] | None = None
    paths: Sequence[str | os.PathLike[str]] | None = None

    def fits(self, kind: str | None, locations: Sequence[str]) -> bool:
        """Return whether it is for a tool call.

        Args:
            kind: the kind of the tool call; None if that is unknown.
            locations: the absolute paths that it names.
        """
        if self.kinds is not None and kind not in self.kinds:
            return False
        if self.paths is None:
            return True
        # On both sides, links are followed: a link inside of a folder may lead out of it.
        roots = [os.path.realpath(path) for path in self.paths]
        return bool(locations) and all(_is_inside(path, roots) for path in locations)

    def select(self, options: Sequence[Any]) -> str | None:
        """Return the id of the option to select; None if the agent offers none that does."""
        # Of several options of a kind, the first one counts.
        by_kind = {option.kind: option.option_id for option in reversed(options)}
        once = self.answer.replace("always", "once")
        option_id: str | None = by_kind.get(self.answer, by_kind.get(once))
        return option_id


def subject_of(question: Any) -> Any:
    """Return what a request for permission is about: its subject, or the request itself."""
    return getattr(question, "subject", None) or question


def select_option(rules: Sequence[PermissionRule], question: Any, known: Any) -> str | None:
    """Return the id of the option that the first fitting rule selects; None if none does.

    Args:
        rules: the rules.
        question: the params of the request for permission.
        known: the tool calls of the session so far, by id; the request may repeat only a part.
    """
    call: Any = getattr(subject_of(question), "tool_call", None)
    if not call:
        return None
    before: Any = known.get(call.tool_call_id)
    # The request may leave out what earlier updates of the tool call have said.
    kind = call.kind or getattr(before, "kind", None) or None
    locations: Any = call.locations or getattr(before, "locations", None) or ()
    paths = [location.path for location in locations]
    for rule in rules:
        if rule.fits(kind, paths):
            return rule.select(question.options)
    return None


def reject(handler: object, method: str, options: Sequence[Any]) -> str | None:
    """Return the id of the option that answers in place of a handler that asks nobody.

    Args:
        handler: the handler, whose class is named in a warning, once.
        method: the Python method that it lacks.
        options: the options; one that rejects once is preferred.

    Returns:
        The id; None if no option rejects.
    """
    cls = handler.__class__
    if cls not in _silent:
        _silent.add(cls)
        name = cls.__qualname__
        _log.warning("%s rejects what it is asked for: write %s to ask the user", name, method)
    answers: tuple[Answer, ...] = ("reject_once", "reject_always")
    selected = (PermissionRule(answer=answer).select(options) for answer in answers)
    return next((option_id for option_id in selected if option_id is not None), None)


def _is_inside(path: str, roots: Sequence[str]) -> bool:
    """Whether an absolute path, with symbolic links followed, is a root or inside of one."""
    try:
        real = os.path.realpath(path)
    except ValueError:  # no file can have such a path, with U+0000 or half a surrogate pair in it
        return False
    return os.path.isabs(path) and any(
        real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in roots
    )
