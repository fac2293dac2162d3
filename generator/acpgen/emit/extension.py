"""Renders extension packages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from acpgen.emit.contexts.annotations_and_defaults import annotation
from acpgen.emit.package import Modules, header
from acpgen.emit.python import quoting
from acpgen.emit.python.generated_imports import Imports
from acpgen.ir.queries import members_of
from acpgen.ir.surface import Surface


def render_extension(surface: Surface, templates: Path, bindings: str) -> dict[str, str]:
    """Render the files of an extension's package, by path.

    `bindings` is the import name of the package that contains the extended surface.
    """
    origin = surface.origin
    first = header(f"{origin.path} (sha256 {origin.sha256})", "`acpgen extend generate`")
    modules = ExtensionModules(surface, templates, bindings)
    sources = {f"{name}.py": first + source for name, source in modules.render().items()}
    return {**sources, "py.typed": ""}


class ExtensionModules(Modules):
    """A renderer for the modules of one extension."""

    package_template = "extension/package.jinja"

    def __init__(self, surface: Surface, templates: Path, bindings: str) -> None:
        super().__init__(surface, templates)
        assert surface.extension is not None, "the surface must be an extension"
        self._extension = surface.extension
        base = self._extension.base
        codec = quoting.codec_module(base)
        imported = {
            base: f"from {bindings} import {base}",
            codec: f"from {bindings}.{base} import codec as {codec}",
        }
        self._imports = Imports(templates / "runtime", bindings, imported)
        self._sides = [side for side in ("agent", "client") if self._methods.methods(side)]
        self._names |= {
            "extension": self._extension,
            "base": base,
            "base_codec": codec,
            "sides": self._sides,
            "entries": self._entries,
        }

    def _protocol(self) -> Iterator[tuple[str, str]]:
        """Yield the modules for methods, sides, `_meta` entries and variants."""
        if self._sides:
            yield "methods", self._render("extension/methods.jinja")
        for side in self._sides:
            yield side, self._render("extension/side.jinja", side=side)
        if self._extension.meta:
            yield "meta", self._render("extension/meta.jinja")
        if self._extension.variants:
            yield "variants", self._render("extension/variants.jinja")

    def _entries(self, record: str) -> list[tuple[str, str, str]]:
        """Return the name, the type and the key of each `_meta` entry."""
        members = members_of(self._surface.definitions, record)
        return [(member.name, annotation(member.shape), member.wire) for member in members]
