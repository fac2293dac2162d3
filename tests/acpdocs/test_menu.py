"""Tests of the site's menu."""

from __future__ import annotations

import pytest
from acpdocs import menu
from acpgen.common import toml


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("SessionUpdate", ["Session", "Update"]),
        ("JSONValue2Text", ["JSONValue2", "Text"]),
        ("runtime.aio", ["runtime", ".aio"]),
        ("session_id", ["session", "_id"]),
        ("All types", ["All types"]),
    ],
)
def test_long_names_can_wrap_between_words(title: str, parts: list[str]) -> None:
    [entry] = toml.loads(f"menu = {menu._page(title, 'page.md')}")["menu"].items()
    assert entry == ("&#8203;".join(parts), "page.md")
