"""The imports of a rewritten module: those of the SDK that nothing needs any more give way."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import libcst as cst

from acpport.reading.sources import SDK, code_of, comments_of, is_pragma, last_name, refer, trailing
from acpport.rewriting.draft import Draft

_NO_COMMA = cst.MaybeSentinel.DEFAULT
_PLACEHOLDER = "__acpgen_port__"
# The SDK in the dependencies of a script.
_REQUIREMENT = re.compile(r'"agent-client-protocol(\[\w+\])?[^"]*"')


def replace(draft: Draft, module: cst.Module, exported: Collection[str]) -> cst.Module:
    """Put the imports of the package in the place of the first one of the SDK.

    Args:
        draft: the rewritten module.
        module: its tree.
        exported: the names that other modules may import from it.
    """
    removing = _Removing(draft, exported)
    changed = module.visit(removing)
    present = _present(changed)
    missing = {name: draft.needed[name] - present.get(name, set()) for name in draft.needed}
    new = [_statement(name, missing[name]) for name in sorted(missing) if missing[name]]
    body: list[cst.BaseStatement] = []
    for statement in changed.body:
        if _is_placeholder(statement):
            if new:
                assert isinstance(statement, cst.SimpleStatementLine), "a placeholder is a line"
                end = statement.trailing_whitespace
                new = [line.with_changes(trailing_whitespace=end) for line in new]
                new[0] = new[0].with_changes(leading_lines=statement.leading_lines)
            body += new
            new = []
        else:
            body.append(statement)
    if new:  # all imports of the SDK were within something
        at = _end_of_imports(body)
        body[at:at] = new
    header = [_requirement(line) for line in changed.header]
    return changed.with_changes(header=header, body=body)


def _present(module: cst.Module) -> dict[str, set[str]]:
    """What a module imports at its top already, by the modules it comes from."""
    found: dict[str, set[str]] = {}
    for line in module.body:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.ImportFrom) and small.module is not None:
                names = [code_of(alias.with_changes(comma=_NO_COMMA)) for alias in _aliases(small)]
                found.setdefault(code_of(small.module), set()).update(names)
    return found


def _requirement(line: cst.EmptyLine) -> cst.EmptyLine:
    """A line of the metadata at the top of a script, with the package that it needs."""
    if line.comment is None:
        return line
    text = _REQUIREMENT.sub('"acp-bindings"', line.comment.value)
    return line.with_changes(comment=cst.Comment(text))


def _is_placeholder(statement: cst.CSTNode) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    first = statement.body[0]
    return isinstance(first, cst.Expr) and last_name(first.value) == _PLACEHOLDER


class _Removing(cst.CSTTransformer):
    """Removes imports of the SDK; the first statement that goes at the top leaves its place."""

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
        if not updated_node.body:
            passing = cst.SimpleStatementLine([cst.Pass()])
            return updated_node.with_changes(body=[passing])
        return updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        if len(updated_node.body) != 1:
            return updated_node
        statement = updated_node.body[0]
        if not isinstance(statement, (cst.Import, cst.ImportFrom)) or not _is_of_sdk(statement):
            return updated_node
        if isinstance(statement, cst.ImportFrom) and isinstance(statement.names, cst.ImportStar):
            return updated_node
        kept = [alias for alias in _aliases(statement) if self._is_kept(alias)]
        exports = self._exports(statement)
        lines: list[cst.BaseStatement] = []
        if self._draft.needed and not self._depth and not self._has_place:
            self._has_place = True
            place = cst.SimpleStatementLine([cst.Expr(cst.Name(_PLACEHOLDER))])
            about = [each for each in comments_of(updated_node) if is_pragma(each)]
            end = trailing("  ".join(about)) if about else cst.TrailingWhitespace()
            above = updated_node.leading_lines
            lines.append(place.with_changes(leading_lines=above, trailing_whitespace=end))
            updated_node = updated_node.with_changes(leading_lines=[])
        if kept:
            kept[-1] = kept[-1].with_changes(comma=_aliases(statement)[-1].comma)
            lines.append(updated_node.with_changes(body=[statement.with_changes(names=kept)]))
        lines += exports
        return cst.FlattenSentinel(lines) if lines else cst.RemoveFromParent()

    def _is_kept(self, alias: cst.ImportAlias) -> bool:
        return _bound_name(alias) in self._draft.kept

    def _exports(self, statement: cst.Import | cst.ImportFrom) -> list[cst.BaseStatement]:
        """Imports of what a module does not use itself, under the names of the SDK."""
        if not isinstance(statement, cst.ImportFrom):
            return []
        lines: list[cst.BaseStatement] = []
        for alias in _aliases(statement):
            name = _bound_name(alias)
            reference = refer(f"{SDK}.{last_name(alias.name)}")
            if name not in self._exported or name in self._draft.kept or reference is None:
                continue
            ours = self._draft.surface.type_of(reference.key)
            if ours is not None:
                as_name = "" if ours == name else f" as {name}"
                source = f"acp_bindings.{self._draft.surface.name}"
                lines.append(cst.parse_statement(f"from {source} import {ours}{as_name}"))
        return lines


def _is_of_sdk(statement: cst.Import | cst.ImportFrom) -> bool:
    if isinstance(statement, cst.ImportFrom):
        return not statement.relative and _first_name(statement.module) == SDK
    return all(_first_name(alias.name) == SDK for alias in statement.names)


def _first_name(node: cst.BaseExpression | None) -> str:
    while isinstance(node, cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def _aliases(statement: cst.Import | cst.ImportFrom) -> Sequence[cst.ImportAlias]:
    names = statement.names
    return () if isinstance(names, cst.ImportStar) else names


def _bound_name(alias: cst.ImportAlias) -> str:
    if alias.asname is not None:
        return last_name(alias.asname.name) if isinstance(alias.asname.name, cst.Name) else ""
    return _first_name(alias.name)


def _statement(module: str, names: Collection[str]) -> cst.SimpleStatementLine:
    listed = ", ".join(sorted(names, key=lambda name: (not name.isupper(), name)))
    line = cst.parse_statement(f"from {module} import {listed}")
    assert isinstance(line, cst.SimpleStatementLine), "an import is a line"
    return line


def _end_of_imports(body: Sequence[cst.BaseStatement]) -> int:
    """Where the imports at the top of a module end."""
    at = 0
    for index, statement in enumerate(body):
        if isinstance(statement, cst.SimpleStatementLine):
            if isinstance(statement.body[0], (cst.Import, cst.ImportFrom)):
                at = index + 1
            elif index == at == 0:
                at = 1  # a docstring
    return at
