"""The methods of a surface as the templates see them."""

from __future__ import annotations

from acpgen.ir.model import Method, Record
from acpgen.ir.surface import Surface


class MethodIndex:
    """Answers the questions that templates ask about methods."""

    def __init__(self, surface: Surface) -> None:
        self._methods = surface.methods
        self._definitions = surface.known

    def sides(self) -> list[str]:
        """The sides that handle methods; `agent`, `client` and `protocol` are always among them."""
        return list(
            dict.fromkeys(["agent", "client", "protocol", *(m.side for m in self._methods)])
        )

    def methods(self, side: str) -> list[Method]:
        """The methods that a side handles, extensions last."""
        return [method for method in self._methods if method.side == side]

    def handled(self, side: str) -> list[Method]:
        """The methods of a side's handler; agents and clients also handle the protocol's."""
        shared = self.methods("protocol") if side in ("agent", "client") else []
        return [*self.methods(side), *shared]

    def needs_no_result(self, method: Method) -> bool:
        """Whether an empty object answers a request, so that its handler may return None."""
        result = self._definitions.get(method.result) if method.result else None
        return isinstance(result, Record) and not any(each.required for each in result.members)

    def twin(self, method: Method) -> Method | None:
        """The notification with the wire name of a request, if there is one."""
        if method.wire is None or method.kind != "request":
            return None
        siblings = (each for each in self.methods(method.side) if each.kind == "notification")
        return next((each for each in siblings if each.wire == method.wire), None)

    def table(self, side: str) -> list[Method]:
        """One method for each wire name: a request rather than its twin."""
        named: dict[str, Method] = {}
        for method in self.methods(side):
            if method.wire:
                named.setdefault(method.wire, method)
        return list(named.values())

    def takes_null_id(self) -> bool:
        """Whether the id of some request may be null, or the schema does not say."""
        requests = [method for method in self._methods if method.kind == "request"]
        return not requests or any(method.null_id for method in requests)
