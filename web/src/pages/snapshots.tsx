// Snapshots, sandboxes and what came from what, as a tree.
import { useEffect, useState } from "preact/hooks";
import { type Sandbox, type Snapshot, ask, sandboxPath } from "../api";
import { bytesText, harmless, plural } from "../format";
import { type Node, treeOf } from "../lineage";
import { onEvent, returns } from "../live";
import { go, link, place } from "../router";
import { put, sandboxes } from "../sandboxes";
import { Store, useStore } from "../store";
import { Ago, Button, Confirm, Dialog, Empty, ErrorNote, Form, Loading, StateBadge, TextField, tell } from "../ui";
import { CreateDialog } from "./create";
import { DiffView } from "./diff";
import { nameOf } from "./sandboxes";

const MOST = 5000;

interface Found {
  snapshots: Snapshot[] | null;
  isCut: boolean;
  error: unknown;
}

async function list(signal: AbortSignal): Promise<{ snapshots: Snapshot[]; isCut: boolean }> {
  const snapshots: Snapshot[] = [];
  let cursor: string | null = "";
  while (cursor !== null && snapshots.length < MOST) {
    const page: { snapshots: Snapshot[]; next: string | null } = await ask("GET", "/v1/snapshots", { query: { limit: 1000, ...(cursor === "" ? {} : { cursor }) }, signal });
    snapshots.push(...page.snapshots);
    cursor = page.next;
  }
  return { snapshots, isCut: cursor !== null };
}

const changes = new Store(0);
onEvent((event) => {
  if (event.type.startsWith("snapshot.")) changes.set(changes.get() + 1);
});

function useSnapshots(): Found & { reload: () => void } {
  const [found, setFound] = useState<Found>({ snapshots: null, isCut: false, error: null });
  const [round, setRound] = useState(0);
  const change = useStore(changes);
  const back = useStore(returns);
  useEffect(() => {
    const stop = new AbortController();
    list(stop.signal).then(
      (answer) => setFound({ ...answer, error: null }),
      (error) => {
        if (!stop.signal.aborted) setFound((before) => ({ ...before, error }));
      },
    );
    return () => stop.abort();
  }, [round, change, back]);
  return { ...found, reload: () => setRound((count) => count + 1) };
}

const titleOf = (snapshot: Snapshot): string => harmless(snapshot.name === "" ? snapshot.id : snapshot.name, 80);

type Asking = { kind: "restore" | "delete" | "create"; snapshot: Snapshot } | null;

interface TreeProps {
  nodes: Node[];
  current: string | null;       // the sandbox on whose page this is
  onAsk: (asking: Asking) => void;
  depth?: number;
}
function Tree({ nodes, current, onAsk, depth = 0 }: TreeProps) {
  return (
    <ul class={depth === 0 ? "tree root" : "tree"}>
      {nodes.map((node) => (
        <li key={node.id}>
          {node.kind === "snapshot" ? (
            <div class="node">
              <span class="sort">snapshot</span>
              <strong title={node.snapshot.id}>{titleOf(node.snapshot)}</strong>
              <span class="muted"><Ago time={node.snapshot.created_at} />, {plural(node.snapshot.entries, "entry", "entries")}, {bytesText(node.snapshot.content_bytes)}</span>
              <span class="actions">
                <a class="button plain" href={link(["snapshots"], { diff: node.snapshot.id })}>Diff</a>
                <Button onClick={() => onAsk({ kind: "create", snapshot: node.snapshot })}>New sandbox</Button>
                {current !== null && <Button onClick={() => onAsk({ kind: "restore", snapshot: node.snapshot })}>Restore</Button>}
                <Button kind="danger" aria-label={`Delete snapshot ${titleOf(node.snapshot)}`} onClick={() => onAsk({ kind: "delete", snapshot: node.snapshot })}>Delete</Button>
              </span>
            </div>
          ) : node.kind === "sandbox" ? (
            <div class={node.id === current ? "node here" : "node"}>
              <span class="sort">sandbox</span>
              <a href={link(["sandboxes", node.id, "snapshots"])}>{nameOf(node.sandbox)}</a>
              <StateBadge state={node.sandbox.state} />
            </div>
          ) : (
            <div class="node muted"><span class="sort">gone</span><code>{harmless(node.id, 60)}</code></div>
          )}
          {node.children.length > 0 && (depth < 40 ? <Tree nodes={node.children} current={current} onAsk={onAsk} depth={depth + 1} /> : <p class="muted">{plural(node.children.length, "more")} below</p>)}
        </li>
      ))}
    </ul>
  );
}

function Asked({ asking, sandbox, onClose }: { asking: Asking; sandbox: Sandbox | null; onClose: () => void }) {
  const [force, setForce] = useState(false);
  if (asking === null) return null;
  const { kind, snapshot } = asking;
  if (kind === "create") return <CreateDialog snapshot={snapshot.id} onClose={onClose} />;
  if (kind === "delete") {
    return <Confirm title="Delete this snapshot?" text={`${titleOf(snapshot)} goes. What was made from it stays as it is.`} submit="Delete" onClose={onClose} onConfirm={() => ask("DELETE", `/v1/snapshots/${snapshot.id}`)} />;
  }
  return (
    <Dialog title="Restore" onClose={onClose}>
      <Form submit="Restore" kind="danger" onCancel={onClose} onSubmit={async () => {
        if (sandbox === null) return;
        put(await ask<Sandbox>("POST", sandboxPath(sandbox.id, "/restore"), { body: { snapshot: snapshot.id, force } }));
        tell(`The sandbox is as in ${titleOf(snapshot)}`);
        onClose();
      }}>
        <p>{sandbox !== null && nameOf(sandbox)} becomes what it was in {titleOf(snapshot)}. What changed since is lost, unless a snapshot of it is taken first.</p>
        <label class="check"><input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} /> End what runs in it</label>
      </Form>
    </Dialog>
  );
}

