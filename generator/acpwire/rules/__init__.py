"""The message-checking rules that `conform`, `trace` and `wrap` share.

The rules convert the lines of a recording to entries, one for each message. An `entry` contains the
message's sender, the request that it responds to, and the violated requirements. `checker` reads
the lines and applies all rules. `envelope`, `schema` and `values` check a single message. `pairing`
matches a response with its request. `capabilities`, `sessions`, `updates` and `offers` check the
order and content of related messages.

The rules are based on the generated package. A recording might begin or have a gap in the middle of
a connection, so the rules don't report problems that missing messages could explain.
"""
