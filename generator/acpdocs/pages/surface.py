"""All pages about a surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acpgen.ir.surface import Surface

from acpdocs.content import SurfacePages
from acpdocs.facts.other_surfaces import OtherSurfaces
from acpdocs.facts.version_comparison import compare_versions
from acpdocs.links import surface_title
from acpdocs.pages.capabilities import Capabilities
from acpdocs.pages.methods import MethodPages
from acpdocs.pages.types import TypePages


def surface_pages(surfaces: Sequence[Surface]) -> list[SurfacePages]:
    """Build the pages about each surface, including comparisons with the other surfaces."""
    comparisons = compare_versions(surfaces)
    return [
        _pages(
            surface,
            f"acp_bindings.{surface.name}",
            OtherSurfaces(surface, surfaces, comparisons.get(surface.name)),
        )
        for surface in surfaces
    ]


def extension_pages(extension: Surface, package: str) -> SurfacePages:
    """Build the pages about the definitions that an extension adds to a surface."""
    # The pages also mention the protocol's types and link to the pages about those types.
    known = replace(extension, name=package, definitions=extension.known)
    return _pages(known, package, OtherSurfaces(known, (), None))


def _pages(surface: Surface, package: str, others: OtherSurfaces) -> SurfacePages:
    return SurfacePages(
        name=surface.name,
        title=surface_title(surface.name),
        package=package,
        version=surface.version,
        stability=surface.stability,
        origin=surface.origin.label,
        stable=others.stable.name if others.stable else None,
        types=tuple(TypePages(surface, others).all()),
        methods=MethodPages(surface, package, others).all(),
        capabilities=Capabilities(surface, others).all(),
    )
