"""Type inference: finds the protocol classes of the values that an expression can have.

A variable is identified by its function and name, and an attribute only by its name. The order of
statements is ignored, so a variable has the types of all values that are assigned to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args, get_origin

import libcst as cst
from acp_bindings.runtime import UnsetType

from acpport.counterparts.names import find
from acpport.counterparts.surface import OTHER, Side, Surface, arms_of, is_record
from acpport.reading.sources import keywords_of, last_name, parse_quoted, reader_of, text_of
from acpport.reading.survey import CONNECTIONS, Survey, methods_of

Types: TypeAlias = frozenset[Any]
# The definition of a name in the program, with the survey of the module that contains it.
Definition: TypeAlias = tuple[Survey, cst.ClassDef | cst.FunctionDef]
Find: TypeAlias = Callable[[Survey, str], Definition | None]

_NONE: Types = frozenset()
_UNIONS = frozenset(("Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable"))
# Functions that return a value or collection of the same type as their argument.
_KEEPING = frozenset(("list", "tuple", "sorted", "reversed", "set", "replace", "copy", "deepcopy"))
_KEEPING_METHODS = frozenset(("get", "pop", "values", "copy", "popleft"))
_ADDING = frozenset(("append", "add", "appendleft", "put", "put_nowait"))
_TELLING = (
    *(cst.FunctionDef, cst.Return, cst.Assign, cst.AnnAssign, cst.NamedExpr),
    *(cst.For, cst.CompFor, cst.WithItem, cst.Call),
)
# The functions that connect to an agent.
_CONNECTING = ("connect_to_agent", "spawn_agent_process")
_PLAIN = {"str": str, "bool": bool, "int": int, "float": float, "None": type(None)}


@dataclass(frozen=True)
class Many:
    """The type of a list, a dictionary or another collection, with the types of its values."""

    items: Types


@dataclass(frozen=True)
class Connection:
    """The type of an SDK connection, with the side that it calls."""

    side: Side


class Inference:
    """The known types of a program's variables.

    Attributes:
        surface: the surface that defines the protocol classes.
        handed: the modules whose functions receive protocol values.
        size: the number of types found so far, which increases if a pass finds new types.
    """

    def __init__(self, surface: Surface, definition: Find) -> None:
        self.surface = surface
        self.handed: set[Survey] = set()
        self.size = 0
        self._find = definition
        # The surveys of the modules that contain the known classes and functions.
        self._homes: dict[cst.CSTNode, Survey] = {}
        self._handlers: dict[cst.ClassDef, Side] = {}
        self._readers: dict[Survey, _Reader] = {}
        self._found: dict[tuple[object, str], Types] = {}

    def read(self, survey: Survey) -> None:
        """Find the types of a module's variables."""
        self._handlers |= survey.handlers
        if survey not in self._readers:
            self._readers[survey] = _Reader(self, survey)
        self._readers[survey].read()

    def note(self, place: object, name: str, types: Types) -> None:
        """Record types that a variable can have."""
        known = self._found.get((place, name), _NONE)
        if not types <= known:
            self._found[place, name] = known | types
            self.size += len(types - known)

    def variable(self, survey: Survey, name: str, scope: Sequence[object]) -> Types:
        """Return the types of a variable in the innermost function that defines it."""
        for place in (*reversed(scope), survey):
            if (place, name) in self._found:
                return self._found[place, name]
        return _NONE

    def _definition(self, survey: Survey, name: str) -> Definition | None:
        found = self._find(survey, name)
        if found is not None:
            self._homes[found[1]] = found[0]
        return found

    # --- annotations -------------------------------------------------------------------------

    def annotated(self, survey: Survey, node: cst.BaseExpression) -> Types:
        """Return the types that an annotation refers to."""
        match node:
            case cst.SimpleString():
                quoted = parse_quoted(node)
                return _NONE if quoted is None else self.annotated(survey, quoted)
            case cst.BinaryOperation(left=left, right=right):
                return self.annotated(survey, left) | self.annotated(survey, right)
            case cst.Subscript(value=generic, slice=elements):
                slices = [each.slice for each in elements if isinstance(each.slice, cst.Index)]
                types = _NONE.union(*(self.annotated(survey, each.value) for each in slices))
                return types if last_name(generic) in _UNIONS else many(types)
            case cst.Name() | cst.Attribute():
                return self._annotated_name(survey, node)
            case _:
                return _NONE

    def _annotated_name(self, survey: Survey, node: cst.Name | cst.Attribute) -> Types:
        reference = survey.source.reference(node) or survey.source.quoted_reference(node)
        if reference is not None:
            return self.named(reference.key)
        name = last_name(node)
        if name in _PLAIN:
            return frozenset({_PLAIN[name]})
        definition = self._definition(survey, name)
        if definition is not None and isinstance(definition[1], cst.ClassDef):
            return frozenset({definition[1]})
        return self.variable(survey, name, ())  # an alias

    def named(self, key: str) -> Types:
        """Return the types of the objects that an SDK class or helper creates."""
        if key in CONNECTIONS or key in _CONNECTING:
            return frozenset({Connection(CONNECTIONS.get(key, "agent"))})
        row = find(key)
        if row is not None and row.call:
            body = cst.ensure_type(cst.parse_expression(row.call), cst.Lambda).body
            key = last_name(body.func) if isinstance(body, cst.Call) else key
        name = self.surface.type_of(key)
        return _NONE if name is None else _normal(self.surface.types(name))

    # --- expressions -------------------------------------------------------------------------

    def types(self, survey: Survey, node: cst.CSTNode | None, scope: Sequence[object]) -> Types:
        """Return the types of an expression, or an empty set if they are unknown.

        Args:
            survey: the survey of the module that contains the expression.
            node: the expression in the original tree, or None for a missing one.
            scope: the enclosing functions and classes, outermost first.
        """

        def of(part: cst.CSTNode) -> Types:
            return self.types(survey, part, scope)

        match node:
            case cst.Name("True" | "False"):
                return frozenset({bool})
            case cst.Name(name):
                return self.variable(survey, name, scope)
            case cst.Attribute(value=owner, attr=attribute):
                return self.attribute(of(owner), attribute.value)
            case cst.Subscript(value=collection):
                return items(of(collection))
            case cst.Await(expression=inner) | cst.NamedExpr(value=inner):
                return of(inner)
            case cst.IfExp(body=body, orelse=otherwise):
                return of(body) | of(otherwise)
            case cst.BooleanOperation(left=left, operator=cst.Or(), right=right):
                return (of(left) - {UnsetType}) | of(right)
            case cst.BooleanOperation(left=left, right=right):
                return of(left) | of(right)
            case cst.BaseString():
                return frozenset({str})
            case cst.List() | cst.Tuple() | cst.Set() | cst.Dict():
                return many(_NONE.union(*(of(each.value) for each in node.elements)))
            case (
                cst.ListComp(elt=element) | cst.GeneratorExp(elt=element) | cst.SetComp(elt=element)
            ):
                return many(of(element))
            case cst.Call():
                return self._call(survey, node, scope)
            case _:
                return _NONE

    def attribute(self, owners: Types, name: str) -> Types:
        """Return the types of a field, or of all attributes with this name if no owner is known."""
        records = [each for each in owners if is_record(each)]
        if not records:
            return self._found.get(("attribute", name), _NONE)
        name = "meta" if name == "field_meta" else name
        found = [self.surface.member_types(each.__name__, name) for each in records]
        return _normal(type_ for types in found for type_ in types)

    def _call(self, survey: Survey, node: cst.Call, scope: Sequence[object]) -> Types:
        reference = survey.source.reference(node.func)
        if reference is not None:
            return self.named(reference.key)
        name = last_name(node.func)
        if reader_of(node) == "getattr":
            subject, attribute = (arg.value for arg in node.args[:2])
            found = self.attribute(self.types(survey, subject, scope), text_of(attribute))
            default = [self.types(survey, arg.value, scope) for arg in node.args[2:]]
            return found.union(*default)
        if isinstance(node.func, cst.Name) and name in _KEEPING and node.args:
            return self.types(survey, node.args[0].value, scope)
        if isinstance(node.func, cst.Attribute):
            sides = self.sides_of(survey, node.func.value, scope)
            method = survey.method_of(node, sides)
            protocol = None if method is None else method.method
            if protocol is not None and protocol.result is not None:
                return _normal(arms_of(protocol.result))
            if name in _KEEPING_METHODS:
                owner = self.types(survey, node.func.value, scope)
                return owner if name in ("values", "copy") else items(owner)
        definition = self.called(survey, node.func, scope)
        if definition is None:
            return _NONE
        if isinstance(definition[1], cst.ClassDef):
            return frozenset({definition[1]})
        return self._found.get((definition[1], "return"), _NONE)

    def sides_of(
        self, survey: Survey, receiver: cst.BaseExpression, scope: Sequence[object]
    ) -> list[Side]:
        """Return the sides whose methods an object provides.

        If the object provides no methods, return an empty set.
        """
        name = last_name(receiver)
        is_super = isinstance(receiver, cst.Call) and last_name(receiver.func) == "super"
        types = self.types(survey, receiver, scope)
        if name == "self" or is_super:
            types = frozenset([each for each in scope if isinstance(each, cst.ClassDef)][-1:])
        handlers = [self._handlers[each] for each in types if each in self._handlers]
        return [*handlers, *(each.side for each in types if isinstance(each, Connection))]

    def called(
        self, survey: Survey, func: cst.BaseExpression, scope: Sequence[object]
    ) -> Definition | None:
        """Return the program's function or class that a call refers to, if it is known."""
        name = last_name(func)
        if isinstance(func, cst.Name):
            return self._definition(survey, name)
        if not isinstance(func, cst.Attribute):
            return None
        if last_name(func.value) in ("self", "cls"):
            own = survey.methods.get(name)
            return None if own is None else (survey, own)
        for owner in self.types(survey, func.value, scope):
            for method in methods_of(owner) if isinstance(owner, cst.ClassDef) else ():
                if method.name.value == name:
                    return self._homes[owner], method
        return None


