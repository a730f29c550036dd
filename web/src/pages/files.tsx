// The files of a sandbox: look, read, change, send and fetch.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, type FileEntry, type Sandbox, ask, keyHeader, sandboxPath, address } from "../api";
import { download } from "../download";
import { bytesText, harmless } from "../format";
import { go, link, place } from "../router";
import { useStore } from "../store";
import { Ago, Button, Confirm, Dialog, Empty, ErrorNote, Form, Loading, LongTable, TextField, tell, tellError } from "../ui";
import { FileView } from "./file_view";

export const join = (directory: string, name: string): string => (directory === "/" ? `/${name}` : `${directory}/${name}`);
export const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")));
export const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const KINDS: Record<FileEntry["type"], string> = { directory: "▸", file: "", symlink: "↪", fifo: "≋", char_device: "◦", block_device: "▪", socket: "◇" };

interface Upload {
  name: string;
  share: number;
}

// The browser reads the file piece by piece; XMLHttpRequest is what tells how far it is.
function send(sandbox: string, path: string, file: File, onShare: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address(sandboxPath(sandbox, "/files/content"), { path }));
    for (const [name, value] of Object.entries(keyHeader())) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => onShare(event.total === 0 ? 1 : event.loaded / event.total);
    request.onerror = () => reject(new TypeError());
    request.onload = () => {
      if (request.status < 300) return resolve();
      try {
        const { error } = JSON.parse(request.responseText) as { error: { code: string; message: string } };
        reject(new ApiError(request.status, error.code, error.message));
      } catch {
        reject(new ApiError(request.status, "unknown", `the daemon answered with status ${request.status}`));
      }
    };
    request.send(file);
  });
}

function NameDialog({ title, submit, value, onSubmit, onClose }: { title: string; submit: string; value: string; onSubmit: (name: string) => Promise<void>; onClose: () => void }) {
  const [name, setName] = useState(value);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={submit} onCancel={onClose} onSubmit={async () => {
        await onSubmit(name);
        onClose();
      }}>
        <TextField label="Name" value={name} onValue={setName} required autofocus />
      </Form>
    </Dialog>
  );
}

function Crumbs({ sandbox, path }: { sandbox: Sandbox; path: string }) {
  const pieces = path.split("/").filter((piece) => piece !== "");
  const to = (count: number) => link(["sandboxes", sandbox.id, "files"], { path: `/${pieces.slice(0, count).join("/")}` });
  return (
    <nav class="crumbs" aria-label="Directory">
      <a href={to(0)}>/</a>
      {pieces.map((piece, index) => (
        <span key={index}>{index > 0 && <span class="muted">/</span>}<a href={to(index + 1)} {...(index + 1 === pieces.length ? { "aria-current": "true" as const } : {})}>{harmless(piece, 60)}</a></span>
      ))}
    </nav>
  );
}

