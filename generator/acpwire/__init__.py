"""Commands that exchange, forward or check ACP messages, and the rules for checking them.

    cli -> conform                     simulated peer <-> program; messages -> rules -> verdicts
    cli -> wrap                        client <-> agent; copies -> rules, recording
    cli -> trace                       recording -> rules -> printed entries
    cli -> bridge, serve, connect      client <-> agent with another version or on another machine

Command modules are imported on first use, since the generated package that they need might be
missing.
"""
