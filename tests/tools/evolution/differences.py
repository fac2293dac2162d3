"""Checks that the output of `acpgen diff` for an edit matches the behavior of both packages."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from acpgen.analysis.surface import Built
from acpgen.diff.changes import Change
from acpgen.diff.compare import compare
from acpgen.diff.matching import match

from tests.tools.evolution.draft import closure
from tests.tools.evolution.laws import Report, Says, Values, draw_old, validity
from tests.tools.evolution.packages import built_from_vendored
from tests.tools.evolution.pruning import resolve


def check_changes(
    report: Report, built: Built, says: Says, module: ModuleType, values: dict[str, Values]
) -> None:
    """Compare the old and the new surface, and check the changes against both packages."""
    evolution = report.evolution
    old_surface = built_from_vendored(evolution.surface)
    report.changes = compare(old_surface, built.surface)
    _check_pointers(report)
    old_module = importlib.import_module(f"acp_bindings.{evolution.surface}")
    for before, after in match(old_surface, built.surface).definitions.items():
        if after not in values or before not in old_module.TYPES or after not in module.TYPES:
            continue
        relevant = closure(evolution.old["$defs"], {before})
        relevant |= closure(evolution.root["$defs"], {after})
        changes = [each for each in report.changes if _place(each) in relevant]
        old = values[after].old if before == after else draw_old(evolution, before)
        pair = _Pair(report, says, before, after, old_module, module)
        pair.check_reported(changes, Values(old, values[after].new))
        pair.check_labels(changes, Values(old, values[after].new))


def _place(change: Change) -> str:
    return [*change.pointer.split("/"), "", ""][2]


def _check_pointers(report: Report) -> None:
    """Check that removals point into the old schema, and other changes into the new schema."""
    for change in report.changes:
        removed = change.action == "removed"
        root = report.evolution.old if removed else report.evolution.root
        try:
            resolve(root, change.pointer)
        except LookupError:
            report.fail("diff pointer", change.name, f"{change.pointer} names nothing: {change}")


@dataclass
class _Pair:
    report: Report
    says: Says
    before: str  # the definition's name in the old schema
    after: str  # its name in the new schema
    old_module: ModuleType
    module: ModuleType

    def check_reported(self, changes: list[Change], values: Values) -> None:
        """Check that a change is reported if the schemas disagree about a value."""
        if changes:
            return
        for value in (*values.old, *values.new):
            was = validity(self.says.old, self.before, value)
            is_now = validity(self.says.new, self.after, value)
            if was is not None and is_now is not None and was != is_now:
                words = "no longer" if was else "now"
                law = "unreported, unchecked" if self.report.unchecked else "unreported"
                self.report.fail(law, self.after, f"diff says nothing; {words} valid: {value!r}")
                return

    def check_labels(self, changes: list[Change], values: Values) -> None:
        """Check that a reported change explains why one package rejects values of the other."""
        says, report = self.says, self.report
        sent = [v for v in values.old if self._is_sent(says.old, self.old_module, self.before, v)]
        unread = self._refused(self.module, self.after, sent)
        sent = [v for v in values.new if self._is_sent(says.new, self.module, self.after, v)]
        unwritten = self._refused(self.old_module, self.before, sent)
        for label, refused, is_said in (
            ("reads", unread, not all(change.reads for change in changes)),
            ("writes", unwritten, not all(change.writes for change in changes)),
        ):
            if refused and not is_said:
                detail = f"all changes have {label}=True; but this is refused: {refused}"
                report.fail(f"diff {label}", self.after, detail)

    def _is_sent(self, oracle: Any, module: ModuleType, name: str, value: Any) -> bool:
        """Return whether a peer can send a value: the schema and strict mode must accept it."""
        if not validity(oracle, name, value):
            return False
        try:
            module.decode(module.TYPES[name], value, strict=True)
        except module.DecodeError:
            return False
        return True

    def _refused(self, module: ModuleType, name: str, values: list[Any]) -> str:
        """Describe the first value that default mode rejects, or return "" if there is none."""
        for value in values:
            try:
                module.decode(module.TYPES[name], value)
            except module.DecodeError as error:
                return f"{value!r}: {error}"
        return ""
