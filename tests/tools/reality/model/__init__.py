"""A scripted model server on localhost, which supports several APIs.

`server` passes each request to the module for its API, which reads the request as an `Exchange`.
For an exchange, `script` returns a `Reply`. The API's module converts the reply to a single
document or to a stream of events.
"""
