// What the peers of the conversations about turns have in common. Each conversation has a session
// of its own, whose id is its name; ../turns says more about it.

import { readFileSync, writeFileSync } from "node:fs";

import { main } from "./conversation.mjs";

export const AGENT = "turns-agent";
export const CLIENT = "turns-client";
export const OPTIONS = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];
export const PLAN = [
  { content: "Read the file", priority: "high", status: "in_progress" },
  { content: "Look for mistakes", priority: "medium", status: "pending" },
  { content: "Suggest a repair", priority: "low", status: "pending" },
];
const TIMEOUT = 40_000;

export const text = (words) => ({ type: "text", text: words });
export const output = (texts) => texts.map((words) => ({ type: "content", content: text(words) }));

// --- agents ----------------------------------------------------------------------------------

// A session of an agent; each version says the rest in its own words.
export class Session {
  history = [];
  abort = new AbortController();

  constructor(sessionId, client) {
    this.sessionId = sessionId;
    this.client = client;
  }

  async update(update) {
    this.history.push(update);
    await this.send(update);
  }

  report(toolCallId, status, ...texts) {
    const content = texts.length > 0 ? { content: output(texts) } : {};
    return this.update({ sessionUpdate: "tool_call_update", toolCallId, status, ...content });
  }

  // Something that goes on until the turn is aborted, and then fails.
  untilAborted() {
    const { signal } = this.abort;
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("the tool was aborted")));
    });
  }

  // Do what belongs to the conversation; the stop reason.
  async turn(prompt) {
    this.abort = new AbortController();
    try {
      return (await play(this, prompt)) ?? "end_turn";
    } catch (error) {
      if (this.abort.signal.aborted) return "cancelled";
      throw error;
    }
  }

  keep() {
    writeFileSync(`${this.sessionId}.json`, JSON.stringify(this.history));
  }

  async reopen() {
    this.history = JSON.parse(readFileSync(`${this.sessionId}.json`, "utf-8"));
    for (const update of this.history) await this.send(update);
  }
}

const SCENES = {
  async user_message(session, prompt) {
    for (const block of prompt) {
      if (block.type === "resource") {
        const { uri, mimeType, text: contents } = block.resource;
        await session.say(`${uri} is ${mimeType}: ${contents}`);
      } else {
        await session.say(`You wrote: ${block.text}`);
      }
    }
  },

  output: (session) => session.output(),

  async continued(session) {
    const said = session.said();
    await session.say(said.length === 1 ? "Noted." : `Your first words: ${said[0]}`);
  },

  async cancel(session) {
    await session.announce("call_run", "Run the tests", "execute", "in_progress");
    await session.announce("call_remove", "Clean up", "delete", "pending");
    const asking = session.ask("call_remove", "Clean up?");
    try {
      await session.untilAborted();
    } catch (error) {
      await session.report("call_run", "failed", "Stopped after 3 tests");
      await session.say(`The answer is ${await asking}.`);
      throw error;
    }
  },

  async cancel_question(session) {
    await session.announce("call_1", "Clean up", "delete", "pending");
    const cancellationSignal = session.abort.signal;
    const options = { cancellationSignal, stopWaitingOnCancel: true };
    // The SDK may hand on the answer before the notification that came first.
    return session.ask("call_1", "Clean up?", options);
  },

  async replay(session) {
    const number = session.said().length;
    if (number === 1) await session.tellAll();
    await session.say(`That was message ${number}.`);
  },

  async requires_action(session) {
    await session.announce("call_1", "Check the file", "execute", "pending");
    await session.update({ sessionUpdate: "state_update", state: "requires_action" });
    await session.ask("call_1", "Check the file?");
    await session.update({ sessionUpdate: "state_update", state: "running" });
    await session.report("call_1", "completed", "No mistakes");
  },

  unprompted: (session) => session.say("Hello to you."),
};

async function stop(session, reason) {
  if (reason !== "cancelled") return reason;
  await session.say("Working.");
  return session.untilAborted();
}

async function tool(session) {
  await session.announce("call_1", "Check the file", "execute", "pending");
  if ((await session.ask("call_1", "Check the file?")) !== "allow") {
    await session.report("call_1", "failed");
    await session.say("Then not.");
    return;
  }
  await session.report("call_1", "in_progress");
  await session.stream("call_1", "Half of it", "All of it");
  await session.report("call_1", "completed", "No mistakes");
  await session.say("It is fine.");
}

function play(session, prompt) {
  const { sessionId } = session;
  if (sessionId.startsWith("stop_")) return stop(session, sessionId.slice("stop_".length));
  if (sessionId.startsWith("tool_")) return tool(session);
  return SCENES[sessionId](session, prompt);
}

// --- clients ---------------------------------------------------------------------------------

// What a client has noted down of one session.
class Notes {
  updates = [];
  questions = [];
  turns = [];
  #waiting = [];

