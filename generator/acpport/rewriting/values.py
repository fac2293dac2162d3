"""Conversion of code that reads protocol values.

Absent fields are None in the SDK and UNSET in this package. Tags are fields in the SDK and classes
in this package.
"""

from __future__ import annotations

import libcst as cst
from acp_bindings.runtime import UnsetType

from acpport.counterparts.surface import is_record
from acpport.reading.inference import Types
from acpport.reading.sources import code_of, is_name, last_name, reader_of, text_of
from acpport.rewriting.draft import Draft

_DUMPS = {"model_dump": "encode", "model_dump_json": "dumps"}
_VALIDATES = {"model_validate": "decode", "model_validate_json": "loads"}
_EQUAL = (cst.Equal, cst.In)
_UNEQUAL = (cst.NotEqual, cst.NotIn)
_ABSENT = {cst.Is: cst.In, cst.Equal: cst.In, cst.IsNot: cst.NotIn, cst.NotEqual: cst.NotIn}


def is_absence(draft: Draft, types: Types, owners: Types, node: cst.Comparison) -> bool:
    """Return whether an expression compares a possibly absent field with None."""
    [target] = node.comparisons
    if type(target.operator) not in _ABSENT or not is_name(target.comparator, "None"):
        return False
    _, name = subject_of(node.left)
    is_open = reader_of(node.left) == "getattr" and not owners
    return UnsetType in types or (is_open and name in draft.surface.optional_members)


def absence(draft: Draft, node: cst.Comparison) -> cst.Comparison:
    """Extend a comparison with None so that it also matches UNSET."""
    [target] = node.comparisons
    both = cst.Tuple([cst.Element(cst.Name("None")), cst.Element(draft.of_runtime("UNSET"))])
    operator = _ABSENT[type(target.operator)]()
    return node.with_changes(comparisons=[cst.ComparisonTarget(operator, both)])


