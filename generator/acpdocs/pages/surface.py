"""All pages about one surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acpgen.ir.surface import Surface

from acpdocs.content import SurfacePages
from acpdocs.facts.stability import Stability
from acpdocs.facts.surface_links import SurfaceLinks
from acpdocs.facts.version_comparison import VersionComparison, compare_versions
from acpdocs.links import surface_title
from acpdocs.pages.capabilities import Capabilities
from acpdocs.pages.methods import MethodPages
from acpdocs.pages.types import TypePages


def surface_pages(surfaces: Sequence[Surface]) -> list[SurfacePages]:
    """Build the pages about each surface, which compare it with the others."""
    comparisons = compare_versions(surfaces)
    return [
        _pages(surface, f"acp_bindings.{surface.name}", surfaces, comparisons.get(surface.name))
        for surface in surfaces
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
    comparison: VersionComparison | None,
) -> SurfacePages:
    stability = Stability(surface, surfaces)
    surface_links = SurfaceLinks(surface, surfaces)
    return SurfacePages(
        name=surface.name,
        title=surface_title(surface.name),
        package=package,
        version=surface.version,
        stability=surface.stability,
        origin=surface.origin.label,
        stable=stability.stable.name if stability.stable else None,
        types=tuple(TypePages(surface, stability, comparison, surface_links).all()),
        methods=MethodPages(surface, package, stability, comparison, surface_links).all(),
        capabilities=Capabilities(surface, stability).all(),
    )
