"""The indexes of the search, from the one that Zensical writes: each thing is listed once.

A client finds the entries that have all words of a query, each as the beginning of a word. It
compares the positions of what it has found in the title, then in the path, then in the text, and
shows entries that agree in all three in the order of the index. It reads the index in the folder
that a page names as its base, which is the folder of its surface: see `theme/main.html`. Our worker
`ranked.js` asks Zensical's: it lists guides first for plain words, and drops words if no entry has
all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from acpdocs.links import surface_title

_Entry: TypeAlias = dict[str, Any]
# The entries of a thing, by surface; that of a thing of no surface has the empty name.
_Thing: TypeAlias = dict[str, _Entry]

_INDEX = "search.json"
# The pages of these folders are about one thing each; a class has an entry of its own.
_ONE_THING = re.compile(r"\w+/(types|methods)/")
_TAG = re.compile(r"<[^>]*>")
_SURFACE = re.compile(r" ?<small>.*?</small>")


def write_indexes(site: Path, surfaces: Sequence[str]) -> None:
    """Replace the index of a site, and write one for the pages of each surface."""
    index = json.loads((site / _INDEX).read_text(encoding="utf-8"))
    things = _things(index["items"], surfaces)
    for chosen in ("", *surfaces):
        index["items"] = _listed(things, chosen, surfaces)
        text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
        (site / chosen / _INDEX).write_text(text, encoding="utf-8")


def _things(items: Iterable[_Entry], surfaces: Sequence[str]) -> list[_Thing]:
    """Collect what each thing is called, the exact names of a query before longer ones.

    Of equal names, classes come before attributes, and those of surfaces before others.
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
    """Choose an entry for each thing: of the surface, of its version, of a stable one."""
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
                # At the same position in all entries, so that it does not count.
                "text": f"<b>{_name(entry)}</b> {entry['text']}",
            }
        )
    return entries


def _path(entry: _Entry) -> list[str]:
    """Where a thing is: below its tab, a group of pages, and a page or a class."""
    page, _, anchor = entry["location"].partition("#")
    *above, title = entry["path"] or [""]
    if anchor and page.startswith("guides/"):
        return [title]
    if not anchor or "/api/" not in page:
        return [*above[:2], title] if anchor else above[:2]
    owner = anchor.rpartition(".")[0]
    return [*above[:1], owner] if owner else above[:2]


def _name(item: _Entry) -> str:
    """The title without the surface and without markup."""
    return _TAG.sub("", _SURFACE.sub("", item["title"])).strip()
