"""Schemas, represented by nodes that can be queried.

`document` reads and checks a file. `nodes` contains the classes that represent definitions and
their parts. `envelopes` finds the definitions that only describe the framing of messages. `unread`
finds the parts that the generator does not support, and `pruning` removes them.
"""
