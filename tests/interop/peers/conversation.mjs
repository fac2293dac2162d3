// The client's side of the conversation, as in ../conversation.py, which says more about it.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";

export const CLIENT = "interop-client";
export const CWD = "/project";
const BIG_TEXT = "0123456789abcdé\n".repeat((256 * 1024) / 16);
const REFUSAL = [-32050, "not today", { reason: "closed", hours: [9, 17.5, null] }];
const STEP_TIMEOUT = 40_000;

// What the agent told the client, in the order in which the handlers were called.
export class Seen {
  updates = [];
  asked = [];
  notes = [];
  #waiting = [];

  add(where, what) {
    where.push(what);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async until(isThere) {
    while (!isThere()) await new Promise((resolve) => this.#waiting.push(resolve));
  }

  texts() {
    return this.updates
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => content.text);
  }

  stops() {
    return this.updates.filter(({ state }) => state === "idle").map((update) => update.stopReason);
  }
}

// What every client does when it is asked for permission.
export async function answerPermission(talk, params, signal) {
  const { toolCallId, title } = params.toolCall ?? params.subject.toolCall;
  const options = params.options.map(({ optionId }) => optionId);
  talk.seen.add(talk.seen.asked, { title: params.title ?? title, tool_call: toolCallId, options });
  if (toolCallId === "call-refused") throw new talk.error(...REFUSAL);
  if (toolCallId === "call-withdrawn") {
    const withdrawn = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    withdrawn.catch(() => {}); // it may come before anything waits for it
    await talk.notify("_interop/note", { text: "asked" });
    await withdrawn;
  }
  return { outcome: { outcome: "selected", optionId: "allow" } };
}

function digest(text) {
  const hash = createHash("sha256").update(text).digest("hex");
  return `${text.length}:${hash}`;
}

const STEPS = {
  initialize: (talk) => talk.initialize(),

  session: (talk) => talk.newSession(),

  async updates(talk) {
    const stop = await talk.prompt("updates");
    return { updates: [...talk.seen.updates], stop };
  },

  async permission(talk) {
    const stop = await talk.prompt("permission");
    return { asked: talk.seen.asked.at(-1), texts: talk.seen.texts(), stop };
  },

  extension_request: (talk) =>
    talk.request("_interop/echo", { list: [1, 2.5, null, true], text: "é" }),

  async extension_notification(talk) {
    await talk.notify("_interop/note", { text: "from the client" });
    return talk.request("_interop/notes", {});
  },

  async extensions_of_agent(talk) {
    await talk.prompt("extensions");
    await talk.seen.until(() => talk.seen.notes.length > 0);
    const answers = talk.seen.texts().map((text) => JSON.parse(text));
    return { answers, notes: [...talk.seen.notes] };
  },

  async unknown_method(talk) {
    try {
      return { result: await talk.request("no/such_method", {}) };
    } catch (error) {
      return { code: error.code };
    }
  },

  async unknown_method_of_agent(talk) {
    await talk.prompt("unknown");
    return talk.seen.texts();
  },

  async error(talk) {
    try {
      return { stop: await talk.prompt("fail") };
    } catch (error) {
      return { code: error.code, message: error.message, data: error.data };
    }
  },

  async error_of_client(talk) {
    await talk.prompt("refused");
    return talk.seen.texts().map((text) => JSON.parse(text));
  },

  async cancel(talk) {
    const prompt = talk.prompt("wait");
    await talk.seen.until(() => talk.seen.texts().includes("waiting"));
    await talk.cancel();
    return { stop: await prompt, texts: talk.seen.texts() };
  },

  async cancel_request(talk) {
    const abort = new AbortController();
    const waiting = talk.request("_interop/wait", {}, { cancellationSignal: abort.signal });
    await talk.seen.until(() => talk.seen.notes.some(({ text }) => text === "waiting"));
    abort.abort();
    await waiting.catch(() => {});
    // An agent that did not heed the cancellation answers now, with a result.
    return talk.request("_interop/release", {});
  },

  async cancel_request_of_agent(talk) {
    const stop = await talk.prompt("withdraw");
    return { texts: talk.seen.texts(), stop };
  },

  async many(talk) {
    const stop = await talk.prompt("many");
    return { texts: talk.seen.texts(), stop };
  },

  async big(talk) {
    const stop = await talk.prompt("big", BIG_TEXT);
    return { texts: talk.seen.texts().map(digest), stop };
  },
};

export async function inTime(promise, limit = STEP_TIMEOUT) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("not in time")), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// Take all steps; one that fails is reported and does not keep the others from being taken.
export async function converse(talk) {
  const report = {};
  for (const [name, step] of Object.entries(STEPS)) {
    try {
      report[name] = await inTime(step(talk));
    } catch (error) {
      report[name] = { failed: String(error).slice(0, 2000) };
    }
  }
  return report;
}

// Start the agent, have `talkTo` speak with it over a stream, and write the report.
export async function main(ndJsonStream, talkTo) {
  const [reportPath, command, ...args] = process.argv.slice(2);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  const report = await talkTo(stream);
  child.stdin.end();
  await ended;
  writeFileSync(reportPath, JSON.stringify(report, null, 1));
}
