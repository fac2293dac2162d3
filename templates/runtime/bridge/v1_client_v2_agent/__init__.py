"""A v1 client with a v2 agent.

`translator` handles requests and updates of both ends. It responds to prompts when their turn ends.
`session` recognizes the agent's echoes of prompts. `updates` keeps the state of a session and sends
updates in version 1, with `tool_calls` for tool calls and terminals. `questions` forwards
permission requests and elicitations. Each module begins with its rules.
"""
