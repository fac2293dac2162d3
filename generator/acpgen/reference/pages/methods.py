"""The pages of methods."""

from __future__ import annotations

import json

from acpgen.emit.docstrings import method_summary
from acpgen.emit.methods import MethodIndex
from acpgen.ir import naming
from acpgen.ir.model import Method
from acpgen.ir.queries import members_of
from acpgen.ir.surface import Surface
from acpgen.ir.wording import title
from acpgen.reference.content import MethodPage, RichText, TextRun
from acpgen.reference.facts.counterparts import Counterparts
from acpgen.reference.facts.examples import Examples
from acpgen.reference.facts.phrases import Phrases
from acpgen.reference.facts.stability import Stability
from acpgen.reference.links import capability_at, member_at, method_at


class MethodPages:
    """Makes the pages of the methods of one surface."""

    def __init__(
        self, surface: Surface, stability: Stability, counterparts: Counterparts | None
    ) -> None:
        self._surface = surface
        self._stability = stability
        self._counterparts = counterparts
        self._phrases = Phrases(surface)
        self._examples = Examples(surface)
        self._calls = MethodIndex(surface)

    def all(self) -> dict[str, tuple[MethodPage, ...]]:
        """The pages, by the side that handles the methods."""
        return {
            side: tuple(self.page(method) for method in methods)
            for side in self._calls.sides()
            if (methods := self._calls.methods(side))
        }

    def page(self, method: Method) -> MethodPage:
        """The page of one method."""
        needed = method.capability
        return MethodPage(
            path=method_at(self._surface, method),
            surface=self._surface.name,
            title=title(method),
            wire=method.wire,
            side=method.side,
            kind=method.kind,
            summary=method_summary(method, self._surface),
            handlers=self._python(method, "Handler"),
            callers=self._python(method, "Stub"),
            params=self._phrases.link(method.params),
            result=self._phrases.link(method.result) if method.result else None,
            capability=(
                TextRun(needed.pointer, capability_at(self._surface, method.side, needed), True)
                if needed
                else None
            ),
            needs=self._needs(method),
            page=method.page,
            unstable=self._stability.is_unstable_method(method),
            message=self._message(method),
            beside=(
                self._counterparts.of_method(self._surface, method) if self._counterparts else None
            ),
        )

    def _python(self, method: Method, suffix: str) -> tuple[str, ...]:
        """The Python methods of handlers or stubs; either side handles what is the protocol's."""
        return tuple(
            f"{naming.pascal(side)}{suffix}.{method.name}"
            for side in self._calls.sides()
            if side != "protocol" and method in self._calls.handled(side)
        )

    def _needs(self, method: Method) -> tuple[tuple[RichText, TextRun], ...]:
        """What members of the params need."""
        rows: list[tuple[RichText, TextRun]] = []
        for need in method.needs:
            member = next(
                each
                for each in members_of(self._surface.definitions, method.params)
                if each.name == need.member
            )
            at = member_at(self._surface, method.params, member)
            what: RichText = (TextRun(f"{method.params}.{member.wire}", at, code=True),)
            if need.kind is not None:
                what += (TextRun(" with "), self._phrases.link(need.kind))
            at = capability_at(self._surface, method.side, need.capability)
            rows.append((what, TextRun(need.capability.pointer, at, code=True)))
        return tuple(rows)

    def _message(self, method: Method) -> str | None:
        """The message with the example of the params; extensions name their methods themselves."""
        example = self._examples.of(method.params)
        if method.wire is None or example is None:
            return None
        number = {"id": 1} if method.kind == "request" else {}
        message = {"jsonrpc": "2.0", **number, "method": method.wire, "params": example.value}
        return json.dumps(message, indent=2)
