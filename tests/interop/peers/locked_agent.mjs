// An agent of protocol 1 that opens sessions only after a sign-in, and cannot sign out. Its response
// to a prompt is the MCP servers of the session, as JSON.

import * as acp from "@agentclientprotocol/sdk";

import { stdio } from "./stage.mjs";

const { agent: its, client: ofClient } = acp.methods;

let client;
let isSignedIn = false;
let servers = [];
acp
  .agent({ name: "locked" })
  .onConnect((connection) => {
    client = connection.client;
  })
  .onRequest(its.initialize, () => ({
    protocolVersion: 1,
    authMethods: [{ id: "key", name: "Key" }],
  }))
  .onRequest(its.authenticate, ({ params }) => {
    isSignedIn = params.methodId === "key";
    return {};
  })
  .onRequest(its.session.new, ({ params }) => {
    if (!isSignedIn) throw acp.RequestError.authRequired();
    servers = params.mcpServers;
    return { sessionId: "s" };
  })
  .onRequest(its.session.prompt, async ({ params: { sessionId } }) => {
    const content = { type: "text", text: JSON.stringify(servers) };
    const update = { sessionUpdate: "agent_message_chunk", content };
    await client.notify(ofClient.session.update, { sessionId, update });
    return { stopReason: "end_turn" };
  })
  .connect(stdio(acp.ndJsonStream));
