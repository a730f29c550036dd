// Runs one script in another in-process shell and prints what it gave, with the CPU time it took, as JSON.
// Or makes many sandboxes: one after the other, each running `echo hi`, or all alive at once.
//
//   node [--expose-gc] peers.mjs bashkit|just-bash run SCRIPT
//   node [--expose-gc] peers.mjs bashkit|just-bash tool SCRIPT DIRECTORY
//   node [--expose-gc] peers.mjs bashkit|just-bash echo|idle COUNT
//
// The clock starts after the package is loaded and the sandbox made, so Node's own start does not count. Limits
// are raised as far as the packages allow: they are for hostile scripts, and these are only long. `tool` shows a
// directory of the host as /data, without writing to it, and begins there; of the output it gives only a digest.

import { createHash } from "node:crypto";

const kPlenty = 2_000_000_000;
const kTimeoutMs = 600_000;
const kJustBashLimits = [
  "maxCommandCount", "maxLoopIterations", "maxAwkIterations", "maxSedIterations", "maxJqIterations", "maxQueryTokens",
  "maxQueryElements", "maxCsvRows", "maxCsvCells", "maxWorkUnits", "maxTraversalEntries", "maxTraversalWork", "maxLiveBytes",
  "maxInputBytes", "maxFileSystemBytes", "maxDatabaseBytes", "maxDatabaseResultBytes", "maxArchiveBytes",
  "maxArchiveCompressedBytes", "maxArchiveEntryBytes", "maxArchiveEntries", "maxGlobOperations", "maxStringLength",
  "maxArrayElements", "maxOutputSize",
];

const kGuest = "/data";

async function openBashkit(directory) {
  const { Bash } = await import("@everruns/bashkit");
  const shell = new Bash({
    maxCommands: kPlenty,
    maxLoopIterations: kPlenty,
    maxTotalLoopIterations: kPlenty,
    maxMemory: kPlenty,
    maxStdoutBytes: kPlenty,
    ...(directory && {
      mounts: [{ path: kGuest, root: directory }],
      allowedMountPaths: [directory],
    }),
    timeoutMs: kTimeoutMs,
  });
  return async (script) => shell.executeSync(script);
}

async function openJustBash(directory) {
  const { Bash, OverlayFs } = await import("just-bash");
  const shell = new Bash({
    executionLimits: Object.fromEntries([
      ...kJustBashLimits.map((name) => [name, kPlenty]),
      ["maxExecutionTimeMs", kTimeoutMs],
    ]),
    ...(directory && {
      fs: new OverlayFs({ root: directory, mountPoint: kGuest, maxFileReadSize: kPlenty, maxMemoryBytes: kPlenty }),
      cwd: kGuest,
    }),
  });
  return (script) => shell.exec(script);
}

const kOpeners = { "bashkit": openBashkit, "just-bash": openJustBash };

async function run(open, script) {
  const execute = await open();
  const before = process.cpuUsage();
  const { stdout, stderr, exitCode } = await execute(script);
  const used = process.cpuUsage(before);
  return { stdout, stderr, status: exitCode, cpu_s: (used.user + used.system) / 1e6 };
}

async function tool(open, script, directory) {
  const execute = await open(directory);
  await execute(`cd ${kGuest}`);
  const before = process.cpuUsage();
  const { stdout, stderr, exitCode, stdoutTruncated } = await execute(script);
  const used = process.cpuUsage(before);
  const digest = createHash("sha256").update(stdout).digest("hex");
  return {
    stdout_sha256: digest,
    is_cut: stdoutTruncated ?? false,
    stderr: stderr.slice(0, 1000),
    status: exitCode,
    cpu_s: (used.user + used.system) / 1e6,
  };
}

async function echo(open, count) {
  await (await open())("echo hi");
  const before = process.cpuUsage();
  for (let i = 0; i < count; ++i) {
    const { stdout } = await (await open())("echo hi");
    if (stdout !== "hi\n") throw new Error(`echo gave ${stdout}`);
  }
  const used = process.cpuUsage(before);
  return { cpu_us_each: (used.user + used.system) / count };
}

async function idle(open, count) {
  const alive = [];
  const add = async () => {
    const execute = await open();
    await execute("echo hi");
    alive.push(execute);
  };
  for (let i = 0; i < 20; ++i) await add();
  globalThis.gc();
  const before = process.memoryUsage.rss();
  for (let i = 0; i < count; ++i) await add();
  globalThis.gc();
  return { used_bytes_each: Math.round((process.memoryUsage.rss() - before) / count) };
}

const kModes = { run, tool, echo: (open, count) => echo(open, Number(count)), idle: (open, count) => idle(open, Number(count)) };

const [peer, mode, argument, directory] = process.argv.slice(2);
if (!Object.hasOwn(kOpeners, peer ?? "") || !Object.hasOwn(kModes, mode ?? "") || argument === undefined) {
  console.error(`usage: peers.mjs ${Object.keys(kOpeners).join("|")} ${Object.keys(kModes).join("|")} ARGUMENT`);
  process.exit(2);
}
console.log(JSON.stringify(await kModes[mode](kOpeners[peer], argument, directory)));
process.exit(0);
