"""Settings: the commands, modes and config options that an agent declares for all of its sessions.

An agent class declares settings once, with the values for new sessions. A restored session uses the
current declarations but retains the user's choices if they are still offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from ..runtime.jsonrpc.errors import RequestError
from ..runtime.values.deferred import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A class attribute that declares a setting for an agent's sessions.

    Attributes:
        name: the name of the attribute and of the response field that contains the setting.
        update: a function that creates the session update that reports the setting.
        slot: the attribute of the session state that contains the latest update.
        field: the field of the update that contains the setting.
        keep: the kind of choice to retain when a session is restored: `options`, `mode`, or an
            empty string for none.
        key: the field of an option that contains its id.
    """

    name: str
    update: Callable[..., Any]
    slot: str
    field: str
    keep: str
    key: str


class StatedSettings:
    """The base class for agents that declare settings, in any protocol version."""

    _settings: ClassVar[tuple[Stated, ...]] = ()

    if TYPE_CHECKING:

        def session(self, session_id: str) -> Any: ...

    def _make(self, session_id: str) -> Any:
        opened: Any = super()
        session = opened._make(session_id)
        self.settle(session.state)
        return session

    def settle(self, state: Any) -> None:
        """Apply the declared settings to a state, retaining choices that are still offered."""
        for each in self._settings:
            stated = getattr(self, each.name)
            if stated is None:
                continue
            if each.keep != "mode" and not hasattr(stated, "__iter__"):
                name = f"{type(self).__name__}.{each.name}"
                raise TypeError(f"{name}: expected a list, found {type(stated).__name__}")
            before = getattr(getattr(state, each.slot), each.field, None)
            if each.keep == "mode":
                ids = [mode.id for mode in stated.available_modes]
                value: Any = before if before in ids else stated.current_mode_id
            elif each.keep == "options":
                chosen = {getattr(o, each.key, None): _value(o) for o in before or ()}
                value = _with_choices(stated, chosen, each.key)
            else:
                value = list(stated)
            state.apply(each.update(**{each.field: value}))

    async def report(self, session: Any, method: str, *, is_replayed: bool = False) -> Any:
        """Return the settings for a response that opens a session.

        Settings without a corresponding field in the response are sent as updates.

        Args:
            session: the session.
            method: the request's method.
            is_replayed: whether the session's updates were replayed to the client.
        """
        fields = session.state.known_members(method)
        for each in self._settings:
            stated, update = getattr(self, each.name), getattr(session.state, each.slot)
            if stated is None or each.name in fields:
                continue
            if each.keep == "mode":  # the update contains only the id of the current mode
                fields[each.name] = replace(stated, current_mode_id=getattr(update, each.field))
            elif not is_replayed:
                await session.repeat(update)
        return fields

    def choose_option(self, params: Any) -> list[Any]:
        """Return a session's config options, changed as the client requested.

        Raises:
            RequestError: If the session has no such option, or if the option doesn't offer the
                value.
        """
        each = next(each for each in self._settings if each.keep == "options")
        options = getattr(getattr(self.session(params.session_id).state, each.slot), each.field)
        key, value = getattr(params, "config_id", None), getattr(params, "value", None)
        if not any(getattr(o, each.key, None) == key and _is_offered(o, value) for o in options):
            raise RequestError.invalid_params({"configId": key}, "unknown option or value")
        return _with_choices(options, {key: value}, each.key)

    def require_mode(self, modes: Any, mode_id: str) -> None:
        """Check that a mode exists.

        Raises:
            RequestError: If no mode has this id.
        """
        if mode_id not in [mode.id for mode in modes.available_modes]:
            raise RequestError.invalid_params({"modeId": mode_id}, "unknown mode")


def _with_choices(options: Sequence[Any], chosen: Mapping[Any, Any], key: str) -> list[Any]:
    """Return options with the chosen values. Values that an option doesn't offer are ignored."""
    choices = [(each, chosen.get(getattr(each, key, None))) for each in options]
    return [
        replace(each, current_value=value) if _is_offered(each, value) else each
        for each, value in choices
    ]


def _is_offered(option: Any, value: Any) -> bool:
    choices = getattr(option, "options", None)
    if choices is None:  # a boolean option or an option of an unknown type
        return isinstance(value, bool) and isinstance(_value(option), bool)
    return value in _values(choices)


def _values(choices: Sequence[Any]) -> Iterator[Any]:
    for each in choices:
        yield from _values(each.options) if hasattr(each, "options") else (each.value,)


def _value(option: Any) -> Any:
    """Return the value of an option, or None if the option has an unknown type."""
    return getattr(option, "current_value", None)
