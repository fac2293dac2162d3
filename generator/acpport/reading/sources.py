"""A parsed module with the SDK names that it uses, and functions for syntax trees."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import (
    MetadataWrapper,
    QualifiedName,
    QualifiedNameProvider,
    QualifiedNameSource,
)

# The name of the SDK's package, and a pattern for statements that import it.
SDK = "acp"
_IMPORTS = re.compile(rb"^(\xef\xbb\xbf)?\s*(from|import)\s+acp\b", re.M)
_PRAGMA = re.compile(r"#\s*(noqa|type:|isort:|pylint:|pragma:|pyright:|fmt:|ruff:)")
# The parts of the SDK's dotted module names.
_MODULES = frozenset(
    (
        *("acp", "agent", "asgi", "client", "connection", "contrib", "core", "exceptions"),
        *("experimental", "helpers", "http", "interfaces", "meta", "permissions", "router"),
        *("schema", "server", "session_state", "stdio", "task", "telemetry", "tool_calls"),
        *("transports", "utils", "v2", "ws"),
    )
)
# The modules that are omitted from names in the table.
_BARE = frozenset({"schema", "helpers", "core", "interfaces", "exceptions", "stdio"})


@dataclass(frozen=True, slots=True)
class Reference:
    """An SDK name that an expression refers to.

    Attributes:
        key: the name in the table, such as `TextContentBlock` or `http.create_http_stream`.
        rest: an attribute of the object with that name, such as `method_not_found` for
            `RequestError`, or an empty string.
        full: the complete name, such as `acp.schema.TextContentBlock`.
    """

    key: str
    rest: str
    full: str


class Source:
    """A parsed module.

    Attributes:
        module: the module's syntax tree.
    """

    def __init__(self, text: bytes) -> None:
        """Parse a module.

        Raises:
            ParserSyntaxError: If the module is not valid Python.
            SyntaxError: If the module's encoding is unknown.
            UnicodeDecodeError: If the module's bytes are not valid in its encoding.
        """
        # Copying is unnecessary because a parsed module contains each node only once.
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.module = wrapper.module
        # Some values are functions that determine a node's names on demand.
        self._names = wrapper.resolve(QualifiedNameProvider)
        self._imported = {
            local: full
            for node in descendants(self.module)
            if isinstance(node, (cst.Import, cst.ImportFrom))
            for local, full in imported(node)
            if full.split(".")[0] == SDK
        }

    def _sdk_names(self, node: cst.CSTNode) -> Iterator[str]:
        found = self._names.get(node, ())
        names: Iterable[QualifiedName] = found() if callable(found) else found
        for name in names:
            if name.source is QualifiedNameSource.IMPORT and name.name.split(".")[0] == SDK:
                yield name.name

    def reference(self, node: cst.CSTNode) -> Reference | None:
        """Return the SDK name that a dotted name refers to, or None if there is none."""
        if not _dotted(node):  # libcst also returns the name `f.x` for `f().x`
            return None
        return refer(next(self._sdk_names(node), SDK))

    def is_module(self, node: cst.CSTNode) -> bool:
        """Return whether an expression refers to an SDK module."""
        return any(refer(name) is None for name in self._sdk_names(node))

    def references(self, node: cst.CSTNode) -> Iterator[Reference]:
        """Yield the SDK names within a node, including names in quoted annotations."""
        for each in descendants(node):
            if isinstance(each, (cst.Name, cst.Attribute)):
                reference = self.reference(each) or self.quoted_reference(each)
                if reference is not None:
                    yield reference
            elif isinstance(each, cst.SimpleString) and (quoted := parse_quoted(each)) is not None:
                yield from self.references(quoted)

    def quoted_reference(self, node: cst.CSTNode) -> Reference | None:
        """Return the SDK name that an expression in a quoted annotation refers to, if any."""
        root, dot, rest = _dotted(node).partition(".")
        # `reference` resolves nodes that belong to the module itself.
        if node in self._names or root not in self._imported:
            return None
        return refer(f"{self._imported[root]}{dot}{rest}")


def parse_quoted(node: cst.SimpleString) -> cst.BaseExpression | None:
    """Return the expression in a quoted annotation, or None if it isn't a valid expression."""
    if node.prefix not in ("", "r", "u"):
        return None
    try:
        return cst.parse_expression(node.raw_value)
    except cst.ParserSyntaxError:
        return None


