"""Translation for a v2 client and a v1 agent.

`translator` handles requests and updates from both sides. It accepts prompts immediately, one at a
time, and reports the end of each turn in an update. `session` keeps the state of a session,
generates message ids and converts modes to a config option. `updates` converts updates. `questions`
forwards permission requests and elicitations. `terminals` sends the client updates about the
terminals that the fallback handler runs. Each module's docstring lists its rules.
"""
