// Serves an agent: on the Unix socket in the first argument, where each connection replaces a process
// that takes long to start, or without an argument, on standard input and output.

import { createServer } from "node:net";
import { Readable, Writable } from "node:stream";

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
  server.listen(path, () => console.log("ready"));
}
