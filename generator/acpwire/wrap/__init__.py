"""A process between a client and an agent that forwards, records and checks their messages.

`forwarding` forwards bytes, `copies` passes them to a second process, the `monitor`.
"""
