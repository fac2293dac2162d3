"""Each line with a comment is refused by both type checkers."""

import acme
from acp_bindings import v2


async def wrong(agent: acme.AgentStub, call: v2.ToolCallUpdate) -> None:
    await agent.acme_index(v2.CloseSessionRequest(session_id="s"))  # E
    acme.meta(call).origin = "main.py"  # E
    acme.meta(v2.TextContent(text="x"))  # E
    acme.unrefine(acme.Origin(file="x"))  # E
    acme.Progress(percent="half")  # E
    text: str = acme.meta(call).origin  # E
    print(text)
