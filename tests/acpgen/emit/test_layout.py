"""Tests of the list of modules that a package contains for any schema."""

from __future__ import annotations

from acpgen.common import paths
from acpgen.emit.layout import certain_modules
from acpgen.emit.package import render_remote


def test_the_module_is_certain_where_there_are_remote_connections() -> None:
    [path] = render_remote([], paths.TEMPLATES)
    with_remote = certain_modules(paths.TEMPLATES, ["v2"], types_only=False, extras=[paths.REMOTE])
    assert path in with_remote
    assert path not in certain_modules(paths.TEMPLATES, ["v2"], types_only=False)
