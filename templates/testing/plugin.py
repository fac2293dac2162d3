"""Fixtures for pytest. If the package is installed, pytest finds these fixtures automatically.

If the package is vendored, add `pytest_plugins = ["myproject.acp.testing.plugin"]` to the
`conftest.py` in the root folder of the tests. Tests that don't use these fixtures aren't affected.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from .blocking import BlockingClient
    from .client import Client

_ASYNC = "acp_async_client"


def pytest_configure(config: pytest.Config) -> None:
    """Register the `acp` marker."""
    config.addinivalue_line(
        "markers", "acp(**options): the arguments of acp_bindings.testing.Client for acp_client"
    )


@pytest.fixture
def acp_agent() -> Any:
    """The agent under test. Override this fixture to return a handler class or a command."""
    pytest.fail(
        "acp_client requires the fixture acp_agent; define it to return the agent under test: a"
        ' handler class, or a command such as ["python", "agent.py"]',
        pytrace=False,
    )


@pytest.fixture
def acp_client(acp_agent: Any, request: pytest.FixtureRequest) -> Iterator[BlockingClient]:
    """A blocking client, connected to the agent under test."""
    from .blocking import BlockingClient

    with BlockingClient(_client(acp_agent, request)) as client:
        yield client


@pytest.fixture
def acp_async_client(acp_agent: Any, request: pytest.FixtureRequest) -> Client:
    """A client for coroutine tests, used as `async with acp_async_client as client`."""
    return _client(acp_agent, request)


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test that uses `acp_async_client`, unless another plugin has run it."""
    test: Any = pyfuncitem.obj
    if _ASYNC not in pyfuncitem.fixturenames or not inspect.iscoroutinefunction(test):
        return None
    import asyncio  # imported here, since most tests don't need it

    names = inspect.signature(test).parameters
    asyncio.run(test(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def _client(agent: Any, request: pytest.FixtureRequest) -> Client:
    from .client import Client

    markers: list[pytest.Mark] = list(cast(Any, request).node.iter_markers("acp"))
    options: dict[str, Any] = {}
    for marker in reversed(markers):  # the closest marker comes first and takes precedence
        options |= marker.kwargs
    return Client(agent, **options)
