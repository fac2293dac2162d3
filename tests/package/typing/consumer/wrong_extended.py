"""Incorrect uses of extensions, marked as in `wrong.py`."""

from acp_bindings import v2
from samples import acme


async def wrong(agent: acme.AgentStub, call: v2.ToolCallUpdate) -> None:
    await agent.acme_index(v2.CloseSessionRequest(session_id="s"))  # error
    acme.meta(call).origin = "main.py"  # error
    acme.meta(v2.TextContent(text="x"))  # error
    acme.unrefine(acme.Origin(file="x"))  # error
    acme.Progress(percent="half")  # error
    text: str = acme.meta(call).origin  # error
    print(text)
