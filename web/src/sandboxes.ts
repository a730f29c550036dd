// The sandboxes that this key sees, kept as they are at the daemon.
import { ApiError, type Sandbox, type Usage, ask, sandboxPath } from "./api";
import { onEvent, returns } from "./live";
import { Store } from "./store";

export const MOST_ROWS = 20_000;

export interface SandboxList {
  rows: readonly Sandbox[];   // newest first
  isLoading: boolean;
  isCut: boolean;             // there are more than MOST_ROWS
  error: unknown;
}
export const sandboxes = new Store<SandboxList>({ rows: [], isLoading: true, isCut: false, error: null });

let running: AbortController | null = null;

// `isQuiet`: what is shown is only refreshed.
export async function loadSandboxes(isQuiet = false): Promise<void> {
  running?.abort();
  const own = new AbortController();
  running = own;
  const found: Sandbox[] = [];
  const isFirst = sandboxes.get().rows.length === 0;
  if (!isQuiet) sandboxes.set({ ...sandboxes.get(), isLoading: true });
  let cursor: string | null = "";
  try {
    while (cursor !== null && found.length < MOST_ROWS) {
      const page: { sandboxes: Sandbox[]; next: string | null } = await ask("GET", "/v1/sandboxes", {
        query: { limit: found.length === 0 ? 100 : 1000, ...(cursor === "" ? {} : { cursor }) },
        signal: own.signal,
      });
      found.push(...page.sandboxes);
      cursor = page.next;
      // What was there stays on the page until all is known.
      if (isFirst && cursor !== null) sandboxes.set({ rows: [...found].reverse(), isLoading: true, isCut: false, error: null });
    }
    sandboxes.set({ rows: found.reverse(), isLoading: false, isCut: cursor !== null, error: null });
  } catch (error) {
    if (!own.signal.aborted && !isQuiet) sandboxes.set({ ...sandboxes.get(), isLoading: false, error });
  } finally {
    if (running === own) running = null;
  }
}

export function put(sandbox: Sandbox): void {
  const { rows, ...rest } = sandboxes.get();
  const index = rows.findIndex((one) => one.id === sandbox.id);
  sandboxes.set({ ...rest, rows: index < 0 ? [sandbox, ...rows] : rows.with(index, sandbox) });
}

export function forget(id: string): void {
  const { rows, ...rest } = sandboxes.get();
  sandboxes.set({ ...rest, rows: rows.filter((one) => one.id !== id) });
}

export async function refresh(id: string): Promise<void> {
  try {
    put(await ask<Sandbox>("GET", sandboxPath(id)));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) forget(id);
  }
}

// Changes come in bursts: few are looked at one by one, many all at once.
const changed = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;
function onChange(id: string): void {
  changed.add(id);
  timer ??= setTimeout(look, 150);
}
function look(): void {
  timer = undefined;
  if (running !== null) {   // what is on its way may be older
    timer = setTimeout(look, 150);
    return;
  }
  const ids = [...changed];
  changed.clear();
  if (ids.length > 20) void loadSandboxes(true);
  else for (const one of ids) void refresh(one);
}

export function keepSandboxes(): void {
  onEvent((event) => {
    if (!event.type.startsWith("sandbox.")) return;
    if (event.type === "sandbox.deleted") forget(event.subject);
    if (event.type !== "sandbox.deleted" || running !== null) onChange(event.subject);
  });
  returns.follow(() => void loadSandboxes());
  // What no event tells: what runs, leases, and sandboxes of other owners. As often as a list of this length allows.
  let rounds = 0;
  setInterval(() => {
    const { rows, isLoading } = sandboxes.get();
    rounds++;
    if (document.hidden || isLoading || running !== null || rows.length > 2000 || (rows.length > 200 && rounds % 6 !== 0)) return;
    void loadSandboxes(true);
  }, 5000);
}

// What each has used, by id; null: this daemon does not tell, or there are too many to ask for again and again.
export const usages = new Store<ReadonlyMap<string, Partial<Usage>> | null>(null);
const MOST_USAGES = 1000;

export function followUsage(): () => void {
  const stop = new AbortController();
  let timer: ReturnType<typeof setInterval> | undefined;
  const load = async () => {
    if (document.hidden || sandboxes.get().rows.length > MOST_USAGES) return;
    try {
      const { groups } = await ask<{ groups: { key: string; usage: Partial<Usage> }[] }>("GET", "/v1/usage", { query: { group_by: "sandbox", limit: MOST_USAGES }, signal: stop.signal });
      usages.set(new Map(groups.map((group) => [group.key, group.usage])));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) clearInterval(timer);
    }
  };
  timer = setInterval(load, 10_000);
  void load();
  return () => {
    stop.abort();
    clearInterval(timer);
  };
}
