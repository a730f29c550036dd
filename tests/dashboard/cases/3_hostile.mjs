// What comes out of a sandbox wants to be more than text; other sites want to be this one. Whatever ran in the page would be a violation
// (world.mjs), and fails its case.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect } from "node:net";
import { readFileSync } from "node:fs";
import { screenText, until } from "../world.mjs";

const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

// An answer to a request that no browser would send so.
function raw(world, head) {
  return new Promise((resolve, reject) => {
    const socket = connect(world.port, "127.0.0.1", () => socket.write(`${head}\r\n\r\n`));
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes;
      if (text.includes("\r\n\r\n")) socket.end();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

async function noMarkup(page) {
  assert.equal(await page.locator("main img, main script, main iframe, main svg, main style").count(), 0);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
}

export const cases = {
  "markup in names, labels, variables and output stays text": async (world) => {
    const { id } = await world.make({ name: "hostile", isolation: "virtual", labels: { markup: MARKUP }, environment: { EVIL: MARKUP } });
    await world.put(id, `/home/agent/${MARKUP.replaceAll("/", "")}`, MARKUP);
    await world.put(id, "/home/agent/page.html", `<script>window.pwned = 1; alert(3)</script>${MARKUP}`);
    await world.put(id, "/home/agent/picture.svg", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(4)"><script>alert(5)</script></svg>');
    await world.run(id, `echo '${MARKUP}'; echo '${MARKUP}' >&2`);
    await world.ask("POST", `/v1/sandboxes/${id}/snapshots`, { name: "hostile-one", labels: { markup: MARKUP } });
    await world.put(id, "/home/agent/page.html", MARKUP);
    const page = await world.open();
    await page.getByText("markup=<img").waitFor();
    await noMarkup(page);
    await page.goto(`${world.url}/#/sandboxes/${id}`);
    await page.getByText("alert(2)").first().waitFor();
    await noMarkup(page);
    await page.goto(`${world.url}/#/sandboxes/${id}/files`);
    await page.getByRole("link", { name: "<img" }).click();
    assert.equal(await page.getByLabel("Content").inputValue(), MARKUP);
    await noMarkup(page);
    for (const name of ["page.html", "picture.svg"]) {
      await page.goto(`${world.url}/#/sandboxes/${id}/files?path=%2Fhome%2Fagent%2F${name}`);
      await until("its text", async () => (await page.getByLabel("Content").inputValue()).includes("alert"));
      await noMarkup(page);
    }
    const { processes } = await world.ask("GET", `/v1/sandboxes/${id}/processes`);
    await page.goto(`${world.url}/#/sandboxes/${id}/processes?process=${processes[0].id}`);
    await page.getByRole("log").getByText("<script>alert(2)</script>").first().waitFor();
    await noMarkup(page);
    const { snapshots } = await world.ask("GET", `/v1/snapshots?sandbox=${id}`);
    await page.goto(`${world.url}/#/snapshots?diff=${snapshots[0].id}`);
    await page.locator(".plus", { hasText: "<img" }).waitFor();
    await noMarkup(page);
    await page.goto(`${world.url}/#/events`);
    await page.getByRole("region", { name: "Events" }).waitFor();
    await noMarkup(page);
  },

  "the address itself is no markup and no way out": async (world) => {
    const page = await world.open(`#/sandboxes/${encodeURIComponent(MARKUP)}/files`);
    await page.getByText("There is no such sandbox").waitFor();
    await page.goto(`${world.url}/#/%zz/javascript:alert(1)`);
    await page.getByText("There is no such page").waitFor();
    await page.goto(`${world.url}/#/sandboxes/..%2F..%2Fv1%2Fhealth`);
    await page.getByText("There is no such sandbox").waitFor();
    await noMarkup(page);
  },

  "characters that hide or reorder are named": async (world) => {
    const { id } = await world.make({ isolation: "virtual" });
    await world.put(id, "/home/agent/a\u202egnp.exe", "x");
    await world.put(id, "/home/agent/b\nc", "x");
    await world.run(id, "printf 'x\\033[2Jy\\033]0;title\\007z\\n\\u202e'");
    const page = await world.open(`#/sandboxes/${id}/files`);
    await page.getByText("a⟨202E⟩gnp.exe").waitFor();
    await page.getByText("b⟨000A⟩c").waitFor();
    const { processes } = await world.ask("GET", `/v1/sandboxes/${id}/processes`);
    await page.goto(`${world.url}/#/sandboxes/${id}/processes?process=${processes[0].id}`);
    await page.getByRole("log").getByText("xyz").waitFor();
    await page.getByRole("log").getByText("⟨202E⟩").waitFor();
  },

  "a file is saved, never shown, whatever it is": async (world) => {
    const { id } = await world.make({ isolation: "virtual" });
    for (const [name, text] of [["page.html", "<script>alert(1)</script>"], ["picture.svg", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'], ["script.js", "alert(1)"]]) {
      await world.put(id, `/home/agent/${name}`, text);
      const { ticket } = await world.ask("POST", `/v1/sandboxes/${id}/terminal/tickets`);
      const page = await world.open();
      const at = `/v1/sandboxes/${id}/files/content?path=/home/agent/${name}&ticket=${ticket}`;
      const [saved] = await Promise.all([page.waitForEvent("download"), page.goto(world.url + at).catch(() => null)]);
      assert.equal(readFileSync(await saved.path(), "utf8"), text);
      // Nor as a part of a page of this origin.
      const answer = await world.ask("POST", `/v1/sandboxes/${id}/terminal/tickets`);
      const part = `/v1/sandboxes/${id}/files/content?path=/home/agent/${name}&ticket=${answer.ticket}`;
      await page.evaluate((address) => {
        for (const [tag, name] of [["script", "src"], ["iframe", "src"], ["object", "data"]]) {
          const element = document.createElement(tag);
          try {
            element.setAttribute(name, address);
            document.body.append(element);
          } catch {
            // The page's policy takes no such address at all.
          }
        }
      }, part);
      await page.waitForTimeout(100);
      const refused = world.takeViolations();
      assert.ok(refused.every((text) => !text.startsWith("alert")), refused.join());
    }
  },

  "a program in a terminal cannot reach beyond it": async (world) => {
    const { id } = await world.make({ isolation: "virtual" });
    const page = await world.open(`#/sandboxes/${id}/terminal`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByText("Connected").waitFor();
    await until("the prompt", async () => (await screenText(page)).includes("$"));
    await page.evaluate(() => navigator.clipboard.writeText("mine"));
    const title = await page.title();
    const size = page.viewportSize();
    const tricks = [
      "\\033]0;pwned\\007", "\\033]2;pwned\\007", "\\033]52;c;cHduZWQ=\\007", "\\033]8;;javascript:alert(1)\\007link\\033]8;;\\007", "\\033]8;;http://evil.example/\\007other\\033]8;;\\007",
      "\\033[8;5;5t", "\\033[3;0;0t", "\\033[21t", "\\033]50;x\\007", "\\033]1337;File=name=YQ==;inline=1:PHN2Zz4=\\007", "\\033P+q544e\\033\\\\", "\\033]10;?\\007", "\\033[>q",
    ];
    await page.keyboard.type(`printf '${tricks.join("")}'; echo; echo done-$((1+1))\r`);
    await until("its end", async () => (await screenText(page)).includes("done-2"));
    assert.equal(await page.title(), title);
    assert.deepEqual(page.viewportSize(), size);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "mine");
    assert.equal(await page.locator(".xterm a, .xterm [href], .xterm-underline-1").count(), 0);
    // What it asked the terminal was not typed as an answer that names the page, its title or its clipboard.
    assert.ok(!(await screenText(page)).split("done-2").at(-1).includes("pwned"));
    let opened = 0;
    page.context().on("page", () => opened++);
    for (const word of ["link", "other"]) {
      const box = await page.locator(".xterm-rows span", { hasText: word }).last().boundingBox();
      if (box !== null) await page.mouse.click(box.x + 8, box.y + 5, { modifiers: ["Control"] });
    }
    await page.waitForTimeout(100);
    assert.equal(opened, 0);
    assert.equal(page.context().pages().length, 1);
  },

  "colours of every kind are shown, though the policy takes no inline style": async (world) => {
    const { id } = await world.make({ isolation: "virtual" });
    const page = await world.open(`#/sandboxes/${id}/terminal`);
    await until("the prompt", async () => (await screenText(page)).includes("$"));
    await page.keyboard.type("clear; printf '\\033[38;2;200;30;40mtrue\\033[0m \\033[38;5;33mindexed\\033[0m \\033[32mnamed\\033[0m\\n'\r");
    const colour = (word) => page.locator(".xterm-rows span", { hasText: new RegExp(`^${word}$`) }).first().evaluate((element) => getComputedStyle(element).color);
    await until("three colours", async () => (await page.locator(".xterm-rows span", { hasText: /^named$/ }).count()) > 0);
    const colours = [await colour("true"), await colour("indexed"), await colour("named")];
    assert.equal(colours[0], "rgb(200, 30, 40)");
    assert.equal(new Set(colours).size, 3);
    await world.shot(page, "terminal-colours");
  },

  "the page evaluates nothing, is framed nowhere, and its policy has no exception": async (world) => {
    const answer = await fetch(`${world.url}/`);
    const policy = answer.headers.get("content-security-policy");
    assert.ok(!/unsafe|\*|https?:/.test(policy), policy);
    const page = await world.open();
    await page.getByRole("heading", { name: "Sandboxes", exact: true }).waitFor();
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      try {
        script.textContent = "window.pwned = 1";
        document.body.append(script);
      } catch {
        // Refused before it was one.
      }
      try {
        document.body.insertAdjacentHTML("beforeend", "<b onclick=1>");
        return "markup";
      } catch {
        return window.pwned ?? "nothing";
      }
    });
    assert.equal(ran, "nothing");
    world.takeViolations();   // that were just asked for
    const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(`<iframe src="${world.url}/"></iframe>`)).listen(0);
    const other = await world.browser.newPage();
    await other.goto(`http://127.0.0.1:${server.address().port}/`);
    await until("the refusal of the frame", async () => other.frames().some((frame) => frame.url().startsWith("chrome-error:")));
    await other.close();
    server.close();
  },

  "another site's page reads nothing, changes nothing, and opens no socket": async (world) => {
    const { id } = await world.make({ name: "untouched", isolation: "virtual" });
    const { ticket } = await world.ask("POST", `/v1/sandboxes/${id}/terminal/tickets`);
    const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<p>other")).listen(0);
    const other = await world.browser.newPage();
    await other.goto(`http://localhost:${server.address().port}/`);
    const done = await other.evaluate(async ({ url, key, id, ticket }) => {
      const headers = { Authorization: `Bearer ${key}` };
      const tried = {};
      const of = (name, promise) => promise.then((answer) => (tried[name] = answer.type === "opaque" ? "opaque" : String(answer.status)), () => (tried[name] = "refused"));
      await of("read", fetch(`${url}/v1/sandboxes`, { headers }));
      await of("health", fetch(`${url}/v1/health`));
      await of("page", fetch(`${url}/`));
      await of("delete", fetch(`${url}/v1/sandboxes/${id}`, { method: "DELETE", headers }));
      await of("simple", fetch(`${url}/v1/sandboxes`, { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body: "{}" }));
      tried.socket = await new Promise((resolve) => {
        const socket = new WebSocket(`${url.replace("http", "ws")}/v1/sandboxes/${id}/terminal?ticket=${ticket}`);
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      });
      return tried;
    }, { url: world.url, key: world.key, id, ticket });
    await other.close();
    server.close();
    assert.deepEqual(done, { read: "refused", health: "refused", page: "refused", delete: "refused", simple: "opaque", socket: "refused" });
    assert.equal((await world.ask("GET", `/v1/sandboxes/${id}`)).name, "untouched");
  },

  "a name that another site lets point here is refused": async (world) => {
    for (const host of ["evil.example", "evil.example:7420", "127.0.0.1.evil.example", "localhost.evil.example"]) {
      for (const path of ["/", "/v1/health", "/dashboard/app.js"]) {
        const answer = await raw(world, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close`);
        assert.ok(answer.startsWith("HTTP/1.1 421"), `${host} ${path}: ${answer.slice(0, 60)}`);
      }
    }
    const forged = await raw(world, `POST /v1/sandboxes HTTP/1.1\r\nHost: localhost:${world.port}\r\nOrigin: http://evil.example\r\nAuthorization: Bearer ${world.key}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`);
    assert.ok(forged.startsWith("HTTP/1.1 403"), forged.slice(0, 60));
  },
};
