// The client of the conversation with the official TypeScript SDK, protocol 1: REPORT AGENT...

import * as acp from "@agentclientprotocol/sdk";

import { CLIENT, CWD, Seen, answerPermission, converse, main } from "./conversation.mjs";

const { agent: ofAgent, client: its } = acp.methods;

class Talk {
  seen = new Seen();
  error = acp.RequestError;

  async initialize() {
    const response = await this.agent.request(ofAgent.initialize, {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: CLIENT, version: "1.0.0" },
    });
    return { version: response.protocolVersion, agent: response.agentInfo?.name };
  }

  async newSession() {
    const params = { cwd: CWD, mcpServers: [] };
    this.sessionId = (await this.agent.request(ofAgent.session.new, params)).sessionId;
    return this.sessionId;
  }

  async prompt(...texts) {
    const { sessionId } = this;
    const prompt = texts.map((text) => ({ type: "text", text }));
    const { stopReason } = await this.agent.request(ofAgent.session.prompt, { sessionId, prompt });
    // The SDK does not wait for the handlers of the notifications that came before a response.
    await new Promise(setImmediate);
    return stopReason;
  }

  cancel() {
    return this.agent.notify(ofAgent.session.cancel, { sessionId: this.sessionId });
  }

  request(method, params, options) {
    return this.agent.request(method, params, options);
  }

  notify(method, params) {
    return this.agent.notify(method, params);
  }
}

// An update as the report has it.
function describe(update) {
  switch (update.sessionUpdate) {
    case "agent_thought_chunk":
      return ["thought", update.content.text];
    case "agent_message_chunk":
      return ["message", update.content.text];
    case "tool_call":
      return ["tool_call", update.toolCallId, update.status, update.rawInput, update._meta];
    case "tool_call_update":
      return ["tool_call_update", update.toolCallId, update.status, update.content[0].content.text];
    case "plan":
      return ["plan", update.entries.map((e) => [e.content, e.priority, e.status])];
    default:
      return ["unexpected", update];
  }
}

const asIs = (params) => params;
const talk = new Talk();
const app = acp
  .client({ name: CLIENT })
  .onNotification(its.session.update, ({ params }) =>
    talk.seen.add(talk.seen.updates, describe(params.update)),
  )
  .onRequest(its.session.requestPermission, async ({ params, signal }) => {
    const { toolCall } = params;
    const options = params.options.map(({ optionId }) => optionId);
    const id = toolCall.toolCallId;
    const optionId = await answerPermission(talk, toolCall.title, id, options, signal);
    return { outcome: { outcome: "selected", optionId } };
  })
  .onRequest("_interop/echo", asIs, ({ params }) => ({ echo: params }))
  .onNotification("_interop/note", asIs, ({ params }) => talk.seen.add(talk.seen.notes, params));

await main(acp.ndJsonStream, (stream) =>
  app.connectWith(stream, (agent) => {
    talk.agent = agent;
    return converse(talk);
  }),
);
