// A client of protocol 1 that opens a session with an MCP server: SERVER AGENT... It signs in if the
// agent requires that, sends one prompt, and prints a report.

import * as acp from "@agentclientprotocol/sdk";

import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

const [, , server, command, ...args] = process.argv;
const { agent: its, client: mine } = acp.methods;

const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const exit = new Promise((resolve) => child.on("exit", resolve));
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));

const said = [];
await acp
  .client({ name: "opener" })
  .onNotification(mine.session.update, ({ params: { update } }) => {
    if (update.sessionUpdate === "agent_message_chunk") said.push(update.content.text);
  })
  .connectWith(stream, async (agent) => {
    const { authMethods } = await agent.request(its.initialize, { protocolVersion: 1 });
    const params = { cwd: "/project", mcpServers: [JSON.parse(server)] };
    let refused = null;
    let session;
    try {
      session = await agent.request(its.session.new, params);
    } catch (error) {
      refused = error.code;
      await agent.request(its.authenticate, { methodId: authMethods[0].id });
      session = await agent.request(its.session.new, params);
    }
    const prompt = [{ type: "text", text: "Hello, agent!" }];
    const { sessionId } = session;
    const { stopReason: stop } = await agent.request(its.session.prompt, { sessionId, prompt });
    // The SDK does not wait for the handlers of the notifications that came before a response.
    await new Promise(setImmediate);
    console.log(JSON.stringify({ refused, said, stop }));
  });
child.stdin.end();
process.exitCode = await exit;
