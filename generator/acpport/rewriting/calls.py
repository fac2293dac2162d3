"""Conversion of constructor calls, SDK helper calls, and method calls on connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import libcst as cst

from acpport.counterparts.names import Row, defaults, find, tags
from acpport.counterparts.surface import SdkMethod, is_record
from acpport.reading.inference import Many, is_protocol
from acpport.reading.sources import code_of, is_name, keywords_of, last_name
from acpport.rewriting.draft import Draft

# Expressions that are never None.
_VALUES = (
    *(cst.BaseString, cst.BaseNumber, cst.BaseList, cst.BaseDict, cst.BaseSet, cst.Tuple),
    *(cst.GeneratorExp, cst.Comparison, cst.Lambda),
)
_CLASSES = frozenset(("bool", "bytes", "dict", "float", "int", "list", "str", "tuple"))
_VERSION = "protocol_version"
_META = ("field_meta", "_meta")


def construct(draft: Draft, name: str, call: cst.Call) -> cst.BaseExpression:
    """Convert a constructor call of an SDK class to a call to the package's class `name`."""
    row = find(name)
    if not draft.surface.is_class(name) and row is not None and row.until:
        [name] = row.here  # an earlier SDK version contains a class with this name
    if len(call.args) == 1 and "root" in keywords_of(call.args):
        return call.args[0].value  # in the SDK, some unions are models that wrap their variants
    if not draft.surface.is_class(name):
        draft.mark(f"{draft.name}.{name} is a union, not a class: use one of its variants.")
    wire_names = draft.surface.wire_names(name)
    args: list[cst.Arg] = []
    for arg in call.args:
        if arg.keyword is None:
            written = code_of(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT))
            draft.mark(f"{draft.name}.{name} accepts only keyword arguments: `{written}`.")
            args.append(arg)
            continue
        keyword = "meta" if arg.keyword.value in _META else arg.keyword.value
        keyword = wire_names.get(keyword, keyword)
        value = _member(draft, name, keyword, arg.value)
        if value is not None:
            args.append(arg.with_changes(keyword=cst.Name(keyword), value=value))
    if args and args[-1].comma != call.args[-1].comma:
        args[-1] = args[-1].with_changes(comma=call.args[-1].comma)
    return call.with_changes(func=draft.of_surface(name), args=args)


def _member(
    draft: Draft, name: str, keyword: str, value: cst.BaseExpression
) -> cst.BaseExpression | None:
    """Return the converted value of a field, or None if the field must be omitted."""
    member = draft.surface.members(name).get(keyword)
    if member is None:
        if keyword in tags() and isinstance(value, cst.SimpleString):
            return None
        draft.mark(f"{draft.name}.{name} has no field `{keyword}`.")
        return value
    if is_name(value, _VERSION):
        initialize = draft.surface.method("agent", "initialize")
        assert initialize is not None, "every surface must define initialize"
        if name == initialize.result:  # a client may request any version in the params
            return draft.version()
    if is_name(value, "None"):
        default = cst.parse_expression(defaults().get(keyword, "None"))
        return None if member.is_optional else default
    if isinstance(value, cst.Dict) and any(map(is_record, member.types)):
        draft.mark(f"`{keyword}` is an object, not a dictionary: use {draft.name}.decode.")
    value = as_json(draft, value) if member.is_json else value
    if member.is_optional and not _is_value(draft, value):
        return cst.Call(draft.of_runtime("given"), [cst.Arg(value)])
    if keyword in defaults() and not _is_value(draft, value):
        return cst.parse_expression(f"{code_of(value)} or {defaults()[keyword]}")
    return value


def mark_missing(draft: Draft, name: str, call: cst.Call) -> None:
    """Mark a constructor call that omits fields required only by the package's class."""
    given = [arg.keyword.value for arg in call.args if arg.keyword is not None and not arg.star]
    if len(given) < len(call.args) or given == ["root"]:
        return
    names = draft.surface.wire_names(name)
    missing = draft.surface.members(name).keys() - {names.get(each, each) for each in given}
    for each in sorted(missing):
        if not draft.surface.members(name)[each].is_optional:
            draft.mark(f"{draft.name}.{name} needs `{each}`.")


def as_json(draft: Draft, node: cst.BaseExpression) -> cst.BaseExpression:
    """Add calls to `encode` for protocol values in an expression that must be a JSON value."""
    if isinstance(node, (cst.Dict, cst.List)):
        values = [each.with_changes(value=as_json(draft, each.value)) for each in node.elements]
        return node.with_changes(elements=values)
    types = draft.types.get(node, frozenset())
    encode = code_of(draft.of_surface("encode")) if any(map(is_protocol, types)) else ""
    if any(map(is_record, types)):
        return cst.parse_expression(f"{encode}({code_of(node)})")
    return cst.parse_expression(f"[{encode}(each) for each in {code_of(node)}]") if encode else node


