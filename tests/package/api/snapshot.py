"""The public names of the package with their fields and signatures, as lines of text.

They are read from the source, so that they are the same with every version of Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SURFACES = ("v1", "v1_unstable", "v2", "v2_unstable")


def snapshot(folder: Path) -> list[str]:
    """The lines for one folder of the package, sorted: its modules' public names."""
    lines: set[str] = set()
    for path in sorted(folder.rglob("*.py")):
        if path.stem != "codec" or folder.name == "runtime":
            prefix = _prefix(path.relative_to(folder))
            lines.update(f"{prefix}{line}" for line in _module(path))
    return sorted(lines)


def _prefix(path: Path) -> str:
    parts = path.parts[:-1] if path.stem == "__init__" else (*path.parts[:-1], path.stem)
    return "".join(f"{part}." for part in parts)


def _module(path: Path) -> Iterator[str]:
    content = path.read_bytes()
    source = content.splitlines()
    for node in ast.parse(content).body:
        match node:
            case ast.ImportFrom() if path.stem == "__init__":
                yield from (alias.asname or alias.name for alias in node.names if node.level)
            case ast.ClassDef() if _is_public(node.name):
                bases = ", ".join(_text(source, base) for base in node.bases)
                yield f"{node.name}({bases})"
                yield from (f"{node.name}.{line}" for line in _members(source, node))
            case ast.FunctionDef() | ast.AsyncFunctionDef() if _is_public(node.name):
                yield _signature(source, node)
            case ast.AnnAssign(target=ast.Name(name)) if _is_public(name):
                is_alias = _text(source, node.annotation) == "TypeAlias"
                value = _text(source, node.value) if is_alias and node.value else ""
                yield f"{name}: {value or _text(source, node.annotation)}"
            case ast.Assign(targets=[ast.Name(name)], value=value) if _is_public(name):
                if not _text(source, value).startswith("TypeVar("):
                    yield name
            case _:
                pass


def _members(source: list[bytes], node: ast.ClassDef) -> Iterator[str]:
    for member in node.body:
        match member:
            case ast.AnnAssign(target=ast.Name(name)) if _is_public(name):
                default = f" = {_text(source, member.value)}" if member.value else ""
                yield f"{name}: {_text(source, member.annotation)}{default}"
            case ast.Assign(targets=[ast.Name(name)]) if _is_public(name):
                yield f"{name} = {_text(source, member.value)}"
            case ast.FunctionDef() | ast.AsyncFunctionDef() if (
                _is_public(member.name) or member.name == "__init__"
            ):
                yield _signature(source, member)
            case _:
                pass


def _signature(source: list[bytes], node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    result = f" -> {_text(source, node.returns)}" if node.returns else ""
    marks = "".join(f"@{_text(source, each)} " for each in node.decorator_list)
    return f"{node.name} {marks}{start}({ast.unparse(node.args)}){result}"


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _text(source: list[bytes], node: ast.expr | None) -> str:
    """The source of an expression, in one line."""
    if node is None or node.end_lineno is None or node.end_col_offset is None:
        return ""
    lines = source[node.lineno - 1 : node.end_lineno]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return " ".join(b" ".join(lines).decode("utf-8").split())


def subject(line: str) -> str:
    """The name that a line is about, such as `types.ToolCall.title`."""
    for end in ("(", ":", " "):
        line = line.split(end)[0]
    return line


def unexplained(before: list[str], after: list[str], changelog: str) -> list[str]:
    """Names that are gone and that the unreleased changes do not mention."""
    gone = {subject(line) for line in before} - {subject(line) for line in after}
    words = changelog.split("\n## ")[1] if "\n## " in changelog else ""
    # For a member, naming its class is enough.
    return sorted(name for name in gone if not any(part in words for part in _parts(name)))


def _parts(name: str) -> list[str]:
    """The ways to mention a name in the changelog: itself, its class, or the module that moved."""
    parts = name.split(".")
    capital = next((index for index, part in enumerate(parts) if not part.islower()), None)
    start = len(parts) - 1 if capital is None else capital
    module = ".".join(parts[:start])
    found = [name, ".".join(parts[start:]), parts[start], module]
    return [f"`{part}`" for part in found if part]
