// The agent's side of the conversation, as in ../stage.py, which says more about it.

import { createHash } from "node:crypto";
import { Readable, Writable } from "node:stream";

export const AGENT = "interop-agent";
export const SESSION = "session-1";
export const OPTIONS = [
  { optionId: "allow", name: "Allow once", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];
export const PLAN = [
  { content: "Read", priority: "high", status: "completed" },
  { content: "Write", priority: "low", status: "pending" },
];
const REFUSAL = [-32050, "not today", { reason: "closed", hours: [9, 17.5, null] }];

export function initialized(protocolVersion) {
  const info = { name: AGENT, version: "1.0.0" };
  if (protocolVersion === 2) {
    const capabilities = { session: { prompt: { embeddedContext: {} } } };
    return { protocolVersion, info, capabilities };
  }
  const agentCapabilities = {
    loadSession: false,
    promptCapabilities: { embeddedContext: true },
  };
  return { protocolVersion, agentInfo: info, agentCapabilities, authMethods: [] };
}

const textBlock = (text) => ({ type: "text", text });

// Something that happens once and can be waited for.
function signpost() {
  let reach;
  const reached = new Promise((resolve) => {
    reach = resolve;
  });
  return { reach, reached };
}

// What one agent does and remembers.
export class Acting {
  cancelled = signpost();
  #released = signpost();
  #asked = signpost();
  #noted = signpost();
  #notes = [];
  #prompts = 0;

  constructor(stage) {
    this.stage = stage;
  }

  async prompt(texts) {
    if (texts[0] === "fail") throw new this.stage.error(...REFUSAL);
    if (this.stage.version === 1) return { stopReason: await this.#perform(texts) };
    // The response says that the message was taken; the work goes on after it.
    setImmediate(() => void this.#performBetweenStates(texts));
    this.#prompts += 1;
    return { messageId: `prompt-${this.#prompts}` };
  }

  async #perform([name, ...rest]) {
    return (await this[name](...rest)) ?? "end_turn";
  }

  async #performBetweenStates(texts) {
    await this.stage.update({ sessionUpdate: "state_update", state: "running" });
    const stopReason = await this.#perform(texts);
    await this.stage.update({ sessionUpdate: "state_update", state: "idle", stopReason });
  }

  say(text, kind = "message") {
    const id = this.stage.version === 1 ? {} : { messageId: `${kind}-1` };
    const sessionUpdate = `agent_${kind}_chunk`;
    return this.stage.update({ sessionUpdate, ...id, content: textBlock(text) });
  }

  async ask(title, toolCallId, options) {
    const toolCall = { toolCallId, title };
    const about =
      this.stage.version === 1 ? { toolCall } : { title, subject: { type: "tool_call", toolCall } };
    const params = { sessionId: SESSION, ...about, options: OPTIONS };
    return (await this.stage.ask(params, options)).outcome.optionId;
  }

  noted(params) {
    if (params.text === "asked") {
      this.#asked.reach();
    } else {
      this.#notes.push(params);
      this.#noted.reach();
    }
  }

  async notes() {
    // The SDK may handle a notification after the request that comes after it.
    await this.#noted.reached;
    return { notes: this.#notes };
  }

  async waitForRelease(signal) {
    const aborted = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    aborted.catch(() => {}); // it may come before anything waits for it
    await this.stage.notify("_interop/note", { text: "waiting" });
    await Promise.race([this.#released.reached, aborted]);
    return { released: true };
  }

  release() {
    this.#released.reach();
    return {};
  }

  // --- prompts, by their first text ---

  async updates() {
    const isFirst = this.stage.version === 1;
    const call = { toolCallId: "call-1" };
    await this.say("Let me see.", "thought");
    await this.say("Hello, ");
    await this.say("wörld \u{1f44b}\u2028");
    await this.stage.update({
      sessionUpdate: isFirst ? "tool_call" : "tool_call_update",
      ...call,
      title: "Reading",
      kind: "read",
      status: "pending",
      rawInput: { path: "main.py", lines: [1, 2.5] },
      _meta: { interop: true },
    });
    await this.stage.update({
      sessionUpdate: "tool_call_update",
      ...call,
      status: "completed",
      content: [{ type: "content", content: textBlock("42 lines") }],
    });
    const plan = { type: "items", planId: "plan-1", entries: PLAN };
    await this.stage.update(
      isFirst ? { sessionUpdate: "plan", entries: PLAN } : { sessionUpdate: "plan_update", plan },
    );
  }

  async permission() {
    await this.say(await this.ask("Write the file?", "call-allowed"));
  }

  async extensions() {
    const result = await this.stage.request("_interop/echo", { number: 7, null: null });
    await this.stage.notify("_interop/note", { text: "from the agent" });
    await this.say(JSON.stringify(result));
  }

  async unknown() {
    let result;
    try {
      result = await this.stage.request("no/such_method", {});
    } catch (error) {
      result = error.code;
    }
    await this.say(String(result));
  }

  async refused() {
    let answer;
    try {
      answer = await this.ask("Write it all the same?", "call-refused");
    } catch (error) {
      answer = { code: error.code, message: error.message, data: error.data };
    }
    await this.say(JSON.stringify(answer));
  }

  async wait() {
    await this.say("waiting");
    await this.cancelled.reached;
    return "cancelled";
  }

  async withdraw() {
    const abort = new AbortController();
    const asking = this.ask("Never mind?", "call-withdrawn", {
      cancellationSignal: abort.signal,
    });
    await this.#asked.reached;
    abort.abort();
    await asking.catch(() => {});
    await this.say("withdrawn");
  }

  async many() {
    for (let number = 0; number < 1000; number += 1) await this.say(String(number));
  }

  async big(text) {
    const hash = createHash("sha256").update(text).digest("hex");
    await this.say(`${text.length}:${hash}`);
    await this.say(text);
  }
}

export function stdio(ndJsonStream) {
  return ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
}
