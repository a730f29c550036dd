// What a process writes: its newest part, followed, or any other. However much there is, the page holds a window of it.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../api";
import { bytesText, plain } from "../format";
import { Button, ErrorNote } from "../ui";

interface Piece {
  offset: number;
  stream: "stdout" | "stderr";
  data: string;
  is_base64: boolean;
}
interface Answer {
  pieces: Piece[];
  next: number;
  lost_bytes: number;
  has_ended: boolean;
}

const WINDOW = 256 << 10;   // bytes at once
const MOST_SHOWN = 1 << 20; // characters in the page

function textOf(piece: Piece): string {
  if (!piece.is_base64) return plain(piece.data);
  return plain(new TextDecoder().decode(Uint8Array.from(atob(piece.data), (character) => character.charCodeAt(0))));
}

const MOST_BEHIND = 8 << 20; // bytes; what lies further back is passed over while following

interface View {
  start: number;
  follows: boolean;
}

export function OutputView({ path, size }: { path: string; size: number }) {
  const box = useRef<HTMLPreElement>(null);
  const [view, setView] = useState<View>({ start: Math.max(0, size - WINDOW), follows: true });
  const [shown, setShown] = useState({ next: view.start, hasEnded: false, isEmpty: true });
  const [error, setError] = useState<unknown>(null);
  const total = useRef(size);
  total.current = size;

  useEffect(() => {
    const pre = box.current;
    if (pre === null) return;
    const stop = new AbortController();
    pre.replaceChildren();
    setShown({ next: view.start, hasEnded: false, isEmpty: true });
    setError(null);
    let next = view.start;
    let count = 0;
    const add = (text: string, kind: string) => {
      const span = document.createElement("span");
      span.className = kind;
      span.textContent = text;
      pre.append(span);
      count += text.length;
      while (count > MOST_SHOWN && pre.childNodes.length > 1 && pre.firstChild !== null) {
        count -= pre.firstChild.textContent?.length ?? 0;
        pre.firstChild.remove();
      }
    };
    const read = async () => {
      for (let isFirst = true; view.follows || next < view.start + WINDOW; isFirst = false) {
        if (view.follows && total.current - next > MOST_BEHIND) {
          const to = total.current - WINDOW;
          add(`\n[${bytesText(to - next)} passed over]\n`, "gap");
          next = to;
        }
        const answer = await ask<Answer>("GET", `${path}/output`, { query: { offset: next, limit: WINDOW, wait_ms: isFirst ? 0 : 20_000 }, signal: stop.signal });
        if (answer.lost_bytes > 0) add(`\n[${bytesText(answer.lost_bytes)} are kept no longer]\n`, "gap");
        for (const piece of answer.pieces) add(textOf(piece), piece.stream);
        if (view.follows && answer.pieces.length > 0) pre.scrollTop = pre.scrollHeight;
        next = answer.next;
        setShown({ next, hasEnded: answer.has_ended, isEmpty: count === 0 });
        if (answer.has_ended) return;
      }
    };
    read().catch((failure) => {
      if (!stop.signal.aborted) setError(failure);
    });
    return () => stop.abort();
  }, [path, view]);

  const { start, follows } = view;
  const jump = (to: number, isFollowing: boolean) => setView({ start: Math.max(0, to), follows: isFollowing });
  const newest = () => jump(size - WINDOW, true);
  return (
    <div class="output">
      <div class="bar">
        <h2>Output</h2>
        {size > WINDOW && (
          <>
            <Button onClick={() => jump(0, false)} disabled={start === 0}>Beginning</Button>
            <Button onClick={() => jump(start - WINDOW, false)} disabled={start === 0}>Earlier</Button>
            <Button onClick={() => jump(start + WINDOW, false)} disabled={start + WINDOW >= size}>Later</Button>
            <Button onClick={newest}>Newest</Button>
          </>
        )}
        <span class="muted" role="status">{size > WINDOW && `${bytesText(start)} to ${bytesText(shown.next)} of `}{bytesText(Math.max(size, shown.next))}{shown.hasEnded || !follows ? "" : ", following"}</span>
      </div>
      {error !== null && <ErrorNote error={error} onRetry={newest} />}
      {shown.hasEnded && shown.isEmpty && <p class="muted">It wrote nothing.</p>}
      <pre ref={box} class="text" tabIndex={0} role="log" aria-label="Output" aria-live="off" />
    </div>
  );
}
