// The client of the conversations about turns with the official TypeScript SDK, protocol 1.

import * as acp from "@agentclientprotocol/sdk";

import { CLIENT, Talk, converse } from "./turns.mjs";

const { agent: ofAgent, client: its } = acp.methods;

class TalkV1 extends Talk {
  initialize() {
    const clientInfo = { name: CLIENT, version: "1.0.0" };
    return this.agent.request(ofAgent.initialize, { protocolVersion: 1, clientInfo });
  }

  create(conversation) {
    const params = { cwd: process.cwd(), mcpServers: [], _meta: { conversation } };
    return this.agent.request(ofAgent.session.new, params);
  }

  async comeBack(sessionId) {
    const params = { sessionId, cwd: process.cwd(), mcpServers: [] };
    await this.agent.request(ofAgent.session.load, params);
    // The SDK does not wait for the handlers of the notifications that came before a response.
    await new Promise(setImmediate);
  }

  async turn(sessionId, prompt) {
    const response = await this.agent.request(ofAgent.session.prompt, { sessionId, prompt });
    await new Promise(setImmediate);
    return { response, stop: response.stopReason };
  }

  sendCancel(sessionId) {
    return this.agent.notify(ofAgent.session.cancel, { sessionId });
  }

  close(sessionId) {
    return this.agent.request(ofAgent.session.close, { sessionId });
  }
}

const talk = new TalkV1();
const app = acp
  .client({ name: CLIENT })
  .onNotification(its.session.update, ({ params }) => talk.updated(params))
  .onRequest(its.session.requestPermission, ({ params }) => talk.answer(params));

await converse(acp.ndJsonStream, app, talk);
