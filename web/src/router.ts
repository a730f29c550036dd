// Where in the page one is, in the fragment of its address: #/sandboxes/sbx_…/files?path=/home.
import { Store } from "./store";

export interface Place {
  segments: string[];
  query: URLSearchParams;
}

function read(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#/, "").split("?", 2);
  const segments: string[] = [];
  for (const piece of path.split("/")) {
    if (piece === "") continue;
    try {
      segments.push(decodeURIComponent(piece));
    } catch {
      segments.push(piece);
    }
  }
  return { segments, query: new URLSearchParams(query) };
}

export const place = new Store<Place>(read());

// What asks before its unsaved work is left; true: go.
type Guard = () => boolean;
let guard: Guard | null = null;
let last = location.hash;
export function setGuard(next: Guard | null): void {
  guard = next;
}
addEventListener("beforeunload", (event) => {
  if (guard !== null) event.preventDefault();
});
addEventListener("hashchange", () => {
  if (location.hash === last) return;
  if (guard !== null && !guard()) {
    history.replaceState(null, "", last);
    return;
  }
  guard = null;
  last = location.hash;
  place.set(read());
});

export function link(segments: string[], query: Record<string, string> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `#/${segments.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}
export function go(segments: string[], query: Record<string, string> = {}): void {
  location.hash = link(segments, query);
}
