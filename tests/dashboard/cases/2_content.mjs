// Files, processes, snapshots, events.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { skip, until } from "../world.mjs";

// The answer tells it; the words on the page may still be those of the time before.
async function save(page) {
  const isSaved = (response) => response.request().method() === "PUT" && response.ok();
  await Promise.all([page.waitForResponse(isSaved), page.getByRole("button", { name: "Save" }).click()]);
  await page.getByText("Saved").last().waitFor();
}

export const cases = {
  "files are looked at, changed, uploaded, downloaded, renamed and removed": async (world) => {
    const { id } = await world.make({ name: "files", isolation: "virtual" });
    await world.put(id, "/home/agent/notes.txt", "one\ntwo\n");
    await world.put(id, "/home/agent/src/deep.txt", "deep\n");
    const page = await world.open(`#/sandboxes/${id}/files`);
    await page.getByRole("link", { name: "notes.txt" }).click();
    const content = page.getByLabel("Content");
    assert.equal(await content.inputValue(), "one\ntwo\n");
    await content.fill("one\nthree\n");
    await content.press("Control+s");
    await page.getByText("Saved").waitFor();
    assert.equal(await world.read(id, "/home/agent/notes.txt"), "one\nthree\n");
    await page.getByRole("button", { name: "Close" }).first().click();

    const big = join(world.told.scratch, "upload.bin");
    writeFileSync(big, Buffer.alloc(30 << 20, 7));
    await page.getByLabel("Files to upload").setInputFiles(big);
    await page.getByText("upload.bin is there").waitFor();
    await page.getByText("30 MiB").waitFor();
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download upload.bin" }).click()]);
    assert.equal(saved.suggestedFilename(), "upload.bin");
    assert.ok(readFileSync(await saved.path()).equals(readFileSync(big)));
    const [archive] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download src" }).click()]);
    assert.ok(readFileSync(await archive.path()).includes("deep"));

    await page.getByRole("button", { name: "Rename notes.txt" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("kept.txt");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("link", { name: "kept.txt" }).waitFor();
    await page.getByRole("button", { name: "Delete src" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("link", { name: "src" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "New directory" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("made");
    await page.getByRole("dialog").getByRole("button", { name: "Make" }).click();
    await page.getByRole("link", { name: "made" }).click();
    await page.getByText("Nothing is here").waitFor();
    await page.getByRole("button", { name: "New file" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("new.txt");
    await page.getByRole("dialog").getByRole("button", { name: "Make" }).click();
    await page.getByLabel("Content").fill("fresh");
    await save(page);
    assert.equal(await world.read(id, "/home/agent/made/new.txt"), "fresh");
  },

  "work that is not saved is not left without a question": async (world) => {
    const { id } = await world.make({ isolation: "virtual" });
    await world.put(id, "/home/agent/a", "text");
    const page = await world.open(`#/sandboxes/${id}/files?path=%2Fhome%2Fagent%2Fa`);
    await page.getByLabel("Content").fill("other");
    world.onDialog = (dialog) => dialog.dismiss();
    await page.getByRole("link", { name: "Overview" }).click();
    assert.equal(await page.getByLabel("Content").inputValue(), "other");
    world.onDialog = undefined;
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("Runs now").waitFor();
  },

  "lines that end in CR LF stay so, mixed ones are only shown": async (world) => {
    const { id } = await world.make({ isolation: "virtual" });
    await world.put(id, "/home/agent/dos", "a\r\nb\r\n");
    await world.put(id, "/home/agent/mixed", "a\r\nb\nc\rd");
    const page = await world.open(`#/sandboxes/${id}/files?path=%2Fhome%2Fagent%2Fdos`);
    await page.getByLabel("Content").fill("a\nc\n");
    await save(page);
    assert.equal(await world.read(id, "/home/agent/dos"), "a\r\nc\r\n");
    await page.goto(`${world.url}/#/sandboxes/${id}/files?path=%2Fhome%2Fagent%2Fmixed`);
    await page.getByText("Its lines end in different ways").waitFor();
    assert.equal(await page.getByLabel("Content").getAttribute("readonly"), "");
  },

  "what is no text is shown as bytes": async (world) => {
    const { id } = await world.make({ isolation: "virtual" });
    await world.put(id, "/home/agent/bytes", new Uint8Array([0, 255, 65, 66]));
    const page = await world.open(`#/sandboxes/${id}/files?path=%2Fhome%2Fagent%2Fbytes`);
    await page.getByLabel("Bytes").getByText("00 ff 41 42").waitFor();
  },

  "a script runs, its output is followed, it gets input and is killed": async (world) => {
    const { id } = await world.make({ name: "proc", isolation: "virtual" });
    const page = await world.open(`#/sandboxes/${id}/processes`);
    await page.getByText("Nothing ran yet").waitFor();
    await page.getByRole("button", { name: "Run a script" }).click();
    await page.getByLabel("Script", { exact: true }).fill('echo begin; echo wrong >&2; read a; echo "got $a"; sleep 1000');
    await page.getByLabel("Keep its input open").check();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const output = page.getByRole("log", { name: "Output" });
    await output.getByText("begin").waitFor();
    await output.locator(".stderr", { hasText: "wrong" }).waitFor();
    await page.getByLabel("Line for its input").fill("this");
    await page.getByRole("button", { name: "Send" }).click();
    await output.getByText("got this").waitFor();
    await world.shot(page, "processes");
    await page.getByRole("button", { name: "Kill" }).click();
    await page.locator(".detail .badge", { hasText: /cancelled|signal/ }).waitFor();
  },

  "snapshots are taken, compared, restored, and forked, and stand as a tree": async (world) => {
    const { id } = await world.make({ name: "origin", isolation: "virtual" });
    await world.put(id, "/home/agent/a.txt", "one\ntwo\n");
    const page = await world.open(`#/sandboxes/${id}/snapshots`);
    await page.getByRole("button", { name: "Take a snapshot" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("first");
    await page.getByRole("button", { name: "Take", exact: true }).click();
    await page.locator(".tree strong", { hasText: "first" }).waitFor();
    await world.put(id, "/home/agent/a.txt", "one\n2\n");
    await world.put(id, "/home/agent/new.txt", "new\n");
    await page.getByRole("link", { name: "Diff" }).click();
    await page.getByText("2 changes").waitFor();
    await page.locator(".minus", { hasText: "-two" }).waitFor();
    await page.locator(".plus", { hasText: "+2" }).waitFor();
    await world.shot(page, "diff");
    await page.goto(`${world.url}/#/sandboxes/${id}/snapshots`);
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("The sandbox is as in first").waitFor();
    assert.equal(await world.read(id, "/home/agent/a.txt"), "one\ntwo\n");
    assert.equal(await world.read(id, "/home/agent/new.txt"), null);
    await page.getByRole("button", { name: "Fork" }).click();
    await page.getByLabel("How many").fill("2");
    await page.getByRole("dialog").getByLabel("Name").fill("try");
    await page.getByRole("dialog").getByRole("button", { name: "Fork" }).click();
    await page.getByText("2 forks made").waitFor();
    await page.getByRole("link", { name: "try-2" }).waitFor();
    await page.getByRole("button", { name: "New sandbox" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("from-first");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "from-first" }).waitFor();
    await page.goto(`${world.url}/#/snapshots`);
    await page.locator(".tree .tree .tree", { hasText: "from-first" }).waitFor();
    await world.shot(page, "snapshots");
    await page.getByRole("button", { name: "Delete snapshot first" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.locator(".tree strong", { hasText: "first" }).waitFor({ state: "detached" });
  },

  "a sandbox begins from a template": async (world) => {
    const { id } = await world.make({ name: "model", isolation: "virtual" });
    await world.put(id, "/home/agent/given.txt", "given\n");
    const { id: snapshot } = await world.ask("POST", `/v1/sandboxes/${id}/snapshots`, {});
    await world.ask("POST", `/v1/snapshots/${snapshot}/template`, { name: "ready" });
    const page = await world.open();
    await page.getByRole("button", { name: "New sandbox" }).click();
    await page.getByLabel("Name", { exact: true }).fill("from-template");
    await page.getByLabel("Template").selectOption("ready@1");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "from-template" }).waitFor();
    await page.getByText(/^template \S+/).waitFor();
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("link", { name: "given.txt" }).waitFor();
  },

  "what a policy refused stands with its process and its sandbox": async (world) => {
    const made = await world.make({ name: "refusals", isolation: "process", network: { allow: ["allowed.example:80"] } }).catch((error) => {
      throw skip(`no process wall here: ${error.message}`);
    });
    const ran = await world.run(made.id, "curl -s -m 10 http://refused.example/ || true");
    if (ran.denials.length === 0) throw skip("nothing was refused here: is curl installed?");
    const page = await world.open(`#/sandboxes/${made.id}/events`);
    await page.getByText("refused.example").first().waitFor();
    await page.getByRole("link", { name: "its process" }).first().click();
    await page.getByText(/Refused by the policy: \d/).waitFor();
    await page.locator(".note.warning", { hasText: "refused.example" }).waitFor();
  },

  "events are listed, found, and those of a sandbox stand on its page": async (world) => {
    const { id } = await world.make({ name: "happens" });
    await world.ask("POST", `/v1/sandboxes/${id}/pause`);
    const page = await world.open("#/events");
    await page.getByLabel("Find in events").fill(id);
    await until("both", async () => (await page.locator("tbody tr").count()) === 2);
    await page.getByText("sandbox.paused").waitFor();
    await world.shot(page, "events");
    await page.goto(`${world.url}/#/sandboxes/${id}/events`);
    await page.getByText("sandbox.paused").waitFor();
    await page.getByText("refused nothing").waitFor();
  },
};
