"""Formatting of generated modules in the style of black.

The templates already follow this style, except that they do not wrap lines, choose quotes or join
empty brackets. Therefore, black formats only the statements that might need formatting. Formatting
entire modules would take longer than all other steps of generation combined.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from textwrap import indent

import black
import black.mode

from acpgen.emit.python.quoting import WIDTH

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Compound = ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Match

# A string that black leaves in single quotes because it contains double quotes.
_SINGLE = re.compile(r"""(?<!\w)f?'[^'\\]*"[^'\\]*'""")


def format_module(source: str) -> str:
    """Format a generated module, using black only where necessary."""
    return "\n\n".join(_format_part(part) for part in _parts(source))


# Surfaces have many statements in common. One process generates at most a few thousand different
# statements.
@lru_cache(4096)
def format_source(source: str, width: int = WIDTH) -> str:
    """Format Python source with black, in the style of generated modules."""
    version = black.mode.TargetVersion.PY310
    return black.format_str(source, mode=black.Mode({version}, line_length=width))


def _parts(source: str) -> Iterator[str]:
    """Yield the classes and functions of a module, and the code between them."""
    lines = source.splitlines(keepends=True)
    cuts = {0, len(lines)}
    for node in ast.parse(source).body:
        if isinstance(node, _Definition):
            cuts |= {_start(node), node.end_lineno or 0}
    for start, end in pairwise(sorted(cuts)):
        part = "".join(lines[start:end]).strip("\n")
        if part:
            yield part


def _format_part(source: str) -> str:
    # Allow at most two consecutive empty lines, and only one in a class.
    lines = re.sub(r"\n{3,}(?= )", "\n\n", re.sub(r"\n{4,}", "\n\n\n", source)).splitlines()
    for node in _to_format(lines):
        start, margin = _start(node), node.col_offset
        # A line within a multi-line string can be indented less than the statement.
        text = "\n".join(
            line.lstrip() if line[:margin].strip() else line[margin:]
            for line in lines[start : node.end_lineno]
        )
        formatted = indent(format_source(text, WIDTH - margin), " " * margin)
        lines[start : node.end_lineno] = formatted.splitlines()
    return "\n".join(lines) + "\n"


def _to_format(lines: list[str]) -> list[ast.stmt]:
    """Return the statements that black might format differently, in reverse order."""
    pairs = pairwise([*lines, ""])
    numbers = [number for number, pair in enumerate(pairs) if _is_doubtful(*pair)]
    if not numbers:
        return []
    body = ast.parse("\n".join(lines)).body
    statements: list[ast.stmt] = []
    for number in reversed(numbers):
        node = _find(body, number, None)
        if node is None or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue  # black never wraps a docstring
        if statements and _start(statements[-1]) <= _start(node):
            continue  # already found, or inside a statement that was found
        while statements and _start(statements[-1]) < (node.end_lineno or 0):
            statements.pop()
        statements.append(node)
    return statements


def _start(node: ast.stmt) -> int:
    """Return the index of a statement's first line."""
    if isinstance(node, _Definition) and node.decorator_list:
        return node.decorator_list[0].lineno - 1
    return node.lineno - 1


def _is_doubtful(line: str, following: str) -> bool:
    """Return whether black might wrap a line, change its quotes or join it with the next line."""
    is_empty = line.endswith(("(", "[", "{")) and following.lstrip().startswith((")", "]", "}"))
    return is_empty or len(line) > WIDTH or "'" in _SINGLE.sub("", line)


def _find(body: list[ast.stmt], line: int, around: ast.stmt | None) -> ast.stmt | None:
    """Return the smallest statement around a line in `body` that can be formatted separately."""
    for node in body:
        if isinstance(around, _Definition) and _start(node) == _start(around):
            return around  # the body of `def f(): ...`, which black puts on the same line
        if _start(node) <= line < (node.end_lineno or 0):
            is_alone = around is None or not isinstance(node, _Compound)
            return _find(_inside(node), line, node if is_alone else around)
    return around


def _inside(node: ast.AST) -> list[ast.stmt]:
    statements: list[ast.stmt] = []
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.stmt():
                statements.append(child)
            case ast.ExceptHandler(body=body) | ast.match_case(body=body):
                statements += body
    return statements