def imported(statement: cst.Import | cst.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield the names that an import statement binds, each with the full name that it refers to."""
    if isinstance(statement.names, cst.ImportStar):
        return
    source = ""
    if isinstance(statement, cst.ImportFrom):
        source = f"{'.' * len(statement.relative)}{_dotted(statement.module)}."
    for alias in statement.names:
        bound = bound_name(alias)
        yield bound, f"{source}{_dotted(alias.name) if alias.asname is not None else bound}"


def bound_name(alias: cst.ImportAlias) -> str:
    """Return the variable that an import binds."""
    if alias.asname is not None:
        return _dotted(alias.asname.name)
    return _dotted(alias.name).partition(".")[0]


def _dotted(node: cst.CSTNode | None) -> str:
    """Return a dotted name as text, or an empty string for any other expression."""
    if isinstance(node, cst.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr.value}" if before else ""
    return node.value if isinstance(node, cst.Name) else ""


def decoded(text: bytes) -> str:
    """Decode a module with the encoding that it declares."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
    return text.decode(encoding)


def is_of_sdk(statement: cst.Import | cst.ImportFrom) -> bool:
    """Return whether a statement only imports SDK modules or names from them."""
    if isinstance(statement, cst.ImportFrom):
        return not statement.relative and first_name(statement.module) == SDK
    return all(first_name(alias.name) == SDK for alias in statement.names)


def uses_sdk(text: bytes) -> bool:
    """Return whether a module imports the SDK."""
    return _IMPORTS.search(text) is not None


def refer(full: str) -> Reference | None:
    """Split a full SDK name, or return None if it is the name of a module."""
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


# --- nodes -----------------------------------------------------------------------------------


def code_of(node: cst.CSTNode) -> str:
    """Return a node's source code."""
    return cst.Module([]).code_for_node(node)


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all nodes within it."""
    yield node
    for child in node.children:
        yield from descendants(child)


def comments_of(node: cst.CSTNode) -> list[str]:
    """Return the comments within a node."""
    return [each.value for each in descendants(node) if isinstance(each, cst.Comment)]


def is_pragma(comment: str) -> bool:
    """Return whether a comment is a directive for a tool, such as `# noqa`."""
    return _PRAGMA.match(comment) is not None


def trailing(comments: Iterable[str]) -> cst.TrailingWhitespace:
    """Return a node for the end of a line with the given comments."""
    return cst.TrailingWhitespace(cst.SimpleWhitespace("  "), cst.Comment("  ".join(comments)))


def read_names(node: cst.CSTNode) -> Iterator[str]:
    """Yield the variables that a node uses, excluding names of attributes and keyword arguments."""
    if isinstance(node, cst.Name):
        yield node.value
    elif isinstance(node, (cst.Attribute, cst.Arg)):
        yield from read_names(node.value)
    else:
        for child in node.children:
            yield from read_names(child)


def first_name(node: cst.BaseExpression | None) -> str:
    """Return the first part of a dotted name, or an empty string for any other expression."""
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def last_name(node: cst.BaseExpression) -> str:
    """Return the last part of a dotted name, or an empty string for any other expression."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def is_name(node: cst.CSTNode, *names: str) -> bool:
    """Return whether an expression is one of the given names, such as `None`."""
    return isinstance(node, cst.Name) and node.value in names


def text_of(node: cst.BaseExpression) -> str:
    """Return the value of a string literal, or an empty string for any other expression."""
    match node:
        case cst.SimpleString(evaluated_value=str(text)):
            return text
        case _:
            return ""


def reader_of(node: cst.CSTNode) -> str:
    """Return `getattr` or `hasattr` if a node calls that function with a literal name, else ""."""
    if not isinstance(node, cst.Call) or len(node.args) not in (2, 3):
        return ""
    is_reader = is_name(node.func, "getattr", "hasattr") and text_of(node.args[1].value)
    return last_name(node.func) if is_reader else ""


def keywords_of(args: Iterable[cst.Arg]) -> dict[str, cst.BaseExpression]:
    """Return the keyword arguments by name."""
    return {arg.keyword.value: arg.value for arg in args if arg.keyword is not None}
