"""Conversations of originals are held once for each worker, and compared with all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from migration.originals import VERSIONS

HERE = Path(__file__).resolve().parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and isinstance(item, pytest.Function):
            params = item.callspec.params if hasattr(item, "callspec") else {}
            if "ported" in item.nodeid:  # once in one worker
                item.add_marker(pytest.mark.xdist_group(f"migration {VERSIONS[-1]}"))
            elif "version" in params:
                item.add_marker(pytest.mark.xdist_group(f"migration {params['version']}"))
