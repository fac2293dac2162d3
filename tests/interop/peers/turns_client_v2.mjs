// The client of the conversations about turns with the official TypeScript SDK, its experimental
// protocol 2.

import * as acp from "@agentclientprotocol/sdk/experimental/v2";

import { CLIENT, Talk, converse } from "./turns.mjs";

const { agent: ofAgent, client: its } = acp.methods;

class TalkV2 extends Talk {
  initialize() {
    const info = { name: CLIENT, version: "1.0.0" };
    return this.agent.request(ofAgent.initialize, { protocolVersion: 2, capabilities: {}, info });
  }

  create(conversation) {
    const params = { cwd: process.cwd(), mcpServers: [], _meta: { conversation } };
    return this.agent.request(ofAgent.session.new, params);
  }

  async comeBack(sessionId) {
    const replayFrom = { type: "start" };
    const params = { sessionId, cwd: process.cwd(), mcpServers: [], replayFrom };
    await this.agent.request(ofAgent.session.resume, params);
    // The SDK does not wait for the handlers of the notifications that came before a response.
    await new Promise(setImmediate);
  }

  async turn(sessionId, prompt) {
    const notes = this.notes(sessionId);
    const response = await this.agent.request(ofAgent.session.prompt, { sessionId, prompt });
    // The response says that the message was taken; an update after it, that the work is done.
    const idle = () => {
      const { updates } = notes;
      const inserted = updates.findIndex(({ messageId }) => messageId === response.messageId);
      return inserted < 0 ? undefined : updates.slice(inserted).find((u) => u.state === "idle");
    };
    await notes.until(idle);
    return { response, stop: idle().stopReason };
  }

  sendCancel(sessionId) {
    return this.agent.notify(ofAgent.session.cancel, { sessionId });
  }

  close(sessionId) {
    return this.agent.request(ofAgent.session.close, { sessionId });
  }

  wake(sessionId) {
    return this.agent.notify("_turns/wake", { sessionId });
  }
}

const talk = new TalkV2();
const app = acp
  .client({ name: CLIENT })
  .onNotification(its.session.update, ({ params }) => talk.updated(params))
  .onRequest(its.session.requestPermission, ({ params }) => talk.answer(params));

await converse(acp.ndJsonStream, app, talk);