def _is_value(draft: Draft, node: cst.BaseExpression) -> bool:
    """Return whether an expression is known not to be None."""
    match node:
        case cst.Call(func=func):
            is_ours = isinstance(func, cst.Attribute) and last_name(func.value) == draft.name
            return is_ours or last_name(func) in _CLASSES
        case cst.BooleanOperation(operator=operator, right=right):
            return isinstance(operator, cst.Or) and _is_value(draft, right)
        case cst.IfExp(body=body, orelse=otherwise):
            return _is_value(draft, body) and _is_value(draft, otherwise)
        case cst.UnaryOperation(operator=operator):
            return isinstance(operator, cst.Not)
        case _:
            return is_name(node, "True", "False") or isinstance(node, _VALUES)


# --- helpers ---------------------------------------------------------------------------------


def expand(draft: Draft, row: Row, call: cst.Call) -> cst.BaseExpression | None:
    """Replace a call to an SDK helper with the equivalent constructor calls.

    Return None if the call contains `*` or `**` arguments or doesn't match the helper's parameters.
    """
    template = cast(cst.Lambda, cst.parse_expression(row.call))
    params = template.params.params
    values = {param.name.value: param.default for param in params if param.default is not None}
    names = iter([param.name.value for param in params])
    for arg in call.args:
        if arg.star:
            return None
        values[next(names, "") if arg.keyword is None else arg.keyword.value] = arg.value
    if values.keys() != {param.name.value for param in params}:
        return None
    expanded = template.body.visit(_Substitution(draft, values))
    assert isinstance(expanded, cst.BaseExpression), "the result must be an expression"
    return expanded


