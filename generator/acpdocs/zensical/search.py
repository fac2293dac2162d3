"""The search indexes, which are built from Zensical's index and list each item once.

The browser searches for entries in which each word of the query is the prefix of a word. Entries
are ranked by the positions of the matches in the title, then in the path, then in the text. Entries
that rank equally are listed in the order of the index. The browser reads the index in the folder
that the page specifies as its base: the folder of the page's surface (see `theme/main.html`). The
worker `ranked.js` wraps Zensical's worker. If the query consists of plain words, `ranked.js` lists
guides first. If no entry contains all words, `ranked.js` searches for entries that contain some of
the words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from acpdocs.links import surface_title

_Entry: TypeAlias = dict[str, Any]
# The entries of an item, by surface. The key is empty for an item without a surface.
_Thing: TypeAlias = dict[str, _Entry]

_INDEX = "search.json"
# Each page in these folders describes a single item, so its sections have no separate entries.
_ONE_THING = re.compile(r"\w+/(types|methods)/")
_TAG = re.compile(r"<[^>]*>")
_SURFACE = re.compile(r" ?<small>.*?</small>")


def write_indexes(site: Path, surfaces: Sequence[str]) -> None:
    """Replace a site's index and write an index for each surface's pages."""
    index = json.loads((site / _INDEX).read_text(encoding="utf-8"))
    things = _things(index["items"], surfaces)
    for chosen in ("", *surfaces):
        index["items"] = _listed(things, chosen, surfaces)
        text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
        (site / chosen / _INDEX).write_text(text, encoding="utf-8")


def _things(items: Iterable[_Entry], surfaces: Sequence[str]) -> list[_Thing]:
    """Return the entries of each item, sorted so that exact matches precede longer names.

    Among names of the same length, classes precede attributes, and items in surfaces precede other
    items.
    """
    things: dict[tuple[str, str], _Thing] = {}
    pages: dict[str, _Entry] = {}
    for item in items:
        location = item["location"]
        page = pages.setdefault(location.partition("#")[0], item)
        if page is not item and _ONE_THING.match(location):
            page["text"] += f" {item['text']}"
            continue
        folder, _, rest = location.partition("/")
        surface, place = (folder, rest) if folder in surfaces else ("", location)
        things.setdefault((place, _name(item)), {})[surface] = item

    def rank(thing: tuple[tuple[str, str], _Thing]) -> tuple[int, bool, bool]:
        (_, name), entries = thing
        return len(name), name[:1].islower(), "" in entries

    return [entries for _, entries in sorted(things.items(), key=rank)]


def _listed(things: Sequence[_Thing], chosen: str, surfaces: Sequence[str]) -> list[_Entry]:
    """Choose an entry for each item.

    Entries in the chosen surface are preferred, then entries in other surfaces of the same version,
    then entries in stable surfaces.
    """
    version = chosen.partition("_")[0]
    order = sorted(surfaces, key=lambda s: (s != chosen, s.partition("_")[0] != version, "_" in s))
    up = "../" if chosen else ""
    entries: list[_Entry] = []
    for thing in things:
        entry = next(thing[surface] for surface in (*order, "") if surface in thing)
        known = [surface_title(surface) for surface in surfaces if surface in thing]
        path = _path(entry)
        entries.append(
            {
                **entry,
                "location": up + entry["location"],
                "title": _SURFACE.sub("", entry["title"]),
                "path": [", ".join(known), *path[1:]] if known and path else path,
                # The name is at the same position in each entry's text, so it doesn't affect the
                # ranking.
                "text": f"<b>{_name(entry)}</b> {entry['text']}",
            }
        )
    return entries


def _path(entry: _Entry) -> list[str]:
    """Return the path of an item: its tab, a group of pages, and a page or a class."""
    page, _, anchor = entry["location"].partition("#")
    *above, title = entry["path"] or [""]
    if anchor and page.startswith("guides/"):
        return [title]
    if not anchor or "/api/" not in page:
        return [*above[:2], title] if anchor else above[:2]
    owner = anchor.rpartition(".")[0]
    return [*above[:1], owner] if owner else above[:2]


def _name(item: _Entry) -> str:
    """Return an item's title without the surface and without markup."""
    return _TAG.sub("", _SURFACE.sub("", item["title"])).strip()
