"""A scripted model server on localhost. `script` chooses replies; a module per API converts them.

Requests go from `server` to the module of their API, which reads them as an `Exchange`. `script`
returns a `Reply`, which the same module writes as one document or as events.
"""
