// The agent of the conversations about turns with the official TypeScript SDK, its experimental
// protocol 2.

import * as acp from "@agentclientprotocol/sdk/experimental/v2";

import { stdio } from "./stage.mjs";
import { AGENT, OPTIONS, PLAN, Session, output, text } from "./turns.mjs";

const { agent: its, client: ofClient } = acp.methods;

class SessionV2 extends Session {
  #ids = 0;

  newId(kind) {
    this.#ids += 1;
    return `${kind}_${this.history.length}_${this.#ids}`;
  }

  send(update) {
    const { sessionId } = this;
    return this.client.notify(ofClient.session.update, { sessionId, update });
  }

  said() {
    return this.history
      .filter(({ sessionUpdate }) => sessionUpdate === "user_message")
      .map(({ content }) => content[0].text);
  }

  say(words, messageId = this.newId("message")) {
    const content = text(words);
    return this.update({ sessionUpdate: "agent_message_chunk", messageId, content });
  }

  announce(toolCallId, title, kind, status) {
    return this.update({ sessionUpdate: "tool_call_update", toolCallId, title, kind, status });
  }

  async stream(toolCallId, ...texts) {
    for (const content of output(texts)) {
      await this.update({ sessionUpdate: "tool_call_content_chunk", toolCallId, content });
    }
  }

  async ask(toolCallId, title, options) {
    const subject = { type: "tool_call", toolCall: { toolCallId } };
    const params = { sessionId: this.sessionId, title, subject, options: OPTIONS };
    const request = ofClient.session.requestPermission;
    const { outcome } = await this.client.request(request, params, options);
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
  }

  // Say something that nobody has asked for.
  async speakUp(words) {
    await this.update({ sessionUpdate: "state_update", state: "running" });
    await this.say(words);
    await this.update({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
  }

  // The work of a prompt that was accepted.
  async work(messageId, prompt) {
    await this.update({ sessionUpdate: "user_message", messageId, content: prompt });
    await this.update({ sessionUpdate: "state_update", state: "running" });
    const stopReason = await this.turn(prompt);
    await this.update({ sessionUpdate: "state_update", state: "idle", stopReason });
  }

  plan() {
    const plan = { type: "items", planId: "plan_1", entries: PLAN };
    return this.update({ sessionUpdate: "plan_update", plan });
  }

  whole(kind, messageId, members) {
    return this.update({ sessionUpdate: kind, messageId, ...members });
  }

  async output() {
    await this.plan();
    await this.whole("agent_message", "answer", { content: [text("I will read it.")] });
    await this.say(" It is short.", "answer");
    await this.whole("agent_thought", "thought", { content: [text("Is that a loop?")] });
    await this.announce("call_1", "Check the file", "other", "pending");
    const cost = { amount: 0.045, currency: "USD" };
    await this.update({ sessionUpdate: "usage_update", used: 53000, size: 200000, cost });
  }

  async tellAll() {
    await this.plan();
    const first = { content: [text("This is what I saw.")], _meta: { draft: true } };
    await this.whole("agent_message", "answer", first);
    await this.say(" And more.", "answer");
    await this.whole("agent_thought", "forgotten", { content: [text("Never mind.")] });
    await this.whole("agent_thought", "forgotten", { content: null });
    await this.announce("call_1", "Check the file", "execute", "pending");
    await this.report("call_1", "in_progress");
    await this.stream("call_1", "Half of it", "All of it");
    await this.report("call_1", "completed");
    await this.update({ sessionUpdate: "usage_update", used: 53000, size: 200000 });
  }
}

const sessions = new Map();
let client;

function open(sessionId) {
  const session = new SessionV2(sessionId, client);
  sessions.set(sessionId, session);
  return session;
}

acp
  .agent({ name: AGENT })
  .onConnect((connection) => {
    client = connection.client;
  })
  .onRequest(its.initialize, () => ({
    protocolVersion: 2,
    capabilities: { session: { prompt: { embeddedContext: {} } } },
    info: { name: AGENT, version: "1.0.0" },
  }))
  .onRequest(its.session.new, ({ params }) => {
    const session = open(params._meta.conversation);
    const { sessionId } = session;
    if (sessionId === "unprompted") setImmediate(() => void session.speakUp("Good morning."));
    return { sessionId };
  })
  .onRequest(its.session.resume, async ({ params }) => {
    await open(params.sessionId).reopen();
    return {};
  })
  .onRequest(its.session.prompt, ({ params: { sessionId, prompt } }) => {
    const session = sessions.get(sessionId);
    const messageId = session.newId("prompt");
    // The response says that the message was taken; the work goes on after it.
    setImmediate(() => void session.work(messageId, prompt));
    return { messageId };
  })
  .onNotification(its.session.cancel, ({ params }) => sessions.get(params.sessionId).abort.abort())
  .onNotification(
    "_turns/wake",
    (params) => params,
    ({ params }) => sessions.get(params.sessionId).speakUp("There is mail."),
  )
  .onRequest(its.session.close, ({ params }) => {
    sessions.get(params.sessionId).keep();
    sessions.delete(params.sessionId);
    return {};
  })
  .connect(stdio(acp.ndJsonStream));
