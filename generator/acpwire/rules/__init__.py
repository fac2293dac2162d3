"""The rules for conversations, which `conform`, `trace` and `wrap` share.

In: lines of a recording. Out: an `entry` for each message, with its sender, the request that it
answers, and the requirements that it violates. `checker` follows a conversation and applies all
rules: a message by itself (`envelope`, `schema`, `values`), a response and its request (`pairing`),
and the subjects of messages (`capabilities`, `sessions`, their `updates` and `offers`).

The rules come from the generated package. A recording can begin or pause within a conversation, so
each rule only considers what the recording shows: it is silent where something can be missing.
"""
