"""Recordings of messages, which can be read while they are being written.

A recording has the format of `log_to`, a line of JSON for each message, and also contains `events`
such as the start of the agent, gaps, and the agent's exit.
"""
