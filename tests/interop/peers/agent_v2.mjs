// The agent of the conversation with the official TypeScript SDK, its experimental protocol 2.

import * as acp from "@agentclientprotocol/sdk/experimental/v2";

import { AGENT, Acting, OPTIONS, PLAN, SESSION, extensions, stdio, texts } from "./stage.mjs";

const { agent: its, client: ofClient } = acp.methods;

class Stage {
  error = acp.RequestError;

  constructor(client) {
    this.client = client;
  }

  think(text) {
    return this.update({
      sessionUpdate: "agent_thought_chunk",
      messageId: "thought-1",
      content: { type: "text", text },
    });
  }

  say(text) {
    return this.update({
      sessionUpdate: "agent_message_chunk",
      messageId: "message-1",
      content: { type: "text", text },
    });
  }

  startTool() {
    return this.update({
      sessionUpdate: "tool_call_update",
      toolCallId: "call-1",
      title: "Reading",
      kind: "read",
      status: "pending",
      rawInput: { path: "main.py", lines: [1, 2.5] },
      _meta: { interop: true },
    });
  }

  finishTool() {
    return this.update({
      sessionUpdate: "tool_call_update",
      toolCallId: "call-1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "42 lines" } }],
    });
  }

  plan() {
    const plan = { type: "items", planId: "plan-1", entries: PLAN };
    return this.update({ sessionUpdate: "plan_update", plan });
  }

  async ask(title, toolCallId, options) {
    const subject = { type: "tool_call", toolCall: { toolCallId, title } };
    const params = { sessionId: SESSION, title, subject, options: OPTIONS };
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

  update(update) {
    return this.client.notify(ofClient.session.update, { sessionId: SESSION, update });
  }
}

let stage;
let acting;
let prompts = 0;

async function work(prompt) {
  await stage.update({ sessionUpdate: "state_update", state: "running" });
  const stopReason = await acting.perform(prompt);
  await stage.update({ sessionUpdate: "state_update", state: "idle", stopReason });
}

const app = acp
  .agent({ name: AGENT })
  .onConnect((connection) => {
    stage = new Stage(connection.client);
    acting = new Acting(stage);
  })
  .onRequest(its.initialize, () => ({
    protocolVersion: 2,
    capabilities: { session: { prompt: { embeddedContext: {} } } },
    info: { name: AGENT, version: "1.0.0" },
  }))
  .onRequest(its.session.new, () => ({ sessionId: SESSION }))
  .onRequest(its.session.prompt, ({ params }) => {
    const prompt = texts(params.prompt);
    acting.check(prompt);
    // The response says that the message was taken; the work goes on after it.
    setImmediate(() => void work(prompt));
    prompts += 1;
    return { messageId: `prompt-${prompts}` };
  })
  .onNotification(its.session.cancel, () => acting.cancelled.reach());

extensions(app, () => acting).connect(stdio(acp.ndJsonStream));
