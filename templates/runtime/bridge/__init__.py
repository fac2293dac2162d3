"""A bridge: carries conversations between a client of one protocol version and an agent of another,
without input or output.

`bridge` receives the bytes of both ends. Each end is a connection of `jsonrpc` (`exchange`). If
both ends speak the same version, bytes pass unchanged. Otherwise each message is decoded by the
version of its sender, and `translating` decides how it is carried over:

- by *rules* only (`rules`, `custom`), from tables that the generator makes of both schemas and of
  the decisions in the overlay;
- by the code of a *translator*, which keeps the state of each session: `v1_client_v2_agent` or
  `v2_client_v1_agent`; `initialize` serves both;
- by a handler in place of the client (`stand_in`), for files and terminals;
- not at all: it is a *loss*, which is reported.

What holds, and which module enforces it:

1. A request gets exactly one response, from the other end or from the bridge: `exchange`.
2. Sent messages are strictly valid in the version of their receiver: `exchange` and the rules.
3. Messages keep their order, except growing content of tool calls: the translators, `tool_calls`.
4. Nothing is dropped without a report: `exchange`, and a test of each call that reports.
5. Nothing waits or keeps time, so nothing can hang. What is kept is limited, in each module.
"""
