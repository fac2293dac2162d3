"""Where connections are made: functions of the SDK become context managers."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from acpport.reading.sources import code_of
from acpport.reading.survey import names_in
from acpport.rewriting.calls import is_none, keyword_arg
from acpport.rewriting.draft import Draft
from acpport.rewriting.handlers import with_statements

# The arguments of the SDK's functions, in order.
_RUN = ("agent", "input_stream", "output_stream")
_CONNECT = ("client", "input_stream", "output_stream")
_SPAWN = ("to_client", "command")
# Those with another name here.
_RENAMED = {"stdio_buffer_limit_bytes": "max_line"}
_SAME = ("env", "cwd")


def run_agent(draft: Draft, call: cst.Call) -> cst.Call:
    """`serve_stdio`, or `serve` where the streams are given."""
    named, rest = _arguments(draft, call, _RUN)
    agent = _handler(draft, named)
    streams = _stream(draft, named)
    if streams is None:
        return call.with_changes(func=draft.of_aio("serve_stdio"), args=[agent, *rest])
    return call.with_changes(func=draft.of_aio("serve"), args=[streams, agent, *rest])


def connect(draft: Draft, call: cst.Call) -> cst.Call:
    """`connect`, in place of `connect_to_agent`."""
    named, rest = _arguments(draft, call, _CONNECT)
    agent = _handler(draft, named)
    stream = _stream(draft, named)
    args = [*([] if stream is None else [stream]), agent, *rest]
    return cst.Call(draft.of_aio("connect"), args)


def _stream(draft: Draft, named: dict[str, cst.BaseExpression]) -> cst.Arg | None:
    """The stream of a connection: a reader and a writer become one, a transport stays."""
    writer, reader = named.get("input_stream"), named.get("output_stream")
    if writer is None:
        return None
    if reader is None:
        return cst.Arg(writer)
    return cst.Arg(cst.Call(draft.of_aio("AsyncioStream"), [cst.Arg(reader), cst.Arg(writer)]))


def _handler(draft: Draft, named: dict[str, cst.BaseExpression]) -> cst.Arg:
    """The handler of a connection; a function that makes it is given by its surface."""
    value = next((named[name] for name in ("agent", "client", "to_client") if name in named), None)
    if value is None:
        draft.mark("which handler?")
        value = cst.Ellipsis()
    if isinstance(value, cst.Lambda):
        value = cst.Dict([cst.DictElement(draft.surface_itself(), value)])
    return cst.Arg(value)


def _arguments(
    draft: Draft, call: cst.Call, names: Sequence[str]
) -> tuple[dict[str, cst.BaseExpression], list[cst.Arg]]:
    """Tell the arguments of a call by their names; the second are those to pass on."""
    named: dict[str, cst.BaseExpression] = {}
    rest: list[cst.Arg] = []
    positions = iter(names)
    for arg in call.args:
        keyword = arg.keyword.value if arg.keyword is not None else next(positions, "")
        if arg.star or not keyword:
            rest.append(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT))
            draft.mark(f"what is `{code_of(arg.value)}` here?")
        elif keyword in names:
            if not is_none(arg.value):
                named[keyword] = arg.value
        elif keyword == "use_unstable_protocol":
            if not (isinstance(arg.value, cst.Name) and arg.value.value == "False"):
                draft.surface.lacking.add(keyword)
        elif keyword in _RENAMED or keyword in _SAME:
            rest.append(keyword_arg(_RENAMED.get(keyword, keyword), arg.value))
        else:
            draft.mark(f"there is no argument `{keyword}`; see the guide.")
    return named, rest


# --- context managers ------------------------------------------------------------------------


def spawn(draft: Draft, original: cst.With, updated: cst.With) -> cst.With:
    """`connect_stdio`, in place of `spawn_agent_process`.

    Args:
        draft: the module.
        original: the statement, whose only item is a call of `spawn_agent_process`.
        updated: the same, with what is within it rewritten already.
    """
    item = updated.items[0]
    assert isinstance(item.item, cst.Call), "the item is a call"
    pair = names_in(item.asname.name) if item.asname is not None else []
    if item.asname is not None and not pair:
        draft.mark("`connect_stdio` gives the peer; a stub calls it, and it has the process.")
        return updated
    plain = [arg for arg in item.item.args if arg.keyword is None]
    keywords = [arg for arg in item.item.args if arg.keyword is not None]
    named, rest = _arguments(draft, item.item.with_changes(args=plain[:1] + keywords), _SPAWN)
    words = [named["command"]] if "command" in named else []
    command = [*(cst.Element(word) for word in words), *map(_element, plain[1:])]
    if any(isinstance(arg.value, cst.Dict) for arg in rest if arg.keyword is not None):
        draft.mark("`env` is the whole environment here: add that of this process.")
    # The SDK reads what the agent writes there, and shows it to nobody.
    stderr = keyword_arg("stderr", draft.of_module("asyncio.subprocess", "PIPE"))
    call = cst.Call(
        draft.of_aio("connect_stdio"),
        [cst.Arg(cst.List(command)), _handler(draft, named), *rest, stderr],
    )
    name = cst.AsName(cst.Name("peer"), cst.SimpleWhitespace(" "), cst.SimpleWhitespace(" "))
    new = item.with_changes(item=call, asname=name)
    body = updated.body
    if pair:
        names, values = [pair[0]], [code_of(draft.stub("agent"))]
        if not pair[1].startswith("_"):
            names, values = [*names, pair[1]], [*values, "peer.process"]
        line = cst.parse_statement(f"{', '.join(names)} = {', '.join(values)}")
        body = with_statements(body, [line])
    return updated.with_changes(items=[new], body=body)


def _element(arg: cst.Arg) -> cst.BaseElement:
    return cst.StarredElement(arg.value) if arg.star else cst.Element(arg.value)


def within(
    draft: Draft, target: cst.BaseExpression, call: cst.Call, rest: Sequence[cst.BaseStatement]
) -> cst.With:
    """A connection that is open for the rest of a block.

    Args:
        draft: the module.
        target: the variable of the stub that calls the agent.
        call: the call of `connect`.
        rest: the statements that follow.
    """
    name = cst.AsName(cst.Name("peer"), cst.SimpleWhitespace(" "), cst.SimpleWhitespace(" "))
    line = cst.parse_statement(f"{code_of(target)} = {code_of(draft.stub('agent'))}")
    return cst.With(
        items=[cst.WithItem(call, name)],
        body=cst.IndentedBlock([line, *rest]),
        asynchronous=cst.Asynchronous(),
    )
