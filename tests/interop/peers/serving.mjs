// Serves an agent: on the Unix socket in the first argument, where each connection replaces a process
// that takes long to start, or without an argument, on standard input and output.

import { createServer } from "node:net";
import { Readable, Writable } from "node:stream";

const GONE = ["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"];

export function serve(ndJsonStream, connect) {
  const [, , path] = process.argv;
  if (path === undefined) {
    connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
    return;
  }
  const server = createServer((socket) => {
    socket.on("error", () => {}); // the client is gone
    connect(ndJsonStream(Writable.toWeb(socket), Readable.toWeb(socket)));
  });
  // A write to a client that is gone would end only its own process, not the other connections.
  process.on("unhandledRejection", (error) => {
    if (!GONE.includes(error?.code)) throw error;
  });
  server.listen(path, () => console.log("ready"));
}
