// A program with @mcpc-tech/acp-ai-provider: `ai_provider.mjs SCENE FOLDER PROMPT AGENT...`.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createACPProvider } from "@mcpc-tech/acp-ai-provider";
import { streamText } from "ai";

const [scene, folder, prompt, command, ...args] = process.argv.slice(2);
const kept = join(folder, "ai-provider-session.txt");
const provider = createACPProvider({
  command,
  args,
  env: process.env,
  session: { cwd: folder, mcpServers: [] },
  persistSession: true,
  ...(scene === "load" ? { existingSessionId: readFileSync(kept, "utf8") } : {}),
});
const stop = new AbortController();
const { fullStream } = streamText({
  model: provider.languageModel(),
  prompt,
  tools: provider.tools,
  abortSignal: stop.signal,
  onError: ({ error }) => console.error(error),
});
for await (const part of fullStream) {
  if (part.type === "text-delta") process.stdout.write(part.text);
  if (part.type === "tool-call" && scene === "stopped") stop.abort();
}
writeFileSync(kept, provider.getSessionId() ?? "");
provider.cleanup();
