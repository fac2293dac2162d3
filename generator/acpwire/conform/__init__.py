"""Conformance tests: check an agent or a client against the requirements of the specification.

In: a command, and the requirements of the overlay. `wire` starts the program, `player` plays its
peer and checks each message by `acpwire.rules`, the probes of both sides play short conversations,
`judging` plays them all, and `report` contains the verdicts. `baseline` lists expected failures.
"""
