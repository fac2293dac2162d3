// A client that sends one prompt and prints what comes back: VERSION AGENT...

import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

const [, , version, command, ...args] = process.argv;
const entry = { 1: "", 2: "/experimental/v2" }[version];
const acp = await import(`@agentclientprotocol/sdk${entry}`);
const { agent: its, client: mine } = acp.methods;

const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const exit = new Promise((resolve) => child.on("exit", resolve));
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));

let finish;
const idle = new Promise((resolve) => (finish = resolve));
await acp
  .client({ name: "greeter" })
  .onNotification(mine.session.update, ({ params: { update } }) => {
    if (update.sessionUpdate === "agent_message_chunk") console.log(update.content.text);
    if (update.state === "idle") finish(update.stopReason);
  })
  .connectWith(stream, async (agent) => {
    const info = { info: { name: "greeter", version: "1.0.0" }, capabilities: {} };
    await agent.request(its.initialize, {
      protocolVersion: Number(version),
      ...(version === "2" ? info : {}),
    });
    const { sessionId } = await agent.request(its.session.new, { cwd: "/project", mcpServers: [] });
    const prompt = [{ type: "text", text: "Hello, agent!" }];
    const done = await agent.request(its.session.prompt, { sessionId, prompt });
    console.log(`[${done.stopReason ?? (await idle)}]`);
  });
child.stdin.end();
process.exitCode = await exit;
