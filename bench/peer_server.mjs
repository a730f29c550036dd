// The least HTTP server that does for another in-process shell what `paddock serve` does: makes sandboxes and runs scripts in them.
//
//   node peer_server.mjs bashkit|just-bash
//
// POST /v1/sandboxes answers {"id"}, POST /v1/sandboxes/ID/exec with {"script"} answers {"stdout", "stderr", "exit_code"}, PUT
// /v1/sandboxes/ID/files/content?path=… writes a file. Nothing is kept on disk, nobody has to have a key. The first line of its output is
// the port.

import { createServer } from "node:http";

async function makeShell(peer) {
  if (peer === "bashkit") {
    const { Bash } = await import("@everruns/bashkit");
    const shell = new Bash({});
    return { run: async (script) => shell.executeSync(script), write: async (path, text) => shell.writeFile(path, text) };
  }
  const { Bash } = await import("just-bash");
  const shell = new Bash({});
  return { run: (script) => shell.exec(script), write: (path, text) => shell.writeFile(path, text) };
}

const peer = process.argv[2];
if (peer !== "bashkit" && peer !== "just-bash") {
  console.error("usage: peer_server.mjs bashkit|just-bash");
  process.exit(2);
}
await makeShell(peer);   // the package is loaded before the clock runs
const sandboxes = new Map();
let made = 0;

function answer(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", async () => {
    const put = /^\/v1\/sandboxes\/([^/]+)\/files\/content\?path=(.+)$/.exec(request.url);
    if (request.method === "PUT" && put && sandboxes.has(put[1])) {
      try {
        const bytes = Buffer.concat(parts);
        await sandboxes.get(put[1]).write(decodeURIComponent(put[2]), bytes.toString("latin1"));   // both take strings alone
        answer(response, 200, { bytes_written: bytes.length });
      } catch (error) {
        answer(response, 507, { error: String(error).slice(0, 200) });
      }
      return;
    }
    const body = parts.length > 0 ? JSON.parse(Buffer.concat(parts).toString()) : {};
    if (request.method === "POST" && request.url === "/v1/sandboxes") {
      const id = `sbx_${++made}`;
      sandboxes.set(id, await makeShell(peer));
      answer(response, 201, { id });
      return;
    }
    const found = /^\/v1\/sandboxes\/([^/]+)\/exec$/.exec(request.url);
    const shell = found && sandboxes.get(found[1]);
    if (!shell) {
      answer(response, 404, { error: "no such sandbox" });
      return;
    }
    const { stdout, stderr, exitCode } = await shell.run(body.script);
    answer(response, 200, { stdout, stderr, exit_code: exitCode });
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
