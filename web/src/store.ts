// A value that components follow.
import { useEffect, useState } from "preact/hooks";

export class Store<T> {
  #value: T;
  readonly #followers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }
  get(): T {
    return this.#value;
  }
  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const follower of [...this.#followers]) follower();
  }
  follow(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [, setCount] = useState(0);
  useEffect(() => {
    const seen = store.get();
    const stop = store.follow(() => setCount((count) => count + 1));
    if (!Object.is(seen, store.get())) setCount((count) => count + 1);
    return stop;
  }, [store]);
  return store.get();
}

// The time, for what is shown as "3 min ago"; every few seconds while the page is seen.
export const now = new Store(Date.now());
setInterval(() => {
  if (!document.hidden) now.set(Date.now());
}, 5000);
