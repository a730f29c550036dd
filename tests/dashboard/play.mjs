// Plays the cases of cases/ in one browser; each line of its output is the result of one, as JSON. Called by run_dashboard.py.
import { mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { World } from "./world.mjs";

const told = JSON.parse(process.argv[2]);
const require = createRequire(join(told.packages, "package.json"));
const { chromium } = require("playwright-core");

const browser = await chromium.launch({
  executablePath: told.browser,
  args: ["--disable-dev-shm-usage", "--disable-gpu", ...(told.isRoot ? ["--no-sandbox"] : [])],
});
if (told.shots !== "") mkdirSync(told.shots, { recursive: true });
const world = new World(told, browser, require);
await world.start();

const CASES = fileURLToPath(new URL("cases", import.meta.url));
for (const file of readdirSync(CASES).sort()) {
  const { cases } = await import(join(CASES, file));
  for (const [name, play] of Object.entries(cases)) {
    if (!new RegExp(told.only).test(name)) continue;
    const begun = performance.now();
    const result = { name };
    try {
      await play(world);
      const refused = world.takeViolations();
      if (refused.length > 0) throw new Error(`the page did what its policy refuses, or failed: ${refused.slice(0, 3).join("; ")}`);
    } catch (error) {
      if (error.isSkip) result.skipped = error.message;
      else {
        result.problem = String(error.stack ?? error).split("\n").slice(0, 12).join("\n");
        await world.shotOfFailure(name);
      }
    }
    await world.closePages();
    world.takeViolations();   // of what a case did on purpose
    result.seconds = (performance.now() - begun) / 1000;
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}
await browser.close();
await world.stop();
process.exit(0);
