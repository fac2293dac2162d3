"""A sans-I/O bridge between a client and an agent that speak different protocol versions.

`bridge` receives bytes from both ends. Each end is a `jsonrpc` connection (`exchange`). If both
ends speak the same version, bytes are forwarded unchanged. Otherwise each message is decoded
according to its sender's version, and `translating` chooses how to convert it:

- With *rules* only (`rules`, `custom`). The generator derives the rule tables from both schemas and
  from the decisions in the overlay.
- With a *translator*, which tracks the state of each session: `v1_client_v2_agent` or
  `v2_client_v1_agent`. Both translators use `initialize`.
- With a fallback handler that replaces the client (`stand_in`), for files and terminals.
- Not at all. The message is then reported as a *loss*.

Invariants and the modules that enforce them:

1. Each request gets exactly one response, from the other end or from the bridge: `exchange`.
2. Sent messages are strictly valid in the receiver's version: `exchange` and the rules.
3. Messages are delivered in order, except for growing tool call content: the translators and
   `tool_calls`.
4. Everything that is dropped is reported: `exchange`. Each reporting call is tested.
5. The bridge cannot hang, since it never waits and uses no timers. Each module limits its memory
   use.
"""
