// The agent of the conversations about turns with the official TypeScript SDK, protocol 1.

import * as acp from "@agentclientprotocol/sdk";

import { stdio } from "./stage.mjs";
import { AGENT, OPTIONS, PLAN, Session, text } from "./turns.mjs";

const { agent: its, client: ofClient } = acp.methods;

class SessionV1 extends Session {
  send(update) {
    const { sessionId } = this;
    return this.client.notify(ofClient.session.update, { sessionId, update });
  }

  // The client knows what the user said; who comes back to the session has to be told.
  take(prompt) {
    for (const content of prompt) {
      this.history.push({ sessionUpdate: "user_message_chunk", content });
    }
  }

  said() {
    return this.history
      .filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")
      .map(({ content }) => content.text);
  }

  say(words) {
    return this.update({ sessionUpdate: "agent_message_chunk", content: text(words) });
  }

  think(words) {
    return this.update({ sessionUpdate: "agent_thought_chunk", content: text(words) });
  }

  announce(toolCallId, title, kind, status) {
    return this.update({ sessionUpdate: "tool_call", toolCallId, title, kind, status });
  }

  stream() {}

  async ask(toolCallId, title, options) {
    const params = {
      sessionId: this.sessionId,
      toolCall: { toolCallId, title },
      options: OPTIONS,
    };
    const request = ofClient.session.requestPermission;
    const { outcome } = await this.client.request(request, params, options);
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
  }

  async output() {
    await this.update({ sessionUpdate: "plan", entries: PLAN });
    await this.say("I will read it.");
    await this.say(" It is short.");
    await this.announce("call_1", "Check the file", "other", "pending");
  }

  async tellAll() {
    await this.update({ sessionUpdate: "plan", entries: PLAN });
    await this.think("It is ");
    await this.think("a short file.");
    await this.say("Here is what I will do.");
    await this.announce("call_1", "Check the file", "execute", "pending");
    await this.report("call_1", "in_progress");
    await this.report("call_1", "completed", "No mistakes");
    await this.update({ sessionUpdate: "usage_update", used: 53000, size: 200000 });
  }
}

const sessions = new Map();
let client;

function open(sessionId) {
  const session = new SessionV1(sessionId, client);
  sessions.set(sessionId, session);
  return session;
}

acp
  .agent({ name: AGENT })
  .onConnect((connection) => {
    client = connection.client;
  })
  .onRequest(its.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { embeddedContext: true },
      sessionCapabilities: { close: {} },
    },
    agentInfo: { name: AGENT, version: "1.0.0" },
    authMethods: [],
  }))
  .onRequest(its.session.new, ({ params }) => {
    const { sessionId } = open(params._meta.conversation);
    return { sessionId };
  })
  .onRequest(its.session.load, async ({ params }) => {
    await open(params.sessionId).reopen();
    return {};
  })
  .onRequest(its.session.prompt, async ({ params: { sessionId, prompt } }) => {
    const session = sessions.get(sessionId);
    session.take(prompt);
    return { stopReason: await session.turn(prompt) };
  })
  .onNotification(its.session.cancel, ({ params }) => sessions.get(params.sessionId).abort.abort())
  .onRequest(its.session.close, ({ params }) => {
    sessions.get(params.sessionId).keep();
    sessions.delete(params.sessionId);
    return {};
  })
  .connect(stdio(acp.ndJsonStream));
