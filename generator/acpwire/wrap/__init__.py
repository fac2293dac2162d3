"""Processes between a client and an agent that forward, record and check their messages.

`forwarding` forwards bytes. `copies` sends copies of them to a second process, the `monitor`,
which records and checks the messages.
"""
