"""Render what remote connections know of the methods of all surfaces."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from acpgen.common.paths import REMOTE
from acpgen.emit.package import header
from acpgen.emit.python import quoting
from acpgen.emit.python.style import format_source
from acpgen.emit.rendering import template_errors
from acpgen.emit.rendering.environment import environment
from acpgen.ir.surface import Surface


def render_remote(surfaces: Iterable[Surface], templates: Path) -> dict[str, str]:
    """The files of remote connections that depend on schemas, by path within the package.

    Raises:
        InputError: the template has a mistake.
    """
    sessions = [surface.session for surface in surfaces if surface.session is not None]
    enders = {method.wire for session in sessions for method in session.enders if method.wire}
    made = environment(templates)
    made.filters.update(literal=quoting.literal)
    with template_errors.reported(templates, "remote connections"):
        text = made.get_template("remote/methods.jinja").render(enders=sorted(enders))
    source = header("templates/remote/methods.jinja and the schemas of all surfaces")
    return {f"{REMOTE}/methods.py": source + format_source(text)}
