// What happens at the daemon, as it happens: its events, and whether it answers.
import { type DaemonEvent, ask, errorOf, keyHeader, lockedOut, signOut } from "./api";
import { Store } from "./store";

export interface Connection {
  state: "connecting" | "live" | "lost";
  retryAt: number;
}
export const connection = new Store<Connection>({ state: "connecting", retryAt: 0 });

const MOST_EVENTS = 2000;
// Oldest first.
export const events = new Store<readonly DaemonEvent[]>([]);
// Counts how often the daemon came back: what was shown before may be old.
export const returns = new Store(0);

type Listener = (event: DaemonEvent) => void;
const listeners = new Set<Listener>();
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Server-sent events of a body. The signs of life between them restart `alive`.
async function* messages(body: ReadableStream<Uint8Array>, alive: () => void): AsyncGenerator<{ id: string; name: string; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    alive();
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const message = { id: "", name: "message", data: "" };
      for (const line of rest.slice(0, end).split("\n")) {
        const colon = line.indexOf(":");
        if (colon <= 0) continue;
        const text = line.slice(colon + 1).replace(/^ /, "");
        const field = line.slice(0, colon);
        if (field === "id") message.id = text;
        if (field === "event") message.name = text;
        if (field === "data") message.data += (message.data === "" ? "" : "\n") + text;
      }
      rest = rest.slice(end + 2);
      if (message.data !== "") yield message;
    }
    if (rest.length > 4 << 20) throw new Error("an event without end");
  }
}

let following: AbortController | null = null;
let wake: (() => void) | null = null;

export function retryNow(): void {
  wake?.();
}

export function stopFollowing(): void {
  following?.abort();
  following = null;
  events.set([]);
}

export function startFollowing(): void {
  stopFollowing();
  following = new AbortController();
  void follow(following.signal);
}

const SILENCE = 60_000;

async function followOnce(after: number, signal: AbortSignal, onOpen: () => void): Promise<void> {
  const one = new AbortController();
  const stop = () => one.abort();
  signal.addEventListener("abort", stop);
  let timer = setTimeout(stop, SILENCE);
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, SILENCE);
  };
  try {
    const response = await fetch(`/v1/events?after=${after}`, {
      headers: { ...keyHeader(), Accept: "text/event-stream" },
      cache: "no-store",
      credentials: "omit",
      signal: one.signal,
    });
    if (!response.ok) throw await errorOf(response);
    if (response.body === null) throw new Error("no body");
    onOpen();
    for await (const message of messages(response.body, alive)) take(JSON.parse(message.data) as DaemonEvent);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function take(event: DaemonEvent): void {
  const known = events.get();
  const last = known.at(-1);
  if (last !== undefined && event.number <= last.number && event.number > 0) return;
  events.set([...known, event].slice(-MOST_EVENTS));
  for (const listener of [...listeners]) listener(event);
}

async function follow(signal: AbortSignal): Promise<void> {
  let wait = 500;
  let wasLost = false;
  connection.set({ state: "connecting", retryAt: 0 });
  while (!signal.aborted) {
    try {
      let after = events.get().at(-1)?.number;
      if (after === undefined) {
        const { last } = await ask<{ last: number }>("GET", "/v1/events", { query: { limit: 1 }, signal });
        after = Math.max(0, last - 500);
      }
      await followOnce(after, signal, () => {
        wait = 500;
        connection.set({ state: "live", retryAt: 0 });
        if (wasLost) returns.set(returns.get() + 1);
        wasLost = false;
      });
    } catch (error) {
      if (signal.aborted || lockedOut.get() !== null) return;
      if ((error as { status?: number }).status === 401) return signOut("This key is not accepted any more.");
    }
    if (signal.aborted) return;
    wasLost = true;
    connection.set({ state: "lost", retryAt: Date.now() + wait });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wake = null;
    wait = Math.min(wait * 2, 10_000);
  }
}
