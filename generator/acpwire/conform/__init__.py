"""Conformance tests, which check an agent or a client against the protocol's requirements.

`wire` starts the program. `player` simulates the program's peer and checks each message by using
`acpwire.rules`. The modules `probes_of_…` contain the probes, which are short tests. `judging` runs
all probes. `report` contains the verdicts. `baseline` reads the list of expected failures.
"""
