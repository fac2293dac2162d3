"""A survey of a module: its handlers, its names, and its calls to SDK methods."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import libcst as cst

from acpport.counterparts.surface import INTERFACE, SIDES, SdkMethod, Side, Surface
from acpport.reading.sources import (
    SDK,
    Source,
    descendants,
    imported,
    is_name,
    keywords_of,
    last_name,
    read_names,
)

# Types of a connection in the SDK: the interface of the peer, or a separate class.
CONNECTIONS: Mapping[str, Side] = {
    "Agent": "agent",
    "Client": "client",
    "ClientSideConnection": "agent",
    "AgentSideConnection": "client",
}
# The packages with names to replace, and the replacements.
_OURS = (SDK, "acp_bindings")
# The minimum number of SDK methods that makes a class without a base class a handler.
_ENOUGH = 2


class Survey(cst.CSTVisitor):
    """Finds the protocol code of a module.

    Attributes:
        surface: a surface that has all methods.
        handlers: the classes that handle calls, with their sides.
        by_name: the same by their names, including other modules' classes.
        mixins: the handlers with a side that follows from a class that extends them.
        definitions: the classes and functions at its top.
        methods: the methods of its classes.
        origins: the names that it imports, with their origins.
        names: all names in the module except in imports.
        exported: the names in `__all__`.
        unknown_bases: the base classes of classes that do not seem to handle calls.
    """

    def __init__(self, source: Source, surface: Surface, known: Mapping[str, Side]) -> None:
        super().__init__()
        self.source = source
        self.surface = surface
        self.handlers: dict[cst.ClassDef, Side] = {}
        self.by_name: dict[str, Side] = dict(known)
        self.mixins: set[cst.ClassDef] = set()
        self.definitions: dict[str, cst.ClassDef | cst.FunctionDef] = {
            each.name.value: each
            for each in source.module.body
            if isinstance(each, (cst.ClassDef, cst.FunctionDef))
        }
        self.methods: dict[str, cst.FunctionDef] = {}
        self.origins: dict[str, str] = {}
        self.names: set[str] = set()
        self.exported: set[str] = set()
        self.unknown_bases: set[str] = set()
        source.module.visit(self)

    @property
    def taken(self) -> set[str]:
        """The names that the module uses for something other than the SDK or the package."""
        ours = {name for name, full in self.origins.items() if full.split(".")[0] in _OURS}
        return {*read_names(self.source.module)} - ours

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        self.origins.update(imported(node))
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        self.origins.update(imported(node))
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.methods.update({method.name.value: method for method in methods_of(node)})
        side = self._side_of(node)
        if side is not None:
            self.handlers[node] = side
            self.by_name[node.name.value] = side

    def _side_of(self, node: cst.ClassDef) -> Side | None:
        for base in node.bases:
            reference = self.source.reference(base.value)
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
        given = params & {*self.surface.members(sdk.params), *sdk.parameters}
        is_open = function.params.star_kwarg is not None
        return bool(given) and (is_open or sdk.required() <= params)

    def visit_Assign(self, node: cst.Assign) -> None:
        if is_name(node.targets[0].target, "__all__"):
            strings = (n for n in descendants(node.value) if isinstance(n, cst.SimpleString))
            self.exported.update(str(string.evaluated_value) for string in strings)

    def handled(
        self, owner: cst.CSTNode | None, function: cst.FunctionDef, surface: Surface | None = None
    ) -> SdkMethod | None:
        """Return the method of the SDK that a function of a class handles."""
        if not isinstance(owner, cst.ClassDef) or owner not in self.handlers:
            return None
        surface = surface or self.surface
        return surface.method(self.handlers[owner], function.name.value)

    def method_of(
        self, call: cst.Call, sides: Collection[Side], surface: Surface | None = None
    ) -> SdkMethod | None:
        """Return the SDK method that an attribute call refers to.

        If its receiver has the methods of no side, the arguments decide.
        """
        surface = surface or self.surface
        methods = {side: surface.method(side, last_name(call.func)) for side in SIDES}
        known = (methods[side] for side in sides)
        fitting = (each for each in methods.values() if each and self._fits(each, call))
        return next((each for each in known if each), None) or next(fitting, None)

    def _fits(self, method: SdkMethod, call: cst.Call) -> bool:
        if method.method is None:
            return False
        given = keywords_of(call.args).keys()
        known = {*method.surface.members(method.params), *method.parameters}
        rest = [arg for arg in call.args if arg.keyword is None]
        # Positional arguments count if they are protocol values.
        is_ours = any(True for arg in rest for _ in self.source.references(arg.value))
        if not given or not given <= known or (rest and not is_ours):
            return False
        return len(call.args) >= len(method.required()) if rest else method.required() <= given


def methods_of(node: cst.ClassDef) -> list[cst.FunctionDef]:
    """Return the functions in the body of a class."""
    return [each for each in node.body.body if isinstance(each, cst.FunctionDef)]