  change() {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async until(isThere) {
    while (!isThere()) await new Promise((resolve) => this.#waiting.push(resolve));
  }
}

// A client; each version says the rest in its own words.
export class Talk {
  #notes = new Map();
  #withdrawals = new Map();

  notes(sessionId) {
    if (!this.#notes.has(sessionId)) this.#notes.set(sessionId, new Notes());
    return this.#notes.get(sessionId);
  }

  updated({ sessionId, update }) {
    const notes = this.notes(sessionId);
    notes.updates.push(update);
    notes.change();
  }

  async answer(params) {
    const { sessionId } = params;
    const question = { params, withdrawn: false };
    const notes = this.notes(sessionId);
    notes.questions.push(question);
    notes.change();
    if (sessionId.startsWith("cancel")) {
      await new Promise((resolve) => this.#withdrawals.set(sessionId, resolve));
      question.withdrawn = true;
      return { outcome: { outcome: "cancelled" } };
    }
    const optionId = sessionId === "tool_rejected" ? "reject" : "allow";
    return { outcome: { outcome: "selected", optionId } };
  }

  // What a client has to do when the user cancels.
  async cancel(sessionId) {
    await this.sendCancel(sessionId);
    this.#withdrawals.get(sessionId)?.();
  }

  async prompt(sessionId, ...prompt) {
    this.notes(sessionId).turns.push(await this.turn(sessionId, prompt));
  }

  count(sessionId, state) {
    return this.notes(sessionId).updates.filter((update) => update.state === state).length;
  }
}

const oneTurn = (talk, id) => talk.prompt(id, text("Go ahead."));

async function cancelWhenAsked(talk, id) {
  const turn = talk.prompt(id, text("Run the tests, then clean up."));
  const notes = talk.notes(id);
  await notes.until(() => notes.questions.length > 0);
  const seen = notes.updates.length;
  await talk.cancel(id);
  await turn;
  return { late: notes.updates.slice(seen) };
}

const CONVERSATIONS = {
  user_message(talk, id) {
    const resource = {
      uri: "file:///project/main.py",
      mimeType: "text/x-python",
      text: "for item in items:\n    print(item)\n",
    };
    return talk.prompt(id, text("What is wrong here?"), { type: "resource", resource });
  },

  output: oneTurn,
  stop_end_turn: oneTurn,
  stop_max_tokens: oneTurn,
  stop_max_turn_requests: oneTurn,
  stop_refusal: oneTurn,

  async stop_cancelled(talk, id) {
    const turn = talk.prompt(id, text("Go ahead."));
    const notes = talk.notes(id);
    await notes.until(() =>
      notes.updates.some(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk"),
    );
    await talk.cancel(id);
    await turn;
  },

  tool_granted: oneTurn,
  tool_rejected: oneTurn,

  async continued(talk, id) {
    await talk.prompt(id, text("My name is Ada."));
    await talk.prompt(id, text("What did I say at first?"));
  },

  cancel: cancelWhenAsked,
  cancel_question: cancelWhenAsked,

  async replay(talk, id) {
    await talk.prompt(id, text("Check the file."));
    await talk.prompt(id, text("Thank you."));
    await talk.close(id);
  },
};

const CONVERSATIONS_V2 = {
  stop__acme_limit: oneTurn,
  requires_action: oneTurn,

  async unprompted(talk, id) {
    const notes = talk.notes(id);
    await notes.until(() => talk.count(id, "idle") === 1);
    await talk.prompt(id, text("Hello."));
    await talk.wake(id);
    await notes.until(() => talk.count(id, "idle") === 3);
  },
};

async function attached(talk, id) {
  const replayed = [...talk.notes(id).updates];
  await talk.prompt(id, text("One more thing."));
  return { replayed };
}

async function inTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("not in time")), TIMEOUT);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function have(talk, id, open, what) {
  await open(id);
  const came = await what(talk, id);
  const { updates, questions, turns } = talk.notes(id);
  return { updates, questions, turns, ...came };
}

// Have the conversations of a version, or come back to one of them: VERSION MODE REPORT AGENT...
export async function converse(ndJsonStream, app, talk) {
  const [version, mode] = process.argv.splice(2, 2);
  const wanted = { ...CONVERSATIONS, ...(version === "2" ? CONVERSATIONS_V2 : {}) };
  const having =
    mode === "attach"
      ? [["replay", (id) => talk.comeBack(id), attached]]
      : Object.entries(wanted).map(([id, what]) => [id, (name) => talk.create(name), what]);
  await main(ndJsonStream, (stream) =>
    app.connectWith(stream, async (agent) => {
      talk.agent = agent;
      await talk.initialize();
      const report = {};
      for (const [id, open, what] of having) {
        try {
          report[id] = await inTime(have(talk, id, open, what));
        } catch (error) {
          report[id] = { failed: String(error).slice(0, 2000) };
        }
      }
      return report;
    }),
  );
}
