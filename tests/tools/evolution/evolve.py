"""Evolutions: random edits to a vendored schema, determined by a seed."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from types import ModuleType
from typing import TypeAlias

from acpgen.inputs.validation import Validator
from jsonschema import Draft202012Validator

from tests.support.paths import SCHEMA, SURFACES
from tests.tools.evolution.draft import REF, Draft, NothingToEdit, Schema, referring
from tests.tools.evolution.edits import (
    annotations,
    assertions,
    definitions,
    members,
    methods,
    unions,
    values,
)

# A function that changes a draft at a random location and returns a description of the change.
Edit: TypeAlias = Callable[[Draft, Random], str]


def _edits_of(module: ModuleType) -> list[Edit]:
    """Return the public functions of a module, in source order."""
    return [
        each
        for name, each in vars(module).items()
        if inspect.isfunction(each) and each.__module__ == module.__name__ and name[0] != "_"
    ]


EDITS: dict[str, Edit] = {
    edit.__name__.replace("_", " "): edit
    for edit in (
        *(
            e
            for each in (definitions, members, unions, values, annotations)
            for e in _edits_of(each)
        ),
        *assertions.ASSERTING,
        *_edits_of(assertions),
        *_edits_of(methods),
    )
}
# Seeds cycle through the kinds of edits in this order, so that a few seeds cover many kinds.
_ROUND = Random("kinds of edits").sample(list(EDITS), len(EDITS))


@dataclass(frozen=True)
class Step:
    kind: str  # the name of the edit in `EDITS`
    words: str  # a description, with pointers into the schema before the edit


@dataclass(frozen=True)
class Evolution:
    seed: int  # determines all other fields
    surface: str
    steps: tuple[Step, ...]
    root: Schema  # the document after the edits

    @property
    def kinds(self) -> set[str]:
        return {step.kind for step in self.steps}

    @property
    def old(self) -> Schema:
        return vendored(self.surface)

    def __str__(self) -> str:
        steps = "\n".join(f"  {number}. {step.words}" for number, step in enumerate(self.steps, 1))
        return f"seed {self.seed}: {self.surface}\n{steps}"


@functools.cache
def vendored(surface: str) -> Schema:
    """Return the vendored document of a surface. Callers must not modify it."""
    root: Schema = json.loads((SCHEMA / SURFACES[surface]).read_text(encoding="utf-8"))
    return root


def evolve(seed: int) -> Evolution:
    """Apply one to four edits to a surface. Consecutive seeds start with different edits."""
    chance = Random(f"evolution {seed}")
    kinds = [_ROUND[seed % len(_ROUND)]]
    kinds += chance.choices(list(EDITS), k=chance.choice((0, 0, 1, 1, 2, 3)))
    surface = chance.choice(list(SURFACES))
    root = vendored(surface)
    steps: list[Step] = []
    for kind in kinds:
        draft = Draft(root)
        try:
            words = EDITS[kind](draft, chance)
        except NothingToEdit:
            continue
        assert_valid(root, draft.root, words)
        root = draft.root
        steps.append(Step(kind, words))
    if not steps:
        draft = Draft(root)
        steps.append(Step("add member", EDITS["add member"](draft, chance)))
        root = draft.root
    return Evolution(seed, surface, tuple(steps), root)


# References that are only data, because they are in examples.
IN_DATA = {"#/nowhere"}
_META = Validator(dict(Draft202012Validator.META_SCHEMA))


def assert_valid(before: Schema, after: Schema, words: str) -> None:
    """Check that the changed definitions are valid JSON Schema and that all references resolve."""
    old, new = before["$defs"], after["$defs"]
    changed = {name: schema for name, schema in new.items() if old.get(name) != schema}
    for error in _META.errors({**after, "$defs": changed}):
        raise AssertionError(f"the edited schema is not valid: {words}: {error}")
    dangling = {each["$ref"] for each in referring(after)} - {f"{REF}{name}" for name in new}
    assert dangling <= IN_DATA, f"the edit leaves dangling references: {words}: {dangling}"
