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

  constructor(stage) {
    this.stage = stage;
  }

  check(texts) {
    if (texts[0] === "fail") throw new this.stage.error(...REFUSAL);
  }

  async perform(texts) {
    const [name, ...rest] = texts;
    return (await this[name](...rest)) ?? "end_turn";
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
    await this.stage.think("Let me see.");
    await this.stage.say("Hello, ");
    await this.stage.say("wörld \u{1f44b}\u2028");
    await this.stage.startTool();
    await this.stage.finishTool();
    await this.stage.plan();
  }

  async permission() {
    await this.stage.say(await this.stage.ask("Write the file?", "call-allowed"));
  }

  async extensions() {
    const result = await this.stage.request("_interop/echo", { number: 7, null: null });
    await this.stage.notify("_interop/note", { text: "from the agent" });
    await this.stage.say(JSON.stringify(result));
  }

  async unknown() {
    let result;
    try {
      result = await this.stage.request("no/such_method", {});
    } catch (error) {
      result = error.code;
    }
    await this.stage.say(String(result));
  }

  async refused() {
    let answer;
    try {
      answer = await this.stage.ask("Write it all the same?", "call-refused");
    } catch (error) {
      answer = { code: error.code, message: error.message, data: error.data };
    }
    await this.stage.say(JSON.stringify(answer));
  }

  async wait() {
    await this.stage.say("waiting");
    await this.cancelled.reached;
    return "cancelled";
  }

  async withdraw() {
    const abort = new AbortController();
    const asking = this.stage.ask("Never mind?", "call-withdrawn", {
      cancellationSignal: abort.signal,
    });
    await this.#asked.reached;
    abort.abort();
    await asking.catch(() => {});
    await this.stage.say("withdrawn");
  }

  async many() {
    for (let number = 0; number < 1000; number += 1) await this.stage.say(String(number));
  }

  async big(text) {
    const hash = createHash("sha256").update(text).digest("hex");
    await this.stage.say(`${text.length}:${hash}`);
    await this.stage.say(text);
  }
}

export function texts(prompt) {
  return prompt.filter(({ type }) => type === "text").map(({ text }) => text);
}

// Handlers of the extensions, which are the same in both protocol versions.
export function extensions(app, acting) {
  const asIs = (params) => params;
  return app
    .onRequest("_interop/echo", asIs, ({ params }) => ({ echo: params }))
    .onRequest("_interop/notes", asIs, () => acting().notes())
    .onRequest("_interop/wait", asIs, ({ signal }) => acting().waitForRelease(signal))
    .onRequest("_interop/release", asIs, () => acting().release())
    .onNotification("_interop/note", asIs, ({ params }) => acting().noted(params));
}

export function stdio(ndJsonStream) {
  return ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
}
