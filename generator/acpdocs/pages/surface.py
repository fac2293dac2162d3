"""All pages about one surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acpgen.ir.surface import Surface

from acpdocs.content import SurfacePages
from acpdocs.facts.versions.comparison import Counterparts, find_counterparts
from acpdocs.facts.versions.other_surfaces import Editions
from acpdocs.facts.versions.stability import Stability
from acpdocs.links import surface_title
from acpdocs.pages.capabilities import Capabilities
from acpdocs.pages.methods import MethodPages
from acpdocs.pages.types import TypePages


def surface_pages(surfaces: Sequence[Surface]) -> list[SurfacePages]:
    """Build the pages about each surface, which compare it with the others."""
    counterparts = find_counterparts(surfaces)
    return [
        _pages(each, f"acp_bindings.{each.name}", surfaces, counterparts.get(each.name))
        for each in surfaces
    ]


def extension_pages(extension: Surface, package: str) -> SurfacePages:
    """Build the pages about an extension.

    Args:
        extension: what its schema adds to a surface.
        package: the name of its package.
    """
    # Its pages show types of the protocol, too, and link to their pages.
    known = replace(extension, name=package, definitions=extension.known)
    return _pages(known, package, (), None)


def _pages(
    surface: Surface,
    package: str,
    surfaces: Sequence[Surface],
    counterparts: Counterparts | None,
) -> SurfacePages:
    stability = Stability(surface, surfaces)
    editions = Editions(surface, surfaces)
    return SurfacePages(
        name=surface.name,
        title=surface_title(surface.name),
        package=package,
        version=surface.version,
        stability=surface.stability,
        origin=surface.origin.label,
        stable=stability.stable.name if stability.stable else None,
        types=tuple(TypePages(surface, stability, counterparts, editions).all()),
        methods=MethodPages(surface, package, stability, counterparts, editions).all(),
        capabilities=Capabilities(surface, stability).all(),
    )
