"""The examples of the official SDK, as its source distributions have them, and ours beside them."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
from interop import environments
from interop.environments import Unavailable
from support import preloaded
from support.paths import MIGRATED_EXAMPLES as EXAMPLES

OURS = "ours"
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
# What ours import.
IMPORTED = (
    "asyncio.subprocess",
    "acp_bindings.v1.agent_session",
    "acp_bindings.v1.client_session",
    "acp_bindings.v1_unstable.client_session",
)


@cache
def folder(who: str) -> Path:
    """The folder of the examples of a version of the SDK, or of ours."""
    if who == OURS:
        return EXAMPLES
    try:
        return environments.sdist(who) / "examples"
    except Unavailable as error:
        _cannot(error)


@cache
def python(who: str) -> str:
    """The interpreter that has what the examples import."""
    if who == OURS:
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
    modules = IMPORTED if who == OURS else ("acp",)
    return preloaded.command(python(who), modules, str(folder(who) / f"{name}.py"))
