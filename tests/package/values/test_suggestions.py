"""Tests that errors about unknown names suggest the intended name."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime.values.official_names import OFFICIAL_NAMES
from acpport.counterparts.names import rows

ALL = (v1, v1_unstable, v2, v2_unstable)


@pytest.mark.parametrize(
    ("surface", "name", "meant"),
    [
        # another name for the same side, method and role in the other version
        (v2, "SessionNotification", "; it is called UpdateSessionNotification in v2"),
        (v1, "UpdateSessionNotification", "; it is called SessionNotification in v1"),
        (
            v2_unstable,
            "SessionNotification",
            "; it is called UpdateSessionNotification in v2_unstable",
        ),
        # only on the other surface of the same version
        (v1, "ForkSessionRequest", "; it is in v1_unstable"),
        # only in the other version
        (v2, "ReadTextFileRequest", "; it is only in v1"),
        # names in the official SDK
        (v1, "TextContentBlock", "; it is called TextContent in v1"),
        (v1, "AllowedOutcome", "; it is called SelectedPermissionOutcome in v1"),
        (v1, "OtherSessionUpdate", "; it is called UnknownSessionUpdate in v1"),
        # typos
        (v1, "TextConten", "; did you mean TextContent?"),
        (v1, "AgentHandle", "; did you mean AgentHandler?"),
        (v1, "zzz", ""),
        (v1, "__zzz__", ""),
    ],
)
def test_a_name_that_a_surface_does_not_have(surface: ModuleType, name: str, meant: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(surface, name)
    assert str(caught.value) == f"module {surface.__name__!r} has no attribute {name!r}{meant}"


def test_an_import_of_a_module_looks_for_no_names() -> None:
    code = (
        "import sys\n"
        "from acp_bindings.v1 import client_session\n"
        "assert not hasattr(client_session, 'x')\n"
        "assert 'acp_bindings.runtime.values.suggestions' not in sys.modules\n"
        "assert 'difflib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- arguments -------------------------------------------------------------------------------

UNEXPECTED = "{}.__init__() got an unexpected keyword argument {!r}{}"


@pytest.mark.parametrize(
    ("name", "argument", "meant"),
    [
        ("ToolCall", "toolCallId", "; it is called tool_call_id"),
        ("PermissionOption", "optionID", "; it is called option_id"),
        ("TextContent", "type", "; the tag 'type' is written automatically; omit it"),
        ("TextContent", "txt", "; did you mean text?"),
        ("TextContent", "zzz", ""),
    ],
)
def test_an_argument_that_a_constructor_does_not_take(name: str, argument: str, meant: str) -> None:
    # Use a new process, since Python's own error message appears after many constructor calls.
    code = (
        "from acp_bindings import v1\n"
        "try:\n"
        f"    v1.{name}({argument}='x')\n"
        "except TypeError as error:\n"
        "    print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == UNEXPECTED.format(name, argument, meant)


# --- UNSET -----------------------------------------------------------------------------------

UNSET: Any = v1.UNSET


@pytest.mark.parametrize(
    ("use", "error", "words"),
    [
        (lambda: UNSET.title, AttributeError, "has no attribute 'title'"),
        (lambda: UNSET[0], TypeError, "has no items"),
        (lambda: list(UNSET), TypeError, "cannot be iterated over"),
        (lambda: UNSET(), TypeError, "cannot be called"),
    ],
    ids=["attribute", "item", "iteration", "call"],
)
def test_unset_has_no_use(use: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        use()
    assert str(caught.value) == f"UNSET {words}: the field is absent; check `is not UNSET` first"


def test_unset_is_copied_as_before() -> None:
    assert copy.deepcopy(UNSET) is copy.copy(UNSET) is UNSET


# --- the official SDK ------------------------------------------------------------------------


def test_the_names_of_the_official_sdk_are_those_of_the_guide() -> None:
    listed: dict[str, tuple[str, ...]] = {}
    told: dict[str, tuple[str, ...]] = {}
    names = {name for surface in ALL for name in surface.TYPES}
    for row in rows():
        here = tuple(name for name in row.here if "." not in name)
        is_class = row.sdk[0].isupper() and not set(row.sdk) & set(".*")
        listed[row.sdk] = here
        if is_class and row.sdk not in names and set(here) & names:
            told[row.sdk] = here
    assert {name: OFFICIAL_NAMES.get(name) for name in told} == told
    assert {name: listed.get(name) for name in OFFICIAL_NAMES} == OFFICIAL_NAMES
