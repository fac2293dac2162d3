"""The config options of a session of the older version, as a newer client is shown them.

The older version has modes beside the options; the newer one has options only. So modes become an
option. Some agents offer an option for their modes already: then it is that one, and none is added.
"""

from __future__ import annotations

from typing import Any

from .rules import JsonValue, without

_MODE = "mode"


class Options:
    """The config options of a session, those of the agent and the one made of its modes."""

    def __init__(self) -> None:
        """Start with none known."""
        self._own: list[dict[str, Any]] | None = None  # as the newer version has them
        self._modes: dict[str, Any] | None = None  # as the older version has them

    def set_own(self, options: list[JsonValue]) -> None:
        """Take over the options of the agent, converted."""
        self._own = options

    def set_modes(self, modes: JsonValue) -> None:
        """Take over the modes of the agent, as it has told them."""
        self._modes = dict(modes)

    @property
    def mode_id(self) -> str | None:
        """The id of the option that was made of modes; None if there is none."""
        if self._modes is None or not self._modes["availableModes"] or self._own_mode():
            return None
        taken = {option["configId"] for option in self._own or ()}
        mode_id = _MODE
        while mode_id in taken:
            mode_id += "_"
        return mode_id

    def shown(self) -> list[JsonValue] | None:
        """Return all options; None if the agent has told neither options nor modes."""
        mode_id, modes = self.mode_id, self._modes
        if modes is None or mode_id is None:
            return self._own
        option = {
            **without(modes, "currentModeId", "availableModes"),
            "configId": mode_id,
            "name": "Mode",
            "category": _MODE,
            "type": "select",
            "currentValue": modes["currentModeId"],
            "options": [{**without(m, "id"), "value": m["id"]} for m in modes["availableModes"]],
        }
        return [option, *(self._own or ())]

    def choose_mode(self, value: str) -> bool:
        """Take note of the current mode; return whether an option shows it."""
        own = self._own_mode()
        if own is not None:
            if value not in _values(own):
                return False
            own["currentValue"] = value
            return True
        if self._modes is not None:
            self._modes["currentModeId"] = value
        return self.mode_id is not None

    def _own_mode(self) -> dict[str, Any] | None:
        """The option of the agent that is for its modes."""
        for option in self._own or ():
            if option.get("category") == _MODE and option.get("type") == "select":
                return option
        return None


def _values(option: JsonValue) -> set[str]:
    """The values of an option, in groups or not."""
    choices = option["options"]
    groups = [choice.get("options", [choice]) for choice in choices]
    return {choice["value"] for group in groups for choice in group}
