// One sandbox: what it is, and what can be done with it.
import { useEffect, useState } from "preact/hooks";
import { ApiError, type Sandbox, ask, sandboxPath } from "../api";
import { harmless } from "../format";
import { connection, onEvent } from "../live";
import { go, link } from "../router";
import { forget, put, sandboxes } from "../sandboxes";
import { useStore } from "../store";
import { Button, Confirm, Empty, ErrorNote, Loading, StateBadge, tell, tellError } from "../ui";
import { EventsTab } from "./events";
import { FilesTab } from "./files";
import { OverviewTab } from "./overview";
import { ProcessesTab } from "./processes";
import { nameOf } from "./sandboxes";
import { SnapshotsTab } from "./snapshots";
import { TerminalTab } from "./terminal";

const TABS: [string, string][] = [["overview", "Overview"], ["terminal", "Terminal"], ["files", "Files"], ["processes", "Processes"], ["snapshots", "Snapshots"], ["events", "Events"]];

// The sandbox as the list has it, or as it was when last asked for: the list may not have come to it yet. Null: not known.
function useSandbox(id: string): { sandbox: Sandbox | null; error: unknown; reload: () => void } {
  const { rows } = useStore(sandboxes);
  const { state } = useStore(connection);
  const [error, setError] = useState<unknown>(null);
  const [count, setCount] = useState(0);
  const listed = rows.find((one) => one.id === id || (one.name !== "" && one.name === id));
  const [own, setOwn] = useState<Sandbox | null>(null);
  const isGone = error instanceof ApiError && error.status === 404;
  const sandbox = isGone ? null : (listed ?? own);
  const isLive = state === "live";
  useEffect(() => {
    const stop = new AbortController();
    const load = () =>
      ask<Sandbox>("GET", sandboxPath(id), { signal: stop.signal }).then(
        (found) => {
          setError(null);
          setOwn(found);
          put(found);
        },
        (failure) => {
          if (stop.signal.aborted) return;
          setError(failure);
          if (failure instanceof ApiError && failure.status === 404) forget(id);
        },
      );
    void load();
    const timer = setInterval(() => {
      if (!document.hidden) void load();
    }, 5000);
    const stopListening = onEvent((event) => {
      if (event.type === "sandbox.deleted" && event.subject === id) void load();
    });
    return () => {
      stop.abort();
      clearInterval(timer);
      stopListening();
    };
  }, [id, count, isLive]);
  return { sandbox, error, reload: () => setCount(count + 1) };
}

function Actions({ sandbox }: { sandbox: Sandbox }) {
  const [isDeleting, setDeleting] = useState(false);
  const [busy, setBusy] = useState("");
  const act = async (verb: string) => {
    setBusy(verb);
    try {
      put(await ask<Sandbox>("POST", sandboxPath(sandbox.id, `/${verb}`), { body: {} }));
    } catch (error) {
      tellError(error);
    } finally {
      setBusy("");
    }
  };
  const action = (verb: string, title: string) => (
    <Button key={verb} disabled={busy !== ""} onClick={() => act(verb)}>{busy === verb ? "Working…" : title}</Button>
  );
  return (
    <div class="actions">
      {sandbox.state === "running" && [action("pause", "Pause"), action("stop", "Stop")]}
      {(sandbox.state === "paused" || sandbox.state === "stopped") && action("start", sandbox.state === "paused" ? "Resume" : "Start")}
      <Button kind="danger" onClick={() => setDeleting(true)}>Delete</Button>
      {isDeleting && (
        <Confirm title="Delete this sandbox?" submit="Delete" onClose={() => setDeleting(false)}
                 text={`${nameOf(sandbox)} goes with all that is in it. Snapshots and forks of it stay.`}
                 onConfirm={async () => {
                   await ask("DELETE", sandboxPath(sandbox.id));
                   forget(sandbox.id);
                   tell(`${nameOf(sandbox)} is deleted`);
                   go([]);
                 }} />
      )}
    </div>
  );
}

export function SandboxPage({ id, tab }: { id: string; tab: string }) {
  const { sandbox, error, reload } = useSandbox(id);
  const [hasTerminal, setHasTerminal] = useState(tab === "terminal");
  useEffect(() => {
    if (tab === "terminal") setHasTerminal(true);
  }, [tab]);
  if (sandbox === null) {
    if (error instanceof ApiError && error.status === 404) {
      return <Empty title="There is no such sandbox"><p>It was deleted, or is not one of yours.</p><a href="#/">All sandboxes</a></Empty>;
    }
    return error === null ? <Loading what="the sandbox" /> : <ErrorNote error={error} onRetry={reload} />;
  }
  return (
    <div class="page fill">
      <div class="heading">
        <h1 title={harmless(sandbox.name)}>{nameOf(sandbox)}</h1>
        <StateBadge state={sandbox.state} />
        {sandbox.name !== "" && <code class="id">{sandbox.id}</code>}
        <span class="space" />
        <Actions sandbox={sandbox} />
      </div>
      <nav class="tabs" aria-label="Views of the sandbox">
        {TABS.map(([name, title]) => (
          <a key={name} href={link(["sandboxes", id, name])} {...(tab === name ? { "aria-current": "page" as const } : {})}>{title}</a>
        ))}
      </nav>
      {tab === "overview" && <OverviewTab sandbox={sandbox} />}
      {hasTerminal && <TerminalTab sandbox={sandbox} isShown={tab === "terminal"} />}
      {tab === "files" && <FilesTab sandbox={sandbox} />}
      {tab === "processes" && <ProcessesTab sandbox={sandbox} />}
      {tab === "snapshots" && <SnapshotsTab sandbox={sandbox} />}
      {tab === "events" && <EventsTab sandbox={sandbox} />}
    </div>
  );
}
