"""Node.js and npm."""

from .case import script

NPM = "registry.npmjs.org"
PACKAGE = '{"name": "work", "version": "1.0.0", "private": true}'

script("node/npm-install-and-test", "npm, node --test", "a package from the registry, and a Node test run with it", """
npm install --no-audit --no-fund --loglevel=error is-number@7.0.0
node --test test.mjs
""", match=r"# pass 2\b", preset="agent", needs=("node", "npm"), registry=NPM, files={"package.json": PACKAGE, "test.mjs": """
import test from 'node:test';
import assert from 'node:assert';
import isNumber from 'is-number';
test('a number', () => assert.ok(isNumber('5e3')));
test('not one', () => assert.ok(!isNumber('five')));
"""})

script("node/binary-in-a-package", "npm, npx esbuild", "a native program that a package ships runs, by npm's scripts too", """
npm install --no-audit --no-fund --loglevel=error esbuild@0.25.0
npx esbuild --bundle in.ts --outfile=out.js --log-level=error
node out.js
""", match=r"(?m)^3$", preset="agent", needs=("node", "npm"), registry=NPM,
       files={"package.json": PACKAGE, "in.ts": "const add = (a: number, b: number): number => a + b\nconsole.log(add(1, 2))\n"})

script("node/files-and-workers", "node", "files by libuv (its io_uring is refused), worker threads, child processes, a unix socket", """
UV_USE_IO_URING=1 node work.mjs
""", out="200 7 child pong", needs=("node",), files={"work.mjs": """
import fs from 'node:fs/promises';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';

await fs.mkdir('many');
await Promise.all(Array.from({ length: 200 }, (_, i) => fs.writeFile(`many/${i}`, String(i))));
const files = await Promise.all((await fs.readdir('many')).map((name) => fs.readFile(`many/${name}`, 'utf8')));
const worker = new Worker("require('worker_threads').parentPort.postMessage(3 + 4)", { eval: true });
const [sum] = await once(worker, 'message');
const child = execFileSync(process.execPath, ['-e', 'console.log("child")']).toString().trim();
const server = net.createServer((socket) => socket.end('pong')).listen('socket');
await once(server, 'listening');
const [answer] = await once(net.connect('socket'), 'data');
server.close();
console.log(files.length, sum, child, String(answer));
"""})

script("node/watch", "node", "fs.watch (inotify) sees a change in the workspace", "node work.mjs", out="change noted", needs=("node",),
       files={"noted": "", "work.mjs": """
import fs from 'node:fs';
const watcher = fs.watch('.', (event, name) => {
  if (name !== 'noted') return;
  console.log(event, name);
  watcher.close();
});
setTimeout(() => fs.writeFileSync('noted', 'x'), 50);
"""})
