// The client of the conversation with the official TypeScript SDK: VERSION REPORT AGENT... Protocol
// 2 is experimental there.

import { CLIENT, CWD, Seen, answerPermission, converse, main } from "./conversation.mjs";

const [version] = process.argv.splice(2, 1).map(Number);
const entry = { 1: "", 2: "/experimental/v2" }[version];
const acp = await import(`@agentclientprotocol/sdk${entry}`);
const { agent: ofAgent, client: its } = acp.methods;
const info = { name: CLIENT, version: "1.0.0" };
const fs = { readTextFile: false, writeTextFile: false };

class Talk {
  seen = new Seen();
  error = acp.RequestError;

  async initialize() {
    const about =
      version === 1
        ? { clientCapabilities: { fs, terminal: false }, clientInfo: info }
        : { capabilities: {}, info };
    const params = { protocolVersion: version, ...about };
    const response = await this.agent.request(ofAgent.initialize, params);
    const agent = version === 1 ? response.agentInfo?.name : response.info.name;
    return { version: response.protocolVersion, agent };
  }

  async newSession() {
    const params = { cwd: CWD, mcpServers: [] };
    this.sessionId = (await this.agent.request(ofAgent.session.new, params)).sessionId;
    return this.sessionId;
  }

  async prompt(...texts) {
    this.seen.updates.length = 0;
    const { sessionId } = this;
    const prompt = texts.map((text) => ({ type: "text", text }));
    const { stopReason } = await this.agent.request(ofAgent.session.prompt, { sessionId, prompt });
    if (version === 1) {
      // The SDK does not wait for the handlers of the notifications that came before a response.
      await new Promise(setImmediate);
      return stopReason;
    }
    // The response says that the message was taken; an update, that the work is done.
    await this.seen.until(() => this.seen.stops().length > 0);
    return this.seen.stops()[0];
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

const asIs = (params) => params;
const talk = new Talk();
const app = acp
  .client({ name: CLIENT })
  .onNotification(its.session.update, ({ params }) =>
    talk.seen.add(talk.seen.updates, params.update),
  )
  .onRequest(its.session.requestPermission, ({ params, signal }) =>
    answerPermission(talk, params, signal),
  )
  .onRequest("_interop/echo", asIs, ({ params }) => ({ echo: params }))
  .onNotification("_interop/note", asIs, ({ params }) => talk.seen.add(talk.seen.notes, params));

await main(acp.ndJsonStream, (stream) =>
  app.connectWith(stream, (agent) => {
    talk.agent = agent;
    return converse(talk);
  }),
);
