"""The sources of the site: surfaces -> pages -> Markdown, with what MkDocs has to know."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from acpgen import paths
from acpgen.ir.surface import Surface
from acpgen.reference.content import ApiPage, SurfacePages
from acpgen.reference.links import list_of, side_title, start_of
from acpgen.reference.markdown import Writer
from acpgen.reference.pages.api import api_pages
from acpgen.reference.pages.surface import surface_pages

_FILES = ("reference.css",)


def write_site_sources(
    surfaces: Sequence[Surface], folder: Path, package: Path = paths.PACKAGE
) -> list[str]:
    """Write `mkdocs.yml` and `docs` to a folder; what was in `docs` before is gone.

    Args:
        surfaces: what the reference is about; each is compared with the others.
        folder: where to write; it is made if need be.
        package: the generated package, whose docstrings are shown.

    Returns:
        The paths of all pages, below `docs`.
    """
    everything = [surface_pages(surface, surfaces) for surface in surfaces]
    modules = {
        name: api_pages(package, name) for name in ("runtime", *(each.name for each in surfaces))
    }
    texts = dict(_texts(Writer(paths.TEMPLATES / "reference"), everything, modules))
    docs = folder / "docs"
    shutil.rmtree(docs, ignore_errors=True)
    for path, text in texts.items():
        place = docs / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for name in _FILES:
        shutil.copyfile(paths.TEMPLATES / "reference" / name, docs / name)
    settings = (paths.TEMPLATES / "reference" / "mkdocs.yml").read_text(encoding="utf-8")
    # JSON is YAML, too.
    nav = json.dumps(_nav(everything, modules), indent=2)
    (folder / "mkdocs.yml").write_text(f"{settings}\nnav: {nav}\n", encoding="utf-8")
    return list(texts)


def _texts(
    writer: Writer, everything: list[SurfacePages], modules: dict[str, list[ApiPage]]
) -> Iterator[tuple[str, str]]:
    """All pages, by their paths."""

    def page(template: str, path: str, **names: Any) -> tuple[str, str]:
        return path, writer.write(template, path, **names)

    sides = list(dict.fromkeys(side for surface in everything for side in surface.methods))
    runtime = modules["runtime"]
    yield page("index.md.jinja", "index.md", surfaces=everything, sides=sides, modules=runtime)
    for each in (each for found in modules.values() for each in found):
        yield page("api.md.jinja", each.path, page=each)
    for surface in everything:
        own, at = modules[surface.name], start_of(surface.name)
        yield page("surface.md.jinja", at, surface=surface, modules=own)
        for what in ("types", "capabilities"):
            yield page(f"{what}.md.jinja", list_of(surface.name, what), surface=surface)
        for side, methods in surface.methods.items():
            yield page("side.md.jinja", list_of(surface.name, side), surface=surface, side=side)
            for method in methods:
                yield page("method.md.jinja", method.path, surface=surface, page=method)
        for type in surface.types:
            yield page("type.md.jinja", type.path, surface=surface, page=type)


def _nav(everything: list[SurfacePages], modules: dict[str, list[ApiPage]]) -> list[Any]:
    """What the menu lists; pages of single types and methods are found through their lists."""
    nav: list[Any] = [{"Start": "index.md"}]
    for surface in everything:
        entries: list[Any] = [start_of(surface.name)]
        entries += [{side_title(side): list_of(surface.name, side)} for side in surface.methods]
        for title in ("Capabilities", "Types"):
            entries.append({title: list_of(surface.name, title.lower())})
        entries += _module_entries(modules[surface.name])
        nav.append({surface.title: entries})
    if modules["runtime"]:
        nav.append({"Runtime": _module_entries(modules["runtime"])})
    return nav


def _module_entries(modules: list[ApiPage]) -> list[dict[str, str]]:
    return [{each.module.partition(".")[2]: each.path} for each in modules]
