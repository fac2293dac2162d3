"""An MCP server over stdio with one tool, `greet`. Usage: `mcp_server.py LOG`.

The server appends the method and the result of each request to LOG, so that a test can check the
agent's actions.
"""

from __future__ import annotations

import json
import sys
from typing import Any

TOOL = {
    "name": "greet",
    "description": "Greet someone by name.",
    "inputSchema": {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    },
}


def result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request, or None if the method is unknown."""
    if method == "initialize":
        info = {"name": "reality", "version": "1.0.0"}
        version = params.get("protocolVersion", "2025-06-18")
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        greeting = f"Hello, {params['arguments']['name']}!"
        return {"content": [{"type": "text", "text": greeting}]}
    return {} if method == "ping" else None


def main(log: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        found = result(message["method"], message.get("params") or {})
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if found is None:
            answer["error"] = {"code": -32601, "message": "method not found"}
        else:
            answer["result"] = found
        print(json.dumps(answer), flush=True)
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{message['method']} {json.dumps(found)}\n")


if __name__ == "__main__":
    main(sys.argv[1])
