"""The public names of surfaces: which there are, and when they are loaded."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import acpgen
import pytest
from acp_bindings import runtime, v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import aio, jsonrpc, session

each_surface = pytest.mark.parametrize("surface", [v1, v1_unstable, v2, v2_unstable])


@each_surface
def test_dir_has_the_public_names_only(surface: ModuleType) -> None:
    names = [name for name in dir(surface) if not name.startswith("__")]
    assert names == sorted(surface.__all__)
    assert "__doc__" in dir(surface)


@each_surface
def test_every_public_name_is_there(surface: ModuleType) -> None:
    missing = [name for name in surface.__all__ if not hasattr(surface, name)]
    assert missing == []
    assert len(set(surface.__all__)) == len(surface.__all__)


@each_surface
def test_a_name_that_is_not_there_is_an_error(surface: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{surface.__name__}' has no attribute 'No'"):
        _ = surface.No


@pytest.mark.parametrize("side", ["Agent", "Client"])
@each_surface
def test_stubs_and_handlers_have_the_methods_of_their_side(surface: ModuleType, side: str) -> None:
    protocol = getattr(surface, f"{side}Methods")
    methods = {name for name in vars(protocol) if not name.startswith("_")}
    assert {each.handler for each in surface.METHODS[side.lower()].values()} <= methods
    for kind in ("Handler", "Stub"):
        assert methods <= set(dir(getattr(surface, f"{side}{kind}")))


def test_what_is_for_type_checkers_is_loaded_at_first_use() -> None:
    code = """
import sys
from acp_bindings import v1
print("acp_bindings.v1.protocols" in sys.modules, "AgentMethods" in dir(v1))
print(v1.AgentMethods.__module__, "AgentMethods" in vars(v1))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False True", "acp_bindings.v1.protocols True"]


# The exceptions and codes that both sides use, and the modules that had them, too.
ERRORS = {
    *("CapabilityError", "ConnectionClosed", "DecodeError", "EncodeError", "LimitExceeded"),
    *("RequestError", "VersionMismatch", "INTERNAL_ERROR", "REQUEST_CANCELLED"),
}


def test_errors_have_one_home() -> None:
    assert set(runtime.__all__) >= ERRORS
    assert not ERRORS & {*dir(aio), *aio.__all__, *dir(jsonrpc), *jsonrpc.__all__}


def test_what_users_of_sessions_name_is_in_one_module() -> None:
    names = {name: getattr(session, name) for name in session.__all__}
    assert names.keys() == {"Change", "Message", "PermissionRule", "Role", "Subscriber"}
    with pytest.raises(AttributeError, match=r"module '.*\.session' has no attribute 'No'"):
        _ = session.No


def test_the_version_is_that_of_the_generator() -> None:
    code = """
import sys, acp_bindings
print(acp_bindings.__version__, [name for name in sys.modules if name.startswith("acp_bindings")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{acpgen.__version__} ['acp_bindings']\n"
