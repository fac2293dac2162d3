"""Code shared by the agent and the client that use the official Python SDK.

The first argument of both programs is the protocol version. Version 2 is experimental in the SDK.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

VERSION = int(sys.argv[1])
acp: Any = import_module("acp" if VERSION == 1 else "acp.experimental.v2")
schema: Any = acp.schema


def dump(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def call(send: Callable[..., Awaitable[Any]], model: str, params: Any) -> Any:
    """Call an SDK method with the fields of the params as keyword arguments."""
    made = getattr(schema, model).model_validate(params)
    result = await send(**{name: getattr(made, name) for name in made.model_fields_set})
    return None if result is None else dump(result)


class Extended:
    """Extension methods, under the names that the SDK uses for each protocol version."""

    connection: Any

    def on_connect(self, connection: Any) -> None:
        self.connection = connection

    async def on_request(self, method: str, params: Any) -> Any:
        raise NotImplementedError

    async def on_notification(self, method: str, params: Any) -> None:
        raise NotImplementedError

    async def ext_method(self, method: str, params: Any) -> Any:
        return await self.on_request(f"_{method}", params)

    async def ext_notification(self, method: str, params: Any) -> None:
        await self.on_notification(f"_{method}", params)

    async def handle_extension_request(self, method: str, params: Any) -> Any:
        return await self.on_request(method, params)

    async def handle_extension_notification(self, method: str, params: Any) -> None:
        await self.on_notification(method, params)

    async def request(self, method: str, params: Any) -> Any:
        if not method.startswith("_"):
            # The SDK has no public way to call a method that the schema doesn't define.
            return await self.connection._conn.send_request(method, params)
        if VERSION == 1:
            return await self.connection.ext_method(method[1:], params)
        return await self.connection.send_extension_request(method, params)

    async def notify(self, method: str, params: Any) -> None:
        if VERSION == 1:
            await self.connection.ext_notification(method[1:], params)
        else:
            await self.connection.send_extension_notification(method, params)
