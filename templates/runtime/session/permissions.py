"""Default responses to permission requests: the permissions of a client, or a refusal."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ..jsonrpc.logs import logger_of

_log = logger_of(__name__)
# The classes of handlers that were already warned about missing permission handlers.
_silent: WeakSet[type] = WeakSet()
# The kinds of options that refuse, in the order of preference.
_REFUSALS = ("reject_once", "reject_always")

if TYPE_CHECKING:
    from typing import Protocol  # here: a class of it takes long to make

    class PermissionPolicy(Protocol):
        """The type of a client's `permissions`, such as `kit.permissions.Permissions`."""

        def answer_request(
            self, params: Any, known: Mapping[str, Any], *, agent: str, cwd: str
        ) -> Coroutine[Any, Any, str | None]:
            """Answer a permission request.

            Args:
                params: the params of the request.
                known: the tool calls of the session, by id.
                agent: the name of the agent program; empty if it is unknown.
                cwd: the working directory of the session; empty if it is unknown.

            Returns:
                The id of an option; None for the cancelled outcome.
            """
            ...


def subject_of(question: Any) -> Any:
    """Return the subject of a permission request, or the request itself if it has none."""
    return getattr(question, "subject", None) or question


def agent_name(advertised: Any) -> str:
    """Return the name of the agent program in its response to `initialize`; empty if it has none.

    Args:
        advertised: the response; None if there is none.
    """
    info = getattr(advertised, "agent_info", None) or getattr(advertised, "info", None)
    return getattr(info, "name", None) or ""


def reject(handler: object, method: str, options: Sequence[Any]) -> str | None:
    """Return the id of the option to select if no handler asks the user.

    An option that rejects once is preferred. None if no option rejects. One warning for each class
    of handlers names the missing method.
    """
    cls = handler.__class__
    if cls not in _silent:
        _silent.add(cls)
        name = cls.__qualname__
        _log.warning("%s rejects every permission request; define %s to ask the user", name, method)
    # Of several options of a kind, the first one counts.
    by_kind = {option.kind: option.option_id for option in reversed(options)}
    return next((by_kind[kind] for kind in _REFUSALS if kind in by_kind), None)


def unused_permissions(cls: type, method: str, owner: type) -> str | None:
    """Return the warning about a client with permissions and a method that ignores them.

    None if the method of `owner`, which uses the permissions, is used, or can be by `super()`.
    """
    definer = next(base for base in cls.__mro__ if method in vars(base))
    code = getattr(vars(definer)[method], "__code__", None)
    if definer is owner or "__class__" in getattr(code, "co_freevars", ()):
        return None
    return (
        f"{cls.__qualname__} ignores its permissions: {definer.__qualname__} has its own {method}; "
        "remove one of them"
    )
