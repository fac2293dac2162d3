"""What is done with programs that talk, and with what they have said.

`bridge` and `wrap` stand between two programs, `serve` between remote clients and an agent,
`connect` between a client and a remote agent. `conform` talks with one program, `trace` reads a
recording.
"""
