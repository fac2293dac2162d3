"""A few random edits of a vendored schema: the same ones for the same seed."""

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

# Changes a draft at a place of its choice, and returns what it did, in words.
Edit: TypeAlias = Callable[[Draft, Random], str]


def _edits_of(module: ModuleType) -> list[Edit]:
    """The public functions of a module, in the order of the file."""
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
# Seeds go round the kinds of edits in this order, so that a few already see many of them.
_ROUND = Random("kinds of edits").sample(list(EDITS), len(EDITS))


@dataclass(frozen=True)
class Step:
    kind: str  # its name in `EDITS`
    words: str  # what it did, with pointers into the schema as it was then


@dataclass(frozen=True)
class Evolution:
    seed: int  # it follows from this alone
    surface: str  # the name of the surface
    steps: tuple[Step, ...]  # the edits, in order
    root: Schema  # the document after them

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
    """The vendored document of a surface; not to be changed."""
    root: Schema = json.loads((SCHEMA / SURFACES[surface]).read_text(encoding="utf-8"))
    return root


def evolve(seed: int) -> Evolution:
    """One to four edits of a surface; the first is of the kind whose turn it is."""
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


# In an example, which is data.
IN_DATA = {"#/nowhere"}
_META = Validator(dict(Draft202012Validator.META_SCHEMA))


def assert_valid(before: Schema, after: Schema, words: str) -> None:
    """Every definition that changed is a schema of JSON Schema 2020-12, and so is the rest."""
    old, new = before["$defs"], after["$defs"]
    changed = {name: schema for name, schema in new.items() if old.get(name) != schema}
    for error in _META.errors({**after, "$defs": changed}):
        raise AssertionError(f"the edit makes no valid schema: {words}: {error}")
    dangling = {each["$ref"] for each in referring(after)} - {f"{REF}{name}" for name in new}
    assert dangling <= IN_DATA, f"the edit leaves references to nothing: {words}: {dangling}"
