"""Generation of the site's sources: the settings and the Markdown pages, including the guides."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from acpgen.common import paths
from acpgen.ir.surface import Surface

from acpdocs.content import ApiPage, SurfacePages
from acpdocs.facts.package_names import PackageNames
from acpdocs.links import REFERENCE, TURN_PHASES, list_page, surface_page
from acpdocs.markdown import Markdown, PageRenderer
from acpdocs.menu import menu_of_site
from acpdocs.pages.api import ApiPages
from acpdocs.pages.front import front_page
from acpdocs.pages.guides import GUIDES, example_programs, guide_page, official_sdk_names
from acpdocs.pages.surface import extension_pages, surface_pages
from acpdocs.turn_drawings import draw_phases, draw_turns, transitions
from acpdocs.zensical.building import settings

# The package of the sample extension.
SAMPLE = "acme"
_TEMPLATES = paths.TEMPLATES / "reference"


def write_site_sources(
    surfaces: Sequence[Surface],
    folder: Path,
    sample: Surface | None,
) -> list[str]:
    """Write `zensical.toml`, `theme` and `docs` to a folder, replacing an earlier `docs`.

    Args:
        surfaces: the surfaces to document and to compare with each other.
        folder: the folder to write to, which is created if it is missing.
        sample: a sample extension of one of the surfaces, which is also documented.

    Returns:
        The paths of all pages, relative to `docs`.
    """
    documented = surface_pages(surfaces)
    types = {f"{s.package}.types.{page.name}": page.path for s in documented for page in s.types}
    api = ApiPages(paths.PACKAGE, types)
    modules = {name: api.of(name) for name in ("runtime", *(surface.name for surface in surfaces))}
    renderer = PageRenderer(_TEMPLATES)
    front = front_page()
    texts = {"index.md": renderer.render("overview/index.md.jinja", "index.md", front=front)}
    texts |= _texts(renderer, documented, modules)
    samples: list[SurfacePages] = []
    if sample is not None and sample.extension is not None:
        samples.append(extension_pages(sample, SAMPLE))
        texts |= surface_texts(renderer, samples[0], [], sample.extension.base)
    menu = menu_of_site(documented, modules, samples)
    write_sources(folder, texts, menu, [surface.name for surface in surfaces])
    for path, picture in front.pictures.items():
        target = folder / "docs" / path
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(picture, target)
    return list(texts)


def write_sources(
    folder: Path, texts: Mapping[str, str], menu: str, surfaces: Sequence[str] = ()
) -> None:
    """Write the sources from which Zensical builds a site.

    Args:
        folder: the folder to write to.
        texts: the Markdown of each page, by path.
        menu: the menu, in TOML.
        surfaces: the surfaces, each of which has its own search index.
    """
    docs = folder / "docs"
    shutil.rmtree(docs, ignore_errors=True)
    for path, text in texts.items():
        file = docs / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for style in (_TEMPLATES / "reference.css", _TEMPLATES / "overview" / "front.css"):
        shutil.copy(style, docs)
    shutil.copytree(_TEMPLATES / "theme", folder / "theme", dirs_exist_ok=True)
    rest = (_TEMPLATES / "zensical.toml").read_text(encoding="utf-8")
    (folder / "zensical.toml").write_text(settings(menu, surfaces) + rest, encoding="utf-8")


def _texts(
    renderer: PageRenderer, surfaces: list[SurfacePages], modules: dict[str, list[ApiPage]]
) -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page that isn't about the sample extension."""

    def page(template: str, path: str, **names: Any) -> tuple[str, str]:
        return path, renderer.render(template, path, **names)

    sides = list(dict.fromkeys(side for surface in surfaces for side in surface.methods))
    lists = {"surfaces": surfaces, "sides": sides, "modules": modules["runtime"]}
    yield page("overview/reference.md.jinja", REFERENCE, **lists)
    drawings = [
        Markdown(draw_phases(transitions(table), name, id_))
        for table, name, id_ in (
            ("PHASES", "A turn that ends with an update", "phases"),
            ("PHASES_WITHOUT_ECHO", "A turn without an echo of the prompt", "without-echo"),
        )
    ]
    yield page("overview/turn-phases.md.jinja", TURN_PHASES, drawings=drawings)
    shown = {
        "surfaces": surfaces,
        "package_names": PackageNames(surfaces, modules),
        "groups": official_sdk_names(),
        "programs": example_programs(),
    }
    for guide in GUIDES:
        path, text = page(f"guides/{guide}", guide_page(guide), **shown)
        yield path, draw_turns(text)
    for api_page in chain.from_iterable(modules.values()):
        yield page("api.md.jinja", api_page.path, page=api_page)
    for surface in surfaces:
        yield from surface_texts(renderer, surface, modules[surface.name]).items()


def surface_texts(
    renderer: PageRenderer,
    surface: SurfacePages,
    modules: list[ApiPage],
    extends: str | None = None,
) -> dict[str, str]:
    """Return the Markdown of each page about a surface or an extension, by path."""
    texts: dict[str, str] = {}

    def add(template: str, path: str, **names: Any) -> None:
        texts[path] = renderer.render(f"{template}.md.jinja", path, surface=surface, **names)

    add("surface", surface_page(surface.name), modules=modules, extends=extends)
    if surface.capabilities:  # extensions have no capabilities page
        add("capabilities", list_page(surface.name, "capabilities"))
    add("types", list_page(surface.name, "types"))
    for side, methods in surface.methods.items():
        add("side", list_page(surface.name, side), side=side)
        for method in methods:
            add("method", method.path, page=method)
    for each_type in surface.types:
        add("type", each_type.path, page=each_type)
    return texts
