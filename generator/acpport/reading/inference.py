"""The types of expressions: the protocol classes that a value can have.

Variables are distinguished by their names within a function, attributes only by their names. The
order of statements does not count: a variable can have all types that it is assigned anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args, get_origin

import libcst as cst
from acp_bindings.runtime import Record, UnsetType

from acpport.counterparts.names import find
from acpport.counterparts.surface import OTHER, Side, Surface, arms_of
from acpport.reading.sources import last_name, parse_quoted
from acpport.reading.survey import CONNECTIONS, Survey, methods_of

Types: TypeAlias = frozenset[Any]
# The definition of a name in another module of the program, with the survey of that module.
Definition: TypeAlias = tuple[Survey, cst.ClassDef | cst.FunctionDef]
Find: TypeAlias = Callable[[Survey, str], Definition | None]

_NONE: Types = frozenset()
_UNIONS = frozenset(("Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable"))
# Functions that return the type of their argument.
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
    """A list, a dictionary or another collection.

    Attributes:
        items: the types of its values.
    """

    items: Types


@dataclass(frozen=True)
class Connection:
    """A connection of the SDK, which calls a side."""

    side: Side


class Inference:
    """The known types of a program's variables.

    Attributes:
        handed: the modules whose functions are called with protocol values.
    """

    def __init__(self, surface: Surface, definition: Find) -> None:
        """Start without knowledge.

        Args:
            surface: a surface that has all methods.
            definition: finds the definition in the program of a module's name.
        """
        self.surface = surface
        self.handed: set[Survey] = set()
        self.size = 0
        self._definition = definition
        self._handlers: dict[cst.ClassDef, Side] = {}
        self._readers: dict[Survey, _Reader] = {}
        self._found: dict[tuple[object, str], Types] = {}

    def read(self, survey: Survey) -> None:
        """Record the types that a module gives to its variables."""
        self._handlers |= survey.handlers
        if survey not in self._readers:
            self._readers[survey] = _Reader(self, survey)
        self._readers[survey].read()

    def note(self, place: object, name: str, types: Types) -> None:
        """Add types that a variable can have."""
        known = self._found.get((place, name), _NONE)
        if not types <= known:
            self._found[place, name] = known | types
            self.size += len(types - known)

    def variable(self, survey: Survey, name: str, scope: Sequence[object]) -> Types:
        """Return the types of a variable of the innermost function that has it."""
        for place in (*reversed(scope), survey):
            if (place, name) in self._found:
                return self._found[place, name]
        return _NONE

    # --- annotations -------------------------------------------------------------------------

    def annotated(self, survey: Survey, node: cst.BaseExpression) -> Types:
        """Return the types that an annotation names."""
        if isinstance(node, cst.SimpleString):
            quoted = parse_quoted(node)
            return _NONE if quoted is None else self.annotated(survey, quoted)
        if isinstance(node, cst.BinaryOperation):
            return self.annotated(survey, node.left) | self.annotated(survey, node.right)
        if isinstance(node, cst.Subscript):
            slices = [each.slice for each in node.slice if isinstance(each.slice, cst.Index)]
            parts = [self.annotated(survey, each.value) for each in slices]
            types = _NONE.union(*parts) if parts else _NONE
            return types if last_name(node.value) in _UNIONS else many(types)
        if not isinstance(node, (cst.Name, cst.Attribute)):
            return _NONE
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
        """Return the types of the objects that a class or helper of the SDK returns."""
        if key in CONNECTIONS or key in _CONNECTING:
            return frozenset({Connection(CONNECTIONS.get(key, "agent"))})
        row = find(key)
        if row is not None and row.call:
            body = cst.ensure_type(cst.parse_expression(row.call), cst.Lambda).body
            key = last_name(body.func) if isinstance(body, cst.Call) else key
        name = self.surface.type_of(key)
        return _NONE if name is None else _normal(self.surface.types(name))

    # --- expressions -------------------------------------------------------------------------

    def types(self, survey: Survey, node: cst.CSTNode, scope: Sequence[object]) -> Types:
        """Return the types that an expression can have; empty if nothing is known.

        Args:
            survey: its module.
            node: the expression, as it was before any change.
            scope: the functions around it.
        """

        def of(part: cst.CSTNode) -> Types:
            return self.types(survey, part, scope)

        if isinstance(node, cst.Name):
            if node.value in ("True", "False"):
                return frozenset({bool})
            return self.variable(survey, node.value, scope)
        if isinstance(node, cst.Attribute):
            return self.attribute(of(node.value), node.attr.value)
        if isinstance(node, cst.Subscript):
            return items(of(node.value))
        if isinstance(node, cst.Await):
            return of(node.expression)
        if isinstance(node, cst.NamedExpr):
            return of(node.value)
        if isinstance(node, cst.IfExp):
            return of(node.body) | of(node.orelse)
        if isinstance(node, cst.BooleanOperation):
            left = (
                of(node.left) - {UnsetType} if isinstance(node.operator, cst.Or) else of(node.left)
            )
            return left | of(node.right)
        if isinstance(node, cst.BaseString):
            return frozenset({str})
        if isinstance(node, (cst.List, cst.Tuple, cst.Set)):
            return many(_NONE.union(*(of(each.value) for each in node.elements)))
        if isinstance(node, (cst.ListComp, cst.GeneratorExp, cst.SetComp)):
            return many(of(node.elt))
        if isinstance(node, cst.Dict):
            return many(_NONE.union(*(of(each.value) for each in node.elements)))
        return self._call(survey, node, scope) if isinstance(node, cst.Call) else _NONE

    def attribute(self, owners: Types, name: str) -> Types:
        """Return the types of a field, or of attributes of any owner that is unknown."""
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
                return items(owner) if name != "values" else owner
        definition = self.called(survey, node.func, scope)
        if definition is None:
            return _NONE
        if isinstance(definition[1], cst.ClassDef):
            return frozenset({definition[1]})
        return self._found.get((definition[1], "return"), _NONE)

    def sides_of(
        self, survey: Survey, receiver: cst.BaseExpression, scope: Sequence[object]
    ) -> list[Side]:
        """Return the sides whose methods an expression has, as a connection or as a handler."""
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
        """Return the function or class of the program that is called."""
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
                    found = self._definition(survey, owner.name.value)
                    return (survey if found is None else found[0], method)
        return None


class _Reader:
    """A module that is read again and again, until nothing new is known."""

    def __init__(self, inference: Inference, survey: Survey) -> None:
        self._inference = inference
        self._survey = survey
        self._scope: tuple[cst.CSTNode, ...] = ()
        self._nodes = [*_telling(survey.source.module, ())]

    def read(self) -> None:
        for node, scope in self._nodes:
            self._scope = scope
            if isinstance(node, cst.FunctionDef):
                self._function(node)
            elif isinstance(node, cst.Call):
                self._call(node)
            elif isinstance(node, cst.Return):
                self._note(self._scope[-1], "return", self._types(node.value))
            elif isinstance(node, cst.WithItem):
                if node.asname is not None:  # of a pair, the connection is the first
                    name = node.asname.name
                    first = name.elements[0].value if isinstance(name, cst.Tuple) else name
                    self._assigned(first, self._types(node.item))
            elif isinstance(node, (cst.For, cst.CompFor)):
                self._assigned(node.target, items(self._types(node.iter)))
            elif isinstance(node, cst.Assign):
                for target in node.targets:
                    self._assigned(target.target, self._types(node.value))
                if not self._scope:  # possibly an alias
                    types = self._inference.annotated(self._survey, node.value)
                    self._assigned(node.targets[0].target, types)
            else:
                if isinstance(node, cst.AnnAssign):
                    self._annotated(node.target, node.annotation)
                self._assigned(node.target, self._types(node.value))

    def _types(self, node: cst.CSTNode | None) -> Types:
        return _NONE if node is None else self._inference.types(self._survey, node, self._scope)

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
                if found or name in sum(method.row.params, ()):
                    types = _normal(found or surface.types(method.params))
                    self._note(node, name, types - {UnsetType})

    def _call(self, node: cst.Call) -> None:
        name = last_name(node.func)
        if name == "isinstance" and len(node.args) == 2:
            types = self._inference.annotated(self._survey, _joined(node.args[1].value))
            self._assigned(node.args[0].value, types)
        elif isinstance(node.func, cst.Attribute) and name in _ADDING and node.args:
            self._assigned(node.func.value, many(self._types(node.args[-1].value)))
        found = self._inference.called(self._survey, node.func, self._scope)
        if found is None:
            return
        survey, definition = found
        if isinstance(definition, cst.ClassDef):
            self._made(survey, definition, node)
        else:
            self._bind(survey, definition, definition.params.params, node)

    def _made(self, survey: Survey, made: cst.ClassDef, node: cst.Call) -> None:
        for method in methods_of(made):
            if method.name.value == "__init__":
                self._bind(survey, method, method.params.params, node)
                return
        for arg in node.args:  # possibly a dataclass
            if arg.keyword is not None:
                self._note("attribute", arg.keyword.value, self._types(arg.value))

    def _bind(
        self, survey: Survey, function: cst.FunctionDef, params: Sequence[cst.Param], node: cst.Call
    ) -> None:
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
        if isinstance(target, cst.Name):
            scope = self._scope[-1] if self._scope else self._survey
            if isinstance(scope, cst.ClassDef):
                self._note("attribute", target.value, types)
            else:
                self._note(scope, target.value, types)
        elif isinstance(target, cst.Attribute):
            self._note("attribute", target.attr.value, types)
        elif isinstance(target, cst.Subscript):
            self._assigned(target.value, many(types))
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._assigned(element.value, items(types))

    def _note(self, place: object, name: str, types: Types) -> None:
        self._inference.note(place, name, types)


def _telling(
    node: cst.CSTNode, scope: tuple[cst.CSTNode, ...]
) -> Iterator[tuple[Any, tuple[cst.CSTNode, ...]]]:
    """Yield the nodes that say something about variables, each with the scopes around it."""
    if isinstance(node, _TELLING):
        yield node, scope
    inner = (*scope, node) if isinstance(node, (cst.FunctionDef, cst.ClassDef)) else scope
    for child in node.children:
        yield from _telling(child, inner)


def is_record(type_: Any) -> bool:
    """Return whether a type is a class of the protocol."""
    return isinstance(type_, type) and issubclass(type_, Record)


def is_protocol(type_: Any) -> bool:
    """Return whether values of a type are, or contain, values of the protocol."""
    return is_record(type_) or (isinstance(type_, Many) and any(map(is_protocol, type_.items)))


def many(types: Types) -> Types:
    """Return the type of a collection, which is nested twice at most."""
    flat = {
        each for each in types if not isinstance(each, Many) or not any(map(_is_many, each.items))
    }
    return frozenset({Many(frozenset(flat))}) if flat else _NONE


def _is_many(type_: Any) -> bool:
    return isinstance(type_, Many)


def items(types: Types) -> Types:
    """Return the types of the values of collections."""
    return _NONE.union(*(each.items for each in types if isinstance(each, Many)))


def reader_of(node: cst.CSTNode) -> str:
    """Return `getattr` or `hasattr` if an expression calls it with a constant name."""
    if not isinstance(node, cst.Call) or len(node.args) not in (2, 3):
        return ""
    name = last_name(node.func) if isinstance(node.func, cst.Name) else ""
    return name if name in ("getattr", "hasattr") and text_of(node.args[1].value) else ""


def text_of(node: cst.BaseExpression) -> str:
    """Return the text of a string; empty for another expression."""
    value = node.evaluated_value if isinstance(node, cst.SimpleString) else ""
    return value if isinstance(value, str) else ""


def _joined(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the classes of an `isinstance` as an annotation."""
    if not isinstance(node, cst.Tuple):
        return node
    index = [cst.SubscriptElement(cst.Index(element.value)) for element in node.elements]
    return cst.Subscript(cst.Name("Union"), index)


def _normal(types: Iterable[Any]) -> Types:
    """Convert type annotations of the package."""
    return frozenset(each for type_ in types for each in _normal_one(type_))


def _normal_one(type_: Any) -> Iterator[Any]:
    origin = get_origin(type_)
    if origin in (list, dict):
        yield from many(_normal(arms_of(get_args(type_)[-1])))
    elif isinstance(type_, type) or type_ is None:
        yield type_
