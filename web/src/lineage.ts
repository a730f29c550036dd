// What came from what: snapshots of sandboxes, sandboxes of snapshots, forks of sandboxes.
import type { Sandbox, Snapshot } from "./api";

export type Node = { id: string; children: Node[] } & ({ kind: "sandbox"; sandbox: Sandbox } | { kind: "snapshot"; snapshot: Snapshot } | { kind: "gone" });

const timeOf = (node: Node): string => (node.kind === "sandbox" ? `${node.sandbox.created_at} ${node.sandbox.name}` : node.kind === "snapshot" ? node.snapshot.created_at : "");

// The roots. What something came from and is there no more stands as "gone". Sandboxes come as the list has them, newest first.
export function treeOf(sandboxes: readonly Sandbox[], snapshots: readonly Snapshot[]): Node[] {
  const nodes = new Map<string, Node>();
  const parents = new Map<string, string>();
  for (const sandbox of [...sandboxes].reverse()) nodes.set(sandbox.id, { id: sandbox.id, children: [], kind: "sandbox", sandbox });
  for (const snapshot of snapshots) {
    nodes.set(snapshot.id, { id: snapshot.id, children: [], kind: "snapshot", snapshot });
    if (snapshot.sandbox_id !== null) parents.set(snapshot.id, snapshot.sandbox_id);
  }
  for (const sandbox of sandboxes) {
    if (sandbox.origin === null || sandbox.origin.startsWith("tpl_")) continue;
    parents.set(sandbox.id, sandbox.origin);
  }
  const roots: Node[] = [];
  // Whether `id` is `of` or came from it: then it cannot be what `of` came from, whatever is said.
  const isBelow = (id: string, of: string): boolean => {
    let at: string | undefined = id;
    for (let steps = 0; at !== undefined && steps <= parents.size; steps++) {
      if (at === of) return true;
      at = parents.get(at);
    }
    return false;
  };
  for (const node of [...nodes.values()]) {
    const parent = parents.get(node.id);
    if (parent === undefined || isBelow(parent, node.id)) {
      roots.push(node);
      continue;
    }
    let above = nodes.get(parent);
    if (above === undefined) {
      above = { id: parent, children: [], kind: "gone" };
      nodes.set(parent, above);
      roots.push(above);
    }
    above.children.push(node);
  }
  for (const node of nodes.values()) node.children.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  return roots;
}
