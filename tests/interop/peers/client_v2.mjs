// The client of the conversation with the official TypeScript SDK, its experimental protocol 2:
// REPORT AGENT...

import * as acp from "@agentclientprotocol/sdk/experimental/v2";

import { CLIENT, CWD, Seen, answerPermission, converse, main } from "./conversation.mjs";

const { agent: ofAgent, client: its } = acp.methods;

class Talk {
  seen = new Seen();
  stops = [];
  error = acp.RequestError;

  async initialize() {
    const response = await this.agent.request(ofAgent.initialize, {
      protocolVersion: 2,
      capabilities: {},
      info: { name: CLIENT, version: "1.0.0" },
    });
    return { version: response.protocolVersion, agent: response.info.name };
  }

  async newSession() {
    const params = { cwd: CWD, mcpServers: [] };
    this.sessionId = (await this.agent.request(ofAgent.session.new, params)).sessionId;
    return this.sessionId;
  }

  async prompt(...texts) {
    this.stops.length = 0;
    const { sessionId } = this;
    const prompt = texts.map((text) => ({ type: "text", text }));
    await this.agent.request(ofAgent.session.prompt, { sessionId, prompt });
    // The response says that the message was taken; an update, that the work is done.
    await this.seen.until(() => this.stops.length > 0);
    return this.stops[0];
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
    case "state_update":
      return update.state === "idle" ? ["idle", update.stopReason] : [update.state];
    case "agent_thought_chunk":
      return ["thought", update.content.text];
    case "agent_message_chunk":
      return ["message", update.content.text];
    case "tool_call_update": {
      const { toolCallId, status, content } = update;
      if (content) return ["tool_call_update", toolCallId, status, content[0].content.text];
      return ["tool_call", toolCallId, status, update.rawInput, update._meta];
    }
    case "plan_update":
      return ["plan", update.plan.entries.map((e) => [e.content, e.priority, e.status])];
    default:
      return ["unexpected", update];
  }
}

const asIs = (params) => params;
const talk = new Talk();
const app = acp
  .client({ name: CLIENT })
  .onNotification(its.session.update, ({ params: { update } }) => {
    talk.seen.add(talk.seen.updates, describe(update));
    if (update.state === "idle") talk.seen.add(talk.stops, update.stopReason);
  })
  .onRequest(its.session.requestPermission, async ({ params, signal }) => {
    const { title, subject } = params;
    const options = params.options.map(({ optionId }) => optionId);
    const id = subject.toolCall.toolCallId;
    const optionId = await answerPermission(talk, title, id, options, signal);
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
