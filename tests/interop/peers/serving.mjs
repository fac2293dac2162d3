// Serves an agent on a Unix socket: each connection replaces a process, which takes long to start.

import { createServer } from "node:net";
import { Readable, Writable } from "node:stream";

export function serve(ndJsonStream, connect) {
  const server = createServer((socket) => {
    socket.on("error", () => {}); // the client is gone
    connect(ndJsonStream(Writable.toWeb(socket), Readable.toWeb(socket)));
  });
  server.listen(process.argv[2], () => console.log("ready"));
}
