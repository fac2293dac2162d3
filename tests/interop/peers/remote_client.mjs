// The client of the remote conversation with the official TypeScript SDK: TRANSPORT URL TLS REPORT.
// TRANSPORT is `websocket`, `http` (the fetch of Node.js, which speaks HTTP/1.1), or `http2`; TLS is a
// folder with the server's certificate, or `-`. ../remote/conversation.py says more about the steps.

import { readFileSync, writeFileSync } from "node:fs";

import * as acp from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Agent, fetch as undiciFetch } from "undici";
import { WebSocket } from "ws";

import { CWD, inTime } from "./conversation.mjs";
import { RESUMED, STORED, UP, digest, text } from "./remote.mjs";

const { agent: ofAgent, client: its } = acp.methods;

// What the agent sent about one session, in the order in which the handlers were called.
class Seen {
  said = [];
  asked = [];
  #waiting = [];

  add({ sessionUpdate, content }) {
    const [, role] = /^(user|agent)_message_chunk$/.exec(sessionUpdate) ?? [];
    if (role) this.said.push([role, content.text]);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  texts() {
    return this.said.filter(([role]) => role === "agent").map(([, words]) => words);
  }

  async until(isThere) {
    while (!isThere()) await new Promise((resolve) => this.#waiting.push(resolve));
  }
}

const all = new Map();
let session;
let agent;

function seen(sessionId) {
  if (!all.has(sessionId)) all.set(sessionId, new Seen());
  return all.get(sessionId);
}

// The SDK does not wait for the handlers of the notifications that came before a response.
const handled = () => new Promise(setImmediate);

async function prompt(sessionId, ...texts) {
  const before = seen(sessionId).texts().length;
  const params = { sessionId, prompt: texts.map(text) };
  const { stopReason } = await agent.request(ofAgent.session.prompt, params);
  await handled();
  return { stop: stopReason, texts: seen(sessionId).texts().slice(before) };
}

const create = () => agent.request(ofAgent.session.new, { cwd: CWD, mcpServers: [] });

const STEPS = {
  async initialize() {
    const response = await agent.request(ofAgent.initialize, {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "remote-client", version: "1.0.0" },
    });
    return { version: response.protocolVersion, agent: response.agentInfo?.name };
  },

  async new() {
    const { sessionId, modes } = await create();
    session = sessionId;
    return { session, modes: modes.availableModes.map(({ id }) => id) };
  },

  turn: () => prompt(session, "talk"),

  async permission() {
    const done = await prompt(session, "permission");
    return { ...done, asked: seen(session).asked };
  },

  async mode() {
    await agent.request(ofAgent.session.setMode, { sessionId: session, modeId: "write" });
    return prompt(session, "mode");
  },

  async cancel() {
    const before = seen(session).texts().length;
    const turn = prompt(session, "wait");
    await seen(session).until(() => seen(session).texts().length > before);
    await agent.notify(ofAgent.session.cancel, { sessionId: session });
    return turn;
  },

  async two() {
    const { sessionId } = await create();
    const sessions = [session, sessionId];
    const turns = await Promise.all(sessions.map((each) => prompt(each, "meet")));
    return Object.fromEntries(turns.map((turn, index) => [sessions[index], turn]));
  },

  async load() {
    await agent.request(ofAgent.session.load, { sessionId: STORED, cwd: CWD, mcpServers: [] });
    await handled();
    return [...seen(STORED).said];
  },

  after_load: () => prompt(STORED, "talk"),

  async resume() {
    await agent.request(ofAgent.session.resume, { sessionId: RESUMED, cwd: CWD, mcpServers: [] });
    return prompt(RESUMED, "talk");
  },

  up: () => prompt(session, "up", UP),

  async down() {
    const done = await prompt(session, "down");
    return { ...done, texts: done.texts.map(digest) };
  },
};

const [transport, url, tls, report] = process.argv.slice(2);
const ca = tls === "-" ? undefined : readFileSync(`${tls}/cert.pem`);
const dispatcher = new Agent({ allowH2: transport === "http2", connect: { ca } });

function open() {
  if (transport === "websocket") {
    class Trusting extends WebSocket {
      constructor(address, protocols, options) {
        super(address, protocols, { ...options, ca });
      }
    }
    return createWebSocketStream(url.replace("http", "ws"), { WebSocket: Trusting });
  }
  const fetch = (input, init) => undiciFetch(input, { ...init, dispatcher });
  return createHttpStream(url, { fetch });
}

const app = acp
  .client({ name: "remote-client" })
  .onNotification(its.session.update, ({ params }) => seen(params.sessionId).add(params.update))
  .onRequest(its.session.requestPermission, ({ params }) => {
    const { sessionId, toolCall, options } = params;
    seen(sessionId).asked.push({ title: toolCall.title, options: options.map(({ name }) => name) });
    return { outcome: { outcome: "selected", optionId: options[0].optionId } };
  });

// These steps come last and get less time: some hang, and the connection can suffer from them.
const expected = (process.env.ACP_INTEROP_EXPECTED_TO_FAIL ?? "").split(" ");
const failing = (name) => expected.includes(name);
const names = Object.keys(STEPS);
const inOrder = [...names.filter((name) => !failing(name)), ...names.filter(failing)];
const done = {};
// Where `initialize` fails, the SDK also rejects a promise that nothing waits for.
process.on("unhandledRejection", (error) => console.error(error));
try {
  await app.connectWith(open(), async (connected) => {
    agent = connected;
    for (const name of inOrder) {
      try {
        done[name] = await inTime(STEPS[name](), failing(name) ? 5_000 : 40_000);
      } catch (error) {
        const { data } = error;
        done[name] = { failed: `${error} ${data ? JSON.stringify(data) : ""}`.slice(0, 2000) };
      }
    }
  });
} catch (error) {
  console.error(error);
}
writeFileSync(report, JSON.stringify(done, null, 1));
// With that, the request that ends the connection is sent, and no socket keeps the process alive.
await dispatcher.close();
