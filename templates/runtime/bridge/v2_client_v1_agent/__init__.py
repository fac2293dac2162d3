"""A v2 client with a v1 agent.

Requests and updates of either end reach `translator`, which accepts prompts immediately, one at a
time, and reports the ends of turns as updates. `session` keeps the state of a session, makes up the
ids of messages, and turns modes into an option. `updates` converts updates, `questions` passes on
permission requests and elicitations, and `terminals` shows the client the terminals that a handler
runs in its place. Each module begins with its rules.
"""
