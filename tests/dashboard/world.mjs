// A daemon, a browser, and what cases do with both.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export class World {
  constructor(told, browser, require) {
    Object.assign(this, { told, browser, require, pages: [], violations: [], port: 0 });
  }

  // ---- the daemon

  async start() {
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PADDOCK_")));
    const child = spawn(this.told.paddock, ["serve", "--data", this.told.data, "--port", String(this.port)], { env: { ...environment, PADDOCK_QUOTA_SANDBOXES: "20000" }, stdio: ["ignore", "pipe", "inherit"] });
    this.child = child;
    await new Promise((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (bytes) => {
        text += bytes;
        const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(text);
        if (found) this.port = Number(found[1]);
        if (/sandboxes\n/.test(text)) resolve();
      });
      child.on("exit", (code) => reject(new Error(`paddock serve ended with ${code}: ${text}`)));
    });
    this.key = readFileSync(join(this.told.data, "admin.key"), "utf8").trim();
    this.url = `http://127.0.0.1:${this.port}`;
  }
  async stop(signal = "SIGTERM") {
    if (this.child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.child.on("exit", resolve));
    this.child.kill(signal);
    await ended;
  }
  async ask(method, path, body, headers = {}) {
    const isJson = body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
    const answer = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${this.key}`, ...(isJson ? { "Content-Type": "application/json" } : {}), ...headers },
      body: isJson ? JSON.stringify(body) : body,
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return text === "" ? null : JSON.parse(text);
  }
  make(body = {}) {
    return this.ask("POST", "/v1/sandboxes", body);
  }
  run(sandbox, script, more = {}) {
    return this.ask("POST", `/v1/sandboxes/${sandbox}/exec`, { script, ...more });
  }
  put(sandbox, path, content) {
    return this.ask("PUT", `/v1/sandboxes/${sandbox}/files/content?path=${encodeURIComponent(path)}`, content);
  }
  async read(sandbox, path) {
    const answer = await fetch(`${this.url}/v1/sandboxes/${sandbox}/files/content?path=${encodeURIComponent(path)}`, { headers: { Authorization: `Bearer ${this.key}` } });
    return answer.ok ? Buffer.from(await answer.arrayBuffer()).toString() : null;
  }
  newKey(role, owner) {
    const made = spawnSync(this.told.paddock, ["key", "create", "--data", this.told.data, "--role", role, owner], { encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
    return made.stdout.trim();
  }

  // ---- pages

  // A page of its own in a context of its own, with a key unless `key` is null; at a place of the dashboard.
  async open(place = "#/", { key = this.key, theme = "light", width = 1280, height = 800 } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on("pageerror", (error) => this.violations.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !/Failed to load resource|WebSocket connection/.test(message.text())) this.violations.push(message.text());
    });
    page.on("dialog", (dialog) => {
      if (dialog.type() === "alert") this.violations.push(`alert: ${dialog.message()}`);
      (this.onDialog ?? ((one) => one.accept()))(dialog).catch(() => {});
    });
    await page.addInitScript((text) => {
      if (location.protocol.startsWith("http") && text !== null) sessionStorage.setItem("paddock.key", text);
    }, key);
    this.pages.push(page);
    await page.goto(`${this.url}/${place}`);
    return page;
  }
  async closePages() {
    for (const page of this.pages.splice(0)) await page.context().close();
    this.onDialog = undefined;
  }
  takeViolations() {
    return this.violations.splice(0);
  }
  async shot(page, name) {
    if (this.told.shots !== "") await page.screenshot({ path: join(this.told.shots, `${name}.png`) });
  }
  async shotOfFailure(name) {
    const page = this.pages.at(-1);
    if (page !== undefined) await this.shot(page, `FAIL-${name.replace(/\W+/g, "-").slice(0, 60)}`).catch(() => {});
  }
  // What axe finds wrong: contrast, names, roles.
  async axe(page) {
    const source = readFileSync(this.require.resolve("axe-core/axe.min.js"), "utf8");
    await page.evaluate(source);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    return violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 2).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
  }
  async mustBeAccessible(page, where) {
    assert.deepEqual(await this.axe(page), [], where);
  }
}

export function skip(reason) {
  return Object.assign(new Error(reason), { isSkip: true });
}

// Until it holds, or the time is over.
export async function until(what, holds, milliseconds = 15_000) {
  const end = Date.now() + milliseconds;
  for (;;) {
    const last = await holds();
    if (last) return last;
    if (Date.now() > end) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// What a terminal shows. Its rows hold one element a run of characters.
export const screenText = (page) => page.locator(".xterm-rows").innerText();
