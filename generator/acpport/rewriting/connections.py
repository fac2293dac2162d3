"""Conversion of SDK functions that open connections."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from acpport.reading.sources import code_of, first_name, is_name
from acpport.rewriting.calls import keyword_arg
from acpport.rewriting.draft import Draft
from acpport.rewriting.handlers import with_statements

# The parameters of the SDK's functions, in order.
_RUN = ("agent", "input_stream", "output_stream")
_CONNECT = ("client", "input_stream", "output_stream")
_SPAWN = ("to_client", "command")
# The SDK arguments to pass on, with their names in this package.
_PASSED_ON = {"stdio_buffer_limit_bytes": "max_line", "env": "env", "cwd": "cwd"}
_AS_PEER = cst.AsName(cst.Name("peer"), cst.SimpleWhitespace(" "), cst.SimpleWhitespace(" "))


def run_agent(draft: Draft, call: cst.Call) -> cst.Call:
    """Replace `run_agent` with `serve_stdio`, or with `serve` if the call passes streams."""
    named, rest = _arguments(draft, call, _RUN)
    agent, streams = _handler(draft, named), _stream(draft, named)
    func = draft.of_aio("serve" if streams else "serve_stdio")
    return call.with_changes(func=func, args=[*streams, agent, *rest])


def connect(draft: Draft, call: cst.Call) -> cst.Call:
    """Replace `connect_to_agent` with `connect`."""
    named, rest = _arguments(draft, call, _CONNECT)
    agent = _handler(draft, named)
    return cst.Call(draft.of_aio("connect"), [*_stream(draft, named), agent, *rest])


def _stream(draft: Draft, named: dict[str, cst.BaseExpression]) -> list[cst.Arg]:
    """Return the stream argument: a transport, or an `AsyncioStream` for a reader and writer."""
    writer, reader = named.get("input_stream"), named.get("output_stream")
    if writer is None or reader is None:
        return [] if writer is None else [cst.Arg(writer)]
    return [cst.Arg(cst.Call(draft.of_aio("AsyncioStream"), [cst.Arg(reader), cst.Arg(writer)]))]


def _handler(draft: Draft, named: dict[str, cst.BaseExpression]) -> cst.Arg:
    """Return the handler argument. A factory is passed in a dictionary keyed by the surface."""
    value = next((named[name] for name in ("agent", "client", "to_client") if name in named), None)
    if value is None:
        draft.mark("pass a handler instead of `...`.")
        value = cst.Ellipsis()
    if isinstance(value, cst.Lambda):
        value = cst.Dict([cst.DictElement(draft.surface_itself(), value)])
    return cst.Arg(value)


def _arguments(
    draft: Draft, call: cst.Call, names: Sequence[str]
) -> tuple[dict[str, cst.BaseExpression], list[cst.Arg]]:
    """Return the arguments in `names`, by parameter name, and a list of arguments to pass on."""
    named: dict[str, cst.BaseExpression] = {}
    rest: list[cst.Arg] = []
    positions = iter(names)
    for arg in call.args:
        keyword = arg.keyword.value if arg.keyword is not None else next(positions, "")
        if arg.star or not keyword:
            rest.append(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT))
            draft.mark(f"cannot resolve `{code_of(arg.value)}`: pass each argument explicitly.")
        elif keyword in names:
            if not is_name(arg.value, "None"):
                named[keyword] = arg.value
        elif keyword == "use_unstable_protocol":
            if not is_name(arg.value, "False"):
                draft.surface.lacking.add(keyword)
        elif keyword in _PASSED_ON:
            rest.append(keyword_arg(_PASSED_ON[keyword], arg.value))
        else:
            draft.mark(f"the argument `{keyword}` has no counterpart; see the guide.")
    return named, rest


# --- context managers ------------------------------------------------------------------------


def spawn(draft: Draft, updated: cst.With) -> cst.With:
    """Replace `spawn_agent_process` with `connect_stdio` in a single-item `with` statement."""
    item = updated.items[0]
    assert isinstance(item.item, cst.Call), "the item must be a call"
    match item.asname:
        case None:
            names = []
        case cst.AsName(
            name=cst.Tuple([cst.Element(cst.Name(connection)), cst.Element(cst.Name(process))])
        ):
            names = [connection, process]
        case _:
            draft.mark(
                "`connect_stdio` returns the peer, which provides the process as `peer.process`;"
                " use a stub to call the agent."
            )
            draft.kept.add(first_name(item.item.func))
            return updated
    plain = [arg for arg in item.item.args if arg.keyword is None and arg.star != "**"]
    keywords = [arg for arg in item.item.args if arg not in plain]
    named, rest = _arguments(draft, item.item.with_changes(args=plain[:1] + keywords), _SPAWN)
    words = [cst.Element(named["command"])] if "command" in named else []
    command = cst.List([*words, *map(_element, plain[1:])])
    if any(isinstance(arg.value, cst.Dict) for arg in rest if arg.keyword is not None):
        draft.mark("`env` replaces the environment: also pass this process's variables.")
    # The SDK discards the agent's standard error.
    stderr = keyword_arg("stderr", draft.of_module("asyncio.subprocess", "PIPE"))
    call = cst.Call(
        draft.of_aio("connect_stdio"),
        [cst.Arg(command), _handler(draft, named), *rest, stderr],
    )
    body = updated.body
    if names:
        values = [code_of(draft.stub("agent")), "peer.process"]
        count = 1 if names[1].startswith("_") else 2
        line = f"{', '.join(names[:count])} = {', '.join(values[:count])}"
        body = with_statements(body, [cst.parse_statement(line)])
    return updated.with_changes(items=[item.with_changes(item=call, asname=_AS_PEER)], body=body)


def _element(arg: cst.Arg) -> cst.BaseElement:
    return cst.StarredElement(arg.value) if arg.star else cst.Element(arg.value)


def within(
    draft: Draft, target: cst.BaseExpression, call: cst.Call, rest: Sequence[cst.BaseStatement]
) -> cst.With:
    """Return a `with` statement that opens a connection for the rest of a block.

    Args:
        draft: the draft.
        target: the variable that receives a stub.
        call: the call that opens the connection.
        rest: the remaining statements of the block.
    """
    line = cst.parse_statement(f"{code_of(target)} = {code_of(draft.stub('agent'))}")
    return cst.With(
        items=[cst.WithItem(call, _AS_PEER)],
        body=cst.IndentedBlock([line, *rest]),
        asynchronous=cst.Asynchronous(),
    )
