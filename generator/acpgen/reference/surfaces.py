"""All pages about one surface."""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.model import Surface
from acpgen.reference.beside import find_counterparts
from acpgen.reference.capabilities import Capabilities
from acpgen.reference.methods import MethodPages
from acpgen.reference.pages import SurfacePages
from acpgen.reference.stability import Stability
from acpgen.reference.titles import surface_title
from acpgen.reference.types import TypePages


def surface_pages(surface: Surface, surfaces: Sequence[Surface]) -> SurfacePages:
    """The pages about a surface, which is compared with the others."""
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
