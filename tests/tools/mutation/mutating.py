"""Mutants of a module: the same source with one expression or statement changed."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
# Names in statements that matter only to type checkers and readers.
_SILENT = ("__all__", "TYPE_CHECKING", "TypeVar", "ParamSpec", "TypeAlias")
_Node: TypeAlias = ast.expr | ast.stmt


@dataclass(frozen=True)
class Mutant:
    """A module with one change.

    Attributes:
        line: the line where the changed node begins.
        operator: the kind of change.
        before: the source of the node before the change.
        after: the source of its replacement.
        source: the source of the entire changed module.
    """

    line: int
    operator: str
    before: str
    after: str
    source: str


def find_mutants(source: str) -> Iterator[Mutant]:
    """Yield all mutants of a module, in source order."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    whole = source.encode()
    for node in _nodes(ast.parse(source)):
        for operator, changed in _changes(node):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            # Add parentheses, since the surrounding expression can bind more tightly.
            after = f"({ast.unparse(changed)})" if isinstance(node, ast.expr) else "pass"
            text = whole[:start] + after.encode() + whole[end:]
            before = whole[start:end].decode()
            yield Mutant(node.lineno, operator, before, after, text.decode())


def _nodes(tree: ast.AST) -> Iterator[_Node]:
    """Yield the executed nodes. Skip annotations, docstrings and code for type checkers."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_silent(child):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            # Before Python 3.12, the parts of an f-string have no exact positions.
            if not isinstance(child, ast.JoinedStr):
                yield from _nodes(child)


def _is_silent(node: ast.AST) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.AnnAssign) and not getattr(
        node, "value", None
    ):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Assign | ast.If | ast.AnnAssign):
        head = ast.unparse(node).partition("\n")[0]
        return any(word in head for word in _SILENT)
    return False


def _changes(node: _Node) -> Iterator[tuple[str, _Node]]:
    """Yield the operator and the replacement of each possible change to a node."""
    changed = copy.deepcopy(node)
    match changed:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
            changed.ops = [_COMPARISONS[type(operator)]()]
            yield "comparison", changed
        case ast.BoolOp():
            changed.op = ast.Or() if isinstance(changed.op, ast.And) else ast.And()
            yield "and-or", changed
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", operand
        case ast.BinOp(op=operator) if type(operator) in _ARITHMETIC:
            changed.op = _ARITHMETIC[type(operator)]()
            yield "arithmetic", changed
        case ast.IfExp():
            changed.body, changed.orelse = changed.orelse, changed.body
            yield "branches", changed
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() as number):
            yield "constant", ast.Constant(number + 1)
        case ast.Constant(value=str() as text):
            yield "constant", ast.Constant(text + "X")
        case ast.Raise() | ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign():
            yield "statement", ast.Pass()
        case ast.Continue() | ast.Break():
            yield "statement", ast.Pass()
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield "statement", ast.Pass()
        case _:
            pass


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