class _Reader:
    """A reader that finds the types in a module. Each additional pass can find more types."""

    def __init__(self, inference: Inference, survey: Survey) -> None:
        self._inference = inference
        self._note = inference.note
        self._survey = survey
        self._scope: tuple[cst.CSTNode, ...] = ()
        self._nodes = [*_telling(survey.source.module, ())]

    def read(self) -> None:
        for node, scope in self._nodes:
            self._scope = scope
            match node:
                case cst.FunctionDef():
                    self._function(node)
                case cst.Call():
                    self._call(node)
                case cst.Return(value):
                    self._note(scope[-1], "return", self._types(value))
                case cst.WithItem(item, cst.AsName(name=cst.Tuple(elements))):
                    # The context manager returns the connection and the process as a tuple.
                    self._assigned(elements[0].value, self._types(item))
                case cst.WithItem(item, cst.AsName(name=name)):
                    self._assigned(name, self._types(item))
                case cst.For(target=target, iter=values) | cst.CompFor(target=target, iter=values):
                    self._assigned(target, items(self._types(values)))
                case cst.Assign(targets, value):
                    for each in targets:
                        self._assigned(each.target, self._types(value))
                    if not scope:  # possibly the definition of a type alias
                        types = self._inference.annotated(self._survey, value)
                        self._assigned(targets[0].target, types)
                case cst.AnnAssign(target=target, annotation=annotation, value=value):
                    self._annotated(target, annotation)
                    self._assigned(target, self._types(value))
                case cst.NamedExpr(target=target, value=value):
                    self._assigned(target, self._types(value))

    def _types(self, node: cst.CSTNode | None) -> Types:
        return self._inference.types(self._survey, node, self._scope)

    def _function(self, node: cst.FunctionDef) -> None:
        if node.returns is not None:
            types = self._inference.annotated(self._survey, node.returns.annotation)
            self._note(node, "return", types)
        owner = self._scope[-1] if self._scope else None
        method = self._survey.handled(owner, node)
        self._scope = (*self._scope, node)
        for param in (*node.params.params, *node.params.kwonly_params):
            if param.annotation is not None:
                self._annotated(param.name, param.annotation)
            if method is not None and method.name == "on_connect" and param.name.value != "self":
                self._note(node, param.name.value, frozenset({Connection(OTHER[method.side])}))
            if method is not None and method.method is not None and not method.is_extension:
                surface, name = self._inference.surface, param.name.value
                found = surface.member_types(method.params, name)
                if found or name in method.parameters:
                    types = _normal(found or surface.types(method.params))
                    self._note(node, name, types - {UnsetType})

    def _call(self, node: cst.Call) -> None:
        name = last_name(node.func)
        if name == "isinstance" and len(node.args) == 2:
            value = node.args[1].value
            elements = value.elements if isinstance(value, cst.Tuple) else ()
            for cls in [each.value for each in elements] or [value]:
                types = self._inference.annotated(self._survey, cls)
                self._assigned(node.args[0].value, types)
        elif isinstance(node.func, cst.Attribute) and name in _ADDING and node.args:
            self._assigned(node.func.value, many(self._types(node.args[-1].value)))
        found = self._inference.called(self._survey, node.func, self._scope)
        if found is None:
            return
        survey, definition = found
        if isinstance(definition, cst.FunctionDef):
            self._bind(survey, definition, node)
            return
        constructors = [each for each in methods_of(definition) if each.name.value == "__init__"]
        if constructors:
            self._bind(survey, constructors[0], node)
            return
        for keyword, value in keywords_of(node.args).items():  # possibly a new dataclass
            self._note("attribute", keyword, self._types(value))

    def _bind(self, survey: Survey, function: cst.FunctionDef, node: cst.Call) -> None:
        params = function.params.params
        is_bound = bool(params) and params[0].name.value in ("self", "cls")
        names = iter([param.name.value for param in params[is_bound:]])
        for arg in node.args:
            name = arg.keyword.value if arg.keyword is not None else next(names, "")
            if arg.star or not name:
                return
            types = self._types(arg.value)
            self._note(function, name, types)
            if any(map(is_protocol, types)):
                self._inference.handed.add(survey)

    def _annotated(self, target: cst.CSTNode, annotation: cst.Annotation) -> None:
        self._assigned(target, self._inference.annotated(self._survey, annotation.annotation))

    def _assigned(self, target: cst.CSTNode, types: Types) -> None:
        match target:
            case cst.Name(name):
                scope = self._scope[-1] if self._scope else self._survey
                self._note("attribute" if isinstance(scope, cst.ClassDef) else scope, name, types)
            case cst.Attribute(attr=attribute):
                self._note("attribute", attribute.value, types)
            case cst.Subscript(value=collection):
                self._assigned(collection, many(types))
            case cst.Tuple(elements) | cst.List(elements):
                for element in elements:
                    self._assigned(element.value, items(types))


