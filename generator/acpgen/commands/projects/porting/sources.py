"""A module of a program, and what its names mean: which of them are the SDK's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import (
    MetadataWrapper,
    QualifiedName,
    QualifiedNameProvider,
    QualifiedNameSource,
)

# The name with which programs import the SDK, and what a module has to say to use it.
SDK = "acp"
_IMPORTS = re.compile(rb"^\s*(from|import)\s+acp\b", re.M)
# The modules of the SDK, by the parts of their names.
_MODULES = frozenset(
    (
        *("acp", "agent", "asgi", "client", "connection", "contrib", "core", "exceptions"),
        *("experimental", "helpers", "http", "interfaces", "meta", "permissions", "router"),
        *("schema", "server", "session_state", "stdio", "task", "telemetry", "tool_calls"),
        *("transports", "utils", "v2", "ws"),
    )
)
# Those whose names stand without them in the table.
_BARE = frozenset({"schema", "helpers", "core", "interfaces", "exceptions", "stdio"})


@dataclass(frozen=True, slots=True)
class Reference:
    """What an expression refers to in the SDK.

    Attributes:
        key: its name in the table, such as `TextContentBlock` or `http.create_http_stream`.
        rest: what follows, such as `method_not_found` of `RequestError`; mostly empty.
        full: the whole name, such as `acp.schema.TextContentBlock`.
    """

    key: str
    rest: str
    full: str


class Source:
    """A parsed module.

    Attributes:
        module: its tree.
    """

    def __init__(self, text: bytes) -> None:
        """Parse a module.

        Raises:
            ParserSyntaxError: it is no Python.
        """
        # No node of a parsed module is in it twice.
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.module = wrapper.module
        # The values may be functions that find a name when it is asked for.
        self._names = wrapper.resolve(QualifiedNameProvider)

    def reference(self, node: cst.CSTNode) -> Reference | None:
        """What an expression refers to in the SDK; None if it is none of its names."""
        found = self._names.get(node, ())
        names: Iterable[QualifiedName] = found() if callable(found) else found
        for name in names:
            is_imported = name.source is QualifiedNameSource.IMPORT
            if is_imported and name.name.split(".")[0] == SDK:
                return refer(name.name)
        return None

    def references(self, node: cst.CSTNode) -> Iterator[Reference]:
        """What all expressions within a node refer to."""
        for each in descendants(node):
            if isinstance(each, (cst.Name, cst.Attribute)):
                reference = self.reference(each)
                if reference is not None:
                    yield reference


def uses_sdk(text: bytes) -> bool:
    """Whether a module imports the SDK."""
    return _IMPORTS.search(text) is not None


def refer(full: str) -> Reference | None:
    """Split a name of the SDK; None if it is that of a module."""
    parts = full.split(".")[1:]
    modules: list[str] = []
    while parts and parts[0] in _MODULES:
        modules.append(parts.pop(0))
    if not parts:
        return None
    is_bare = not modules or modules[-1] in _BARE or parts[0].endswith("SideConnection")
    is_other = "experimental" in modules  # another protocol version
    key = parts[0] if is_bare and not is_other else ".".join([*modules, parts[0]])
    return Reference(key, ".".join(parts[1:]), full)


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all nodes within it."""
    yield node
    for child in node.children:
        yield from descendants(child)


def read_names(node: cst.CSTNode) -> Iterator[str]:
    """The variables that a node reads or binds: no attributes, no keywords of arguments."""
    if isinstance(node, cst.Name):
        yield node.value
    elif isinstance(node, (cst.Attribute, cst.Arg)):
        yield from read_names(node.value)
    else:
        for child in node.children:
            yield from read_names(child)


def root_of(node: cst.BaseExpression) -> str:
    """The variable that an expression is about, such as `x` or `self.x`; empty for none."""
    path: list[str] = []
    while not isinstance(node, cst.Name):
        if isinstance(node, cst.Attribute):
            path.append(node.attr.value)
            node = node.value
        elif isinstance(node, cst.Subscript):
            node = node.value
        elif isinstance(node, cst.Await):
            node = node.expression
        else:
            return ""
    if node.value in ("self", "cls") and path:
        return f"{node.value}.{path[-1]}"
    return node.value


def last_name(node: cst.BaseExpression) -> str:
    """The last part of a name with dots; empty for another expression."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""
