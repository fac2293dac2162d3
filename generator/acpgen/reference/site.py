"""The sources of the site: surfaces and guides -> pages -> Markdown, and the settings of MkDocs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from acpgen import paths
from acpgen.ir.surface import Surface
from acpgen.reference.content import ApiPage, SurfacePages
from acpgen.reference.facts.places import Places
from acpgen.reference.links import list_page, side_title, surface_page
from acpgen.reference.markdown import Writer
from acpgen.reference.pages.api import api_pages
from acpgen.reference.pages.guides import GUIDES, guide_page, name_groups
from acpgen.reference.pages.surface import surface_pages

_TEMPLATES = paths.TEMPLATES / "reference"


def write_site_sources(
    surfaces: Sequence[Surface], folder: Path, package: Path = paths.PACKAGE
) -> list[str]:
    """Write `mkdocs.yml` and `docs` to a folder, replacing an earlier `docs`.

    Args:
        surfaces: the surfaces to document and to compare with each other.
        folder: the folder to write to; created if missing.
        package: the generated package that holds the docstrings.

    Returns:
        The paths of all pages, below `docs`.
    """
    documented = [surface_pages(surface, surfaces) for surface in surfaces]
    modules = {
        name: api_pages(package, name) for name in ("runtime", *(each.name for each in surfaces))
    }
    texts = dict(_texts(Writer(_TEMPLATES), documented, modules))
    docs = folder / "docs"
    shutil.rmtree(docs, ignore_errors=True)
    for path, text in texts.items():
        file = docs / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    shutil.copyfile(_TEMPLATES / "reference.css", docs / "reference.css")
    settings = (_TEMPLATES / "mkdocs.yml").read_text(encoding="utf-8")
    # JSON is valid YAML.
    nav = json.dumps(_nav(documented, modules), indent=2)
    (folder / "mkdocs.yml").write_text(f"{settings}\nnav: {nav}\n", encoding="utf-8")
    return list(texts)


def _texts(
    writer: Writer, surfaces: list[SurfacePages], modules: dict[str, list[ApiPage]]
) -> Iterator[tuple[str, str]]:
    """The path and the Markdown of each page."""

    def page(template: str, path: str, **names: Any) -> tuple[str, str]:
        return path, writer.write(template, path, **names)

    sides = list(dict.fromkeys(side for surface in surfaces for side in surface.methods))
    runtime = modules["runtime"]
    yield page("index.md.jinja", "index.md", surfaces=surfaces, sides=sides, modules=runtime)
    groups = name_groups(_TEMPLATES / "guides", Places(surfaces, modules))
    for guide in GUIDES:
        yield page(f"guides/{guide}", guide_page(guide), surfaces=surfaces, groups=groups)
    for each in chain.from_iterable(modules.values()):
        yield page("api.md.jinja", each.path, page=each)
    for surface in surfaces:
        start, sessions = surface_page(surface.name), modules[surface.name]
        yield page("surface.md.jinja", start, surface=surface, modules=sessions)
        for topic in ("types", "capabilities"):
            yield page(f"{topic}.md.jinja", list_page(surface.name, topic), surface=surface)
        for side, methods in surface.methods.items():
            yield page("side.md.jinja", list_page(surface.name, side), surface=surface, side=side)
            for method in methods:
                yield page("method.md.jinja", method.path, surface=surface, page=method)
        for each_type in surface.types:
            yield page("type.md.jinja", each_type.path, surface=surface, page=each_type)


def _nav(surfaces: list[SurfacePages], modules: dict[str, list[ApiPage]]) -> list[Any]:
    """The entries of the menu; pages of types and methods are reached through their lists."""
    nav: list[Any] = [{"Start": "index.md"}, {"Guides": list(map(guide_page, GUIDES))}]
    for surface in surfaces:
        entries: list[Any] = [surface_page(surface.name)]
        entries += [{side_title(side): list_page(surface.name, side)} for side in surface.methods]
        for title in ("Capabilities", "Types"):
            entries.append({title: list_page(surface.name, title.lower())})
        entries += _module_entries(modules[surface.name])
        nav.append({surface.title: entries})
    if modules["runtime"]:
        nav.append({"Runtime": _module_entries(modules["runtime"])})
    return nav


def _module_entries(modules: list[ApiPage]) -> list[dict[str, str]]:
    return [{each.module.partition(".")[2]: each.path} for each in modules]
