// The agent of the conversation with the official TypeScript SDK: VERSION. Protocol 2 is
// experimental there.

import { Acting, SESSION, initialized, stdio } from "./stage.mjs";

const version = Number(process.argv[2]);
const entry = { 1: "", 2: "/experimental/v2" }[version];
const acp = await import(`@agentclientprotocol/sdk${entry}`);
const { agent: its, client: ofClient } = acp.methods;

class Stage {
  error = acp.RequestError;
  version = version;

  constructor(client) {
    this.client = client;
  }

  update(update) {
    return this.client.notify(ofClient.session.update, { sessionId: SESSION, update });
  }

  ask(params, options) {
    return this.client.request(ofClient.session.requestPermission, params, options);
  }

  request(method, params) {
    return this.client.request(method, params);
  }

  notify(method, params) {
    return this.client.notify(method, params);
  }
}

const asIs = (params) => params;
let acting;
acp
  .agent({ name: "interop" })
  .onConnect((connection) => {
    acting = new Acting(new Stage(connection.client));
  })
  .onRequest(its.initialize, () => initialized(version))
  .onRequest(its.session.new, () => ({ sessionId: SESSION }))
  .onRequest(its.session.prompt, ({ params }) => acting.prompt(params.prompt.map((b) => b.text)))
  .onNotification(its.session.cancel, () => acting.cancelled.reach())
  .onRequest("_interop/echo", asIs, ({ params }) => ({ echo: params }))
  .onRequest("_interop/notes", asIs, () => acting.notes())
  .onRequest("_interop/wait", asIs, ({ signal }) => acting.waitForRelease(signal))
  .onRequest("_interop/release", asIs, () => acting.release())
  .onNotification("_interop/note", asIs, ({ params }) => acting.noted(params))
  .connect(stdio(acp.ndJsonStream));
