// What the agent and the client of the remote conversation with the official TypeScript SDK have in
// common. ../remote/conversation.py and ../remote/stage.py say more about it.

import { createHash } from "node:crypto";

export const ODD = "\u2028\u{1f389}";
const PIECE = "0123456789abc\u2028é\n";
const big = (millions) => PIECE.repeat((millions * (1 << 20)) / PIECE.length);
export const UP = big(3);
export const DOWN = big(2);
export const STORED = "stored";
export const RESUMED = "resumed";

export const text = (words) => ({ type: "text", text: words });

export function digest(words) {
  return `${words.length}:${createHash("sha256").update(words).digest("hex")}`;
}
