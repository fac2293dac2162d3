"""The laws that a package for an edited schema must obey if it can be built without problems."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from random import Random
from types import ModuleType
from typing import Any

from acpgen.common.problems import Problem
from acpgen.diff.changes import Change

from tests.package.laws.library import escaped, json_text, same, writer
from tests.package.laws.schemas import CompiledOracle, Oracle
from tests.tools.evolution.evolve import Evolution, vendored
from tests.tools.evolution.oracle import Drawer, judge, stated


@dataclass
class Report:
    evolution: Evolution  # the edits
    # The problems that prevented building a package.
    problems: list[Problem] = field(default_factory=list)
    # Pointers to the parts of the schema that strict mode leaves unchecked.
    unchecked: tuple[str, ...] = ()
    changes: list[Change] = field(default_factory=list)  # the output of `acpgen diff`
    # The number of values that were tried, by validity.
    tried: Counter[str] = field(default_factory=Counter)
    # The violated laws, each with an example.
    failures: list[str] = field(default_factory=list)

    def fail(self, law: str, name: str, detail: str) -> None:
        place = f"{law}: {name}: "
        if not any(each.startswith(place) for each in self.failures):
            self.failures.append(place + detail)


@dataclass(frozen=True)
class Values:
    old: list[Any]  # instances and near misses of the original schema
    new: list[Any]  # instances and near misses of the edited schema


@dataclass(frozen=True)
class Says:
    """Oracles for the original schema, the edited schema, and the checked parts of the latter."""

    old: Oracle | CompiledOracle  # the original schema
    new: Oracle | CompiledOracle  # the edited schema
    checked: Oracle | CompiledOracle  # the edited schema without the unchecked parts
    law: Oracle | CompiledOracle  # the checked schema, amended for law 5


@cache
def old_oracle(surface: str) -> Oracle | CompiledOracle:
    return judge(stated(vendored(surface)["$defs"]))


@cache
def old_drawer(surface: str) -> Drawer:
    return Drawer(vendored(surface)["$defs"])


def validity(oracle: Oracle | CompiledOracle, name: str, value: Any) -> bool | None:
    """Return whether a value is valid, or None if `jsonschema` can't decide."""
    try:
        return oracle.is_valid(name, value)
    except (re.error, RecursionError, KeyError):
        return None


# --- values to try --------------------------------------------------------------------------


def draw(evolution: Evolution, drawer: Drawer, name: str) -> Values:
    """Return test values for a definition, from the original and the edited schema."""
    chance = Random(f"values {evolution.seed} {name}")
    changed = evolution.root["$defs"][name] != evolution.old["$defs"].get(name)
    new = drawer.values(name, chance, changed=changed)
    return Values(draw_old(evolution, name, changed=changed), new)


def draw_old(evolution: Evolution, name: str, *, changed: bool = True) -> list[Any]:
    """Return test values for a definition of the original schema, or [] if it is missing."""
    chance = Random(f"old values {evolution.seed} {name}")
    if name not in evolution.old["$defs"]:
        return []
    return old_drawer(evolution.surface).values(name, chance, changed=changed)


# --- decoding --------------------------------------------------------------------------------


def check_definition(
    report: Report, says: Says, module: ModuleType, name: str, values: Values
) -> None:
    """Check that a type of the package treats each value as the schema requires."""
    if name not in module.TYPES:
        report.fail("definition", name, "is not a type of the package")
        return
    for value in (*values.new, *values.old):
        valid = validity(says.new, name, value)
        report.tried[{True: "valid", False: "invalid", None: "undecided"}[valid]] += 1
        try:
            _check_value(report, says, module, name, value, valid)
        except Exception as error:
            report.fail("traceback", name, f"{value!r}: {error.__class__.__name__}: {error}")


def _check_value(
    report: Report, says: Says, module: ModuleType, name: str, value: Any, valid: bool | None
) -> None:
    """Check that strict mode accepts a value if and only if the checked schema does."""
    kind = module.TYPES[name]
    checked = valid if says.checked is says.new else validity(says.checked, name, value)
    if checked is None:
        return
    if valid and not checked:
        report.fail("pruning", name, f"the pruned schema rejects the valid {value!r}")
    try:
        decoded = module.decode(kind, value, strict=True)
    except module.DecodeError as error:
        if checked and validity(says.law, name, value):
            law = "strict" if valid else "strict, unchecked"
            report.fail(law, name, f"rejects the valid {value!r}: {error}")
        _decode_by_default(module, kind, value)
        return
    if not checked:
        report.fail("widening", name, f"strict mode accepts the invalid {value!r}")
        return
    back = module.encode(decoded, kind)
    if not same(back, value):
        report.fail("round trip", name, f"{value!r} came back as {back!r}")
    write = writer(module, name)
    if write is not None and escaped(write(decoded)) != json_text(back):
        report.fail("writing", name, f"{value!r} was written as {write(decoded)}")
    issues: list[Any] = []
    again = module.decode(kind, value, on_issue=issues.append)
    if issues or again != decoded:
        report.fail("default mode", name, f"{value!r} is not as in strict mode: {issues}")


def _decode_by_default(module: ModuleType, kind: Any, value: Any) -> None:
    """Check that the default mode rejects an invalid value or repairs it so that it can be encoded.

    Encoding can fail only if a repaired list is too short.
    """
    issues: list[Any] = []
    try:
        decoded = module.decode(kind, value, on_issue=issues.append)
    except module.DecodeError:
        return
    assert issues, "default mode accepts a value that strict mode rejects, without an issue"
    try:
        module.encode(decoded, kind)
    except module.EncodeError as error:
        if "expected list of length" not in str(error):
            raise
