"""Pages about methods."""

from __future__ import annotations

from acpgen.emit.contexts.docstrings import method_summary
from acpgen.emit.contexts.methods import MethodIndex
from acpgen.ir import naming
from acpgen.ir.model import Method
from acpgen.ir.queries import members_of
from acpgen.ir.surface import Surface
from acpgen.ir.wording import title

from acpdocs.content import MethodPage, RichText, TextRun
from acpdocs.facts.examples import Exchanges
from acpdocs.facts.other_surfaces import OtherSurfaces
from acpdocs.facts.place_in_conversation import Places
from acpdocs.links import Links, method_page


class MethodPages:
    """The pages about a surface's methods."""

    def __init__(self, surface: Surface, package: str, others: OtherSurfaces) -> None:
        self._surface = surface
        self._others = others
        self._links = Links(surface)
        self._exchanges = Exchanges(surface, package)
        self._places = Places(surface)
        self._methods = MethodIndex(surface)

    def all(self) -> dict[str, tuple[MethodPage, ...]]:
        """Return the pages, by the side that handles the methods."""
        return {
            side: tuple(self._page(method) for method in methods)
            for side in self._methods.sides()
            if (methods := self._methods.methods(side))
        }

    def _page(self, method: Method) -> MethodPage:
        needed = method.capability
        handlers, callers = self._python(method, "Handler"), self._python(method, "Stub")
        return MethodPage(
            path=method_page(self._surface, method),
            title=title(method),
            side=method.side,
            kind=method.kind,
            summary=method_summary(method, self._surface),
            handlers=handlers,
            callers=callers,
            params=self._links.type(method.params),
            result=self._links.type(method.result) if method.result else None,
            capability=self._links.capability(method.side, needed) if needed else None,
            needs=self._needs(method),
            specification=method.page,
            unstable=self._others.is_unstable_method(method),
            place=self._places.of(method),
            exchange=self._exchanges.of(method, handlers[0], callers[0]),
            counterpart=self._others.method_counterpart(method),
            surface_links=self._others.method_links(method),
        )

    def _python(self, method: Method, suffix: str) -> tuple[str, ...]:
        """Return the method's Python names, one for each side that handles the method."""
        return tuple(
            f"{naming.pascal(side)}{suffix}.{method.name}"
            for side in self._methods.sides()
            if side != "protocol" and method in self._methods.handled(side)
        )

    def _needs(self, method: Method) -> tuple[tuple[RichText, TextRun], ...]:
        """Return the params fields that require a capability, each with the capability."""
        members = {m.name: m for m in members_of(self._surface.definitions, method.params)}
        rows: list[tuple[RichText, TextRun]] = []
        for need in method.needs:
            member = members[need.member]
            text = f"{method.params}.{member.wire}"
            part: RichText = (self._links.member(method.params, member, text),)
            if need.kind is not None:
                part += (TextRun(" with "), self._links.type(need.kind))
            rows.append((part, self._links.capability(method.side, need.capability)))
        return tuple(rows)
