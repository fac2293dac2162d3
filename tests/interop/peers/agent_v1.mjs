// The agent of the conversation with the official TypeScript SDK, protocol 1.

import * as acp from "@agentclientprotocol/sdk";

import { AGENT, Acting, OPTIONS, PLAN, SESSION, extensions, stdio, texts } from "./stage.mjs";

const { agent: its, client: ofClient } = acp.methods;

class Stage {
  error = acp.RequestError;

  constructor(client) {
    this.client = client;
  }

  think(text) {
    return this.#update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  }

  say(text) {
    return this.#update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  startTool() {
    return this.#update({
      sessionUpdate: "tool_call",
      toolCallId: "call-1",
      title: "Reading",
      kind: "read",
      status: "pending",
      rawInput: { path: "main.py", lines: [1, 2.5] },
      _meta: { interop: true },
    });
  }

  finishTool() {
    return this.#update({
      sessionUpdate: "tool_call_update",
      toolCallId: "call-1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "42 lines" } }],
    });
  }

  plan() {
    return this.#update({ sessionUpdate: "plan", entries: PLAN });
  }

  async ask(title, toolCallId, options) {
    const params = { sessionId: SESSION, toolCall: { toolCallId, title }, options: OPTIONS };
    const request = ofClient.session.requestPermission;
    const { outcome } = await this.client.request(request, params, options);
    return outcome.outcome === "selected" ? outcome.optionId : "none";
  }

  request(method, params) {
    return this.client.request(method, params);
  }

  notify(method, params) {
    return this.client.notify(method, params);
  }

  #update(update) {
    return this.client.notify(ofClient.session.update, { sessionId: SESSION, update });
  }
}

let acting;
const app = acp
  .agent({ name: AGENT })
  .onConnect((connection) => {
    acting = new Acting(new Stage(connection.client));
  })
  .onRequest(its.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: false, promptCapabilities: { embeddedContext: true } },
    agentInfo: { name: AGENT, version: "1.0.0" },
    authMethods: [],
  }))
  .onRequest(its.session.new, () => ({ sessionId: SESSION }))
  .onRequest(its.session.prompt, async ({ params }) => {
    const prompt = texts(params.prompt);
    acting.check(prompt);
    return { stopReason: await acting.perform(prompt) };
  })
  .onNotification(its.session.cancel, () => acting.cancelled.reach());

extensions(app, () => acting).connect(stdio(acp.ndJsonStream));
