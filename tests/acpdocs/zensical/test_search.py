"""The search indexes."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest
from acpdocs.zensical.search import write_indexes

from tests.acpdocs.reference import NAMES
from tests.support.site import Page


@pytest.mark.slow
@pytest.mark.xdist_group("reference")
@pytest.mark.parametrize("surface", ["", *NAMES])
def test_the_index_of_the_search_has_everything_once(
    surface: str, built: Path, site: dict[str, Page]
) -> None:
    index = json.loads((built / surface / "search.json").read_text(encoding="utf-8"))
    found: dict[tuple[str, str, str], str] = {}
    for item in index["items"]:
        path, _, anchor = os.path.normpath(os.path.join(surface, item["location"])).partition("#")
        assert not anchor or unquote(anchor) in site[path].ids
        folder, _, page = path.partition("/")
        thing = (page if folder in NAMES else path, anchor, item["title"])
        assert thing not in found
        found[thing] = folder
    assert len(found) > 1000
    types = Counter(folder for (page, _, _), folder in found.items() if page.startswith("types/"))
    assert not surface or max(types, key=types.__getitem__) == surface


def item(location: str, title: str, *path: str) -> dict[str, object]:
    return {"location": location, "title": title, "path": [*path], "text": f"about {title}"}


# Parts of an index as Zensical writes it. A path ends with the title of the page.
ITEMS = [
    item("", "Home"),
    item("guides/agent/", "Agents", "Guides", "First steps", "Agents"),
    item("guides/agent/#turns", "Turns", "Guides", "First steps", "Agents"),
    item("kit/api/files/", "files", "Kit", "API", "files"),
    item("kit/api/files/#Files", "<code>Files</code>", "Kit", "API", "files"),
    item("kit/api/files/#Files.read", "<code>read</code>", "Kit", "API", "files"),
    item("v1/client/", "Clients <small>v1</small>", "v1", "Sides", "Clients"),
    item("v1/client/#sessions", "Sessions", "v1", "Sides", "Clients"),
    *(
        item(f"{name}/types/Cost/", f"Cost <small>{name}</small>", name, "Types", "Cost")
        for name in ("v1", "v1_unstable", "v2")
    ),
    item("v1/types/Cost/#amount", "amount", "v1", "Types", "Cost"),
    item("v1_unstable/methods/fork/", "<code>fork</code>", "v1_unstable", "Methods", "fork"),
]


def test_entries_have_a_short_path_and_prefer_the_surface_of_the_index(tmp_path: Path) -> None:
    names = ["v1", "v1_unstable", "v2"]
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / "search.json").write_text(json.dumps({"config": {"a": 1}, "items": ITEMS}))
    write_indexes(tmp_path, names)
    rest = [
        ("", "Home", [], "<b>Home</b> about Home"),
        (
            "v1_unstable/methods/fork/",
            "<code>fork</code>",
            ["v1 unstable", "Methods"],
            "<b>fork</b> about <code>fork</code>",
        ),
        (
            "kit/api/files/#Files.read",
            "<code>read</code>",
            ["Kit", "Files"],
            "<b>read</b> about <code>read</code>",
        ),
        ("guides/agent/#turns", "Turns", ["Agents"], "<b>Turns</b> about Turns"),
        (
            "kit/api/files/#Files",
            "<code>Files</code>",
            ["Kit", "API"],
            "<b>Files</b> about <code>Files</code>",
        ),
        ("kit/api/files/", "files", ["Kit", "API"], "<b>files</b> about files"),
        ("guides/agent/", "Agents", ["Guides", "First steps"], "<b>Agents</b> about Agents"),
        (
            "v1/client/",
            "Clients",
            ["v1", "Sides"],
            "<b>Clients</b> about Clients <small>v1</small>",
        ),
        (
            "v1/client/#sessions",
            "Sessions",
            ["v1", "Sides", "Clients"],
            "<b>Sessions</b> about Sessions",
        ),
    ]
    # The fields of a type are part of its entry.
    chosen = {
        "": ("v1", " about amount"),
        "v1": ("v1", " about amount"),
        "v1_unstable": ("v1_unstable", ""),
        "v2": ("v2", ""),
    }
    for name, (other, more) in chosen.items():
        index = json.loads((tmp_path / name / "search.json").read_text())
        assert index["config"] == {"a": 1}
        text = f"<b>Cost</b> about Cost <small>{other}</small>{more}"
        cost = (f"{other}/types/Cost/", "Cost", ["v1, v1 unstable, v2", "Types"], text)
        up = "../" if name else ""
        assert [
            (each["location"], each["title"], each["path"], each["text"]) for each in index["items"]
        ] == [(up + location, *others) for location, *others in [cost, *rest]]
