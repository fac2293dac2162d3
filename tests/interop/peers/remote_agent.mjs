// The agent of the remote conversation with the official TypeScript SDK: SERVER TLS. SERVER is `node`,
// or `http2` for the module that serves HTTP/2; TLS is a folder with a certificate, or `-`. It ends
// with standard input. ../remote/stage.py says more about what it does.

import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as http2 from "node:http2";
import * as https from "node:https";

import * as acp from "@agentclientprotocol/sdk";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { WebSocketServer } from "ws";

import { DOWN, ODD, RESUMED, STORED, digest, text } from "./remote.mjs";

const { agent: its, client: ofClient } = acp.methods;
const MODES = ["read", "write"];
const OPTIONS = [
  { optionId: `allow${ODD}`, name: `Allow${ODD}`, kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];
const TALK = ["Hello, ", `wörld ${ODD}`, ...Array.from({ length: 20 }, (_, number) => `${number}`)];
const HISTORY = [
  ["user", `What is it?${ODD}`],
  ...Array.from({ length: 30 }, (_, number) => ["agent", `It is ${number}.${ODD}`]),
];

class Session {
  mode = MODES[0];

  constructor(sessionId) {
    this.sessionId = sessionId;
    this.cancelled = new Promise((resolve) => {
      this.cancel = resolve;
    });
  }

  get modes() {
    const availableModes = MODES.map((each) => ({ id: each, name: each }));
    return { modes: { currentModeId: this.mode, availableModes } };
  }
}

// The agent of one connection.
class Acting {
  #sessions = new Map();
  #meeting = 0;

  constructor(client) {
    this.client = client;
    this.met = new Promise((resolve) => {
      this.allMet = resolve;
    });
  }

  session(sessionId) {
    return this.#sessions.get(sessionId);
  }

  open(sessionId) {
    const session = this.session(sessionId) ?? new Session(sessionId);
    this.#sessions.set(sessionId, session);
    return session;
  }

  create() {
    const session = this.open(`session-${this.#sessions.size + 1}`);
    return { sessionId: session.sessionId, ...session.modes };
  }

  async load(sessionId) {
    const messages = { [STORED]: HISTORY, [RESUMED]: [] }[sessionId];
    const session = this.open(sessionId);
    for (const [role, words] of messages) await this.#say(session, words, role);
    return session.modes;
  }

  async prompt({ sessionId, prompt }) {
    const [name, ...rest] = prompt.map((block) => block.text);
    const stopReason = await this[name](this.session(sessionId), ...rest);
    return { stopReason: stopReason ?? "end_turn" };
  }

  #say({ sessionId }, words, role = "agent") {
    const update = { sessionUpdate: `${role}_message_chunk`, content: text(words) };
    return this.client.notify(ofClient.session.update, { sessionId, update });
  }

  // --- prompts, by their first text ------------------------------------------------------------

  async talk(session) {
    for (const words of TALK) await this.#say(session, words);
  }

  async permission(session) {
    const params = {
      sessionId: session.sessionId,
      toolCall: { toolCallId: "call-1", title: `Write the file?${ODD}` },
      options: OPTIONS,
    };
    const { outcome } = await this.client.request(ofClient.session.requestPermission, params);
    await this.#say(session, outcome.optionId);
  }

  async mode(session) {
    await this.#say(session, session.mode);
  }

  async wait(session) {
    await this.#say(session, "waiting");
    await session.cancelled;
    return "cancelled";
  }

  async meet(session) {
    this.#meeting += 1;
    if (this.#meeting === 2) this.allMet();
    await this.met;
    await this.#say(session, `I am ${session.sessionId}`);
  }

  async up(session, words) {
    await this.#say(session, digest(words));
  }

  async down(session) {
    await this.#say(session, DOWN);
  }
}

function createAgent() {
  let acting;
  return acp
    .agent({ name: "remote-agent" })
    .onConnect((connection) => {
      acting = new Acting(connection.client);
    })
    .onRequest(its.initialize, () => ({
      protocolVersion: 1,
      agentInfo: { name: "remote-agent", version: "1.0.0" },
      agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
      authMethods: [],
    }))
    .onRequest(its.session.new, () => acting.create())
    .onRequest(its.session.load, ({ params }) => acting.load(params.sessionId))
    .onRequest(its.session.resume, ({ params }) => acting.load(params.sessionId))
    .onRequest(its.session.setMode, ({ params }) => {
      acting.session(params.sessionId).mode = params.modeId;
      return {};
    })
    .onRequest(its.session.prompt, ({ params }) => acting.prompt(params))
    .onNotification(its.session.cancel, ({ params }) => acting.session(params.sessionId).cancel());
}

const [kind, tls] = process.argv.slice(2);
const acpServer = new AcpServer({ createAgent });
const handler = createNodeHttpHandler(acpServer);
const read = (name) => readFileSync(`${tls}/${name}.pem`);
const files = tls === "-" ? {} : { cert: read("cert"), key: read("key"), allowHTTP1: true };
const secure = tls === "-" ? "" : "Secure";
const make = {
  node: tls === "-" ? http.createServer : https.createServer,
  http2: http2[`create${secure}Server`],
}[kind];
const server = make(files, handler);
const sockets = new WebSocketServer({ noServer: true });
server.on("upgrade", createNodeWebSocketUpgradeHandler(acpServer, sockets));
server.listen(0, "127.0.0.1", () => {
  console.log(`http${secure && "s"}://127.0.0.1:${server.address().port}/acp`);
});
process.stdin.resume();
process.stdin.on("end", async () => {
  await acpServer.close();
  process.exit(0);
});
