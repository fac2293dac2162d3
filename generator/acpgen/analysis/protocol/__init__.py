"""Build the protocol of a surface: methods, capabilities, session updates, sessions.

In: the envelopes, the definitions and the overlay. Out: methods, update rules, a `SessionSpec`.
"""
