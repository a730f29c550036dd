// By keyboard alone, in both themes, on narrow screens; what axe has to say.
import assert from "node:assert/strict";
import { screenText, until } from "../world.mjs";

// One sandbox with something of everything.
async function furnished(world) {
  const found = (await world.ask("GET", "/v1/sandboxes?name=furnished")).sandboxes[0];
  if (found) return found.id;
  const { id } = await world.make({ name: "furnished", isolation: "virtual", labels: { team: "research", purpose: "demo" }, environment: { LANG: "C.UTF-8" }, limits: { memory: "512m", exec_time: "2m" }, lease: { ttl: "8h", idle_ttl: "30m" } });
  await world.put(id, "/home/agent/README.md", "# Notes\n\nWhat was tried, and what came of it.\n");
  await world.put(id, "/home/agent/src/main.py", "import sys\n\nprint('hello', sys.argv)\n");
  await world.put(id, "/home/agent/data.csv", "name,count\na,1\nb,2\n");
  await world.run(id, "sort -t, -k2 data.csv | tee sorted.csv; echo 'two lines skipped' >&2");
  await world.run(id, "grep -r TODO src; exit 1");
  await world.ask("POST", `/v1/sandboxes/${id}/snapshots`, { name: "before-refactor" });
  await world.put(id, "/home/agent/src/main.py", "import sys\n\nprint('hello,', *sys.argv[1:])\n");
  await world.ask("POST", `/v1/sandboxes/${id}/fork`, { count: 2, name: "attempt" });
  await world.ask("POST", "/v1/sandboxes/attempt-2/pause", {});
  await world.ask("POST", `/v1/sandboxes/${id}/snapshots`, { name: "after-refactor" });
  return id;
}

const PLACES = (id) => [
  ["sandboxes", "#/", "Sandboxes"],
  ["overview", `#/sandboxes/${id}`, "Usage|Limits"],
  ["terminal", `#/sandboxes/${id}/terminal`, "Connected"],
  ["files", `#/sandboxes/${id}/files`, "README.md"],
  ["file", `#/sandboxes/${id}/files?path=%2Fhome%2Fagent%2FREADME.md`, "Download"],
  ["processes", `#/sandboxes/${id}/processes`, "Choose a process"],
  ["snapshots-tab", `#/sandboxes/${id}/snapshots`, "before-refactor"],
  ["events-tab", `#/sandboxes/${id}/events`, "sandbox.created"],
  ["snapshots-page", "#/snapshots", "after-refactor"],
  ["events-page", "#/events", "sandbox.created"],
];

const looks = {};
for (const theme of ["light", "dark"]) {
  looks[`every page is accessible, ${theme}`] = async (world) => {
    const id = await furnished(world);
    const door = await world.open("", { key: null, theme });
    await door.getByLabel("Key").waitFor();
    await world.mustBeAccessible(door, "the door");
    await world.shot(door, `${theme}-door`);
    const page = await world.open("#/", { theme });
    for (const [name, place, sign] of PLACES(id)) {
      await page.goto(`${world.url}/${place}`);
      await page.getByText(new RegExp(sign)).filter({ visible: true }).first().waitFor();
      if (name === "terminal") {
        await until("the prompt", async () => (await screenText(page)).includes("$"));
        await page.keyboard.type("ls -l --color; cat data.csv\r");
        await until("the file", async () => (await screenText(page)).includes("b,2"));
      }
      await world.shot(page, `${theme}-${name}`);
      await world.mustBeAccessible(page, name);
    }
    await page.goto(`${world.url}/#/sandboxes/${id}/processes`);
    await page.locator(".list a").last().click();
    await page.getByRole("log").getByText("skipped").waitFor();
    await world.shot(page, `${theme}-process`);
    await world.mustBeAccessible(page, "a process");
    await page.goto(`${world.url}/#/snapshots`);
    await page.getByRole("link", { name: "Diff" }).first().click();
    await page.getByText(/\d+ change/).waitFor();
    await world.shot(page, `${theme}-diff`);
    await world.mustBeAccessible(page, "a diff");
    await page.goto(`${world.url}/#/`);
    await page.getByRole("button", { name: "New sandbox" }).click();
    await page.getByText("Limits, lease, labels, network").click();
    await world.shot(page, `${theme}-create`);
    await world.mustBeAccessible(page, "the dialog");
  };
}

