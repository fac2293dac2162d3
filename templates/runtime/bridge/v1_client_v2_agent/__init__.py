"""Translation for a v1 client and a v2 agent.

`translator` handles requests and updates from both sides and responds to prompts when their turns
end. `session` recognizes messages in which the agent repeats a prompt. `updates` tracks the state
of a session and sends its updates as version 1 updates, using `tool_calls` for tool calls and
terminals. `questions` forwards permission requests and elicitations. Each module's docstring lists
its rules.
"""
