"""Find the aliases that need an annotation, because their Python form fits several definitions.

`decode` is given a type and must know its definition. A class identifies itself; an alias such as
`str` or `Literal["a", "b"] | str` may be that of several definitions with different rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from acpgen.ir.model import (
    Alias,
    Array,
    Definition,
    Enumeration,
    Integer,
    Null,
    Number,
    Shape,
    String,
    UntaggedArm,
    UntaggedUnion,
)
from acpgen.ir.queries import map_inner


def mark_annotated(definitions: Mapping[str, Definition]) -> dict[str, Definition]:
    """Set `Alias.needs_annotation` where it is needed."""
    aliases = [item for item in definitions.values() if isinstance(item, Alias)]
    shapes: dict[Shape, set[Shape]] = {}  # by Python form
    for alias in aliases:
        shapes.setdefault(_python_form(alias.shape), set()).add(alias.shape)
    marked = dict(definitions)
    for alias in aliases:
        form = _python_form(alias.shape)
        is_scalar = isinstance(form, String | Integer | Number)
        is_null = isinstance(alias.shape, Null)  # None as a type stands for the class of the value
        is_needed = is_null or (is_scalar and alias.shape != form) or len(shapes[form]) > 1
        marked[alias.name] = replace(alias, needs_annotation=is_needed)
    return marked


def _python_form(shape: Shape) -> Shape:
    """A shape without the parts that its Python type does not show, such as bounds."""
    match shape:
        case String():
            return String()
        case Integer():
            return Integer()
        case Number():
            return Number()
        case Enumeration(values, _, other, lenient):
            return Enumeration(values, String(), String() if other or lenient else None, False)
        case Array(items):
            return Array(_python_form(items))
        case UntaggedUnion(arms):
            # To Python, neither the order nor the number of equal arms matters.
            forms = sorted({_python_form(arm.shape) for arm in arms}, key=repr)
            if len(forms) == 1:
                return forms[0]
            return UntaggedUnion(tuple(UntaggedArm(form, (), ()) for form in forms), False)
        case _:
            return map_inner(shape, _python_form)
