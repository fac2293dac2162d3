"""What remote connections know of the methods of all surfaces."""

from __future__ import annotations

from dataclasses import replace

from acpgen.common import paths
from acpgen.emit.layout import certain_modules
from acpgen.emit.package import render_remote

from tests.acpgen.emit.test_kit import vendored


def enders(source: str) -> frozenset[str]:
    names: dict[str, frozenset[str]] = {}
    exec(source, names)
    return names["ENDERS"]


def test_the_methods_that_end_a_session_are_those_of_all_surfaces() -> None:
    session = vendored("v1").session
    assert session is not None
    close = tuple(each for each in session.enders if each.wire == "session/close")
    less = replace(vendored("v1"), session=replace(session, enders=close))
    [source] = render_remote([less], paths.TEMPLATES).values()
    assert enders(source) == {"session/close"}
    [source] = render_remote([less, vendored("v2")], paths.TEMPLATES).values()
    assert enders(source) == {"session/close", "session/delete"}


def test_without_sessions_none_ends() -> None:
    [source] = render_remote([], paths.TEMPLATES).values()
    assert enders(source) == set()


def test_the_module_is_certain_where_there_are_remote_connections() -> None:
    [path] = render_remote([], paths.TEMPLATES)
    with_remote = certain_modules(paths.TEMPLATES, ["v2"], types_only=False, extras=[paths.REMOTE])
    assert path in with_remote
    assert path not in certain_modules(paths.TEMPLATES, ["v2"], types_only=False)
