"""Conversion of imports: imports from this package replace SDK imports."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import libcst as cst

from acpport.reading.sources import (
    SDK,
    bound_name,
    code_of,
    comments_of,
    is_name,
    is_of_sdk,
    is_pragma,
    last_name,
    refer,
    trailing,
)
from acpport.rewriting.draft import Draft

_PLACEHOLDER = "__acpgen_port__"
# The SDK as a dependency in a script's metadata.
_REQUIREMENT = re.compile(r'"agent-client-protocol(?![\w.-])[^"]*"')


def replace(draft: Draft, module: cst.Module, exported: Collection[str]) -> cst.Module:
    """Replace the first SDK import with imports from the package, and remove the other SDK imports.

    Args:
        draft: the draft.
        module: the converted module.
        exported: the names that must stay importable even if the module doesn't use them.
    """
    changed = module.visit(_Removing(draft, exported))
    present = _present(changed)
    missing = {name: draft.needed[name] - present.get(name, set()) for name in draft.needed}
    new = [_statement(name, missing[name]) for name in sorted(missing) if missing[name]]
    body: list[cst.BaseStatement] = []
    for statement in changed.body:
        if not isinstance(statement, cst.SimpleStatementLine) or not _is_placeholder(statement):
            body.append(statement)
            continue
        if new:
            end = statement.trailing_whitespace
            new = [line.with_changes(trailing_whitespace=end) for line in new]
            new[0] = new[0].with_changes(leading_lines=statement.leading_lines)
        body += new
        new = []
    if new:  # no SDK import was at the top level
        at = _end_of_imports(body)
        body[at:at] = new
    header = [_requirement(line) for line in changed.header]
    return changed.with_changes(header=header, body=body)


def _present(module: cst.Module) -> dict[str, set[str]]:
    """Return the names that a module already imports at its top level, by source module."""
    found: dict[str, set[str]] = {}
    for line in module.body:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.ImportFrom) and small.module is not None:
                plain = (
                    each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in _aliases(small)
                )
                found.setdefault(code_of(small.module), set()).update(map(code_of, plain))
    return found


def _is_placeholder(line: cst.SimpleStatementLine) -> bool:
    return isinstance(line.body[0], cst.Expr) and is_name(line.body[0].value, _PLACEHOLDER)


def _requirement(line: cst.EmptyLine) -> cst.EmptyLine:
    """Replace the SDK with this package in a line of a script's metadata."""
    if line.comment is None:
        return line
    text = _REQUIREMENT.sub('"acp-bindings"', line.comment.value)
    return line.with_changes(comment=cst.Comment(text))


class _Removing(cst.CSTTransformer):
    """A transformer that removes SDK imports and leaves a placeholder for the first one."""

    def __init__(self, draft: Draft, exported: Collection[str]) -> None:
        super().__init__()
        self._draft = draft
        self._exported = exported
        self._depth = 0
        self._has_place = False

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self._depth += 1

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        self._depth -= 1
        if updated_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.SimpleStatementLine([cst.Pass()])])

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        match updated_node.body:
            case [cst.Import() | cst.ImportFrom() as statement] if is_of_sdk(statement):
                aliases = _aliases(statement)
            case _:
                return updated_node
        if not aliases:  # `from acp import *`
            return updated_node
        lines: list[cst.BaseStatement] = []
        if self._draft.needed and not self._depth and not self._has_place:
            self._has_place = True
            place = cst.SimpleStatementLine([cst.Expr(cst.Name(_PLACEHOLDER))])
            about = [each for each in comments_of(updated_node) if is_pragma(each)]
            end = trailing(about) if about else cst.TrailingWhitespace()
            above = updated_node.leading_lines
            lines.append(place.with_changes(leading_lines=above, trailing_whitespace=end))
            updated_node = updated_node.with_changes(leading_lines=[])
        kept = [alias for alias in aliases if bound_name(alias) in self._draft.kept]
        if kept:
            kept[-1] = kept[-1].with_changes(comma=aliases[-1].comma)
            lines.append(updated_node.with_changes(body=[statement.with_changes(names=kept)]))
        if isinstance(statement, cst.ImportFrom):
            lines += self._exports(aliases)
        return cst.FlattenSentinel(lines) if lines else cst.RemoveFromParent()

    def _exports(self, aliases: Sequence[cst.ImportAlias]) -> list[cst.BaseStatement]:
        """Return imports that preserve the SDK names of types that a module only re-exports."""
        lines: list[cst.BaseStatement] = []
        for alias in aliases:
            name = bound_name(alias)
            reference = refer(f"{SDK}.{last_name(alias.name)}")
            if name not in self._exported or name in self._draft.kept or reference is None:
                continue
            ours = self._draft.surface.type_of(reference.key)
            if ours is not None:
                as_name = "" if ours == name else f" as {name}"
                source = f"acp_bindings.{self._draft.surface.name}"
                lines.append(cst.parse_statement(f"from {source} import {ours}{as_name}"))
        return lines


def _aliases(statement: cst.Import | cst.ImportFrom) -> Sequence[cst.ImportAlias]:
    names = statement.names
    return () if isinstance(names, cst.ImportStar) else names


def _statement(module: str, names: Collection[str]) -> cst.SimpleStatementLine:
    listed = ", ".join(sorted(names, key=lambda name: (not name.isupper(), name)))
    line = cst.parse_statement(f"from {module} import {listed}")
    assert isinstance(line, cst.SimpleStatementLine), "an import must be a simple statement"
    return line


def _end_of_imports(body: Sequence[cst.BaseStatement]) -> int:
    """Return the index of the first statement after a module's imports."""
    at = 0
    for index, statement in enumerate(body):
        if isinstance(statement, cst.SimpleStatementLine):
            if isinstance(statement.body[0], (cst.Import, cst.ImportFrom)):
                at = index + 1
            elif index == at == 0:
                at = 1  # after a docstring
    return at
