"""Build all definitions of a schema: those in `$defs`, then the objects defined in place."""

from __future__ import annotations

from acpgen.analysis.context import BuildContext, DefinitionSite, FlatObject
from acpgen.analysis.types.objects import ObjectFlattener
from acpgen.analysis.types.records import RecordBuilder
from acpgen.analysis.types.shapes import ShapeBuilder
from acpgen.analysis.types.unions import UnionBuilder
from acpgen.ir.model import Alias, Definition
from acpgen.schema.nodes import Node


def build_definitions(context: BuildContext) -> None:
    """Enter the definitions of a schema, and its problems, into the context."""
    for node in context.schemas.cyclic():
        context.unsupported(node.at, "refers to itself; break the cycle")
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
            # At once, so that its parts take their names before the parts of the next definition.
            while context.queue:
                site, flat = context.queue.popleft()
                context.definitions[site.name] = self._object(site, flat)

    def _define(self, name: str, node: Node) -> None:
        """Build the definition of a `$defs` entry."""
        class_ = self._context.classes[name]
        site = DefinitionSite(class_, node.at, name, description=node.description)
        definition: Definition
        if node.bare.is_object and node.target is None:
            definition = self._object(site, self._flattener.flatten(node.bare))
        else:
            shape = self._shapes.shape(node.bare, class_, named=True)
            definition = Alias(class_, site.at, name, site.description, shape)
        self._context.add(definition)

    def _object(self, site: DefinitionSite, flat: FlatObject) -> Definition:
        """A record, or the union whose arms are flattened into it."""
        if flat.choices:
            return self._unions.union(site, flat)
        return self._records.record(site, flat)
