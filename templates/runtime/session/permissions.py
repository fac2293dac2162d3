"""Default responses to permission requests, based on the client's `permissions`, if any."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ..jsonrpc.logs import logger_of

_log = logger_of(__name__)
# The handler classes for which a warning about a missing permission handler has been logged.
_silent: WeakSet[type] = WeakSet()
# The kinds of options that reject a request, in order of preference.
_REFUSALS = ("reject_once", "reject_always")

if TYPE_CHECKING:
    from typing import Protocol  # imported here, since defining a protocol class is slow

    class PermissionPolicy(Protocol):
        """The type of a client's `permissions`, such as `kit.permissions.Permissions`."""

        def answer_request(
            self, params: Any, known: Mapping[str, Any], *, agent: str, cwd: str
        ) -> Coroutine[Any, Any, str | None]:
            """Return the response to a permission request.

            Args:
                params: the request params.
                known: the session's tool calls, by id.
                agent: the agent program's name, or an empty string if it is unknown.
                cwd: the session's working directory, or an empty string if it is unknown.

            Returns:
                The id of the option to select, or None for the cancelled outcome.
            """
            ...


def subject_of(question: Any) -> Any:
    """Return the subject of a permission request, or the request itself if it has no subject."""
    return getattr(question, "subject", None) or question


def agent_name(advertised: Any) -> str:
    """Return the agent program's name from the response to `initialize`, or an empty string.

    Args:
        advertised: the response to `initialize`, or None.
    """
    info = getattr(advertised, "agent_info", None) or getattr(advertised, "info", None)
    return getattr(info, "name", None) or ""


def reject(handler: object, method: str, options: Sequence[Any]) -> str | None:
    """Return the id of the option to select if the client doesn't ask the user.

    An option that rejects only this request is preferred. The result is None if no option rejects
    the request. A warning that names the missing method is logged once for each handler class.
    """
    cls = handler.__class__
    if cls not in _silent:
        _silent.add(cls)
        name = cls.__qualname__
        _log.warning("%s rejects every permission request; define %s to ask the user", name, method)
    # If several options have the same kind, use the first of these options.
    by_kind = {option.kind: option.option_id for option in reversed(options)}
    return next((by_kind[kind] for kind in _REFUSALS if kind in by_kind), None)


def unused_permissions(cls: type, method: str, owner: type) -> str | None:
    """Return a warning if a client has `permissions` but its own method ignores them.

    The result is None if the method of `owner`, which uses the permissions, is inherited or might
    be called through `super()`.
    """
    definer = next(base for base in cls.__mro__ if method in vars(base))
    code = getattr(vars(definer)[method], "__code__", None)
    if definer is owner or "__class__" in getattr(code, "co_freevars", ()):
        return None
    return (
        f"{cls.__qualname__} ignores its permissions: {definer.__qualname__} defines {method}; "
        "remove the method or the permissions"
    )
