"""A sans-I/O bridge between a client and an agent that speak different protocol versions.

`bridge` receives bytes from both ends. Each end is a `jsonrpc` connection (`exchange`). If both
ends speak the same version, bytes are forwarded unchanged. Otherwise, each message is decoded
according to its sender's version, and `translating` chooses one of these options:

- The message is converted only by *rules* (`rules`, `custom`). The generator derives the rule
  tables from both schemas and from the decisions in the overlay.
- The message is converted by a *translator* (`v1_client_v2_agent` or `v2_client_v1_agent`), which
  tracks the state of each session. Both translators use the module `initialize`.
- The message is a request for files or terminals, and a fallback handler handles it instead of the
  client (`stand_in`).
- The message is dropped and reported as a *loss*.

Invariants and the modules that enforce them:

1. Each request receives exactly one response, from the other end or from the bridge (`exchange`).
2. Sent messages are strictly valid in the receiver's version (`exchange` and the rules).
3. Messages are delivered in order, except for growing tool call content (the translators and
   `tool_calls`).
4. Everything that is dropped is reported (`exchange`). The tests cover each report.
5. The bridge cannot hang, since it never waits and uses no timers. Each module limits its memory
   use.
"""
