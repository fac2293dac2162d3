"""Examples of types and method calls, in JSON and Python."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from typing import Any

from acpgen.emit.contexts.codec import CodecContext
from acpgen.emit.python import quoting
from acpgen.ir.model import Alias, Definition, Method, Record, Reference, TaggedUnion, Unknown
from acpgen.ir.queries import classes_of
from acpgen.ir.surface import Surface

from acpdocs.content import Example, Exchange
from acpdocs.facts.sample_values import NoSampleError, Samples
from acpdocs.markdown import formatted, imports

_CUSTOM_TAG = "_custom"
# A method name that schemas do not define.
_CUSTOM_METHOD = "_example.com/status"
# The name of the field that identifies a session, and the error codes in the examples.
_SESSION = "sessionId"
_METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602
_RESOURCE_NOT_FOUND = -32002


class Examples:
    """A factory for examples of a surface's types."""

    def __init__(self, surface: Surface) -> None:
        self._view = CodecContext(surface)
        self._samples = Samples(surface)
        self._definitions = surface.definitions

    def of(self, name: str) -> Example | None:
        """Return an example of a definition, or None if none can be derived from the schema."""
        try:
            sample = self._samples.of_definition(name, extra=True)
        except NoSampleError:
            return None
        if isinstance(sample.value, dict):
            return _example({**self._tags(self._definitions[name]), **sample.value}, sample.python)
        return _example(sample.value, sample.python)

    def of_unknown(self, union: TaggedUnion, unknown: Unknown) -> Example | None:
        """Return an example of a union's class for unknown tags, or None if none can be derived."""
        value = {union.tag: _CUSTOM_TAG}
        try:
            members = self._samples.members(unknown.members)
            value |= {wire: sample.value for wire, sample in members.items()}
            if unknown.choice is not None:
                value |= self._samples.of_shape(unknown.choice, union.name).value
        except NoSampleError:
            return None
        python = f"{unknown.name}({quoting.literal(_CUSTOM_TAG)}, {quoting.literal(value)})"
        return _example(value, python, strict=not unknown.synthetic)

    def _tags(self, definition: Definition) -> dict[str, str]:
        """Return the tag, if any, that a union adds to a variant without its own definition."""
        if definition.definition is not None:
            return {}
        classes = classes_of(Reference(definition.name), self._definitions)
        if isinstance(definition, Alias):
            records = [self._definitions.get(name) for name in classes]
            name = next((each.owner for each in records if isinstance(each, Record)), None)
        else:
            name = definition.owner
        owner = self._definitions.get(name or "")
        if not isinstance(owner, TaggedUnion):
            return {}
        leaves = [leaf for leaf in self._view.union_encoders(owner) if leaf.name in classes]
        tags = [leaf.tag for leaf in leaves if leaf.tag]
        return {owner.tag: tags[0]} if tags else {}


def _example(value: object, python: str, *, strict: bool = True) -> Example:
    names = {node.id for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Name)}
    return Example(value, json.dumps(value, indent=2), python, tuple(sorted(names)), strict)


class Exchanges:
    """A factory for examples of calls to a surface's methods."""

    def __init__(self, surface: Surface, package: str) -> None:
        self._package = package
        self._examples = Examples(surface)

    def of(self, method: Method, handler: str, stub: str) -> Exchange | None:
        """Return an example of a call, or None if none can be derived from the schema.

        Args:
            method: the method to call.
            handler: the Python method that handles the call, such as `AgentHandler.initialize`.
            stub: the Python method that makes the call, such as `AgentStub.initialize`.
        """
        params = self._examples.of(method.params)
        result = self._examples.of(method.result) if method.result else None
        if params is None or (method.result and result is None):
            return None
        is_request = method.kind == "request"
        start: dict[str, Any] = {"jsonrpc": "2.0", **({"id": 1} if is_request else {})}
        wire = method.wire or _CUSTOM_METHOD
        message = {**start, "method": wire, "params": params.value}
        error = {**start, "error": _likeliest_error(method, params.value)}
        return Exchange(
            message=json.dumps(message, indent=2),
            response=json.dumps({**start, "result": result.value}, indent=2) if result else None,
            error=json.dumps(error, indent=2) if is_request else None,
            calling=self._calling(method, stub, params),
            handling=self._handling(method, handler, result),
        )

    def _calling(self, method: Method, stub: str, params: Example) -> str:
        owner, _, name = stub.partition(".")
        variable = owner.removesuffix("Stub").lower()
        arguments = params.python if method.wire else f'"{_CUSTOM_METHOD}", {params.python}'
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


def _likeliest_error(method: Method, params: Any) -> dict[str, Any]:
    if method.capability is not None or method.wire is None:
        name = method.wire or _CUSTOM_METHOD
        return {"code": _METHOD_NOT_FOUND, "message": f"method not found: {name}"}
    if isinstance(params, dict) and _SESSION in params:
        data = {_SESSION: params[_SESSION]}
        return {"code": _RESOURCE_NOT_FOUND, "message": "resource not found", "data": data}
    return {"code": _INVALID_PARAMS, "message": "invalid params"}
