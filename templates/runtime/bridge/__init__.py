"""A sans-I/O bridge between a client and an agent that speak different protocol versions.

`bridge` receives the bytes of both ends. Each end is a connection of `jsonrpc` (`exchange`). If
both ends speak the same version, bytes are forwarded unchanged. Otherwise each message is decoded
with the version of its sender, and `translating` decides how to convert it:

- by *rules* only (`rules`, `custom`), from tables that the generator derives from both schemas and
  from the decisions in the overlay;
- by the code of a *translator*, which keeps the state of each session: `v1_client_v2_agent` or
  `v2_client_v1_agent`; `initialize` serves both;
- by a fallback handler that replaces the client (`stand_in`), for files and terminals;
- not at all: it is a *loss*, which is reported.

Invariants, and the modules that enforce them:

1. A request gets exactly one response, from the other end or from the bridge: `exchange`.
2. Sent messages are strictly valid in the version of their receiver: `exchange` and the rules.
3. Messages keep their order, except growing content of tool calls: the translators, `tool_calls`.
4. Nothing is dropped without a report: `exchange`, and a test of each call that reports.
5. The bridge never waits and uses no timers, so it cannot hang. Each module limits its memory.
"""
