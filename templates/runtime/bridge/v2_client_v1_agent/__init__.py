"""A v2 client with a v1 agent.

`translator` handles requests and updates of both ends. It accepts prompts immediately, one at a
time, and reports the ends of turns as updates. `session` keeps the state of a session, generates
ids of messages and converts modes to an option. `updates` converts updates, `questions` forwards
permission requests and elicitations, and `terminals` shows the client the terminals that the
fallback handler runs. Each module begins with its rules.
"""
