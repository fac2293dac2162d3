"""Checks an evolution: builds the edited schema and tests the result against the laws."""

from __future__ import annotations

import re
import traceback
from random import Random

from acpgen.common.problems import InputError

from tests.tools.evolution.differences import check_changes
from tests.tools.evolution.draft import dependants, is_envelope
from tests.tools.evolution.evolve import Evolution, evolve
from tests.tools.evolution.laws import Report, Says, check_definition, draw, old_oracle
from tests.tools.evolution.oracle import Drawer, amended, judge, stated
from tests.tools.evolution.packages import build_surface, imported, reduced
from tests.tools.evolution.pruning import prune, resolve

REPEAT = "python tests/tools/evolution/run_evolution.py --seed"
# The maximum numbers of changed definitions and of their dependents to check.
CHANGED, DEPENDANTS = 5, 2


def attempt(
    evolution: Evolution, *, whole: bool = False, formatted: bool = False, compared: bool = True
) -> Report:
    """Examine an evolution. An exception is reported as a broken law.

    Args:
        compared: whether to also check the output of `acpgen diff`.
    """
    report = Report(evolution)
    try:
        _examine(report, whole=whole, formatted=formatted, compared=compared)
    except Exception as error:
        frames = "".join(traceback.format_exception(error)[-4:])
        report.fail("traceback", error.__class__.__name__, f"{error}\n{frames}")
    return report


def attempt_seed(seed: int, *, whole: bool = False, formatted: bool = False) -> Report:
    return attempt(evolve(seed), whole=whole, formatted=formatted)


def _examine(report: Report, *, whole: bool, formatted: bool, compared: bool) -> None:
    evolution = report.evolution
    try:
        built = build_surface(evolution.root, evolution.surface)
    except InputError as error:
        report.problems = error.problems
        _check_problems(report)
        return
    report.unchecked = built.surface.unchecked
    says = says_of(report)
    if says is None:
        return
    names = _affected(evolution)
    drawer = Drawer(evolution.root["$defs"])
    values = {name: draw(evolution, drawer, name) for name in names}
    surface = built.surface if whole else reduced(built.surface, set(names))
    with imported(surface, f"seed_{evolution.seed}", formatted=formatted) as module:
        for name in names:
            check_definition(report, says, module, name, values[name])
        if compared:
            check_changes(report, built, says, module, values)


def _check_problems(report: Report) -> None:
    """Check that each problem names an existing location and says how to fix it."""
    if not report.problems:
        report.fail("problems", "", "none are listed")
    for problem in report.problems:
        try:
            resolve(report.evolution.root, problem.pointer)
        except LookupError:
            report.fail("problems", problem.pointer, f"names nothing: {problem.line()}")
        if not (problem.file and problem.code and re.search(r"; \w", problem.message)):
            report.fail("problems", problem.pointer, f"gives no advice: {problem.line()}")


def says_of(report: Report) -> Says | None:
    """Return the oracles, or record a failure and return None if a pointer is invalid."""
    evolution = report.evolution
    definitions = stated(evolution.root["$defs"])
    new = checked = judge(definitions)
    if report.unchecked:
        try:
            definitions = stated(prune(evolution.root, report.unchecked)["$defs"])
        except LookupError as error:
            report.fail("unchecked", str(error), "names no keyword and no schema")
            return None
        checked = judge(definitions)
    return Says(old_oracle(evolution.surface), new, checked, judge(amended(definitions)))


def _affected(evolution: Evolution) -> list[str]:
    """Return some of the changed definitions and some of their dependents."""
    chance = Random(f"definitions {evolution.seed}")
    old, new = evolution.old["$defs"], evolution.root["$defs"]
    types = [name for name, schema in new.items() if not is_envelope(schema)]
    changed = [name for name in types if new[name] != old.get(name)]
    others = sorted(dependants(new, set(changed)) & set(types))
    if not changed:
        changed = types
    found = chance.sample(changed, min(CHANGED, len(changed)))
    return found + chance.sample(others, min(DEPENDANTS, len(others)))
