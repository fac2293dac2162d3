"""All pages about one surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acpgen.ir.surface import Surface
from acpgen.reference.content import SurfacePages
from acpgen.reference.facts.counterparts import find_counterparts
from acpgen.reference.facts.editions import Editions
from acpgen.reference.facts.stability import Stability
from acpgen.reference.links import surface_title
from acpgen.reference.pages.capabilities import Capabilities
from acpgen.reference.pages.methods import MethodPages
from acpgen.reference.pages.types import TypePages


def surface_pages(surface: Surface, surfaces: Sequence[Surface]) -> SurfacePages:
    """Build the pages about a surface; `surfaces` are those to compare it with."""
    return _pages(surface, f"acp_bindings.{surface.name}", surfaces)


def extension_pages(extension: Surface, package: str) -> SurfacePages:
    """Build the pages about an extension.

    Args:
        extension: what its schema adds to a surface.
        package: the name of its package.
    """
    # Its pages show types of the protocol, too, and link to their pages.
    known = replace(extension, name=package, definitions=extension.known)
    return _pages(known, package, None)


def _pages(surface: Surface, package: str, surfaces: Sequence[Surface] | None) -> SurfacePages:
    stability = Stability(surface, surfaces or ())
    counterparts = None if surfaces is None else find_counterparts(surface, surfaces)
    editions = Editions(surface, surfaces or ())
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
