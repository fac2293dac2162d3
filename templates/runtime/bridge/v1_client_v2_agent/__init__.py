"""A v1 client with a v2 agent.

Requests and updates of either end reach `translator`, which answers prompts when their turn ends.
`session` recognizes the agent's echoes of prompts. `updates` keeps the state of a session and sends
updates in version 1, with `tool_calls` for those about tool calls and terminals. `questions` passes
on permission requests and elicitations. Each module begins with its rules.
"""
