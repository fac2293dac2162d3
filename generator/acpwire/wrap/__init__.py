"""Processes that run between a client and an agent and forward, record and check their messages.

`forwarding` forwards bytes. `copies` sends copies of the bytes to a second process, the `monitor`,
which records and checks the messages.
"""