// Where people look first; the first that is there.
async function homeOf(sandbox: Sandbox): Promise<string> {
  for (const path of [sandbox.working_directory, "/workspace", "/home/agent"]) {
    if (path === "") continue;
    try {
      const facts = await ask<FileEntry>("GET", sandboxPath(sandbox.id, "/files/stat"), { query: { path } });
      if (facts.type === "directory") return path;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
  }
  return "/";
}

type Asking = { kind: "mkdir" | "new" } | { kind: "rename" | "delete"; entry: FileEntry } | null;

function Directory({ sandbox, path }: { sandbox: Sandbox; path: string }) {
  const [entries, setEntries] = useState<FileEntry[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  const [asking, setAsking] = useState<Asking>(null);
  const [uploads, setUploads] = useState<Upload[]>([]);
  const [isOver, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const api = (rest: string) => sandboxPath(sandbox.id, rest);
  const again = () => setRound((count) => count + 1);
  useEffect(() => {
    const stop = new AbortController();
    ask<{ entries: FileEntry[] }>("GET", api("/files"), { query: { path }, signal: stop.signal }).then(
      (answer) => {
        const rank = (entry: FileEntry) => (entry.type === "directory" ? 0 : 1);
        setEntries(answer.entries.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)));
        setError(null);
      },
      (failure) => {
        if (!stop.signal.aborted) setError(failure);
      },
    );
    return () => stop.abort();
  }, [sandbox.id, path, round]);

  const upload = async (files: readonly File[]) => {
    const taken = files.filter((file) => entries?.some((entry) => entry.name === file.name));
    if (taken.length > 0 && !confirm(`Replace ${taken.map((file) => harmless(file.name, 60)).join(", ")}?`)) return;
    for (const file of files) {
      setUploads((all) => [...all, { name: file.name, share: 0 }]);
      try {
        await send(sandbox.id, join(path, file.name), file, (share) => setUploads((all) => all.map((one) => (one.name === file.name ? { ...one, share } : one))));
        tell(`${harmless(file.name, 80)} is there`);
      } catch (failure) {
        tellError(failure);
      }
      setUploads((all) => all.filter((one) => one.name !== file.name));
      again();
    }
  };
  const open = (entry: FileEntry) => go(["sandboxes", sandbox.id, "files"], { path: join(path, entry.name) });
  const fetchIt = (entry: FileEntry) =>
    download(sandbox.id, entry.type === "directory" ? "/files/archive" : "/files/content", join(path, entry.name), entry.type === "directory" ? `${entry.name}.tar` : entry.name).catch(tellError);

  return (
    <div class={isOver ? "files over" : "files"}
         onDragOver={(event) => { event.preventDefault(); setOver(true); }}
         onDragLeave={() => setOver(false)}
         onDrop={(event) => { event.preventDefault(); setOver(false); void upload([...(event.dataTransfer?.files ?? [])]); }}>
      <div class="bar">
        <Crumbs sandbox={sandbox} path={path} />
        <span class="space" />
        <Button onClick={() => picker.current?.click()}>Upload</Button>
        <Button onClick={() => setAsking({ kind: "new" })}>New file</Button>
        <Button onClick={() => setAsking({ kind: "mkdir" })}>New directory</Button>
        <Button onClick={() => download(sandbox.id, "/files/archive", path, `${baseOf(path) === "" ? "root" : baseOf(path)}.tar`).catch(tellError)}>Download as tar</Button>
        <Button onClick={again} aria-label="Read again">↻</Button>
        <input ref={picker} class="hidden" type="file" multiple tabIndex={-1} aria-label="Files to upload" onChange={(event) => {
          void upload([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }} />
      </div>
      {uploads.map((one) => (
        <div key={one.name} class="progress"><span>{harmless(one.name, 80)}</span><progress aria-label={`Upload of ${harmless(one.name, 80)}`} value={one.share} /></div>
      ))}
      {error !== null && <ErrorNote error={error} onRetry={again} />}
      {entries === null && error === null && <Loading what="files" />}
      {entries?.length === 0 && error === null && <Empty title="Nothing is here"><p>Drop files, or use Upload.</p></Empty>}
      {entries !== null && entries.length > 0 && (
        <LongTable label="Files" rows={entries} height={34} classes="entries" columns={["Name", "Size", "Changed", "Mode", "Actions"]} keyOf={(entry) => entry.name} onOpen={open}
                   cells={(entry) => [
                     <a href={link(["sandboxes", sandbox.id, "files"], { path: join(path, entry.name) })} tabIndex={-1} class={`type-${entry.type}`}>
                       <span class="kind" aria-hidden="true">{KINDS[entry.type]}</span>{harmless(entry.name)}{entry.target !== null && <span class="muted"> → {harmless(entry.target)}</span>}
                     </a>,
                     entry.type === "file" ? bytesText(entry.size) : <span class="muted">{entry.type.replace("_", " ")}</span>,
                     <Ago time={entry.modified_at} />,
                     <code>{entry.mode}</code>,
                     <span class="row-actions">
                       {(entry.type === "file" || entry.type === "directory") && <Button kind="quiet" aria-label={`Download ${harmless(entry.name, 60)}`} title="Download" onClick={() => fetchIt(entry)}>⤓</Button>}
                       <Button kind="quiet" aria-label={`Rename ${harmless(entry.name, 60)}`} title="Rename" onClick={() => setAsking({ kind: "rename", entry })}>✎</Button>
                       <Button kind="quiet" aria-label={`Delete ${harmless(entry.name, 60)}`} title="Delete" onClick={() => setAsking({ kind: "delete", entry })}>✕</Button>
                     </span>,
                   ]} />
      )}
      {asking?.kind === "mkdir" && <NameDialog title="New directory" submit="Make" value="" onClose={() => setAsking(null)} onSubmit={async (name) => {
        await ask("POST", api("/files/mkdir"), { body: { path: join(path, name), parents: false } });
        again();
      }} />}
      {asking?.kind === "new" && <NameDialog title="New file" submit="Make" value="" onClose={() => setAsking(null)} onSubmit={async (name) => {
        if (entries?.some((entry) => entry.name === name)) throw new Error(`${name} is there already`);
        await ask("PUT", api("/files/content"), { query: { path: join(path, name) }, body: "", headers: { "Content-Type": "application/octet-stream" } });
        go(["sandboxes", sandbox.id, "files"], { path: join(path, name) });
      }} />}
      {asking?.kind === "rename" && <NameDialog title={`Rename ${harmless(asking.entry.name, 60)}`} submit="Rename" value={asking.entry.name} onClose={() => setAsking(null)} onSubmit={async (name) => {
        await ask("POST", api("/files/move"), { body: { from: join(path, asking.entry.name), to: name.startsWith("/") ? name : join(path, name) } });
        again();
      }} />}
      {asking?.kind === "delete" && <Confirm title="Delete?" text={`${harmless(asking.entry.name)}${asking.entry.type === "directory" ? " goes with all that is in it." : " goes."}`} submit="Delete" onClose={() => setAsking(null)} onConfirm={async () => {
        await ask("DELETE", api("/files"), { query: { path: join(path, asking.entry.name), recursive: asking.entry.type === "directory" } });
        again();
      }} />}
    </div>
  );
}

export function FilesTab({ sandbox }: { sandbox: Sandbox }) {
  const { query } = useStore(place);
  const path = query.get("path");
  const [facts, setFacts] = useState<{ path: string; isDirectory: boolean } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setError(null);
    const look = async () => {
      const at = path ?? (await homeOf(sandbox));
      // A symlink is what it leads to: a directory can be listed, a file not.
      const entry = at === "/" ? null : await ask<FileEntry>("GET", sandboxPath(sandbox.id, "/files/stat"), { query: { path: at } });
      let isDirectory = entry === null || entry.type === "directory";
      if (entry?.type === "symlink") {
        isDirectory = await ask("GET", sandboxPath(sandbox.id, "/files"), { query: { path: at } }).then(() => true, () => false);
      }
      if (isCurrent) setFacts({ path: at, isDirectory });
    };
    look().catch((failure) => {
      if (isCurrent) setError(failure);
    });
    return () => {
      isCurrent = false;
    };
  }, [sandbox.id, path, round]);
  if (error !== null) {
    return (
      <>
        <ErrorNote error={error} onRetry={() => setRound(round + 1)} />
        {path !== null && path !== "/" && <p><a href={link(["sandboxes", sandbox.id, "files"], { path: parentOf(path) })}>To the directory above</a></p>}
      </>
    );
  }
  if (facts === null || (path !== null && facts.path !== path)) return <Loading what="files" />;
  return facts.isDirectory ? <Directory key={facts.path} sandbox={sandbox} path={facts.path} /> : <FileView key={facts.path} sandbox={sandbox} path={facts.path} crumbs={<Crumbs sandbox={sandbox} path={facts.path} />} />;
}
