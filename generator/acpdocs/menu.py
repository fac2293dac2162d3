"""The site's menu, in TOML. The menu contains every page so that it can mark the current page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from acpdocs.content import ApiPage, SurfacePages
from acpdocs.links import REFERENCE, TURN_PHASES, list_page, side_title, surface_page
from acpdocs.markdown import quoted_title
from acpdocs.pages.guides import GUIDES, guide_page

_WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z._])")


def menu_of_site(
    surfaces: Sequence[SurfacePages],
    modules: Mapping[str, Sequence[ApiPage]],
    samples: Sequence[SurfacePages],
) -> str:
    """Return the menu, with a tab for each surface and with sample extensions under Reference."""
    guides = [f'"{guide_page(guide)}"' for guide in GUIDES]
    reference = [f'"{REFERENCE}"', _page("The phases of a turn", TURN_PHASES)]
    if modules["runtime"]:
        reference.append(_section("Runtime", _modules(modules["runtime"])))
    reference += (surface_tab(replace(s, title=f"Example: {s.title}"), ()) for s in samples)
    start = [_page("Start", "index.md"), _section("Guides", guides)]
    tabs = [surface_tab(surface, modules[surface.name]) for surface in surfaces]
    return _list([*start, _section("Reference", reference), *tabs])


def surface_tab(surface: SurfacePages, modules: Sequence[ApiPage]) -> str:
    """Return a surface's tab with its entries."""
    entries = [f'"{surface_page(surface.name)}"']
    for side, methods in surface.methods.items():
        start = _page("All methods", list_page(surface.name, side))
        pages = [_page(method.title, method.path) for method in methods]
        entries.append(_section(side_title(side), [start, *pages]))
    if surface.capabilities:
        entries.append(_page("Capabilities", list_page(surface.name, "capabilities")))
    start = _page("All types", list_page(surface.name, "types"))
    groups = [
        _section(group, [_page(page.name, page.path) for page in pages])
        for group, pages in surface.groups().items()
    ]
    entries.append(_section("Types", [start, *groups]))
    if modules:
        entries.append(_section("Python modules", _modules(modules)))
    return _section(surface.title, entries)


def _modules(modules: Iterable[ApiPage]) -> list[str]:
    return [_page(page.module.partition(".")[2], page.path) for page in modules]


def _page(title: str, path: str) -> str:
    """Return the entry for a page, allowing long names in the title to wrap between words."""
    return f'{{ {_WORD_END.sub("&#8203;", quoted_title(title))} = "{path}" }}'


def _section(title: str, entries: Iterable[str]) -> str:
    return f"{{ {quoted_title(title)} = {_list(entries)} }}"


def _list(entries: Iterable[str]) -> str:
    return "[{}]".format(",\n".join(entries))