class _Substitution(cst.CSTTransformer):
    """A transformer that replaces the parameters and names in a template."""

    def __init__(self, draft: Draft, values: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self._draft = draft
        self._values = values

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(value=self._value(updated_node.value))

    def leave_DictElement(
        self, original_node: cst.DictElement, updated_node: cst.DictElement
    ) -> cst.DictElement:
        value = self._value(updated_node.value)
        is_json = is_name(value, "None") or isinstance(value, (*_VALUES, cst.Integer))
        if value not in self._draft.types and not is_json:
            self._draft.mark(f"encode `{code_of(value)}` if it is a protocol value.")
        return updated_node.with_changes(value=as_json(self._draft, value))

    def _value(self, node: cst.BaseExpression) -> cst.BaseExpression:
        return self._values.get(node.value, node) if isinstance(node, cst.Name) else node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        func = original_node.func
        if isinstance(func, cst.Attribute):  # a call to a class method of a runtime class
            own = self._draft.of_runtime(last_name(func.value))
            return updated_node.with_changes(func=func.with_changes(value=own))
        return construct(self._draft, last_name(func), updated_node)


# --- connections -----------------------------------------------------------------------------


def with_params(draft: Draft, sdk: SdkMethod, call: cst.Call) -> cst.Call | None:
    """Convert a method call so that it passes one params object.

    Return None if the arguments are ambiguous.
    """
    assert isinstance(call.func, cst.Attribute), "a method must be called on an object"
    func = call.func.with_changes(attr=cst.Name(sdk.handler))
    if sdk.is_extension:
        return _extension(draft, call.with_changes(func=func))
    params = sdk.params
    if has_params(draft, call, sdk):
        return call.with_changes(func=func)
    args = _named(draft, sdk, call.args)
    if args is not None and not draft.surface.is_class(params):
        made = _variant(draft, sdk, args)
        if made is not None:
            return cst.Call(func=func, args=[cst.Arg(made)], lpar=call.lpar, rpar=call.rpar)
    if args is None or not draft.surface.is_class(params):
        several = "" if draft.surface.is_class(params) else " (a union of several classes)"
        draft.mark(f"`{sdk.handler}` accepts one params object, {draft.name}.{params}{several}.")
        return None
    args = _with_meta(draft, params, args)
    present = keywords_of(args)
    for name, default in defaults().items():
        member = draft.surface.members(params).get(name)
        if member is not None and name not in present and not member.is_optional:
            args.append(keyword_arg(name, cst.parse_expression(default)))
    inner = construct(draft, params, call.with_changes(func=cst.Name(params), args=args))
    return cst.Call(func=func, args=[cst.Arg(inner)], lpar=call.lpar, rpar=call.rpar)


def _variant(draft: Draft, sdk: SdkMethod, args: list[cst.Arg]) -> cst.BaseExpression | None:
    """Return the params of a method with several params classes, or None if they are ambiguous."""
    surface = draft.surface
    classes = [cls.__name__ for cls in surface.types(sdk.params)]
    # In the SDK, one argument can be the params object. The other arguments are then additional
    # fields.
    for arg in args:
        if isinstance(arg.value, cst.Call) and last_name(arg.value.func) in classes:
            rest = [each for each in args if each is not arg]
            call = arg.value.with_changes(args=[*rest, *arg.value.args])
            return construct(draft, last_name(call.func), call)
    given = keywords_of(args)
    types = {name: _type(draft, value) for name, value in given.items()}
    members = {each: surface.members(each) for each in classes}
    fitting = [
        each
        for each, known in members.items()
        if given.keys() <= known.keys() | {*_META}
        and all(
            not type_ or name in _META or known[name].takes(type_) for name, type_ in types.items()
        )
    ]
    made = [construct(draft, each, cst.Call(cst.Name(each), args)) for each in fitting]
    if len(made) == 1:
        return made[0]
    for name, value in given.items() if len(made) == 2 else ():
        # Like the SDK, choose the class at run time: check whether the field's value is a boolean.
        for each, own, other in zip(fitting, made, reversed(made), strict=True):
            if isinstance(value, cst.Name) and bool in members[each][name].types:
                test = cst.parse_expression(f"isinstance({value.value}, bool)")
                return cst.IfExp(test=test, body=own, orelse=other)
    return None


def has_params(draft: Draft, call: cst.Call, sdk: SdkMethod) -> bool:
    """Return whether a call passes one params object, as in early SDK versions."""
    if len(call.args) != 1 or call.args[0].keyword is not None:
        return False
    value = call.args[0].value
    classes = {sdk.params, *(each.__name__ for each in draft.surface.types(sdk.params))}
    is_made = isinstance(value, cst.Call) and last_name(value.func) in classes
    return is_made or is_name(value, "params")


def _named(draft: Draft, sdk: SdkMethod, args: Sequence[cst.Arg]) -> list[cst.Arg] | None:
    """Convert positional arguments to keyword arguments, or return None if they are ambiguous."""
    if any(arg.star == "*" for arg in args):
        return None
    positional = [arg for arg in args if arg.keyword is None and not arg.star]
    order = sdk.order([(last_name(arg.value), _type(draft, arg.value)) for arg in positional])
    if positional and order is None:
        return None
    names = iter(order or ())
    named = [keyword_arg(next(names), arg.value, arg) if arg in positional else arg for arg in args]
    # A `**` argument can contain any parameter. If no required parameter is missing, assume that
    # the argument contains `meta`.
    is_complete = sdk.required() <= keywords_of(named).keys()
    return named if is_complete or not any(arg.star for arg in args) else None


def _type(draft: Draft, node: cst.BaseExpression) -> Any:
    """Return the class of an expression's value, or None if it is unknown."""
    types = draft.types.get(node, frozenset())
    known = [each for each in types if isinstance(each, type)]
    if any(isinstance(each, Many) for each in types):
        return list
    if len(known) == 1:
        return draft.surface.python_type(known[0].__name__) or known[0]
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        is_ours = last_name(node.func.value) == draft.name
        return draft.surface.python_type(node.func.attr.value) if is_ours else None
    return list if isinstance(node, cst.BaseList) else None


def _with_meta(draft: Draft, params: str, args: list[cst.Arg]) -> list[cst.Arg]:
    """Move keyword arguments for unknown fields to `meta`, since the SDK sends them in `_meta`."""
    known = {*draft.surface.members(params), *draft.surface.wire_names(params), *_META}
    rest = [arg for arg in args if arg.keyword is not None and arg.keyword.value in known]
    extra = [arg for arg in args if arg not in rest]
    if not extra:
        return args
    meta = extra[0].value
    if len(extra) > 1 or extra[0].keyword is not None:
        meta = cst.Dict([_element(arg) for arg in extra])
    return [*rest, keyword_arg("meta", meta)]


def _element(arg: cst.Arg) -> cst.BaseDictElement:
    if arg.keyword is None:
        return cst.StarredDictElement(arg.value)
    return cst.DictElement(cst.SimpleString(f'"{arg.keyword.value}"'), arg.value)


def _extension(draft: Draft, call: cst.Call) -> cst.Call:
    """Convert a call to an extension method by prefixing the method's name with an underscore."""
    named = [arg for arg in call.args if arg.keyword is None or arg.keyword.value == "method"]
    if not named or named[0].star:
        draft.mark("the names of extension methods must begin with `_`.")
        return call
    value = named[0].value
    if isinstance(value, cst.SimpleString) and not value.prefix:
        name: cst.BaseExpression = cst.SimpleString(f"{value.quote}_{value.raw_value}{value.quote}")
    else:
        name = cst.BinaryOperation(cst.SimpleString('"_"'), cst.Add(), value)
    return call.with_deep_changes(named[0], value=name)


def keyword_arg(name: str, value: cst.BaseExpression, like: cst.Arg | None = None) -> cst.Arg:
    """Return a keyword argument, formatted like the argument `like`."""
    plain = cst.SimpleWhitespace("")
    equal = cst.AssignEqual(whitespace_before=plain, whitespace_after=plain)
    arg = cst.Arg(value) if like is None else like
    return arg.with_changes(value=value, keyword=cst.Name(name), equal=equal)
