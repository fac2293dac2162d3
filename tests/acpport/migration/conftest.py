"""A hook that marks tests as slow and groups them by SDK version.

Because of the groups, each worker runs only a few of the original programs.
"""

from __future__ import annotations

import pytest

from tests.acpport.migration.originals import VERSIONS


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/acpport/migration/") and isinstance(item, pytest.Function):
            item.add_marker(pytest.mark.slow)
            params = item.callspec.params if hasattr(item, "callspec") else {}
            if "ported" in item.nodeid:  # one worker runs all these tests
                item.add_marker(pytest.mark.xdist_group(f"migration {VERSIONS[-1]}"))
            elif "version" in params:
                item.add_marker(pytest.mark.xdist_group(f"migration {params['version']}"))
