// One file: its text, which may be changed when it is not too long, or its first bytes. Nothing of it is ever more than text here.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type FileEntry, type Sandbox, ask, request, sandboxPath } from "../api";
import { download } from "../download";
import { bytesText, timeText } from "../format";
import { go, setGuard } from "../router";
import { Button, ErrorNote, Loading, tell, tellError } from "../ui";
import { baseOf, parentOf } from "./files";

const MOST_EDITED = 1 << 20;
const FIRST_PART = 256 << 10;
const MOST_HEX = 4 << 10;

interface Content {
  size: number;            // of the file
  text: string | null;     // null: no text
  bytes: Uint8Array;       // its beginning
  isWhole: boolean;
  newline: "\n" | "\r\n" | null;   // null: both, or a carriage return alone; an editor would change them
}

// Text of bytes that may end within a character.
function decode(bytes: Uint8Array, isWhole: boolean): string | null {
  const most = isWhole ? 0 : 3;
  for (let cut = 0; cut <= most; cut++) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, bytes.length - cut));
      return text.includes("\0") ? null : text;
    } catch {
      // One byte less.
    }
  }
  return null;
}

function newlineOf(text: string): Content["newline"] {
  const pairs = text.match(/\r\n/g)?.length ?? 0;
  const returns = text.match(/\r/g)?.length ?? 0;
  if (returns === 0) return "\n";
  return returns === pairs && (text.match(/\n/g)?.length ?? 0) === pairs ? "\r\n" : null;
}

async function read(sandbox: string, path: string): Promise<Content> {
  // One byte more than may be edited tells whether that is all.
  const response = await request("GET", sandboxPath(sandbox, "/files/content"), { query: { path }, headers: { Range: `bytes=0-${MOST_EDITED}` } }).catch((error: { status?: number }) => {
    if (error.status === 416) return null;   // it is empty
    throw error;
  });
  if (response === null) return { size: 0, text: "", bytes: new Uint8Array(), isWhole: true, newline: "\n" };
  const bytes = new Uint8Array(await response.arrayBuffer());
  const size = Number(/\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "")?.[1] ?? bytes.length);
  const isWhole = bytes.length === size && size <= MOST_EDITED;
  const part = isWhole ? bytes : bytes.subarray(0, FIRST_PART);
  const text = decode(part, isWhole);
  return { size, text, bytes: part, isWhole, newline: text === null ? null : newlineOf(text) };
}

function hexText(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < Math.min(bytes.length, MOST_HEX); at += 16) {
    const line = [...bytes.subarray(at, at + 16)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    text += `${at.toString(16).padStart(8, "0")}  ${hex.padEnd(47)}  ${line.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("")}\n`;
  }
  return text;
}

export function FileView({ sandbox, path, crumbs }: { sandbox: Sandbox; path: string; crumbs: ComponentChildren }) {
  const [content, setContent] = useState<Content | null>(null);
  const [facts, setFacts] = useState<FileEntry | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [draft, setDraft] = useState<string | null>(null);   // null: as it is
  const [isSaving, setSaving] = useState(false);
  const [round, setRound] = useState(0);
  const stat = () => ask<FileEntry>("GET", sandboxPath(sandbox.id, "/files/stat"), { query: { path } });

  useEffect(() => {
    let isCurrent = true;
    Promise.all([stat(), read(sandbox.id, path)]).then(
      ([known, found]) => {
        if (!isCurrent) return;
        setFacts(known);
        setContent(found);
        setDraft(null);
        setError(null);
      },
      (failure) => {
        if (isCurrent) setError(failure);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [sandbox.id, path, round]);

  const isChanged = draft !== null;
  useEffect(() => {
    setGuard(isChanged ? () => confirm("Leave without saving what was changed?") : null);
    return () => setGuard(null);
  }, [isChanged]);

  const save = async () => {
    if (draft === null || content === null || isSaving) return;
    setSaving(true);
    try {
      const before = await stat();
      const isOther = facts !== null && (before.modified_at !== facts.modified_at || before.size !== facts.size);
      if (isOther && !confirm("The file was changed meanwhile. Replace it by what is here?")) return;
      const text = content.newline === "\r\n" ? draft.replaceAll("\n", "\r\n") : draft;
      await ask("PUT", sandboxPath(sandbox.id, "/files/content"), { query: { path }, body: new Blob([text]), headers: { "Content-Type": "application/octet-stream" } });
      tell("Saved");
      setRound(round + 1);
    } catch (failure) {
      tellError(failure);
    } finally {
      setSaving(false);
    }
  };

  const canEdit = content !== null && content.isWhole && content.text !== null && content.newline !== null;
  return (
    <div class="file">
      <div class="bar">
        {crumbs}
        <span class="space" />
        {facts !== null && content !== null && <span class="muted">{bytesText(content.size)}, {facts.mode}, {timeText(facts.modified_at)}</span>}
        <Button onClick={() => download(sandbox.id, "/files/content", path, baseOf(path)).catch(tellError)}>Download</Button>
        <Button onClick={() => go(["sandboxes", sandbox.id, "files"], { path: parentOf(path) })}>Close</Button>
        {isChanged && <Button onClick={() => setDraft(null)}>Undo all</Button>}
        {canEdit && <Button kind="main" disabled={!isChanged || isSaving} onClick={save}>{isSaving ? "Saving…" : "Save"}</Button>}
      </div>
      {error !== null && <ErrorNote error={error} onRetry={() => setRound(round + 1)} />}
      {content === null && error === null && <Loading what="the file" />}
      {content !== null && !content.isWhole && content.text !== null && <p class="note">The first {bytesText(content.bytes.length)} of {bytesText(content.size)}. Files above {bytesText(MOST_EDITED)} are shown, not edited; Download has all of it.</p>}
      {content !== null && content.isWhole && content.text !== null && content.newline === null && <p class="note">Its lines end in different ways, which an editor in a page would change: it is shown only.</p>}
      {content !== null && content.text === null && <p class="note">This is no text. Its first {bytesText(Math.min(MOST_HEX, content.bytes.length))}, as bytes:</p>}
      {content !== null && content.text === null && <pre class="text hex" tabIndex={0} aria-label="Bytes">{hexText(content.bytes)}</pre>}
      {content !== null && content.text !== null && (
        <textarea class="text" aria-label="Content" readOnly={!canEdit} spellcheck={false} wrap="off" value={draft ?? content.text.replaceAll("\r\n", "\n")}
                  onInput={(event) => setDraft(event.currentTarget.value)}
                  onKeyDown={(event) => {
                    if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
                    event.preventDefault();
                    void save();
                  }} />
      )}
    </div>
  );
}