def or_none(draft: Draft, types: Types, node: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression that is None if the value is UNSET."""
    code = code_of(node)
    known = types - {UnsetType, type(None)}
    if known and all(map(is_record, known)):
        return cst.parse_expression(f"({code} or None)")
    draft.of_runtime("UNSET")
    return cst.parse_expression(f"(None if {code} is UNSET else {code})")


# --- tags ------------------------------------------------------------------------------------


def subject_of(node: cst.BaseExpression) -> tuple[cst.BaseExpression | None, str]:
    """Return the object and the attribute name of `x.y`, `getattr(x, "y")` or `hasattr(x, "y")`."""
    if isinstance(node, cst.Attribute):
        return node.value, node.attr.value
    if isinstance(node, cst.Call) and reader_of(node):
        return node.args[0].value, text_of(node.args[1].value)
    return None, ""


def tag(
    draft: Draft, owners: Types, original: cst.BaseExpression, node: cst.BaseExpression
) -> cst.BaseExpression:
    """Replace an expression that reads a tag with a call to `tag`.

    Args:
        draft: the draft.
        owners: the types of the object, or an empty set if they are unknown.
        original: the expression before the conversion.
        node: the expression with its parts already converted.
    """
    value, name = subject_of(node)
    unions = _unions(draft, owners, name)
    if value is None or unions is None:
        return node
    if len(unions) == 1 and reader_of(original) != "hasattr":
        arguments = [cst.Arg(value), cst.Arg(draft.of_surface(unions[0]))]
        return cst.Call(draft.of_surface("tag"), arguments)
    if owners or reader_of(original):
        draft.mark(f"the tag `{name}` is not a field: use `isinstance`.")
    return node


def _unions(draft: Draft, owners: Types, name: str) -> list[str] | None:
    """Return the unions that might use an attribute as their tag, or None if it isn't a tag."""
    surface = draft.surface
    unions = surface.unions.get(name)
    records = {each.__name__ for each in owners if is_record(each)}
    known = [each for each in records if surface.python_type(each)]
    if unions is None or (owners and not records):
        return None
    if any(name in surface.members(each) for each in known):
        return None
    if not records:  # other objects can also have attributes such as `type`
        return list(unions) if "_" in name and len(unions) == 1 else []
    return [union for union, arms in unions.items() if records & arms.keys()]


def is_tag(draft: Draft, owners: Types, node: cst.Comparison) -> list[str]:
    """Return the strings that a tag is compared with, or an empty list for any other comparison."""
    [target] = node.comparisons
    _, name = subject_of(node.left)
    if not isinstance(target.operator, _EQUAL + _UNEQUAL) or _unions(draft, owners, name) is None:
        return []
    compared = target.comparator
    elements = [each.value for each in getattr(compared, "elements", ())] or [compared]
    texts = [text_of(each) for each in elements]
    known = {tag for arms in draft.surface.unions[name].values() for tag in arms.values()}
    return texts if all(texts) and (owners or known & {*texts}) else []


def kinds(
    draft: Draft, owners: Types, texts: list[str], node: cst.Comparison
) -> cst.BaseExpression:
    """Replace the comparison of a tag to strings with a call to `isinstance`."""
    value, name = subject_of(node.left)
    assert value is not None, "a tag must belong to an object"
    unions = draft.surface.unions[name]
    fitting = _unions(draft, owners, name) or []
    arms = [arm for union in fitting or unions for arm in unions[union].items()]
    classes = dict.fromkeys(cls for cls, tag in arms if tag in texts)
    if not fitting or not {*texts} <= {tag for _, tag in arms}:
        names = " or ".join(f"{draft.name}.{each}" for each in classes)
        advice = f"`isinstance` with {names}" if names else "`isinstance`"
        draft.mark(f"the tag `{name}` is not a field: use {advice}.")
        return node
    elements = [cst.Element(draft.of_surface(each)) for each in classes]
    several = elements[0].value if len(elements) == 1 else cst.Tuple(elements)
    call = cst.Call(cst.Name("isinstance"), [cst.Arg(value), cst.Arg(several)])
    if isinstance(node.comparisons[0].operator, _EQUAL):
        return call.with_changes(lpar=node.lpar, rpar=node.rpar)
    return cst.UnaryOperation(cst.Not(), call, lpar=node.lpar, rpar=node.rpar)


def question(draft: Draft, types: Types, call: cst.Call) -> None:
    """Add a comment to `isinstance(x, BaseModel)` or `hasattr(x, "model_dump")`.

    Both are false for records.
    """
    name = last_name(call.func)
    if len(call.args) < 2 or not any(map(is_record, types)):
        return
    is_asked = name in ("hasattr", "getattr") and text_of(call.args[1].value).startswith("model_")
    if is_asked or (name == "isinstance" and "BaseModel" in code_of(call.args[1].value)):
        draft.mark("protocol values are `runtime.Record`s and not pydantic models.")


# --- JSON ------------------------------------------------------------------------------------


def dump(draft: Draft, types: Types, call: cst.Call) -> cst.Call:
    """Replace a call to `model_dump` or a similar method of a protocol value."""
    func = call.func
    if not isinstance(func, cst.Attribute) or not any(map(is_record, types)):
        return call
    if func.attr.value in _DUMPS:
        name = draft.of_surface(_DUMPS[func.attr.value])
        return call.with_changes(func=name, args=[cst.Arg(func.value)])
    if func.attr.value == "model_copy":
        draft.mark("use `dataclasses.replace`.")
    elif func.attr.value.startswith("model_"):
        draft.mark(f"`{func.attr.value}` has no counterpart; see the guide.")
    return call


def validate(draft: Draft, type_: str, method: str, call: cst.Call) -> cst.Call:
    """Replace a call to `model_validate` or a similar method of an SDK class."""
    if method not in _VALIDATES or len(call.args) != 1 or call.args[0].star:
        draft.mark(
            f"`{method}`: use {draft.name}.decode and {draft.name}.encode to convert JSON values."
        )
        return call
    func = draft.of_surface(_VALIDATES[method])
    args = [cst.Arg(draft.of_surface(type_)), cst.Arg(call.args[0].value)]
    return call.with_changes(func=func, args=args)


def error_object(draft: Draft, value: cst.BaseExpression) -> cst.BaseExpression:
    """Return a dictionary expression that replaces a call to `to_error_obj`."""
    draft.of_runtime("UNSET")
    code = code_of(value)
    data = f"None if {code}.data is UNSET else {code}.data"
    return cst.parse_expression(
        f'{{"code": {code}.code, "message": {code}.message, "data": {data}}}'
    )
