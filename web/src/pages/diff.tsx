// What differs from a snapshot to another, or to a sandbox as it is.
import { useEffect, useState } from "preact/hooks";
import { type Snapshot, ask } from "../api";
import { bytesText, harmless, plural } from "../format";
import { go, link } from "../router";
import { sandboxes } from "../sandboxes";
import { useStore } from "../store";
import { Empty, ErrorNote, Loading } from "../ui";
import { nameOf } from "./sandboxes";

interface Change {
  path: string;
  kind: "added" | "removed" | "modified" | "retyped";
  type: string;
  size_before: number;
  size_after: number;
  mode_before: string | null;
  mode_after: string | null;
  patch: string | null;
}
interface Diff {
  changes: Change[];
  is_complete: boolean;
}

const SIGNS = { added: "+", removed: "−", modified: "~", retyped: "≠" };
const MOST_LINES = 2000;

function Patch({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <pre class="patch" tabIndex={0} aria-label="Changed lines">
      {lines.slice(0, MOST_LINES).map((line, index) => (
        <span key={index} class={line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : line.startsWith("@@") ? "hunk" : ""}>{`${harmless(line, 2000, true)}\n`}</span>
      ))}
      {lines.length > MOST_LINES && <span class="gap">{`${plural(lines.length - MOST_LINES, "line")} more\n`}</span>}
    </pre>
  );
}

function facts(change: Change): string {
  const words: string[] = [];
  if (change.type !== "file") words.push(change.type);
  else if (change.kind === "added") words.push(bytesText(change.size_after));
  else if (change.kind === "removed") words.push(bytesText(change.size_before));
  else if (change.size_before !== change.size_after) words.push(`${bytesText(change.size_before)} → ${bytesText(change.size_after)}`);
  if (change.mode_before !== null && change.mode_after !== null && change.mode_before !== change.mode_after) words.push(`${change.mode_before} → ${change.mode_after}`);
  return words.join(", ");
}

export function DiffView({ from, to, snapshots }: { from: string; to: string | null; snapshots: readonly Snapshot[] }) {
  const { rows } = useStore(sandboxes);
  const own = snapshots.find((snapshot) => snapshot.id === from);
  // Against its own sandbox, if that is there, or the first of the others.
  const target = to ?? rows.find((sandbox) => sandbox.id === own?.sandbox_id)?.id ?? snapshots.find((snapshot) => snapshot.id !== from)?.id ?? null;
  const [diff, setDiff] = useState<Diff | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    setDiff(null);
    setError(null);
    if (target === null) return;
    const stop = new AbortController();
    const query = { patch: true, limit: 1000, ...(target.startsWith("snap_") ? { to: target } : { sandbox: target }) };
    ask<Diff>("GET", `/v1/snapshots/${encodeURIComponent(from)}/diff`, { query, signal: stop.signal }).then(setDiff, (failure) => {
      if (!stop.signal.aborted) setError(failure);
    });
    return () => stop.abort();
  }, [from, target, round]);
  const choose = (snapshot: string, other: string | null) => go(["snapshots"], { diff: snapshot, ...(other === null ? {} : { to: other }) });
  const titleOf = (snapshot: Snapshot) => harmless(snapshot.name === "" ? snapshot.id : snapshot.name, 60);
  return (
    <div class="page">
      <div class="heading"><h1>Diff</h1><span class="space" /><a href={link(["snapshots"])}>All snapshots</a></div>
      <div class="bar">
        <label for="diff-from">From snapshot</label>
        <select id="diff-from" value={from} onChange={(event) => choose(event.currentTarget.value, target)}>
          {own === undefined && <option value={from}>{harmless(from, 60)}</option>}
          {snapshots.map((snapshot) => <option key={snapshot.id} value={snapshot.id}>{titleOf(snapshot)}</option>)}
        </select>
        <label for="diff-to">to</label>
        <select id="diff-to" value={target ?? ""} onChange={(event) => choose(from, event.currentTarget.value)}>
          {target === null && <option value="">choose</option>}
          <optgroup label="Sandboxes, as they are now">{rows.slice(0, 500).map((sandbox) => <option key={sandbox.id} value={sandbox.id}>{nameOf(sandbox)}</option>)}</optgroup>
          <optgroup label="Snapshots">{snapshots.filter((snapshot) => snapshot.id !== from).map((snapshot) => <option key={snapshot.id} value={snapshot.id}>{titleOf(snapshot)}</option>)}</optgroup>
        </select>
        {diff !== null && <span class="muted" role="status">{plural(diff.changes.length, "change")}{diff.is_complete ? "" : ", and more"}</span>}
      </div>
      {error !== null && <ErrorNote error={error} onRetry={() => setRound(round + 1)} />}
      {target === null && <Empty title="Choose what to compare with" />}
      {target !== null && diff === null && error === null && <Loading what="differences" />}
      {diff?.changes.length === 0 && <Empty title="Nothing differs"><p>Times alone are no difference.</p></Empty>}
      <ul class="changes">
        {diff?.changes.map((change) => (
          <li key={change.path}>
            <details open={diff.changes.length <= 20 && change.patch !== null}>
              <summary><span class={`sign ${change.kind}`} aria-label={change.kind}>{SIGNS[change.kind]}</span> <code class="wrap">{harmless(change.path, 1000)}</code> <span class="muted">{facts(change)}</span></summary>
              {change.patch === null ? <p class="muted">No lines to show.</p> : <Patch text={change.patch} />}
            </details>
          </li>
        ))}
      </ul>
    </div>
  );
}
