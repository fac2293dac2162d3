// An agent that extends protocol 1 as public agents do: commands, MCP events, tool metadata, models.

import * as acp from "@agentclientprotocol/sdk";

import { stdio } from "./stage.mjs";

const { agent: its, client: ofClient } = acp.methods;
const asIs = (params) => params;
const sessionId = "s-1";

let client;
acp
  .agent({ name: "extensions" })
  .onConnect((connection) => {
    client = connection.client;
  })
  .onRequest(its.initialize, () => ({ protocolVersion: 1 }))
  .onRequest(its.session.new, async () => {
    const commands = [{ name: "/tools", description: "List the tools" }, { description: "nameless" }];
    await client.notify("_kiro.dev/commands/available", { sessionId, commands });
    await client.notify("_kiro.dev/mcp/server_initialized", { sessionId, serverName: "github" });
    await client.notify("_kiro.dev/metadata", {
      sessionId,
      contextUsagePercentage: 12.5,
      meteringUsage: [{ value: 0.21, unit: "credit" }],
    });
    await client.notify(ofClient.session.update, {
      sessionId,
      update: {
        sessionUpdate: "tool_call",
        toolCallId: "t-1",
        title: "ls",
        _meta: { claudeCode: { toolName: "Bash" }, terminal_info: { terminal_id: "t-1" } },
      },
    });
    return { sessionId };
  })
  .onRequest("_kiro.dev/commands/execute", asIs, ({ params: { command } }) =>
    command.command === "tools"
      ? { success: true, data: { tools: [command.args] } }
      : { success: "maybe" },
  )
  .onRequest("session/set_model", asIs, ({ params }) => ({ _meta: { model: params.modelId } }))
  .connect(stdio(acp.ndJsonStream));
