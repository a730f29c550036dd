// What happened, newest first; and what was refused.
import { useEffect, useMemo, useState } from "preact/hooks";
import { type DaemonEvent, type Process, type Sandbox, ask, sandboxPath } from "../api";
import { harmless, timeText } from "../format";
import { events } from "../live";
import { link } from "../router";
import { useStore } from "../store";
import { Ago, Empty } from "../ui";

const SHOWN = 500;
const isDenial = (event: DaemonEvent): boolean => /denied|denial|refused/.test(event.type);

function Subject({ event }: { event: DaemonEvent }) {
  const id = harmless(event.subject, 60);
  if (event.type === "sandbox.deleted") return <code class="muted">{id}</code>;
  if (event.subject.startsWith("sbx_")) return <a href={link(["sandboxes", event.subject])}><code>{id}</code></a>;
  if (event.subject.startsWith("snap_")) return <a href={link(["snapshots"])}><code>{id}</code></a>;
  return <code>{id}</code>;
}

function EventTable({ rows }: { rows: readonly DaemonEvent[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Events">
      <table>
        <thead>
          <tr><th>When</th><th>What</th><th>Of</th><th>Detail</th></tr>
        </thead>
        <tbody>
          {rows.map((event) => (
            <tr key={event.number} class={isDenial(event) ? "denial" : ""}>
              <td><time dateTime={event.at}>{timeText(event.at)}</time></td>
              <td>{harmless(event.type, 60)}</td>
              <td><Subject event={event} /></td>
              <td><code class="wrap">{Object.keys(event.detail).length === 0 ? "" : harmless(JSON.stringify(event.detail), 600)}</code></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function EventsPage() {
  const all = useStore(events);
  const [text, setText] = useState("");
  const [kind, setKind] = useState("");
  const wanted = text.trim().toLowerCase();
  const rows = useMemo(() => all.filter((event) =>
    (kind === "" || (kind === "denials" ? isDenial(event) : event.type.startsWith(kind))) &&
    (wanted === "" || `${event.type} ${event.subject} ${JSON.stringify(event.detail)}`.toLowerCase().includes(wanted))).slice(-SHOWN).reverse(), [all, wanted, kind]);
  return (
    <div class="page fill">
      <div class="heading"><h1>Events</h1><span class="muted">of your sandboxes, the newest {SHOWN}, as they happen</span></div>
      <div class="bar" role="search">
        <input type="search" aria-label="Find in events" placeholder="Find in events" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <select aria-label="Kind" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          <option value="">All</option>
          <option value="sandbox.">Sandboxes</option>
          <option value="snapshot.">Snapshots</option>
          <option value="session.">Sessions</option>
          <option value="denials">Denials</option>
        </select>
      </div>
      {rows.length === 0 ? <Empty title={all.length === 0 ? "Nothing has happened yet" : "None of them matches"} /> : <EventTable rows={rows} />}
    </div>
  );
}

interface Denial {
  process: Process;
  line: string;
}

// Of one sandbox: its events, and what its policy refused to the processes that are remembered.
export function EventsTab({ sandbox }: { sandbox: Sandbox }) {
  const all = useStore(events);
  const rows = useMemo(() => all.filter((event) => event.subject === sandbox.id || event.detail["sandbox"] === sandbox.id).slice(-SHOWN).reverse(), [all, sandbox.id]);
  const [denials, setDenials] = useState<Denial[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    const load = () =>
      ask<{ processes: Process[] }>("GET", sandboxPath(sandbox.id, "/processes"), { signal: stop.signal }).then(
        ({ processes }) => setDenials(processes.reverse().flatMap((process) => process.denials.map((line) => ({ process, line }))).slice(0, SHOWN)),
        () => undefined,
      );
    void load();
    const timer = setInterval(load, 5000);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [sandbox.id]);
  return (
    <div class="page">
      <h2>Denials</h2>
      {denials.length === 0 ? <p class="muted">The policy refused nothing to the processes that are remembered.</p> : (
        <ul class="plain">
          {denials.map(({ process, line }, index) => (
            <li key={index}><Ago time={process.ended_at ?? process.created_at} /> <code class="wrap">{harmless(line, 600)}</code> <a href={link(["sandboxes", sandbox.id, "processes"], { process: process.id })}>its process</a></li>
          ))}
        </ul>
      )}
      <h2>Events</h2>
      {rows.length === 0 ? <p class="muted">None among the newest of the daemon.</p> : <EventTable rows={rows} />}
    </div>
  );
}