export const cases = {
  ...looks,

  "nothing sticks out at 400 pixels": async (world) => {
    const id = await furnished(world);
    const page = await world.open("#/", { width: 400, height: 780 });
    for (const [name, place, sign] of PLACES(id)) {
      await page.goto(`${world.url}/${place}`);
      await page.getByText(new RegExp(sign)).filter({ visible: true }).first().waitFor();
      await world.shot(page, `narrow-${name}`);
      const out = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(out <= 0, `${name}: ${out} pixels`);
      const main = await page.evaluate(() => {
        const element = document.querySelector("main");
        return element.scrollWidth - element.clientWidth;
      });
      assert.ok(main <= 1, `${name}: ${main} pixels of the content`);
      const hidden = await page.evaluate(() => [...document.querySelectorAll(".row .c0 a")].filter((link) => {
        const [own, row] = [link.getBoundingClientRect(), link.closest(".row").getBoundingClientRect()];
        return own.width < 10 || own.top < row.top || own.bottom > row.bottom;
      }).length);
      assert.equal(hidden, 0, `${name}: names that are not seen`);
    }
  },

  "the theme is chosen and kept": async (world) => {
    const page = await world.open("#/", { theme: "light" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: /^Theme/ }).click();
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    await page.getByRole("heading", { name: "Sandboxes", exact: true }).waitFor();
    assert.equal(await ground(), dark);
  },

  "all of it works by keyboard": async (world) => {
    const page = await world.open("#/", { key: null });
    const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    // Tab until what has the focus is called so; the focus is always seen.
    const tabTo = async (name, most = 60) => {
      for (let count = 0; count < most; count++) {
        const now = await page.evaluate(() => {
          const element = document.activeElement;
          const label = element.id === "" ? null : document.querySelector(`label[for="${element.id}"]`);
          const style = getComputedStyle(element);
          return { name: element.getAttribute("aria-label") ?? label?.textContent ?? element.textContent ?? "", isSeen: element === document.body || style.outlineStyle !== "none" || element.closest(".xterm") !== null };
        });
        assert.ok(now.isSeen, `the focus on '${now.name.slice(0, 40)}' is not seen`);
        if (now.name.trim().startsWith(name)) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`Tab never comes to ${name}`);
    };
    await page.locator("input:focus").waitFor();
    await page.keyboard.type(world.key);
    await press("Enter");
    await page.getByRole("heading", { name: "Sandboxes", exact: true }).waitFor();
    await tabTo("New sandbox");
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await tabTo("Name");
    await page.keyboard.type("by-keyboard");
    await press("Enter");
    await page.getByRole("heading", { name: "by-keyboard" }).waitFor();
    await tabTo("Terminal");
    await press("Enter");
    await until("the prompt", async () => (await screenText(page)).includes("$"));
    await page.keyboard.type("mkdir -p d; echo typed > d/f\r");
    await until("it is there", async () => (await screenText(page)).split("$").length > 2);
    await press("F6");
    await tabTo("Files");
    await press("Enter");
    await page.getByRole("grid", { name: "Files" }).waitFor();
    await tabTo("Files", 40).catch(() => null);
    await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "grid" || document.activeElement?.tagName === "A");
    while (!(await page.evaluate(() => document.activeElement.getAttribute("role") === "grid"))) await press("Tab");
    await press("Home", "Enter");
    await page.getByRole("link", { name: "f", exact: true }).waitFor();
    while (!(await page.evaluate(() => document.activeElement.getAttribute("role") === "grid"))) await press("Tab");
    await press("Enter");
    await page.getByLabel("Content").waitFor();
    await tabTo("Content");
    await press("Control+a");
    await page.keyboard.type("by hand");
    await press("Control+s");
    await page.getByText("Saved").waitFor();
    await press("Shift+Tab");
    await tabTo("Processes");
    await press("Enter");
    await tabTo("Run a script");
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await tabTo("Script");
    await page.keyboard.type("cat d/f");
    await tabTo("Run");
    await press("Enter");
    await page.getByRole("log").getByText("by hand").waitFor();
    await page.evaluate(() => document.activeElement.blur());
    await tabTo("Snapshots");
    await press("Tab");
    await tabTo("Snapshots");
    await press("Enter");
    await tabTo("Take a snapshot");
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.waitForFunction(() => document.activeElement?.textContent.trim() === "Take a snapshot");   // the focus is back
    await press("Enter");
    await tabTo("Name");
    await page.keyboard.type("keyboard-snap");
    await press("Enter");
    await page.locator(".tree strong", { hasText: "keyboard-snap" }).waitFor();
    await tabTo("Diff");
    await press("Enter");
    await page.getByText("Nothing differs").waitFor();
  },
};
