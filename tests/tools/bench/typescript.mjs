// Time the official TypeScript SDK, and print the results as `worker.py` does.
//
//     node typescript.mjs FOLDER BATCHES SECONDS <messages.json
//
// FOLDER contains node_modules. A batch takes about SECONDS, and the best of BATCHES counts.
// Decoding matches the SDK's connection: JSON.parse, then the zod schema of the params. Encoding
// uses only JSON.stringify and doesn't check the value.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

// The warm-up of an operation, in batches, so that it is compiled before it is timed.
const WARM_UP = 30;

const [folder, batches, seconds] = process.argv.slice(2);
const packages = join(folder, "node_modules");
const sdk = join(packages, "@agentclientprotocol", "sdk");

// The package doesn't export its schemas, so they are loaded by path.
const loadSchemas = (protocol) =>
  import(pathToFileURL(join(sdk, "dist", protocol, "schema", "zod.gen.js")));

const version = (path) => JSON.parse(readFileSync(join(path, "package.json"), "utf8")).version;

let last; // the last result is kept so that computing it isn't optimized away

function repeat(act, count) {
  const start = process.hrtime.bigint();
  for (let index = 0; index < count; index++) {
    last = act();
  }
  return Number(process.hrtime.bigint() - start) / 1e9;
}

function time(act) {
  let count = 0;
  let spent = 0;
  while (spent < WARM_UP * Number(seconds)) {
    spent += repeat(act, 10);
    count += 10;
  }
  const each = Math.max(1, Math.round((Number(seconds) * count) / spent));
  let best = Infinity;
  for (let batch = 0; batch < Number(batches); batch++) {
    best = Math.min(best, repeat(act, each) / each);
  }
  return best;
}

const rows = [];
for (const { protocol, message, type, text } of await json(process.stdin)) {
  const schema = (await loadSchemas(protocol))[`z${type}`];
  const decode = () => schema.parse(JSON.parse(text));
  const value = decode();
  const encode = () => JSON.stringify(value);
  assert.deepEqual(JSON.parse(encode()), JSON.parse(text), `${protocol} ${message}`);
  for (const [operation, act] of Object.entries({ decode, encode })) {
    rows.push({ protocol, message, operation, seconds: time(act) });
  }
}
assert.notEqual(last, undefined);
const versions = {
  "@agentclientprotocol/sdk": version(sdk),
  zod: version(join(packages, "zod")),
  node: process.versions.node,
};
process.stdout.write(`${JSON.stringify({ rows, versions })}\n`);
