"""What a module is about, found before it is changed: its handlers, connections and values.

Variables are told apart by their names, without regard to the order of statements; connections in a
whole module, values in each function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

import libcst as cst

from acpgen.commands.projects.porting.correspondence.surface import (
    INTERFACE,
    OTHER,
    SIDES,
    Side,
    Surface,
)
from acpgen.commands.projects.porting.sources import Source, descendants, last_name, root_of

# What a connection is called in the SDK: the interface of the other side, or its own class.
CONNECTIONS: Mapping[str, Side] = {
    "Agent": "agent",
    "Client": "client",
    "ClientSideConnection": "agent",
    "AgentSideConnection": "client",
}
# The functions that return a connection to an agent.
_CONNECTING = ("connect_to_agent", "ClientSideConnection")
# The fewest methods of the SDK that make a class without a base class a handler.
_ENOUGH = 2


class Survey(cst.CSTVisitor):
    """Finds what a module has.

    Attributes:
        handlers: the classes that handle calls, with their sides.
        by_name: the same by their names, those of other modules included.
        connections: the variables and attributes that hold a connection, and the side they call.
        surface: a surface that has all methods.
        names: all names in the module.
        exported: those that `__all__` lists.
        is_begun: whether it uses the package already.
        unknown_bases: the base classes of those that do not seem to handle calls.
        unused: those that it imports from the SDK, and does not read.
    """

    def __init__(self, source: Source, surface: Surface, known: Mapping[str, Side]) -> None:
        """Look at a module.

        Args:
            source: the module.
            surface: a surface that has all methods.
            known: the handler classes of other modules, by their names.
        """
        super().__init__()
        self.handlers: dict[cst.ClassDef, Side] = {}
        self.by_name: dict[str, Side] = dict(known)
        self.connections: dict[str, Side] = {}
        self.names: set[str] = set()
        self.exported: set[str] = set()
        self.is_begun = False
        self.unknown_bases: set[str] = set()
        self._imported: set[str] = set()
        self._source = source
        self.surface = surface
        source.module.visit(self)

    @property
    def unused(self) -> set[str]:
        return self._imported - self.names

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        is_ours = isinstance(node.module, cst.Name) and node.module.value == "acp_bindings"
        self.is_begun |= is_ours  # by an earlier run
        if not isinstance(node.names, cst.ImportStar):
            for alias in node.names:
                name = alias.asname.name if alias.asname is not None else alias.name
                self._imported.add(last_name(name) if isinstance(name, cst.Name) else "")
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        side = self._side_of(node)
        if side is None:
            return
        self.handlers[node] = side
        self.by_name[node.name.value] = side
        for method in methods_of(node):
            params = method.params.params
            if method.name.value == "on_connect" and len(params) > 1:
                self._connect(params[1].name, OTHER[side])

    def _side_of(self, node: cst.ClassDef) -> Side | None:
        for base in node.bases:
            reference = self._source.reference(base.value)
            if reference is not None and reference.key in INTERFACE.values():
                return "agent" if reference.key == "Agent" else "client"
            known = self.by_name.get(last_name(base.value))
            if known is not None:
                return known
        counts = {side: sum(self._is_handler(m, side) for m in methods_of(node)) for side in SIDES}
        side = max(SIDES, key=lambda each: counts[each])
        if counts[side] >= _ENOUGH:
            return side
        self.unknown_bases.update(last_name(base.value) for base in node.bases)
        return None

    def _is_handler(self, function: cst.FunctionDef, side: Side) -> bool:
        sdk = self.surface.method(side, function.name.value)
        if sdk is None or sdk.method is None or function.asynchronous is None:
            return False
        params = {param.name.value for param in function.params.params[1:]}
        given = params & {*self.surface.members(sdk.params), *sum(sdk.row.params, ())}
        is_open = function.params.star_kwarg is not None
        return bool(given) and (is_open or sdk.required() <= params)

    def _connect(self, target: cst.CSTNode, side: Side) -> None:
        if isinstance(target, (cst.Name, cst.Attribute)):
            self.connections[last_name(target)] = side

    def visit_Param(self, node: cst.Param) -> None:
        self._annotated(node.name, node.annotation)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._annotated(node.target, node.annotation)

    def _annotated(self, target: cst.CSTNode, annotation: cst.Annotation | None) -> None:
        if annotation is None:
            return
        for reference in self._source.references(annotation):
            if reference.key in CONNECTIONS:
                self._connect(target, CONNECTIONS[reference.key])

    def visit_Assign(self, node: cst.Assign) -> None:
        value = node.value.expression if isinstance(node.value, cst.Await) else node.value
        target = node.targets[0].target
        if isinstance(target, cst.Name) and target.value == "__all__":
            strings = (n for n in descendants(node.value) if isinstance(n, cst.SimpleString))
            self.exported.update(str(string.evaluated_value) for string in strings)
        if last_name(value) in self.connections:
            self._connect(target, self.connections[last_name(value)])
        if isinstance(value, cst.Call):
            reference = self._source.reference(value.func)
            if reference is not None and reference.key in _CONNECTING:
                self._connect(target, "agent")
            elif reference is not None and reference.key == "AgentSideConnection":
                self._connect(target, "client")

    def visit_WithItem(self, node: cst.WithItem) -> None:
        if isinstance(node.item, cst.Call) and node.asname is not None:
            reference = self._source.reference(node.item.func)
            if reference is not None and reference.key == "spawn_agent_process":
                pair = names_in(node.asname.name)
                if pair:
                    self.connections[pair[0]] = "agent"


class Values:
    """The variables that hold values of the protocol, in a function and those around it."""

    def __init__(self, source: Source, survey: Survey) -> None:
        """Start outside of functions."""
        self._source = source
        self._survey = survey
        self._functions: list[_Function] = []

    def enter(self, function: cst.FunctionDef, *, is_handler: bool) -> None:
        """Enter a function; the parameters of a handler are members of params."""
        self._functions.append(_Function(self._source, self._survey, function, is_handler))

    def leave(self) -> None:
        """Leave the function that was entered last."""
        self._functions.pop()

    def holds(self, name: str) -> bool:
        """Whether a variable holds one; attributes of `self` are called `self.x`."""
        return any(name in function.variables for function in self._functions)

    def is_maybe_unset(self, name: str) -> bool:
        """Whether a variable was read from a member that may be absent."""
        return any(name in function.maybe_unset for function in self._functions)


class _Function(cst.CSTVisitor):
    """The variables of one function, found when they are asked for."""

    def __init__(
        self, source: Source, survey: Survey, function: cst.FunctionDef, is_handler: bool
    ) -> None:
        super().__init__()
        self._source = source
        self._survey = survey
        self._function = function
        self._is_handler = is_handler
        self._found: tuple[set[str], set[str]] | None = None

    @property
    def variables(self) -> set[str]:
        return self._find()[0]

    @property
    def maybe_unset(self) -> set[str]:
        return self._find()[1]

    def _find(self) -> tuple[set[str], set[str]]:
        if self._found is None:
            params = self._function.params.params[1:] if self._is_handler else ()
            self._found = {param.name.value for param in params}, set()
            before = -1
            while before != len(self.variables):  # a variable may be made of a later one
                before = len(self.variables)
                self._function.visit(self)
        return self._found

    def visit_Param(self, node: cst.Param) -> None:
        if node.annotation is not None:
            self._annotated(node.name, node.annotation)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._annotated(node.target, node.annotation)
        if node.value is not None:
            self._assigned(node.target, node.value)

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self._assigned(target.target, node.value)

    def visit_For(self, node: cst.For) -> None:
        self._iterated(node.target, node.iter)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._iterated(node.target, node.iter)

    def visit_Call(self, node: cst.Call) -> None:
        if last_name(node.func) == "isinstance" and len(node.args) == 2:
            references = self._source.references(node.args[1])
            if any(self._is_type(reference.key) for reference in references):
                self._add(node.args[0].value)

    def _is_type(self, key: str) -> bool:
        return key[:1].isupper() and key not in CONNECTIONS and key != "RequestError"

    def _annotated(self, target: cst.CSTNode, annotation: cst.Annotation) -> None:
        if any(self._is_type(each.key) for each in self._source.references(annotation)):
            self._add(target)

    def _assigned(self, target: cst.CSTNode, value: cst.BaseExpression) -> None:
        value = value.expression if isinstance(value, cst.Await) else value
        if _is_getattr(value):
            value = value.args[0].value
        if isinstance(value, cst.Call):
            reference = self._source.reference(value.func)
            is_made = reference is not None and self._is_type(reference.key)
            func = value.func
            is_answer = (
                isinstance(func, cst.Attribute)
                and last_name(func.value) in self._survey.connections
            )
            if is_made or is_answer:
                self._add(target)
        elif root_of(value) in self.variables:
            self._add(target)
            is_optional = last_name(value) in self._survey.surface.optional_members
            if is_optional and isinstance(target, cst.Name):
                self.maybe_unset.add(target.value)

    def _iterated(self, target: cst.CSTNode, values: cst.BaseExpression) -> None:
        if root_of(values) in self.variables:
            self._add(target)

    def _add(self, target: cst.CSTNode) -> None:
        if isinstance(target, (cst.Name, cst.Attribute)):
            self.variables.add(root_of(target))


def _is_getattr(node: cst.BaseExpression) -> TypeGuard[cst.Call]:
    return isinstance(node, cst.Call) and last_name(node.func) == "getattr" and bool(node.args)


def methods_of(node: cst.ClassDef) -> list[cst.FunctionDef]:
    """The functions in the body of a class."""
    return [each for each in node.body.body if isinstance(each, cst.FunctionDef)]


def is_passed_on(body: cst.CSTNode, name: str) -> bool:
    """Whether a variable leaves its function: is returned, or becomes an attribute."""
    for node in descendants(body):
        is_ending = isinstance(node, (cst.Return, cst.Yield))
        is_kept = isinstance(node, cst.Assign) and not isinstance(node.targets[0].target, cst.Name)
        value = getattr(node, "value", None) if is_ending or is_kept else None
        parts = [each.value for each in value.elements] if isinstance(value, cst.Tuple) else [value]
        if any(isinstance(part, cst.Name) and part.value == name for part in parts):
            return True
    return False


def names_in(node: cst.CSTNode) -> list[str]:
    """The names of a tuple of two; empty for anything else."""
    if not isinstance(node, cst.Tuple) or len(node.elements) != 2:
        return []
    names = [each.value.value for each in node.elements if isinstance(each.value, cst.Name)]
    return names if len(names) == 2 else []
