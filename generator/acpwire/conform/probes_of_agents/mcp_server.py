"""A script that runs an MCP server without tools. `acpgen conform` offers the server to agents."""

import json
import sys

_INFO = {"name": "acpgen-conform", "version": "1"}

if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        response = {"jsonrpc": "2.0", "id": request["id"], "result": {}}
        if request["method"] == "initialize":
            version = request["params"]["protocolVersion"]
            response["result"] = {
                "protocolVersion": version,
                "serverInfo": _INFO,
                "capabilities": {"tools": {}},
            }
        elif request["method"] == "tools/list":
            response["result"] = {"tools": []}
        print(json.dumps(response), flush=True)
