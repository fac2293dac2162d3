"""What a side says of itself in `initialize`: what its class states, and what its methods tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from ..values import jsontext
from ..values.unset import UNSET

if TYPE_CHECKING:
    from .method import Capability, Handler, Method

# The method by which both sides introduce themselves.
INITIALIZE: Final = "initialize"
# The JSON that advertises a capability; one of another form has to be stated.
_FORMS: dict[str, Any] = {"object": {}, "boolean": True}


def introduction(handler: Handler | type[Handler]) -> Any:
    """Return what a handler, or a class, says of itself in `initialize`.

    That is what it states, and the capabilities of the methods that its class has. A capability
    that is stated to be absent, by null or false, stays so.

    Returns:
        The result of `initialize` for an agent, the params for a client.

    Raises:
        EncodeError: what it states does not match the schema.
    """
    surface = handler.surface
    method = surface.METHODS["agent"][INITIALIZE]
    type_ = method.result if handler.side == "agent" else method.params
    stated = handler.stated(handler)
    data = jsontext.loads(method.codec.dumps(stated, type_))  # a copy, to be added to
    cls = handler if isinstance(handler, type) else type(handler)
    for needed in _implied(cls):
        _advertise(data, needed)
    return surface.decode(type_, data)


def find_contradictions(cls: type[Handler]) -> Iterator[str]:
    """Find what a class of handlers advertises but does not have, or has but does not advertise.

    Args:
        cls: the class, which says by itself what its side advertises.

    Yields:
        What is wrong, and what to do.
    """
    initialize = cls.surface.METHODS["agent"].get(INITIALIZE)
    if initialize is None or cls.side not in ("agent", "client"):
        return
    if cls.side == "agent" and _is_implemented(cls, initialize):
        return  # it introduces itself in its own way
    stated = cls.stated(cls)
    name = cls.__qualname__
    by_capability: dict[Capability, list[Method[Any, Any]]] = {}
    for method in _methods(cls):
        if method.capability is not None:
            by_capability.setdefault(method.capability, []).append(method)
    for capability, methods in by_capability.items():
        present = [method for method in methods if _is_implemented(cls, method)]
        own = [method.handler for method in present if not _is_ours(cls, method)]
        is_off = _is_off(stated, capability)
        is_stated = not is_off and capability.is_advertised(stated)
        if own and is_off:
            yield (
                f"nothing calls {name}.{own[0]}: what the class states leaves out "
                f"{capability.pointer}; state it, or leave the method out"
            )
        elif own and capability.form == "value" and not is_stated:
            member = capability.path[-1]
            yield (
                f"nothing calls {name}.{own[0]}: the class does not advertise "
                f"{capability.pointer}; state {member} in it"
            )
        elif is_stated or (present and not is_off and capability.form != "value"):
            missing = [m.handler for m in methods if m.kind == "request" and m not in present]
            if missing:
                yield (
                    f"{name} advertises {capability.pointer}, but has no "
                    f"{' and no '.join(missing)}"
                )


def _methods(cls: type[Handler]) -> list[Method[Any, Any]]:
    tables = [cls.surface.METHODS, *(extension.METHODS for extension in cls.extensions)]
    return [method for table in tables for method in table.get(cls.side, {}).values()]


def _definer(cls: type[Handler], method: Method[Any, Any]) -> type:
    """The class that has the Python method for a method of the protocol."""
    return next((base for base in cls.__mro__ if method.handler in vars(base)), cls)


def _is_implemented(cls: type[Handler], method: Method[Any, Any]) -> bool:
    """Whether a class handles a method, and not just refuses it as the generated handlers do."""
    return "surface" not in vars(_definer(cls, method))


def _is_ours(cls: type[Handler], method: Method[Any, Any]) -> bool:
    """Whether a base class of the surface handles a method, such as that of sessions."""
    surface: Any = cls.surface
    return _definer(cls, method).__module__.startswith(f"{surface.__name__}.")


def _implied(cls: type[Handler]) -> Iterator[Capability]:
    for method in _methods(cls):
        if method.capability is not None and _is_implemented(cls, method):
            yield method.capability


def _is_off(stated: Any, capability: Capability) -> bool:
    """Whether something on the way to a capability is stated to be null or false."""
    parts = [stated]
    for name in capability.path:
        parts.append(_part(parts[-1], name))
    return any(part is None or part is False for part in parts)


def _part(value: Any, name: str) -> Any:
    """A member of a record, or of JSON; UNSET if there is none."""
    return value.get(name, UNSET) if value.__class__ is dict else getattr(value, name, UNSET)


def _advertise(data: dict[str, Any], capability: Capability) -> None:
    """Add a capability to the JSON of what a side says of itself, unless it is stated there."""
    steps = capability.pointer.removeprefix("/").split("/")
    *parents, last = (step.replace("~1", "/").replace("~0", "~") for step in steps)
    place: Any = data
    for name in parents:
        place = place.setdefault(name, {})
        if place.__class__ is not dict:
            return
    if capability.form in _FORMS:
        form = _FORMS[capability.form]
        place.setdefault(last, form.copy() if form.__class__ is dict else form)
