"""Whether a program does what the specification demands: an agent, or a client.

In: a command, and the requirements of the overlay. `wire` starts the program (a client with
`client/relay.py` as its agent), `conversation` talks with it and checks each message by the rules
of `acpwire.trace`, the probes play small conversations, `judging` plays them all, and `verdicts`
sums up. `baseline` and `junit` read and write files. Needs the generated package, which commands
import late.
"""
