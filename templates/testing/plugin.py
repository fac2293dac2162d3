"""The fixtures for pytest; where the package is installed, pytest finds them by itself.

Where it is vendored, `pytest_plugins = ["myproject.acp.testing.plugin"]` in the `conftest.py` at
the root of the tests brings them. A test that uses none of them is left alone.
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
    """Register the marker."""
    config.addinivalue_line(
        "markers", "acp(**options): how acp_client is made, as acp_bindings.testing.Client takes it"
    )


@pytest.fixture
def acp_agent() -> Any:
    """The agent under test: override it with its class of handlers, or the list of its command."""
    pytest.fail(
        "acp_client needs a fixture acp_agent: define one that returns the agent under test, as"
        ' the class of its handlers, or as its command: ["python", "agent.py"]',
        pytrace=False,
    )


@pytest.fixture
def acp_client(acp_agent: Any, request: pytest.FixtureRequest) -> Iterator[BlockingClient]:
    """A client that is connected to the agent under test, and whose methods wait."""
    from .blocking import BlockingClient

    with BlockingClient(_client(acp_agent, request)) as client:
        yield client


@pytest.fixture
def acp_async_client(acp_agent: Any, request: pytest.FixtureRequest) -> Client:
    """The same for a test that is a coroutine: `async with acp_async_client as client`."""
    return _client(acp_agent, request)


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine that uses `acp_async_client`, unless another plugin has done so before."""
    test: Any = pyfuncitem.obj
    if _ASYNC not in pyfuncitem.fixturenames or not inspect.iscoroutinefunction(test):
        return None
    import asyncio  # here, since a run that uses no fixture needs none of it

    names = inspect.signature(test).parameters
    asyncio.run(test(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def _client(agent: Any, request: pytest.FixtureRequest) -> Client:
    from .client import Client

    markers: list[pytest.Mark] = list(cast(Any, request).node.iter_markers("acp"))
    options: dict[str, Any] = {}
    for marker in reversed(markers):  # the closest one comes first, and has the last word
        options |= marker.kwargs
    return Client(agent, **options)
