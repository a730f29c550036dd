// Runs one script in another in-process shell and prints what it gave, with the CPU time it took, as JSON.
//
//   node peers.mjs bashkit|just-bash SCRIPT
//
// The clock starts after the package is loaded and the sandbox made, so Node's own start does not count. Limits
// are raised as far as the packages allow: they are for hostile scripts, and these are only long.

const kPlenty = 2_000_000_000;
const kTimeoutMs = 600_000;

async function openBashkit() {
  const { Bash } = await import("@everruns/bashkit");
  const shell = new Bash({
    maxCommands: kPlenty,
    maxLoopIterations: kPlenty,
    maxTotalLoopIterations: kPlenty,
    maxMemory: kPlenty,
    timeoutMs: kTimeoutMs,
  });
  return async (script) => shell.executeSync(script);
}

async function openJustBash() {
  const { Bash } = await import("just-bash");
  const shell = new Bash({
    executionLimits: {
      maxCommandCount: kPlenty,
      maxLoopIterations: kPlenty,
      maxWorkUnits: kPlenty,
      maxArrayElements: kPlenty,
      maxExecutionTimeMs: kTimeoutMs,
    },
  });
  return (script) => shell.exec(script);
}

const kOpeners = { "bashkit": openBashkit, "just-bash": openJustBash };

const [peer, script] = process.argv.slice(2);
if (!Object.hasOwn(kOpeners, peer ?? "") || script === undefined) {
  console.error(`usage: peers.mjs ${Object.keys(kOpeners).join("|")} SCRIPT`);
  process.exit(2);
}
const execute = await kOpeners[peer]();
const before = process.cpuUsage();
const { stdout, stderr, exitCode } = await execute(script);
const used = process.cpuUsage(before);
console.log(JSON.stringify({ stdout, stderr, status: exitCode, cpu_s: (used.user + used.system) / 1e6 }));
process.exit(0);