function TakeDialog({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const [name, setName] = useState("");
  return (
    <Dialog title="Take a snapshot" onClose={onClose}>
      <Form submit="Take" onCancel={onClose} onSubmit={async () => {
        await ask("POST", sandboxPath(sandbox.id, "/snapshots"), { body: name.trim() === "" ? {} : { name: name.trim() } });
        changes.set(changes.get() + 1);
        onClose();
      }}>
        <TextField label="Name" hint="Unique among your snapshots; may be left empty." value={name} onValue={setName} autofocus />
      </Form>
    </Dialog>
  );
}

interface Fork {
  sandbox: Sandbox | null;
  error: { message: string } | null;
}
function ForkDialog({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const [name, setName] = useState("");
  const [count, setCount] = useState("1");
  return (
    <Dialog title="Fork" onClose={onClose}>
      <Form submit="Fork" onCancel={onClose} onSubmit={async () => {
        const { forks } = await ask<{ forks: Fork[] }>("POST", sandboxPath(sandbox.id, "/fork"), { body: { count: Number(count), ...(name.trim() === "" ? {} : { name: name.trim() }) } });
        const made = forks.flatMap((fork) => fork.sandbox ?? []);
        made.forEach(put);
        const failures = forks.flatMap((fork) => fork.error?.message ?? []);
        if (failures.length > 0) throw new Error(`${plural(made.length, "fork")} made; ${failures.length} not: ${failures[0]}`);
        tell(`${plural(made.length, "fork")} made`);
        onClose();
        if (made.length === 1 && made[0] !== undefined) go(["sandboxes", made[0].id]);
      }}>
        <p>Sandboxes that begin as this one is now. They share its files until they change them.</p>
        <TextField label="How many" type="number" value={count} onValue={setCount} required />
        <TextField label="Name" hint="Several are called NAME-1, NAME-2 and so on." value={name} onValue={setName} autofocus />
      </Form>
    </Dialog>
  );
}

export function SnapshotsPage() {
  const { query } = useStore(place);
  const { rows } = useStore(sandboxes);
  const found = useSnapshots();
  const [asking, setAsking] = useState<Asking>(null);
  const diff = query.get("diff");
  if (diff !== null) return <DiffView from={diff} to={query.get("to")} snapshots={found.snapshots ?? []} />;
  const nodes = found.snapshots === null ? [] : treeOf(rows, found.snapshots).filter((node) => node.kind !== "sandbox" || node.children.length > 0);
  return (
    <div class="page">
      <div class="heading"><h1>Snapshots</h1>{found.snapshots !== null && <span class="muted">{plural(found.snapshots.length, "snapshot")}, below what they were taken of</span>}</div>
      {found.isCut && <p class="note">The oldest {MOST.toLocaleString()} are shown; there are more.</p>}
      {found.error !== null && <ErrorNote error={found.error} onRetry={found.reload} />}
      {found.snapshots === null && found.error === null && <Loading what="snapshots" />}
      {found.snapshots !== null && nodes.length === 0 && <Empty title="No snapshots yet"><p>A snapshot keeps files and shell of a sandbox at one moment. Take one on the page of a sandbox, or with <code>paddock snapshot</code>.</p></Empty>}
      <Tree nodes={nodes} current={null} onAsk={setAsking} />
      <Asked asking={asking} sandbox={null} onClose={() => setAsking(null)} />
    </div>
  );
}

// The root below which a sandbox lies.
function familyOf(nodes: Node[], id: string): Node[] {
  return nodes.filter((root) => {
    const waiting = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.id === id) return true;
      waiting.push(...node.children);
    }
    return false;
  });
}

export function SnapshotsTab({ sandbox }: { sandbox: Sandbox }) {
  const { rows } = useStore(sandboxes);
  const found = useSnapshots();
  const [asking, setAsking] = useState<Asking>(null);
  const [making, setMaking] = useState<"snapshot" | "fork" | null>(null);
  return (
    <div class="page">
      <div class="bar">
        <Button kind="main" onClick={() => setMaking("snapshot")}>Take a snapshot</Button>
        <Button onClick={() => setMaking("fork")}>Fork</Button>
      </div>
      {sandbox.isolation === "process" && <p class="note">Sandboxes of isolation process may have no snapshots and forks yet; the daemon says so then.</p>}
      {found.error !== null && <ErrorNote error={found.error} onRetry={found.reload} />}
      {found.snapshots === null && found.error === null && <Loading what="snapshots" />}
      {found.snapshots !== null && <Tree nodes={familyOf(treeOf(rows, found.snapshots), sandbox.id)} current={sandbox.id} onAsk={setAsking} />}
      <Asked asking={asking} sandbox={sandbox} onClose={() => setAsking(null)} />
      {making === "snapshot" && <TakeDialog sandbox={sandbox} onClose={() => setMaking(null)} />}
      {making === "fork" && <ForkDialog sandbox={sandbox} onClose={() => setMaking(null)} />}
    </div>
  );
}
