"""A recorded conversation between a client and an agent, understood and checked.

In: the lines of a log, or bare JSON-RPC messages. Out: an entry for each message: who sent it, what
it answers, and what violates the schema. Needs the generated package, which commands import late.
"""