def _telling(
    node: cst.CSTNode, scope: tuple[cst.CSTNode, ...]
) -> Iterator[tuple[Any, tuple[cst.CSTNode, ...]]]:
    """Yield the nodes that determine the types of variables, each with its enclosing scopes."""
    if isinstance(node, _TELLING):
        yield node, scope
    inner = (*scope, node) if isinstance(node, (cst.FunctionDef, cst.ClassDef)) else scope
    for child in node.children:
        yield from _telling(child, inner)


def is_protocol(type_: Any) -> bool:
    """Return whether a type is a protocol class or a collection of protocol values."""
    return is_record(type_) or (isinstance(type_, Many) and any(map(is_protocol, type_.items)))


def many(types: Types) -> Types:
    """Return the type of a collection, without items that are nested more than two levels deep."""

    def is_nested(type_: Any) -> bool:
        return isinstance(type_, Many) and any(isinstance(each, Many) for each in type_.items)

    flat = frozenset(each for each in types if not is_nested(each))
    return frozenset({Many(flat)}) if flat else _NONE


def items(types: Types) -> Types:
    """Return the types of the values in collections."""
    return _NONE.union(*(each.items for each in types if isinstance(each, Many)))


def _normal(types: Iterable[Any]) -> Types:
    """Convert types from the package's annotations to the types used in this module."""
    found = _NONE
    for type_ in types:
        if get_origin(type_) in (list, dict):
            found |= many(_normal(arms_of(get_args(type_)[-1])))
        elif isinstance(type_, type):
            found |= {type_}
    return found
