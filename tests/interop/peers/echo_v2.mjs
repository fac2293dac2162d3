// The same agent in the SDK's experimental protocol 2.

import * as acp from "@agentclientprotocol/sdk/experimental/v2";

import { serve } from "./serving.mjs";

const { agent: its, client: ofClient } = acp.methods;

async function work(client, { sessionId, prompt }) {
  const send = (update) => client.notify(ofClient.session.update, { sessionId, update });
  await send({ sessionUpdate: "state_update", state: "running" });
  for (const content of prompt) {
    await send({ sessionUpdate: "agent_message_chunk", messageId: "m", content });
  }
  await send({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
}

function connect(stream) {
  let client;
  acp
    .agent({ name: "echo" })
    .onConnect((connection) => {
      client = connection.client;
    })
    .onRequest(its.initialize, () => ({
      protocolVersion: 2,
      capabilities: { session: {} },
      info: { name: "echo", version: "1.0.0" },
    }))
    .onRequest(its.session.new, () => ({ sessionId: "s" }))
    .onRequest(its.session.prompt, ({ params }) => {
      setImmediate(() => void work(client, params));
      return { messageId: "u" };
    })
    .connect(stream);
}

serve(acp.ndJsonStream, connect);
