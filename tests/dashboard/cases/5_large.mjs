// Much of everything, slow networks, a daemon that comes and goes, keys that are good no more.
import assert from "node:assert/strict";
import { closeSync, openSync, ftruncateSync, writeSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { screenText, until } from "../world.mjs";

const COUNT = 10_000;

export const cases = {
  "a file of 1 GB is shown in part, with little memory, and downloaded": async (world) => {
    const { id } = await world.make({ name: "big-file", isolation: "virtual", limits: { disk: "2g", memory: "2g" } });
    const path = join(world.told.scratch, "gigabyte");
    const file = openSync(path, "w");
    writeSync(file, "begin\n".repeat(100_000));
    ftruncateSync(file, 1_000_000_000);
    closeSync(file);
    const sent = spawnSync("curl", ["-sf", "-T", path, "-H", `Authorization: Bearer ${world.key}`, `${world.url}/v1/sandboxes/${id}/files/content?path=/home/agent/big`], { encoding: "utf8" });
    assert.equal(sent.status, 0, sent.stderr);
    const page = await world.open(`#/sandboxes/${id}/files?path=%2Fhome%2Fagent%2Fbig`);
    await page.getByText("of 954 MiB").first().waitFor({ timeout: 30_000 });
    assert.equal((await page.getByLabel("Content").inputValue()).length, 256 << 10);
    const held = await page.evaluate(() => performance.memory.usedJSHeapSize);
    assert.ok(held < 60 << 20, `${held} bytes of the page`);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
    await saved.cancel();
    await world.ask("DELETE", `/v1/sandboxes/${id}`);
  },

  "100 MB of output are shown in windows": async (world) => {
    const { id } = await world.make({ name: "much-output", isolation: "virtual", limits: { output: "200m", exec_time: "2m" } });
    await world.run(id, "echo the-beginning; head -c 100000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo the-end").catch(() => null);
    const { processes } = await world.ask("GET", `/v1/sandboxes/${id}/processes`);
    assert.ok(processes[0].output_bytes > 100_000_000, JSON.stringify(processes[0]).slice(0, 600));
    const page = await world.open(`#/sandboxes/${id}/processes?process=${processes[0].id}`);
    const output = page.getByRole("log");
    await until("the end", async () => (await output.innerText()).includes("the-end"));
    assert.ok((await output.innerText()).length < 1.2e6);
    await page.getByRole("button", { name: "Beginning" }).click();
    await until("the beginning", async () => (await output.innerText()).includes("the-beginning"));
    await page.getByRole("button", { name: "Later" }).click();
    await until("another window", async () => !(await output.innerText()).includes("the-beginning") && (await output.innerText()).length > 1000);
    assert.ok((await output.innerText()).length < 1.2e6);
  },

  "over a slow network it says that it loads, and then shows": async (world) => {
    await world.make({ name: "far-away" });
    const page = await world.open("", { key: null });
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.emulateNetworkConditions", { offline: false, latency: 1500, downloadThroughput: 40_000, uploadThroughput: 40_000 });
    await page.getByLabel("Key").fill(world.key);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByText("Loading").first().waitFor();
    await page.getByRole("link", { name: "far-away" }).waitFor({ timeout: 30_000 });
  },

  "a daemon that ends is missed, and found again": async (world) => {
    const made = await world.make({ name: "survivor", isolation: "virtual" });
    const page = await world.open();
    await page.getByText("live", { exact: true }).waitFor();
    await world.stop("SIGKILL");
    await page.getByText("The daemon does not answer").waitFor();
    await world.shot(page, "lost");
    await world.start();
    await page.getByText("live", { exact: true }).waitFor({ timeout: 20_000 });
    await page.getByText("The daemon does not answer").waitFor({ state: "detached" });
    await world.ask("POST", `/v1/sandboxes/${made.id}/pause`);
    await page.locator(".row", { hasText: "survivor" }).getByText("paused").waitFor();
  },

  "a key that is revoked leads back to the door": async (world) => {
    const key = world.newKey("user", "leaver");
    const page = await world.open("#/", { key });
    await page.getByText("No sandboxes yet").waitFor();
    const revoke = spawnSync(world.told.paddock, ["key", "list", "--data", world.told.data], { encoding: "utf8" });
    const id = revoke.stdout.split("\n").find((line) => line.includes("leaver")).match(/key_\w+/)[0];
    assert.equal(spawnSync(world.told.paddock, ["key", "revoke", "--data", world.told.data, id]).status, 0);
    await page.getByRole("button", { name: "New sandbox" }).first().click();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("This key is not accepted").waitFor();
    await page.getByLabel("Key").waitFor();
  },

  "a key that may only look is told so, and looks": async (world) => {
    const owner = world.newKey("user", "ann");
    const made = await fetch(`${world.url}/v1/sandboxes`, { method: "POST", body: '{"name":"anns","isolation":"virtual"}', headers: { Authorization: `Bearer ${owner}`, "Content-Type": "application/json" } });
    const { id } = await made.json();
    const page = await world.open("#/", { key: world.newKey("read", "ann") });
    await page.getByRole("link", { name: "anns" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("this key may not do that").waitFor();
    await page.goto(`${world.url}/#/sandboxes/${id}/files`);
    await page.getByRole("button", { name: "Upload" }).waitFor();
    // Another owner's is as if it were not there.
    const other = await world.open(`#/sandboxes/${id}`, { key: world.newKey("user", "bob") });
    await other.getByText("There is no such sandbox").waitFor();
  },

  [`${COUNT.toLocaleString("en")} sandboxes are listed, found and scrolled`]: async (world) => {
    const key = world.newKey("admin", "many");
    const post = async (path, body) => {
      const answer = await fetch(world.url + path, { method: "POST", body: JSON.stringify(body), headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" } });
      const text = await answer.text();
      assert.ok(answer.ok, text);
      return JSON.parse(text);
    };
    const { id } = await post("/v1/sandboxes", { name: "original", isolation: "virtual" });
    for (let made = 0; made < COUNT; made += 100) {
      const { forks } = await post(`/v1/sandboxes/${id}/fork`, { count: 100, name: `box-${String(made / 100).padStart(2, "0")}` });
      assert.deepEqual(forks.flatMap((fork) => fork.error ?? []), [], `fork ${made}`);
    }
    const page = await world.open("#/", { key });
    await page.getByText(/^10,0\d\d sandboxes/).waitFor({ timeout: 60_000 });
    assert.ok((await page.locator("[role=row]").count()) < 80);
    await page.getByRole("grid").focus();
    await page.keyboard.press("End");
    await until("the oldest", async () => (await page.locator("[role=row].active").count()) === 1);
    await page.keyboard.press("Home");
    await page.getByRole("link", { name: "box-99-100" }).waitFor();
    await page.getByLabel("Find by name").fill("box-42-77");
    await page.getByRole("link", { name: "box-42-77" }).waitFor();
    assert.equal(await page.locator(".row:not(.head)").count(), 1);
    await page.getByLabel("Find by name").fill("");
    const begun = Date.now();
    await post("/v1/sandboxes", { name: "late" });
    await page.getByRole("link", { name: "late" }).waitFor();
    assert.ok(Date.now() - begun < 15_000);
    // A terminal that is opened before the list has come to its sandbox stays.
    const direct = await world.open(`#/sandboxes/${id}/terminal`, { key });
    await until("the prompt", async () => (await screenText(direct)).includes("$"));
    await direct.keyboard.type("x=stays\r");
    await until("all pages of the list", () => direct.evaluate((count) => performance.getEntriesByType("resource").filter((one) => one.name.includes("/v1/sandboxes?limit")).length >= count, Math.ceil(COUNT / 1000)), 60_000);
    await direct.keyboard.type("echo it-$x\r");
    await until("the same shell", async () => (await screenText(direct)).includes("it-stays"));
  },
};
