"""Examples of calls: the messages in JSON, and Python that sends and that handles them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from acpgen.ir.model import Method
from acpgen.ir.surface import Surface

from acpdocs.content import Example, Exchange
from acpdocs.facts.examples.values import Examples
from acpdocs.markdown import formatted, imports

# What a method without a name of its own is called.
_CUSTOM = "_example.com/status"
# The member that names a session, and the codes of errors.
_SESSION = "sessionId"
_METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602
_RESOURCE_NOT_FOUND = -32002


class Exchanges:
    """Makes the examples of the methods of one surface."""

    def __init__(self, surface: Surface, package: str) -> None:
        self._package = package
        self._examples = Examples(surface)

    def of(self, method: Method, handler: str, stub: str) -> Exchange | None:
        """The example of a method; None if the schema alone does not yield one.

        Args:
            method: the method.
            handler: the Python method that handles it, such as `AgentHandler.initialize`.
            stub: the Python method that calls it.
        """
        params = self._examples.of(method.params)
        result = self._examples.of(method.result) if method.result else None
        if params is None or (method.result and result is None):
            return None
        wire = method.wire or _CUSTOM
        is_request = method.kind == "request"
        start: dict[str, Any] = {"jsonrpc": "2.0", **({"id": 1} if is_request else {})}
        answer = {"jsonrpc": "2.0", "id": 1}
        error = {**answer, "error": self._error(method, params.value)}
        return Exchange(
            message=_text({**start, "method": wire, "params": params.value}),
            response=_text({**answer, "result": result.value}) if result else None,
            error=_text(error) if is_request else None,
            calling=self._calling(method, stub, params),
            handling=self._handling(method, handler, result),
        )

    def _error(self, method: Method, params: Any) -> dict[str, Any]:
        """The error that a caller of the method has to expect most."""
        if method.capability is not None or method.wire is None:
            name = method.wire or _CUSTOM
            return {"code": _METHOD_NOT_FOUND, "message": f"method not found: {name}"}
        if isinstance(params, dict) and _SESSION in params:
            data = {_SESSION: params[_SESSION]}
            return {"code": _RESOURCE_NOT_FOUND, "message": "resource not found", "data": data}
        return {"code": _INVALID_PARAMS, "message": "invalid params"}

    def _calling(self, method: Method, stub: str, params: Example) -> str:
        owner, _, name = stub.partition(".")
        variable = owner.removesuffix("Stub").lower()
        arguments = params.python if method.wire else f'"{_CUSTOM}", {params.python}'
        call = f"await {variable}.{name}({arguments})"
        body = f"    result = {call}\n    print(result)" if method.result else f"    {call}"
        code = f"async def call({variable}: {owner}) -> None:\n{body}"
        return self._with_imports(code, {owner, *params.classes})

    def _handling(self, method: Method, handler: str, result: Example | None) -> str:
        owner, _, name = handler.partition(".")
        named = "" if method.wire else "method: str, "
        body = f"return {result.python}" if result else "print(params)"
        code = (
            f"class My{owner.removesuffix('Handler')}({owner}):\n"
            f"    async def {name}(self, {named}params: {method.params}) -> {method.result}:\n"
            f"        {body}"
        )
        names = {owner, method.params, *(result.classes if result else ())}
        return self._with_imports(code, names | ({method.result} if method.result else set()))

    def _with_imports(self, code: str, names: Iterable[str]) -> str:
        return "\n".join([imports(self._package, names), "", "", formatted(code)])


def _text(message: dict[str, Any]) -> str:
    return json.dumps(message, indent=2)
