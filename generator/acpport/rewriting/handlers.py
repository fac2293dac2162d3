"""Conversion of handler methods to methods that accept one params object."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from acpport.counterparts.surface import OTHER, SdkMethod, Side
from acpport.reading.sources import Source, code_of, comments_of, is_pragma, read_names, trailing
from acpport.rewriting.draft import Draft

# A statement that removes the underscore from an extension method's name, as the SDK does.
_UNDERSCORE = '{0} = {0}.removeprefix("_")'


def handler(
    draft: Draft,
    source: Source,
    sdk: SdkMethod,
    original: cst.FunctionDef,
    updated: cst.FunctionDef,
) -> cst.FunctionDef:
    """Convert a handler method whose body and annotations have already been converted."""
    params = updated.params.params
    if not params or updated.params.posonly_params:
        return updated
    if sdk.is_extension:
        return _extension(sdk, original, updated)
    if sdk.method is None:
        if not sdk.handler:
            draft.mark(f"{sdk.name}: {sdk.row.advice()}")
        return updated
    annotation = cst.Annotation(draft.of_surface(sdk.params))
    if [param.name.value for param in params[1:]] == ["params"]:
        is_sole = updated.params.star_kwarg is None and not updated.params.kwonly_params
        if is_sole and "params" not in sdk.parameters:  # early SDK versions pass an object
            return updated.with_changes(name=cst.Name(sdk.handler))
    body = _with_lines(updated.body, [*_unpacked(draft, source, sdk, original, updated.body)])
    about = comments_of(original.whitespace_before_params)
    if about and isinstance(body, cst.IndentedBlock):
        body = body.with_changes(header=trailing([*about, *comments_of(body.header)]))
    return _with_param(updated, sdk.handler, "params", annotation, body)


def _extension(
    sdk: SdkMethod, original: cst.FunctionDef, updated: cst.FunctionDef
) -> cst.FunctionDef:
    lines: list[str] = []
    if len(updated.params.params) > 1:
        name = updated.params.params[1].name.value
        line = _UNDERSCORE.format(name)
        is_new = [code_of(each).strip() for each in _statements(original.body)[:1]] != [line]
        if is_new and name in read_names(original.body):
            lines.append(line)
    return updated.with_changes(name=cst.Name(sdk.handler), body=_with_lines(updated.body, lines))


def _with_param(
    function: cst.FunctionDef,
    name: str,
    param: str,
    annotation: cst.Annotation,
    body: cst.BaseSuite,
) -> cst.FunctionDef:
    """Return a method with a single parameter in addition to `self`."""
    first = function.params.params[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return function.with_changes(
        name=cst.Name(name),
        params=cst.Parameters([first, cst.Param(cst.Name(param), annotation)]),
        whitespace_before_params=cst.SimpleWhitespace(""),
        body=body,
    )


def _unpacked(
    draft: Draft,
    source: Source,
    sdk: SdkMethod,
    function: cst.FunctionDef,
    body: cst.BaseSuite,
) -> Iterator[str]:
    """Yield the statements that assign the fields of `params` to the former parameters."""
    used = set(read_names(body))
    params = [*function.params.params[1:], *function.params.kwonly_params]
    # A former parameter named `params` is assigned last because it replaces the params object.
    for param in sorted(params, key=lambda each: each.name.value == "params"):
        if param.name.value in used:
            about = [text for text in comments_of(param) if not is_pragma(text)]
            yield "\n".join([*about, f"{param.name.value} = {_value(draft, source, sdk, param)}"])
    star = function.params.star_kwarg
    if star is not None and star.name.value in used:
        rest = draft.surface.members(sdk.params).keys() - {each.name.value for each in params}
        pairs = [f'"{name}": params.{name}' for name in sorted(rest - {"meta"})]
        meta = "params.meta or {}"
        every = f"{{{', '.join(pairs)}, **({meta})}}" if pairs else meta
        yield f"{star.name.value} = {every}"
    args = function.params.star_arg
    if isinstance(args, cst.Param) and args.name.value in used:
        yield f"{args.name.value} = ()"  # the SDK passes only keyword arguments


def _value(draft: Draft, source: Source, sdk: SdkMethod, param: cst.Param) -> str:
    name = param.name.value
    member = draft.surface.members(sdk.params).get(name)
    if member is None:
        references = [] if param.annotation is None else source.references(param.annotation)
        if sdk.params in [draft.surface.type_of(each.key) for each in references]:
            return "params"  # the SDK passes the params both as an object and as separate fields
        if sdk.params in draft.surface.unions.get(name, {}):
            return "params"  # the parameter is a tag, so the class of the params determines it
        if name in sdk.parameters:
            draft.mark(f"`{name}` is no longer in the schema.")
        return f'(params.meta or {{}}).get("{name}")'
    if not member.is_optional:
        return f"params.{name}"
    default = code_of(param.default) if param.default is not None else "None"
    if not member.has_falsy_values:
        return f"params.{name} or {default}"
    draft.of_runtime("UNSET")
    present = "is not UNSET" if default == "None" else "not in (None, UNSET)"
    return f"params.{name} if params.{name} {present} else {default}"


def on_connect(
    draft: Draft, side: Side, original: cst.FunctionDef, updated: cst.FunctionDef
) -> cst.FunctionDef:
    """Convert `on_connect` to `connected`, with a stub instead of the SDK's connection."""
    params = updated.params.params
    if len(params) != 2 or updated.asynchronous is not None:
        draft.mark("`connected(self, peer)` receives the connection and must not be async.")
        return updated
    name = params[1].name.value
    stub = draft.stub(OTHER[side])
    body = updated.body
    count = [*read_names(original.body)].count(name)
    if count == 1:
        changed = body.visit(_Replacing(name, stub))
        assert isinstance(changed, cst.BaseSuite), "the result must be a body"
        body = changed
    elif count:
        body = _with_lines(body, [f"{name} = {code_of(stub)}"])
    return _with_param(updated, "connected", "peer", cst.Annotation(draft.of_aio("Peer")), body)


