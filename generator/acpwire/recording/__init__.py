"""Recordings of conversations, which can be read while they are written.

The format is that of `log_to`, a line of JSON for each message, with `events` between them: the
beginning of the recording, gaps, and the end of the conversation.
"""
