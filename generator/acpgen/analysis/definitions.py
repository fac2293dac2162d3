"""Builds all definitions in a schema, from `$defs` and from inline objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from acpgen.analysis.build_context import BuildContext, DefinitionSite, FlatObject
from acpgen.analysis.records import RecordBuilder
from acpgen.analysis.shapes import ShapeBuilder
from acpgen.analysis.unions import UnionBuilder
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


def build_definitions(context: BuildContext) -> None:
    """Add the definitions of the context's schema and any problems to the context."""
    for node in context.schemas.cyclic():
        context.unsupported(node.at, "refers to itself; break the cycle")
    if context.problems:
        return
    shapes, records, unions = ShapeBuilder(context), RecordBuilder(context), UnionBuilder(context)

    def record_or_union(site: DefinitionSite, flat: FlatObject) -> Definition:
        return unions.union(site, flat) if flat.unions else records.record(site, flat)

    for name in sorted(context.reserved):
        node, class_ = context.schemas[name], context.classes[name]
        site = DefinitionSite(class_, node.at, name, description=node.description)
        definition: Definition
        if node.bare.is_object and node.target is None:
            definition = record_or_union(site, shapes.flatten(node.bare))
        else:
            shape = shapes.shape(node.bare, class_, named=True)
            definition = Alias(class_, site.at, name, site.description, shape)
        context.add(definition)
        # Define inline objects immediately so that their parts are named before the parts of the
        # next definition.
        while context.queue:
            site, flat = context.queue.popleft()
            context.definitions[site.name] = record_or_union(site, flat)


def mark_annotated(definitions: Mapping[str, Definition]) -> dict[str, Definition]:
    """Set `Alias.needs_annotation` where the Python type doesn't identify a definition.

    `decode` accepts a type and must find the corresponding definition. A class is unambiguous. An
    alias such as `str` or `Literal["a", "b"] | str` can match several definitions with different
    constraints.
    """
    aliases = [item for item in definitions.values() if isinstance(item, Alias)]
    shapes: dict[Shape, set[Shape]] = {}  # by Python form
    for alias in aliases:
        shapes.setdefault(_python_form(alias.shape), set()).add(alias.shape)
    marked = dict(definitions)
    for alias in aliases:
        form = _python_form(alias.shape)
        is_scalar = isinstance(form, String | Integer | Number)
        is_null = isinstance(alias.shape, Null)  # in annotations, `None` means `NoneType`
        is_needed = is_null or (is_scalar and alias.shape != form) or len(shapes[form]) > 1
        marked[alias.name] = replace(alias, needs_annotation=is_needed)
    return marked


def _python_form(shape: Shape) -> Shape:
    """Return a shape without the parts that its Python type does not express, such as bounds."""
    match shape:
        case String() | Integer() | Number():
            return type(shape)()
        case Enumeration(values, _, other, lenient):
            return Enumeration(values, String(), String() if other or lenient else None, False)
        case Array(items):
            return Array(_python_form(items))
        case UntaggedUnion(arms):
            # In Python types, neither the order of the variants nor repetition matters.
            forms = sorted({_python_form(arm.shape) for arm in arms}, key=repr)
            if len(forms) == 1:
                return forms[0]
            return UntaggedUnion(tuple(UntaggedArm(form, (), ()) for form in forms), False)
        case _:
            return map_inner(shape, _python_form)
