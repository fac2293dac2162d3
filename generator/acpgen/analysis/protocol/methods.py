"""Methods: the calls and results that envelopes list, paired by their annotations and named."""

from __future__ import annotations

from dataclasses import replace

from acpgen.analysis.context import BuildContext
from acpgen.analysis.protocol.envelopes import Call, Listed, read_envelopes
from acpgen.common.pointers import pointer
from acpgen.ir import naming
from acpgen.ir.model import Method


def find_methods(context: BuildContext) -> tuple[Method, ...]:
    """The methods of a schema, ordered by side and name; those of extensions come last.

    Contradictions become problems of the context, and what is incomplete becomes notes.
    """
    if not any(node.method is not None for node in context.schemas.values()):
        message = "no definition has an x-method: there are types only; add the methods"
        context.note("/$defs", "direction", message)
        return ()
    listed = read_envelopes(context)
    if not listed.calls:
        return ()
    names = listed.names()
    for name, node in context.schemas.items():
        if node.method is not None and name not in names:
            message = "is in no envelope, so that nothing says who sends it; list it in one"
            context.note(node.at, "direction", message)
    methods = _with_classes(_named(_paired(context, listed), context), context)
    check_reserved(methods, context)
    return methods


def _with_classes(methods: tuple[Method, ...], context: BuildContext) -> tuple[Method, ...]:
    """Return the methods with the classes of their params and results for the definitions."""
    classes = context.classes
    return tuple(
        replace(
            method,
            params=classes[method.params],
            result=method.result and classes[method.result],
        )
        for method in methods
    )


def check_reserved(methods: tuple[Method, ...], context: BuildContext) -> None:
    """Report definitions with the name of a constant or class that is made for methods."""
    reserved = {name for m in methods for name in naming.names_reserved_by(m.side, m.name)}
    for name in sorted(reserved):
        # A name that is reserved anyway is a problem of its own.
        definition = context.definitions.get(name)
        if definition is not None and naming.is_class_name(name):
            advice = context.renaming(name, definition.definition)
            message = f"has the name of something that is made for methods; {advice}"
            context.problem(definition.pointer, "name-collision", message)


# --- pairing -----------------------------------------------------------------------------------


def _paired(context: BuildContext, listed: Listed) -> list[Method]:
    """Pair requests with their results, by the method that both are annotated with."""
    results = _results_by_method(context, listed)
    methods: dict[tuple[str, str, str | None], Method] = {}
    for call in listed.calls:
        wire = context.schemas[call.params].method
        _check_side(context, call.params, call.side, call.at)
        if (call.side, call.kind, wire) in methods:
            message = f"lists two kinds of params of {wire!r}; remove one of them"
            context.contradiction(call.at, message)
            continue
        result = results.pop((call.side, wire), None) if call.kind == "request" else None
        if call.kind == "request" and result is None:
            message = f"lists {call.params} ({wire!r}), and no response envelope lists its result"
            context.note(call.at, "direction", f"{message}; list it")
        else:
            methods[call.side, call.kind, wire] = _method(call, wire, result)
    for (side, wire), name in results.items():
        message = f"is a result of {wire!r}, which nobody sends to the {side}; list the request"
        context.note(pointer("$defs", name), "direction", message)
    return sorted(methods.values(), key=_order)


def _results_by_method(context: BuildContext, listed: Listed) -> dict[tuple[str, str | None], str]:
    """The definition of each result, by side and wire name."""
    results: dict[tuple[str, str | None], str] = {}
    for (side, name), at in listed.results.items():
        wire = context.schemas[name].method
        if (side, wire) in results:
            message = f"lists two results of {wire!r}; remove one of them"
            context.contradiction(at, message)
            continue
        results[side, wire] = name
        _check_side(context, name, side, at)
    return results


def _method(call: Call, wire: str | None, result: str | None) -> Method:
    """A method without a name yet."""
    return Method(wire, "", call.side, call.kind, call.params, result, null_id=call.null_id)


def _order(method: Method) -> tuple[bool, str, str, bool]:
    """By side and name, a request before the notification of its name, extensions last."""
    return method.wire is None, method.side, method.wire or "", method.kind != "request"


def _check_side(context: BuildContext, name: str, side: str, at: str) -> None:
    """Compare the side that a definition states with the side of its envelope."""
    stated = context.schemas[name].side or side
    # `both` stands for the agent and the client.
    agrees = stated == side or (stated == "both" and side in ("agent", "client"))
    if not agrees and not context.is_explained(name):
        message = (
            f"x-side of {name} is {stated!r}, this envelope makes it {side!r}; explain it in"
            " policy.toml under [directions]"
        )
        context.contradiction(at, message)


# --- names -------------------------------------------------------------------------------------


def _named(methods: list[Method], context: BuildContext) -> tuple[Method, ...]:
    """Give each method the name that handlers and stubs call it by."""
    named: list[Method] = []
    for method in methods:
        siblings = [other for other in named if other.side == method.side]
        name = _name(method, siblings, context)
        if any(other.name == name for other in siblings):
            message = (
                f"method {method.wire!r} is {name!r} in Python, as another one is; name it in"
                f" names.toml as {method.side}:{method.wire}"
            )
            context.problem(pointer("$defs", method.params), "name-collision", message)
        named.append(replace(method, name=name))
    return tuple(named)


def _name(method: Method, siblings: list[Method], context: BuildContext) -> str:
    """The Python name of a method.

    Args:
        method: the method.
        siblings: the methods of its side that have a name already.
        context: where names and problems are looked up and recorded.
    """
    if method.wire is None:
        return naming.extension_name(method.kind)
    key = f"{method.side}:{method.wire}"
    is_twin = any(other.wire == method.wire for other in siblings)
    rule = naming.method_name(method.wire, twin=is_twin)
    name = context.method_name(key, rule, {other.name for other in siblings})
    if not naming.is_method_name(name):
        message = (
            f"method {method.wire!r} cannot be a Python method; name it in names.toml as {key}"
        )
        context.problem(pointer("$defs", method.params), "bad-name", message)
    return name
