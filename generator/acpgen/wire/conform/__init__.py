"""Whether a program does what the specification demands: an agent, or a client.

In: a command, and the requirements of the overlay. `wire` starts the program (a client with
`acpgen.wire.relay` as its agent), `conversation` talks with it, `watching` looks at each message,
the probes of a side play small conversations, `judging` plays them all, and `verdicts` has what
comes of it: a verdict for each requirement. `baseline` and `junit` read and write files. Needs the
generated package, which commands import late.
"""
