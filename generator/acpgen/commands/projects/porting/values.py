"""Values of the protocol: what is None in the SDK is UNSET here if it is absent."""

from __future__ import annotations

import libcst as cst

from acpgen.commands.projects.porting.calls import is_none
from acpgen.commands.projects.porting.correspondence.names import tags
from acpgen.commands.projects.porting.draft import Draft
from acpgen.commands.projects.porting.sources import code_of, root_of
from acpgen.commands.projects.porting.survey import Values

_DUMPS = {"model_dump": "encode", "model_dump_json": "dumps"}
_VALIDATES = {"model_validate": "decode", "model_validate_json": "loads"}


def comparison(draft: Draft, held: Values, node: cst.Comparison) -> cst.Comparison:
    """A comparison, with `is None` widened to what is absent.

    Args:
        draft: the module.
        held: the variables that hold values of the protocol.
        node: the comparison.
    """
    if len(node.comparisons) != 1:
        return node
    left, [target] = node.left, node.comparisons
    name = left.attr.value if isinstance(left, cst.Attribute) else ""
    is_optional = name in draft.surface.optional_members
    operators = {cst.Is: cst.In(), cst.IsNot: cst.NotIn()}
    operator = operators.get(type(target.operator))
    if isinstance(left, cst.Attribute) and isinstance(target.comparator, cst.SimpleString):
        if name in tags() and held.holds(root_of(left.value)):
            draft.mark(f"the tag `{name}` is no member here: use `isinstance`.")
        return node
    if operator is None or not is_none(target.comparator):
        return node
    is_variable = isinstance(left, cst.Name) and held.is_maybe_unset(left.value)
    is_member = isinstance(left, cst.Attribute) and held.holds(root_of(left.value))
    if not is_variable and not (is_member and is_optional):
        return node
    both = cst.Tuple([cst.Element(cst.Name("None")), cst.Element(draft.of_runtime("UNSET"))])
    return node.with_changes(comparisons=[cst.ComparisonTarget(operator, both)])


def reading(draft: Draft, held: Values, node: cst.Call, parent: cst.CSTNode) -> cst.BaseExpression:
    """`getattr(x, "y", None)`, which finds UNSET where the member is absent."""
    if not (isinstance(node.func, cst.Name) and node.func.value == "getattr"):
        return node
    if len(node.args) != 3 or not is_none(node.args[2].value):
        return node
    subject, name = node.args[0].value, node.args[1].value
    if not isinstance(name, cst.SimpleString) or not held.holds(root_of(subject)):
        return node
    if name.raw_value not in draft.surface.optional_members or isinstance(
        parent, (cst.BooleanOperation, cst.If, cst.IfExp)
    ):
        return node
    if name.raw_value not in draft.surface.plain_members:
        draft.mark(f"`{name.raw_value}` is UNSET where it is absent.")
        return node
    either = cst.BooleanOperation(node, cst.Or(), cst.Name("None"))
    return either.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def dump(draft: Draft, held: Values, call: cst.Call) -> cst.Call:
    """`model_dump` and its like, of a value of the protocol."""
    func = call.func
    if not isinstance(func, cst.Attribute) or not func.attr.value.startswith("model_"):
        return call
    is_ours = held.holds(root_of(func.value)) or _is_made(draft, func.value)
    if is_ours and func.attr.value in _DUMPS:
        name = draft.of_surface(_DUMPS[func.attr.value])
        return call.with_changes(func=name, args=[cst.Arg(func.value)])
    if is_ours and func.attr.value == "model_copy":
        draft.mark("use `dataclasses.replace`.")
    return call


def _is_made(draft: Draft, node: cst.BaseExpression) -> bool:
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    return isinstance(node.func.value, cst.Name) and node.func.value.value == draft.name


def validate(draft: Draft, type_: str, method: str, call: cst.Call) -> cst.Call:
    """`model_validate` and its like, of a class of the SDK."""
    if method not in _VALIDATES or len(call.args) != 1:
        draft.mark(f"`{method}`: {draft.name}.decode and {draft.name}.encode convert from JSON.")
        return call
    func = draft.of_surface(_VALIDATES[method])
    args = [cst.Arg(draft.of_surface(type_)), call.args[0].with_changes(keyword=None)]
    return call.with_changes(func=func, args=args)


def error_object(draft: Draft, value: cst.BaseExpression) -> cst.BaseExpression:
    """What `to_error_obj` of an error makes."""
    draft.of_runtime("UNSET")
    code = code_of(value)
    data = f"None if {code}.data is UNSET else {code}.data"
    return cst.parse_expression(
        f'{{"code": {code}.code, "message": {code}.message, "data": {data}}}'
    )
