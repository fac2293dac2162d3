"""The search indexes."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.acpdocs.reference import NAMES, on_one_worker
from tests.support.site import Page

pytestmark = on_one_worker


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
