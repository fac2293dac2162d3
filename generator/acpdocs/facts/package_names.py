"""The pages and anchors that document the package's names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from acpdocs.content import ApiPage, RichText, SurfacePages, TextRun
from acpdocs.links import list_page

_RUNTIME = "runtime."


class PackageNames:
    """Links to the package's names.

    A method without an entry, such as an inherited method, links to its class.
    """

    def __init__(
        self, surfaces: Sequence[SurfacePages], modules: Mapping[str, Sequence[ApiPage]]
    ) -> None:
        self._surfaces = surfaces
        self._targets = dict(_of_modules(modules))
        for surface in surfaces:
            self._targets.update(_of_surface(surface))

    def link(self, name: str) -> RichText:
        """Return a link to a name, such as `PromptRequest` or `runtime.aio.Peer`.

        Args:
            name: a name in a surface, or a name in the package that begins with `runtime.`.

        Returns:
            A link to a `runtime` name, or a surface name followed by a link for each protocol
            version that defines it, preferably to the stable surface.
        """
        if name.startswith(_RUNTIME):
            return (TextRun(name, self._find(name), code=True),)
        links: list[TextRun] = []
        for surface in self._surfaces:
            target = self._find(f"{surface.name}.{name}")
            is_stable = surface.stable and self._find(f"{surface.stable}.{name}")
            if target is not None and not is_stable:
                links += (TextRun(" "), TextRun(surface.title, target))
        return (TextRun(name, code=True), *links)

    def _find(self, name: str) -> str | None:
        return self._targets.get(name) or self._targets.get(name.rpartition(".")[0])


def _of_modules(modules: Mapping[str, Sequence[ApiPage]]) -> Iterator[tuple[str, str]]:
    for page in (page for pages in modules.values() for page in pages):
        module = page.module.partition(".")[2]
        # A surface exports the names in its modules.
        owner = module if f"{module}.".startswith(_RUNTIME) else module.partition(".")[0]
        for entry in page.entries:
            yield f"{owner}.{entry.name}", f"{page.path}#{entry.name}"
            for member in entry.members:
                yield f"{owner}.{entry.name}.{member.name}", f"{page.path}#{member.anchor}"


def _of_surface(surface: SurfacePages) -> Iterator[tuple[str, str]]:
    for page in surface.types:
        yield f"{surface.name}.{page.name}", page.path
    for side, methods in surface.methods.items():
        for kind in ("Handler", "Stub"):
            yield f"{surface.name}.{side.capitalize()}{kind}", list_page(surface.name, side)
        for method in methods:
            for name in (*method.handlers, *method.callers):
                yield f"{surface.name}.{name}", method.path
