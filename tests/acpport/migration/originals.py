"""Access to the examples: the SDK's originals, the ported originals, and our versions."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
from acpport.port import port

from tests.interop import environments
from tests.interop.environments import Unavailable
from tests.support import preloaded
from tests.support.paths import MIGRATED_EXAMPLES as EXAMPLES

OURS = "ours"
# The originals, converted by `acpgen port` and edited by `edits.patch`. The result is the same for
# both versions.
PORTED = "ported"
EDITS = Path(__file__).with_name("edits.patch")
VERSIONS = ("0.12.1", "1.0.0rc3")
NAMES = (
    "agent",
    "client",
    "duet",
    "echo_agent",
    "gemini",
    "http_client",
    "http_server",
    "ws_client",
)
# The modules that our versions import.
IMPORTED = (
    "asyncio.subprocess",
    "acp_bindings.v1.agent_session",
    "acp_bindings.v1.client_session",
    "acp_bindings.v1_unstable.client_session",
)


@cache
def folder(who: str) -> Path:
    """Return the folder of an SDK version's examples, the ported examples, or our versions."""
    if who == OURS:
        return EXAMPLES
    if who == PORTED:
        return _edited()
    try:
        return environments.sdist(who) / "examples"
    except Unavailable as error:
        _cannot(error)


@cache
def ported(version: str) -> Path:
    """Return a folder with an SDK version's examples, converted by `acpgen port`."""
    path = Path(tempfile.mkdtemp(prefix="ported-")) / version
    atexit.register(shutil.rmtree, path.parent)
    shutil.copytree(folder(version), path)
    port(path).write()
    return path


@cache
def _edited() -> Path:
    """Return a folder with the ported examples, including the manual edits."""
    path = ported(VERSIONS[-1]).parent / "edited"
    shutil.copytree(ported(VERSIONS[-1]), path)
    subprocess.run(["git", "apply", str(EDITS)], cwd=path, check=True)
    return path


@cache
def python(who: str) -> str:
    """Return the path of a Python interpreter that can import the examples' dependencies."""
    if who in (OURS, PORTED):
        return sys.executable
    try:
        return str(environments.python(who))
    except Unavailable as error:
        _cannot(error)


def _cannot(error: Unavailable) -> NoReturn:
    if environments.required():
        raise error
    pytest.skip(str(error))


def command(who: str, name: str) -> list[str]:
    modules = IMPORTED if who in (OURS, PORTED) else ("acp",)
    return preloaded.command(python(who), modules, str(folder(who) / f"{name}.py"))
