// The ways through the page.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { screenText, skip, until } from "../world.mjs";

export const cases = {
  "a key is asked for, a wrong one refused, a right one kept for the tab only": async (world) => {
    const page = await world.open("", { key: null });
    await page.getByLabel("Key").fill("pdk_wrong");
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByText("This key is not accepted").waitFor();
    await page.getByLabel("Key").fill(world.key);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sandboxes", exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.cookie + JSON.stringify(localStorage)).then((text) => text.includes("pdk")), false);
    assert.ok(!page.url().includes(world.key));
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Key").waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  },

  "a sandbox is made, paused, resumed and deleted": async (world) => {
    const page = await world.open();
    await page.getByRole("button", { name: "New sandbox" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("way");
    await page.getByLabel("Isolation").selectOption("virtual");
    await page.getByText("Limits, lease, labels, network").click();
    await page.getByLabel("Memory").fill("128m");
    await page.getByLabel("Rests when idle for").fill("1h");
    await page.getByLabel("Labels").fill("team=a\npurpose=way");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "way" }).waitFor();
    await page.getByText("128 MiB").waitFor();
    await page.getByText("purpose").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator(".badge.state-paused").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".badge.state-running").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("way is deleted").waitFor();
    assert.deepEqual((await world.ask("GET", "/v1/sandboxes?name=way")).sandboxes, []);
  },

  "what the daemon refuses is said in its words": async (world) => {
    await world.make({ name: "taken" });
    const page = await world.open();
    await page.getByRole("button", { name: "New sandbox" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("taken");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("dialog").getByRole("alert").getByText("taken").waitFor();
  },

  "the list follows what happens elsewhere": async (world) => {
    const page = await world.open();
    await page.getByText("live", { exact: true }).waitFor();
    const made = await world.make({ name: "from-elsewhere" });
    await page.getByRole("link", { name: "from-elsewhere" }).waitFor();
    await world.ask("POST", `/v1/sandboxes/${made.id}/stop`);
    await page.locator(".row", { hasText: "from-elsewhere" }).getByText("stopped").waitFor();
    await world.ask("DELETE", `/v1/sandboxes/${made.id}`);
    await page.getByRole("link", { name: "from-elsewhere" }).waitFor({ state: "detached" });
  },

  "a terminal behind the process wall has the size of its screen, and its keys": async (world) => {
    const { isolations } = await world.ask("GET", "/v1/isolations");
    if (!isolations.includes("process")) throw skip("there is no process wall here");
    const made = await world.make({ name: "wall", isolation: "process" }).catch((error) => {
      throw skip(`no process wall here: ${error.message}`);
    });
    const page = await world.open(`#/sandboxes/${made.id}/terminal`);
    await page.getByText("Connected").waitFor();
    await until("the prompt", async () => /[$#]/.test(await screenText(page)));
    const size = async (mark) => {
      await page.keyboard.type(`echo ${mark}-$(stty size | tr ' ' x)-\r`);
      return until("its size", async () => new RegExp(`${mark}-(\\d+)x(\\d+)-`).exec(await screenText(page)));
    };
    const [, rows, columns] = await size("first");
    assert.ok(Number(rows) > 20 && Number(columns) > 100, `${rows} x ${columns}`);
    await page.setViewportSize({ width: 700, height: 500 });
    await until("a smaller one", async () => Number((await size(`then${Math.floor(Math.random() * 1e6)}`))[2]) < Number(columns));
    await page.keyboard.type("sleep 100\r");
    await page.keyboard.press("Control+c");
    await page.keyboard.type("echo alive-$((20+3))\r");
    await until("what comes behind Ctrl-C", async () => (await screenText(page)).includes("alive-23"));
  },

  "a terminal shows much output whole, and the shell goes on": async (world) => {
    const { id } = await world.make({ name: "much", isolation: "virtual", limits: { output: "1g", exec_time: "2m" } });
    const page = await world.open(`#/sandboxes/${id}/terminal`);
    await until("the prompt", async () => (await screenText(page)).includes("$"));
    await page.keyboard.type("head -c 3000000 /dev/zero | tr '\\0' y | fold -w 79; echo; echo last-$((40+4))\r");
    await until("the last line", async () => (await screenText(page)).includes("last-44"), 120_000);
    await page.getByText("Connected").waitFor();
  },

  "a terminal takes a line, is resized, and outlives another view": async (world) => {
    const { id } = await world.make({ name: "shell" });
    const page = await world.open(`#/sandboxes/${id}/terminal`);
    await page.getByText("Connected").waitFor();
    await until("the prompt", async () => (await screenText(page)).includes("$"));
    await page.keyboard.type("x=42; echo value-$x\r");
    await until("the answer", async () => (await screenText(page)).includes("value-42"));
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("Runs now").waitFor();
    await page.getByRole("link", { name: "Terminal" }).click();
    await page.locator(".xterm-helper-textarea:focus").waitFor({ state: "attached" });
    await page.keyboard.type("echo again-$x\r");
    await until("the same shell", async () => (await screenText(page)).includes("again-42"));
    await page.keyboard.type("exit 3\r");
    await page.getByText("The shell ended with exit code 3.").waitFor();
    await page.getByRole("button", { name: "New terminal" }).click();
    await page.getByText("Connected").waitFor();
  },
};
