// An agent that answers each prompt with its own words, protocol 1.

import * as acp from "@agentclientprotocol/sdk";

import { serve } from "./serving.mjs";

const { agent: its, client: ofClient } = acp.methods;

function connect(stream) {
  let client;
  acp
    .agent({ name: "echo" })
    .onConnect((connection) => {
      client = connection.client;
    })
    .onRequest(its.initialize, () => ({ protocolVersion: 1 }))
    .onRequest(its.session.new, () => ({ sessionId: "s" }))
    .onRequest(its.session.prompt, async ({ params: { sessionId, prompt } }) => {
      for (const content of prompt) {
        const update = { sessionUpdate: "agent_message_chunk", content };
        await client.notify(ofClient.session.update, { sessionId, update });
      }
      return { stopReason: "end_turn" };
    })
    .connect(stream);
}

serve(acp.ndJsonStream, connect);
