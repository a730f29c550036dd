// The daemon's API: requests with the key of this tab, and the shapes of what it answers.
import { Store } from "./store";

export type SandboxState = "running" | "paused" | "stopped" | "deleting";
export interface Limits {
  memory: number | null;
  processes: number | null;
  cpus: number | null;
  disk: number | null;
  files: number | null;
  exec_time: string | null;
  output: number | null;
}
export interface Lease {
  ttl: string | null;
  idle_ttl: string | null;
  max_lifetime: string | null;
  on_expiry: string | null;
}
export interface Sandbox {
  id: string;
  name: string;
  owner: string;
  isolation: string;
  state: SandboxState;
  labels: Record<string, string>;
  environment: Record<string, string>;
  working_directory: string;
  hostname: string;
  origin: string | null;
  limits: Partial<Limits>;
  network: { allow: string[] };
  lease: Partial<Lease>;
  created_at: string;
  updated_at: string;
  last_active_at: string;
  expires_at: string | null;
  expires_by: string | null;
  running: number;
  warnings: string[];
}
export interface Process {
  id: string;
  sandbox_id: string;
  command: string;
  state: "queued" | "running" | "exited";
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  exit_code: number | null;
  termination: { reason: string; limit: string; peak: number; signal: number } | null;
  duration_ms: number | null;
  output_bytes: number;
  denials: string[];
  failure: string | null;
}
export interface Snapshot {
  id: string;
  name: string;
  owner: string;
  isolation: string;
  sandbox_id: string | null;
  labels: Record<string, string>;
  entries: number;
  content_bytes: number;
  tree: string;
  created_at: string;
}
// What was not measured is absent or null.
export interface Usage {
  execs: number;
  alive_ms: number;
  active_ms: number;
  cpu_ms: number | null;
  memory_gib_seconds: number | null;
  disk_gib_seconds: number | null;
  output_bytes: number;
  upload_bytes: number;
  download_bytes: number;
  network_in_bytes: number | null;
  network_out_bytes: number | null;
}
export interface SandboxUsage {
  usage: Partial<Usage>;
  price: { currency: string; active: { total: string }; alive: { total: string } };
}
export interface FileEntry {
  name: string;
  type: "file" | "directory" | "symlink" | "fifo" | "char_device" | "block_device" | "socket";
  mode: string;
  uid: number;
  gid: number;
  size: number;
  modified_at: string;
  target: string | null;
}
export interface DaemonEvent {
  number: number;
  at: string;
  type: string;
  subject: string;
  detail: Record<string, unknown>;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

// What went wrong, for a person.
export function errorText(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return "the daemon does not answer";
  return error instanceof Error ? error.message : String(error);
}

const KEY = "paddock.key";
let key = sessionStorage.getItem(KEY) ?? "";

// Whether a key is needed and not there, with the reason; null: requests pass.
export const lockedOut = new Store<string | null>(null);

export function setKey(text: string): void {
  key = text;
  sessionStorage.setItem(KEY, text);
}
export function signOut(reason = ""): void {
  key = "";
  sessionStorage.removeItem(KEY);
  lockedOut.set(reason);
}
export function hasKey(): boolean {
  return key !== "";
}

type Query = Record<string, string | number | boolean | undefined>;

export function address(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? path : `${path}?${text}`;
}

export interface Options {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export function keyHeader(): Record<string, string> {
  return key === "" ? {} : { Authorization: `Bearer ${key}` };
}

export async function errorOf(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return new ApiError(response.status, error.code, error.message);
  } catch {
    return new ApiError(response.status, "unknown", `the daemon answered with status ${response.status}`);
  }
}

// Any answer that is no error.
export async function request(method: string, path: string, options: Options = {}): Promise<Response> {
  const headers: Record<string, string> = { ...keyHeader(), ...options.headers };
  const init: RequestInit = { method, headers, cache: "no-store", credentials: "omit", redirect: "error", signal: options.signal ?? null };
  if (options.body instanceof Blob || typeof options.body === "string") {
    init.body = options.body;
  } else if (options.body !== undefined) {
    init.body = JSON.stringify(options.body);
    headers["Content-Type"] = "application/json";
  }
  const used = key;
  const response = await fetch(address(path, options.query), init);
  if (response.ok) return response;
  const error = await errorOf(response);
  if (response.status === 401 && used === key) signOut(used === "" ? "" : "This key is not accepted: it was revoked, or is of another daemon.");
  throw error;
}

export async function ask<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const response = await request(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

export const sandboxPath = (id: string, rest = ""): string => `/v1/sandboxes/${encodeURIComponent(id)}${rest}`;

// What stands for the key in an address of one request.
export async function ticketFor(sandbox: string): Promise<string> {
  return (await ask<{ ticket: string }>("POST", sandboxPath(sandbox, "/terminal/tickets"))).ticket;
}

// For requests that must not happen twice. (randomUUID() is not there for pages over plain HTTP.)
export function onceKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
