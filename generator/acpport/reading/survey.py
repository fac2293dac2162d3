"""A survey that finds a module's handlers, its names, and its calls to SDK methods."""

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

# The SDK's connection types, each with the side that it calls.
CONNECTIONS: Mapping[str, Side] = {
    "Agent": "agent",
    "Client": "client",
    "ClientSideConnection": "agent",
    "AgentSideConnection": "client",
}
# The package with the names to replace, and the package with the replacements.
_OURS = (SDK, "acp_bindings")
# The number of SDK methods that make a class a handler even if it doesn't extend an SDK class.
_ENOUGH = 2


class Survey(cst.CSTVisitor):
    """The parts of a module that use the protocol.

    Attributes:
        source: the parsed module.
        surface: a surface that defines all methods.
        handlers: the handler classes, with their sides.
        by_name: the sides of handler classes by class name, including classes in other modules.
        mixins: the classes that are handlers only because a handler extends them.
        definitions: the classes and functions at the top level of the module.
        methods: the methods of the module's classes.
        origins: the imported names, with the full names that they refer to.
        names: all names in the module except the names in imports.
        exported: the names in `__all__`.
        unknown_bases: the base classes of classes that don't seem to be handlers.
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
        """The names in the module that refer to neither the SDK nor the package."""
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
        """Return the SDK method that a function in a class implements, or None if there is none."""
        if not isinstance(owner, cst.ClassDef) or owner not in self.handlers:
            return None
        surface = surface or self.surface
        return surface.method(self.handlers[owner], function.name.value)

    def method_of(
        self, call: cst.Call, sides: Collection[Side], surface: Surface | None = None
    ) -> SdkMethod | None:
        """Return the SDK method that an attribute call refers to, or None if there is none.

        Args:
            call: the call.
            sides: the sides whose methods the object provides. If no sides are given, the arguments
                determine the method.
            surface: the surface to use; by default, the survey's surface.
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
        # If there are positional arguments, at least one of them must contain an SDK name.
        is_ours = any(True for arg in rest for _ in self.source.references(arg.value))
        if not given or not given <= known or (rest and not is_ours):
            return False
        return len(call.args) >= len(method.required()) if rest else method.required() <= given


def methods_of(node: cst.ClassDef) -> list[cst.FunctionDef]:
    """Return the functions that are defined in a class body."""
    return [each for each in node.body.body if isinstance(each, cst.FunctionDef)]
