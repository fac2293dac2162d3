"""The config options and modes that a session offers, and the values that the client sets."""

from __future__ import annotations

from typing import Any, Final

from acpwire.json_values import items, quote
from acpwire.rules.capabilities import Capabilities
from acpwire.rules.entry import Entry
from acpwire.surfaces import facts

_OFFERED: Final = "offered-values"
_FLAG: Final = "boolean"
_FLAGS: Final = f"/clientCapabilities/session/configOptions/{_FLAG}"
# The maximum number of options to remember, and the maximum number of values for each option.
_MOST = 1_000


class Offers:
    """The options and modes that a session has offered so far.

    Values that were offered before the last change stay valid, since the client might not have
    received the change yet when it sets a value.
    """

    def __init__(self, capabilities: Capabilities) -> None:
        self._capabilities = capabilities
        # The values of each option, or None for an option without a list of values, such as a
        # boolean option.
        self._options: dict[Any, list[Any] | None] = {}
        self._modes: list[Any] = []

    def offer(self, entry: Entry, holder: dict[str, Any], place: str) -> None:
        """Check the options and modes in a result or an update, and remember them.

        Args:
            entry: the recording's entry for the message.
            holder: the object that contains the options and modes.
            place: the location of this object in the message, as a JSON pointer.
        """
        for index, option in enumerate(items(holder, "configOptions")):
            at = f"{place}/configOptions/{index}"
            if option.get("type") == _FLAG and _needs_flags(entry.version):
                ok = self._capabilities.client_has(_FLAGS)
                text = f"needs {_FLAGS}, which the client did not advertise"
                entry.judge("boolean-options", ok, f"{at}/type", text)
            values = values_of(option) if "options" in option else None
            if values is not None:
                _judge(entry, option.get("currentValue"), values, f"{at}/currentValue")
            id = id_of(option)
            if id is not None and len(self._options) < _MOST:
                before = self._options.get(id) or []
                self._options[id] = values and (before + values)[-_MOST:]
        modes = holder.get("modes")
        if type(modes) is dict:
            offered = [mode.get("id") for mode in items(modes, "availableModes")]
            self._modes = (self._modes + offered)[-_MOST:]
            _judge(entry, modes.get("currentModeId"), offered, f"{place}/modes/currentModeId")
        elif self._modes and "currentModeId" in holder:
            _judge(entry, holder["currentModeId"], self._modes, f"{place}/currentModeId")

    def set(self, entry: Entry, params: dict[str, Any], *, is_complete: bool) -> None:
        """Check the value that the client sets.

        Args:
            entry: the recording's entry for the request.
            params: the params of the request.
            is_complete: whether all offered options and modes are known.
        """
        if "modeId" in params and (self._modes or is_complete):
            _judge(entry, params["modeId"], self._modes, "/params/modeId")
        id, value = params.get("configId"), params.get("value")
        if type(id) is not str or (id not in self._options and not is_complete):
            return
        _judge(entry, id, list(self._options), "/params/configId")
        values = self._options.get(id)
        if values is not None:
            _judge(entry, value, values, "/params/value")


def _needs_flags(version: int | None) -> bool:
    """Return whether a version defines the client capability for boolean options."""
    return bool(version) and facts(version or 0).capabilities["client"] == _FLAGS.split("/")[1]


def _judge(entry: Entry, value: Any, offered: list[Any], pointer: str) -> None:
    shown = ", ".join(map(quote, dict.fromkeys(map(str, offered)))) or "none"
    text = f"expected an offered value ({shown}), found {quote(value)}"
    entry.judge(_OFFERED, value in offered, pointer, text)


def id_of(option: dict[str, Any]) -> str | None:
    """Return an option's id, or None if it isn't a string.

    The name of the field that contains the id depends on the version.
    """
    id = option.get("configId", option.get("id"))
    return id if type(id) is str else None


def values_of(option: dict[str, Any]) -> list[Any]:
    """Return an option's values, including the values in groups."""
    choices: list[dict[str, Any]] = []
    for each in items(option, "options"):
        choices += items(each, "options") if "options" in each else [each]
    return [choice.get("value") for choice in choices]
