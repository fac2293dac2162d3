"""A bridge: carries whole conversations between a client of one protocol version and an agent of
the other, without input or output.

`bridge` has two connections of `jsonrpc`: it is an agent towards the client, and a client towards
the agent. What the two say in `initialize` decides whether there is something to do; if both speak
the same version, bytes pass as they are. Otherwise every message is decoded by the version of its
sender, and takes one of four ways:

- what differs in form alone is carried over by *rules* (`rules`, `custom`), from tables that the
  generator makes of the two schemas and of our decisions;
- what differs in meaning is taken by a *translator* (`translating`), which keeps the state of each
  session: `older_client` and the other `older_…` modules for a client of the older version,
  `newer_client` and its kin for one of the newer version;
- what only an older client has, files and terminals, a handler may answer in its place
  (`stand_in`); the newer client is shown the terminals (`newer_terminals`);
- what the other version cannot say is a *loss* (`loss`), which is told, never silent.

Invariants, on which the translators rely and which they keep: a request gets exactly one response,
from the other end or from the bridge (`exchange`); what is sent is strictly valid in the version of
its receiver; what arrives in order is told in order, but for content of tool calls, which is kept
back while it grows; nothing here waits or keeps time, so nothing here can hang.
"""
