"""All pages about one surface."""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.ir.surface import Surface
from acpgen.reference.content import SurfacePages
from acpgen.reference.facts.counterparts import find_counterparts
from acpgen.reference.facts.stability import Stability
from acpgen.reference.links import surface_title
from acpgen.reference.pages.capabilities import Capabilities
from acpgen.reference.pages.methods import MethodPages
from acpgen.reference.pages.types import TypePages


def surface_pages(surface: Surface, surfaces: Sequence[Surface]) -> SurfacePages:
    """Build the pages about a surface; `surfaces` are those to compare it with."""
    stability = Stability(surface, surfaces)
    counterparts = find_counterparts(surface, surfaces)
    return SurfacePages(
        name=surface.name,
        title=surface_title(surface.name),
        version=surface.version,
        stability=surface.stability,
        origin=surface.origin.label,
        stable=stability.stable.name if stability.stable else None,
        types=tuple(TypePages(surface, stability, counterparts).all()),
        methods=MethodPages(surface, stability, counterparts).all(),
        capabilities=Capabilities(surface, stability).all(),
    )
