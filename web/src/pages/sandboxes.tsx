// All sandboxes.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Sandbox } from "../api";
import { harmless, plural, spanText } from "../format";
import { go, link } from "../router";
import { MOST_ROWS, followUsage, loadSandboxes, sandboxes, usages } from "../sandboxes";
import { useStore } from "../store";
import { Ago, Button, Empty, ErrorNote, Loading, LongTable, StateBadge } from "../ui";
import { CreateDialog } from "./create";

export const nameOf = (sandbox: Sandbox): string => harmless(sandbox.name === "" ? sandbox.id : sandbox.name, 80);

function matches(sandbox: Sandbox, text: string): boolean {
  if (sandbox.id.includes(text) || sandbox.name.toLowerCase().includes(text) || sandbox.owner.toLowerCase().includes(text)) return true;
  return Object.entries(sandbox.labels).some(([name, value]) => `${name}=${value}`.toLowerCase().includes(text));
}

const cpuText = (milliseconds: number | null | undefined) => (milliseconds == null ? <span class="muted">–</span> : spanText(milliseconds));

function Labels({ labels }: { labels: Record<string, string> }) {
  const pairs = Object.entries(labels);
  return (
    <>
      {pairs.slice(0, 3).map(([name, value]) => (
        <span class="label" key={name}>{harmless(`${name}=${value}`, 40)}</span>
      ))}
      {pairs.length > 3 && <span class="muted">+{pairs.length - 3}</span>}
    </>
  );
}

export function SandboxesPage() {
  const list = useStore(sandboxes);
  const used = useStore(usages);
  useEffect(followUsage, []);
  const [text, setText] = useState("");
  const [state, setState] = useState("");
  const [isCreating, setCreating] = useState(false);
  const wanted = text.trim().toLowerCase();
  const rows = useMemo(() => list.rows.filter((one) => (state === "" || one.state === state) && (wanted === "" || matches(one, wanted))), [list.rows, wanted, state]);
  const counts = useMemo(() => {
    const count = { running: 0, paused: 0, stopped: 0, deleting: 0 };
    for (const one of list.rows) count[one.state]++;
    return count;
  }, [list.rows]);
  const isEmpty = list.rows.length === 0;
  return (
    <div class="page fill">
      <div class="heading">
        <h1>Sandboxes</h1>
        {!isEmpty && <span class="muted">{plural(list.rows.length, "sandbox", "sandboxes")}: {counts.running} running, {counts.paused} paused, {counts.stopped} stopped</span>}
        <span class="space" />
        <Button kind="main" onClick={() => setCreating(true)}>New sandbox</Button>
      </div>
      {!isEmpty && (
        <div class="bar" role="search">
          <input type="search" aria-label="Find by name, id, owner or label" placeholder="Find by name, id, owner or label" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          <select aria-label="State" value={state} onChange={(event) => setState(event.currentTarget.value)}>
            <option value="">Any state</option>
            {["running", "paused", "stopped"].map((one) => <option key={one}>{one}</option>)}
          </select>
          {list.isLoading && <span class="muted" role="status">loading…</span>}
        </div>
      )}
      {list.error !== null && <ErrorNote error={list.error} onRetry={loadSandboxes} />}
      {list.isCut && <p class="note">The oldest {MOST_ROWS.toLocaleString()} are shown; there are more. The API lists them by owner or label.</p>}
      {isEmpty && list.isLoading && <Loading what="sandboxes" />}
      {isEmpty && !list.isLoading && list.error === null && (
        <Empty title="No sandboxes yet">
          <p>A sandbox is a computer of its own for code that is not trusted. Make the first one here, with <code>paddock create</code>, or over the API.</p>
          <Button kind="main" onClick={() => setCreating(true)}>New sandbox</Button>
        </Empty>
      )}
      {!isEmpty && rows.length === 0 && <Empty title="None of them matches"><Button onClick={() => { setText(""); setState(""); }}>Show all</Button></Empty>}
      {rows.length > 0 && (
        <LongTable label="Sandboxes" rows={rows} height={36} classes="sandboxes" columns={["Name", "State", "Isolation", "Runs", "CPU time", "Last used", "Labels", "Owner"]} keyOf={(one) => one.id}
                   onOpen={(one) => go(["sandboxes", one.id])}
                   cells={(one) => [
                     <a href={link(["sandboxes", one.id])} tabIndex={-1} title={one.id}>{nameOf(one)}</a>,
                     <StateBadge state={one.state} />,
                     harmless(one.isolation, 30),
                     one.running > 0 ? one.running : <span class="muted">–</span>,
                     cpuText(used?.get(one.id)?.cpu_ms),
                     <Ago time={one.last_active_at} />,
                     <Labels labels={one.labels} />,
                     harmless(one.owner, 40),
                   ]} />
      )}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </div>
  );
}