def kept_connection(function: cst.CSTNode) -> str:
    """Return the attribute to which `on_connect` assigns the connection.

    Return an empty string if the function does anything else.
    """
    if not isinstance(function, cst.FunctionDef) or len(function.params.params) != 2:
        return ""
    code = "".join(map(code_of, _statements(function.body))).strip()
    kept = re.fullmatch(r"self\.(\w+) = (\w+)", code)
    return kept[1] if kept and kept[2] == function.params.params[1].name.value else ""


class _Replacing(cst.CSTTransformer):
    """A transformer that replaces a variable with an expression."""

    def __init__(self, name: str, value: cst.BaseExpression) -> None:
        super().__init__()
        self._name = name
        self._value = value

    # Attributes and keyword arguments with the same name stay.

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._value if original_node.value == self._name else updated_node


# --- bodies ----------------------------------------------------------------------------------


def _with_lines(body: cst.BaseSuite, lines: Sequence[str]) -> cst.BaseSuite:
    return with_statements(body, [cst.parse_statement(line) for line in lines]) if lines else body


def with_statements(body: cst.BaseSuite, new: Sequence[cst.BaseStatement]) -> cst.BaseSuite:
    """Insert statements at the beginning of a body, after its docstring."""
    if isinstance(body, cst.SimpleStatementSuite):
        return cst.IndentedBlock([*new, cst.SimpleStatementLine(body.body)])
    assert isinstance(body, cst.IndentedBlock), "a body is one line or an indented block"
    at = 1 if _is_docstring(body.body[0]) else 0
    return body.with_changes(body=[*body.body[:at], *new, *body.body[at:]])


def _statements(body: cst.BaseSuite) -> list[cst.CSTNode]:
    return [each for each in body.body if not _is_docstring(each)]


def _is_docstring(statement: cst.CSTNode) -> bool:
    match statement:
        case cst.SimpleStatementLine([cst.Expr(cst.SimpleString() | cst.ConcatenatedString()), *_]):
            return True
        case _:
            return False
