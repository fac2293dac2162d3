"""Build all definitions of a schema: those in `$defs`, then the objects defined in place."""

from __future__ import annotations

from acpgen.analysis.context import BuildContext, DefinitionSite, FlatObject
from acpgen.analysis.types.objects import ObjectFlattener
from acpgen.analysis.types.records import RecordBuilder
from acpgen.analysis.types.shapes import ShapeBuilder
from acpgen.analysis.types.unions import UnionBuilder
from acpgen.common.pointers import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject
from acpgen.ir.model import Alias, Definition


def build_definitions(context: BuildContext) -> None:
    """Enter the definitions of a schema, and its problems, into the context."""
    for name in json_schema.cyclic(context.schemas):
        message = "refers to itself; break the cycle"
        context.unsupported(pointer("$defs", name), message)
    if not context.problems:
        DefinitionBuilder(context).build()


class DefinitionBuilder:
    """Builds the definitions of one schema."""

    def __init__(self, context: BuildContext) -> None:
        self._context = context
        self._flattener = ObjectFlattener(context)
        self._shapes = ShapeBuilder(context, self._flattener)
        self._records = RecordBuilder(context, self._shapes)
        self._unions = UnionBuilder(context, self._flattener, self._shapes, self._records)

    def build(self) -> None:
        """Build the definitions in `$defs`, and those that are enqueued meanwhile."""
        context = self._context
        for name in sorted(context.reserved):
            self._define(name, context.schemas[name])
            # At once, so that a definition's parts take their names before those of the next.
            while context.queue:
                site, flat = context.queue.popleft()
                definition = self._object(site, flat)
                if definition is not None:
                    context.definitions[site.name] = definition

    def _define(self, name: str, schema: JsonObject) -> None:
        """Build the definition of a `$defs` entry."""
        at = pointer("$defs", name)
        site = DefinitionSite(name, at, name, description=schema.get("description"))
        bare, at = json_schema.unwrap(schema, at)
        is_object = json_schema.is_object(bare, self._context.schemas)
        is_record = is_object and json_schema.ref_target(bare) is None
        definition: Definition | None
        if is_record:
            definition = self._object(site, self._flattener.flatten(bare, at))
        else:
            shape = self._shapes.shape(bare, at, name, named=True)
            definition = Alias(name, site.at, name, site.description, shape)
        if definition is not None:
            self._context.add(definition)

    def _object(self, site: DefinitionSite, flat: FlatObject) -> Definition | None:
        """A record, or the union whose arms are flattened into it; None if that is a problem."""
        if flat.choices:
            return self._unions.union(site, flat)
        return self._records.record(site, flat)
