"""Helpers for tests of the reference: surface names, schemas and page paths."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.paths import SCHEMA

NAMES = ("v1", "v1_unstable", "v2", "v2_unstable")
each_surface = pytest.mark.parametrize("name", NAMES)
# One worker runs all these tests, because building and reading the entire site is slow.
on_one_worker = [pytest.mark.slow, pytest.mark.xdist_group("reference")]


def schema_of(name: str) -> dict[str, Any]:
    version, _, stability = name.partition("_")
    path = SCHEMA / version / f"schema{f'.{stability}' if stability else ''}.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def at(page: Any) -> str:
    """Return the path of a page within the site."""
    return str(page.path).removesuffix(".md") + ".html"
