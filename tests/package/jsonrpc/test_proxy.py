"""Methods for proxies: a handler can be an agent's and a proxy's at once."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings import v1_unstable, v2_unstable
from acp_bindings.runtime import RequestError
from package.jsonrpc.loop import handler, pair, run


@pytest.mark.parametrize("surface", [v1_unstable, v2_unstable], ids=["v1", "v2"])
def test_a_proxy_takes_requests_and_notifications_of_one_name(surface: Any) -> None:
    forwarded: list[Any] = []

    class Proxy(surface.AgentHandler, surface.ProxyHandler):
        async def proxy_successor(self, params: Any) -> Any:
            return {"asked": params.method}

        async def proxy_successor_notification(self, params: Any) -> None:
            forwarded.append(params.method)

    async def main() -> None:
        async with pair(handler(Proxy), handler(surface.ClientHandler)) as peer:
            proxy = surface.ProxyStub(peer)
            asked = surface.ProxySuccessorRequest(method="session/new")
            assert await proxy.proxy_successor(asked) == {"asked": "session/new"}
            told = surface.ProxySuccessorNotification(method="session/update")
            await proxy.proxy_successor_notification(told)
        assert forwarded == ["session/update"]

    run(main())


@pytest.mark.parametrize("surface", [v1_unstable, v2_unstable], ids=["v1", "v2"])
def test_an_agent_that_is_no_proxy_does_not_know_its_methods(surface: Any) -> None:
    async def main() -> None:
        async with pair(handler(surface.AgentHandler), handler(surface.ClientHandler)) as peer:
            asked = surface.ProxySuccessorRequest(method="session/new")
            call = surface.ProxyStub(peer).proxy_successor(asked)
            with pytest.raises(RequestError, match="method not found: proxy/successor") as caught:
                await call
            assert caught.value.code == -32601

    run(main())
