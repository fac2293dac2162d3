"""The methods of a surface as the templates see them."""

from __future__ import annotations

from acpgen.ir.model import Method
from acpgen.ir.surface import Surface


class MethodIndex:
    """Who handles what, in answers to the questions that templates ask."""

    def __init__(self, surface: Surface) -> None:
        self._methods = surface.methods

    def sides(self) -> list[str]:
        """Who handles methods; the agent, the client and either one are always there."""
        return list(
            dict.fromkeys(["agent", "client", "protocol", *(m.side for m in self._methods)])
        )

    def methods(self, side: str) -> list[Method]:
        """The methods that a side handles, extensions last."""
        return [method for method in self._methods if method.side == side]

    def handled(self, side: str) -> list[Method]:
        """What a handler of that side has: the agent and the client handle the protocol, too."""
        shared = self.methods("protocol") if side in ("agent", "client") else []
        return [*self.methods(side), *shared]

    def twin(self, method: Method) -> Method | None:
        """The notification that has the name of a request."""
        return next(
            (
                each
                for each in self.methods(method.side)
                if method.wire
                and each.wire == method.wire
                and each.kind != method.kind == "request"
            ),
            None,
        )

    def table(self, side: str) -> list[Method]:
        """The methods by which the others are found: one for each name in JSON."""
        named: dict[str, Method] = {}
        for method in self.methods(side):
            if method.wire:
                named.setdefault(method.wire, method)
        return list(named.values())

    def takes_null_id(self) -> bool:
        """Whether the id of a request may be null; so it may where the schema does not say."""
        requests = [method for method in self._methods if method.kind == "request"]
        return not requests or any(method.null_id for method in requests)

    def has_capabilities(self) -> bool:
        """Whether any method needs one."""
        return any(method.capability or method.needs for method in self._methods)

    def has_needs(self) -> bool:
        """Whether a member of any params needs one."""
        return any(method.needs for method in self._methods)

    def types(self, side: str | None = None) -> list[str]:
        """The params and results of the methods of a side; of all, with what members need."""
        methods = self.handled(side) if side else self._methods
        names = {name for m in methods for name in (m.params, m.result) if name}
        if side is None:
            names |= {need.kind for m in methods for need in m.needs if need.kind}
        return sorted(names)
