"""Steps for scripts: requests, responses and waits."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from ..runtime.jsonrpc.errors import INTERNAL_ERROR, RequestError
from ..runtime.values.unset import UNSET
from .agent import Prompt
from .party import Call, Step
from .values import PERMISSION, as_json, surface
from .wire import Silent

P = ParamSpec("P")


def step(function: Callable[Concatenate[Any, P], Awaitable[Any]]) -> Callable[P, Step]:
    """Convert a function that accepts a `Call` into a function that returns a `Step`.

    The returned function accepts the other parameters.

    This agent sends a greeting:

        @step
        async def greet(call: Prompt, name: str) -> None:
            await call.update(f"Hello, {name}!")

        agent = Agent(greet("Ada"))
    """

    # Hide the `Call` parameter from `help`, since callers don't pass it.
    signature = inspect.signature(function)
    _, *parameters = signature.parameters.values()

    @wraps(function)
    def made(*args: P.args, **kwargs: P.kwargs) -> Step:
        given = [*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())]
        text = f"{function.__name__}({', '.join(given)})"
        return Step(text, lambda call: function(call, *args, **kwargs))

    made.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return made


@step
async def answer(call: Call, result: Any = None) -> None:
    """Respond with a result, which can be JSON or a typed object. Further steps can follow."""
    await call.answer(result)


@step
async def fail(
    call: Call, code: int = INTERNAL_ERROR, message: str = "as scripted", data: Any = UNSET
) -> None:
    """Respond with an error."""
    await call.fail(RequestError(code, message, data))


@step
async def end(call: Prompt, /, stop_reason: str | None = None, **members: Any) -> None:
    """End the turn with a message that contains the given fields. Further steps can follow."""
    await call.end(stop_reason, **members)


@step
async def accept(call: Prompt) -> None:
    """Accept the prompt before sending any update.

    This step does nothing if the response to the prompt ends the turn, as in protocol 1.
    """
    await call.accept()


@step
async def ask(call: Call, /, method: str, **params: Any) -> Any:
    """Send the peer a request about the same session as the request that the script handles.

    A generator that yields this step receives the result as JSON. If the response is an error, a
    `RequestError` is raised at the `yield`.

    Args:
        method: the method, such as `fs/read_text_file`.
        params: the fields of the params, excluding `sessionId`, by their JSON names.
    """
    return await call.ask(method, {name: as_json(value) for name, value in params.items()})


_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "yes": {"name": "Yes", "kind": "allow_once"},
    "no": {"name": "No", "kind": "reject_once"},
}


@step
async def ask_permission(
    call: Prompt,
    tool_call_id: str,
    title: str = "May I?",
    options: Mapping[str, Mapping[str, str]] = _OPTIONS,
) -> str | None:
    """Request permission for a tool call.

    A generator that yields this step receives the id of the selected option, or None if the client
    responded with `cancelled`.

    Args:
        tool_call_id: the tool call's id.
        title: the request's title, which is omitted in protocol 1.
        options: the fields of each option, by option id; by default, the options `yes` and `no`.
    """
    about: Any = {"toolCallId": tool_call_id}
    params: dict[str, Any] = {
        "options": [{"optionId": id_, **members} for id_, members in options.items()]
    }
    method = surface(call.version).METHODS["client"][PERMISSION]
    if "toolCall" in method.codec.fields_of(method.params):
        params["toolCall"] = about
    else:
        params.update(title=title, subject={"type": "tool_call", "toolCall": about})
    result = await call.ask(PERMISSION, params)
    outcome: Mapping[str, Any] = result["outcome"]
    return outcome.get("optionId")


@step
async def wait_for_cancel(call: Prompt) -> None:
    """Wait until the client cancels the turn.

    Raises:
        Silent: If the client doesn't cancel the turn in time.
    """
    await call.accept()
    limit = call.party.wire.timeout
    try:
        await asyncio.wait_for(call.cancelled.wait(), limit)
    except asyncio.TimeoutError:
        reason = f"timed out after {limit:g} s waiting for session/cancel"
        raise Silent(call.party.wire.told(reason)) from None


@step
async def pause(call: Call, seconds: float) -> None:
    """Wait, for example to delay a response."""
    await asyncio.sleep(seconds)


@step
async def send(call: Call, message: Any) -> None:
    """Send a raw message: an object, to which `jsonrpc` is added, or the bytes of one line."""
    await call.party.send(message)
