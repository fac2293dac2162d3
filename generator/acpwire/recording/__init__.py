"""Recordings of conversations: written while messages pass, and read, even at the same time.

The format is that of `log_to`, a line of JSON for each message, with `events` between them: how the
recording began, what is missing in it, how the conversation ended.
"""
