"""Build the definitions of a schema.

In: a `BuildContext` with the raw definitions. Out: records, unions and aliases in the context.

objects -> shapes -> records -> unions -> definitions
"""
