"""A module of a program, and what its names mean: which of them are the SDK's."""

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

# The name with which programs import the SDK, and what a module has to say to use it.
SDK = "acp"
_IMPORTS = re.compile(rb"^(\xef\xbb\xbf)?\s*(from|import)\s+acp\b", re.M)
_PRAGMA = re.compile(r"#\s*(noqa|type:|isort:|pylint:|pragma:|pyright:|fmt:|ruff:)")
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
            ParserSyntaxError: It is not valid Python.
            SyntaxError: Its encoding is unknown.
            UnicodeDecodeError: Its bytes are not in its encoding.
        """
        # No node of a parsed module is in it twice.
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.module = wrapper.module
        # The values may be functions that find a name when it is asked for.
        self._names = wrapper.resolve(QualifiedNameProvider)
        self._imported = {
            local: full
            for node in descendants(self.module)
            if isinstance(node, (cst.Import, cst.ImportFrom))
            for local, full in imported(node)
            if full.split(".")[0] == SDK
        }

    def reference(self, node: cst.CSTNode) -> Reference | None:
        """What an expression refers to in the SDK; None if it is none of its names."""
        found = self._names.get(node, ())
        names: Iterable[QualifiedName] = found() if callable(found) else found
        for name in names:
            is_imported = name.source is QualifiedNameSource.IMPORT
            if is_imported and name.name.split(".")[0] == SDK:
                return refer(name.name)
        return None

    def is_module(self, node: cst.CSTNode) -> bool:
        """Return whether an expression is a module of the SDK."""
        found = self._names.get(node, ())
        names: Iterable[QualifiedName] = found() if callable(found) else found
        return any(
            name.source is QualifiedNameSource.IMPORT
            and name.name.split(".")[0] == SDK
            and refer(name.name) is None
            for name in names
        )

    def references(self, node: cst.CSTNode) -> Iterator[Reference]:
        """What all expressions within a node refer to, quoted annotations included."""
        for each in descendants(node):
            if isinstance(each, (cst.Name, cst.Attribute)):
                reference = self.reference(each) or self.quoted_reference(each)
                if reference is not None:
                    yield reference
            elif isinstance(each, cst.SimpleString) and (quoted := parse_quoted(each)) is not None:
                yield from self.references(quoted)

    def quoted_reference(self, node: cst.CSTNode) -> Reference | None:
        """What an expression in a quoted annotation refers to, of which no more is known."""
        root, dot, rest = _dotted(node).partition(".")
        # Nodes of the module itself are looked up by their scopes.
        if node in self._names or root not in self._imported:
            return None
        return refer(f"{self._imported[root]}{dot}{rest}")


def parse_quoted(node: cst.SimpleString) -> cst.BaseExpression | None:
    """The expression in a quoted annotation; None if there is none."""
    if node.prefix:
        return None
    try:
        return cst.parse_expression(node.raw_value)
    except cst.ParserSyntaxError:
        return None


def imported(statement: cst.Import | cst.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that a statement binds, and what each of them stands for."""
    if isinstance(statement.names, cst.ImportStar):
        return
    source = ""
    if isinstance(statement, cst.ImportFrom):
        source = f"{'.' * len(statement.relative)}{_dotted(statement.module)}."
    for alias in statement.names:
        name = _dotted(alias.name)
        if alias.asname is not None:
            yield _dotted(alias.asname.name), f"{source}{name}"
        else:
            first = name.split(".")[0]
            yield first, f"{source}{first}"


def _dotted(node: cst.CSTNode | None) -> str:
    """A name with its dots; empty for another expression."""
    if isinstance(node, cst.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr.value}" if before else ""
    return node.value if isinstance(node, cst.Name) else ""


def decoded(text: bytes) -> str:
    """Decode a module in the encoding that it declares."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
    return text.decode(encoding)


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


def code_of(node: cst.CSTNode) -> str:
    """The text of a node."""
    return cst.Module([]).code_for_node(node)


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all nodes within it."""
    yield node
    for child in node.children:
        yield from descendants(child)


def comments_of(node: cst.CSTNode) -> list[str]:
    """Return the comments within a node."""
    return [each.value for each in descendants(node) if isinstance(each, cst.Comment)]


def is_pragma(comment: str) -> bool:
    """Return whether a comment is for a tool, about the line that it is on."""
    return _PRAGMA.match(comment) is not None


def trailing(comment: str) -> cst.TrailingWhitespace:
    """Return a comment for the end of a line."""
    return cst.TrailingWhitespace(cst.SimpleWhitespace("  "), cst.Comment(comment))


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
