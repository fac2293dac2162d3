"""Message recordings, which can be read while they are being written.

Like the output of `log_to`, a recording contains a line of JSON for each message. A recording also
contains `events`, such as the agent's start, gaps, and the agent's exit.
"""
