// A client that calls the extensions of an agent, and prints what it answers and tells: AGENT...

import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

import * as acp from "@agentclientprotocol/sdk";

const [, , command, ...args] = process.argv;
const { agent: its, client: mine } = acp.methods;
const asIs = (params) => params;
const heard = [];

const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const exit = new Promise((resolve) => child.on("exit", resolve));
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));

async function outcome(answer) {
  try {
    return await answer;
  } catch (error) {
    return { code: error.code, data: error.data };
  }
}

await acp
  .client({ name: "extensions" })
  .onNotification(mine.session.update, ({ params }) => void heard.push(params.update))
  .onNotification("_kiro.dev/compaction/status", asIs, ({ params }) => void heard.push(params))
  .connectWith(stream, async (agent) => {
    await agent.request(its.initialize, { protocolVersion: 1 });
    const { sessionId } = await agent.request(its.session.new, { cwd: "/", mcpServers: [] });
    const ask = (method, params) => outcome(agent.request(method, { sessionId, ...params }));
    const answers = [
      await ask("_kiro.dev/commands/execute", { command: { command: "compact", args: { n: 1 } } }),
      await ask("_kiro.dev/commands/execute", { command: 5 }),
      await ask("session/set_model", { modelId: "m-2" }),
      await ask("_other/thing", {}),
    ];
    console.log(JSON.stringify({ answers, heard }));
  });
child.stdin.end();
process.exitCode = await exit;
