"""Example values of types, in JSON and in Python."""

from __future__ import annotations

import ast
import json

from acpgen.emit.contexts.codec import CodecContext
from acpgen.emit.python import quoting
from acpgen.ir.model import Alias, Definition, Record, Reference, TaggedUnion, Unknown
from acpgen.ir.queries import classes_of
from acpgen.ir.surface import Surface

from acpdocs.content import Example
from acpdocs.facts.examples.samples import NoSampleError, Samples

_CUSTOM_TAG = "_custom"


class Examples:
    """Makes the examples of one surface."""

    def __init__(self, surface: Surface) -> None:
        self._view = CodecContext(surface)
        self._samples = Samples(surface)
        self._definitions = surface.definitions

    def of(self, name: str) -> Example | None:
        """The example of a definition; None if the schema alone does not yield one."""
        definition = self._definitions[name]
        try:
            sample = self._samples.of_definition(name, extra=True)
        except NoSampleError:
            return None
        if isinstance(sample.value, dict):
            return _example({**self._tags(definition), **sample.value}, sample.python)
        return _example(sample.value, sample.python)

    def of_unknown(self, union: TaggedUnion, unknown: Unknown) -> Example | None:
        """The example of the class for unlisted tags."""
        value = {union.tag: _CUSTOM_TAG}
        try:
            members = self._samples.members(unknown.members)
            value |= {wire: sample.value for wire, sample in members.items()}
            if unknown.choice is not None:
                value |= self._samples.of_shape(unknown.choice, union.name).value
        except NoSampleError:
            return None
        python = f"{unknown.name}({quoting.literal(_CUSTOM_TAG)}, {quoting.literal(value)})"
        return _example(value, python, strict=not unknown.synthetic)

    def _tags(self, definition: Definition) -> dict[str, str]:
        """The tag that the owning union adds to an arm without a definition of its own."""
        if definition.definition is not None:
            return {}
        classes = classes_of(Reference(definition.name), self._definitions)
        owner = self._definitions.get(self._owner(definition, classes) or "")
        if not isinstance(owner, TaggedUnion):
            return {}
        leaves = self._view.union_encoders(owner)
        return next(
            ({owner.tag: leaf.tag} for leaf in leaves if leaf.name in classes and leaf.tag), {}
        )

    def _owner(self, definition: Definition, classes: list[str]) -> str | None:
        if not isinstance(definition, Alias):
            return definition.owner
        records = (self._definitions.get(name) for name in classes)
        return next((record.owner for record in records if isinstance(record, Record)), None)


def _example(value: object, python: str, *, strict: bool = True) -> Example:
    names = {node.id for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Name)}
    return Example(value, json.dumps(value, indent=2), python, tuple(sorted(names)), strict)
