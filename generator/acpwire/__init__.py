"""Commands for the messages between a client and an agent, and the rules that check them.

    cli -> conform                     a program, played with -> messages -> rules -> verdicts
    cli -> wrap                        client <-> agent; copies -> rules, recording
    cli -> trace                       recording -> rules -> entries, printed
    cli -> bridge, serve, connect      client <-> agent of another version, or on another machine

Commands are imported late, since they need the generated package.
"""
