// What a sandbox is, may use and has used.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, type Sandbox, ask, sandboxPath } from "../api";
import { bytesText, harmless, plural, spanText } from "../format";
import { link } from "../router";
import { put } from "../sandboxes";
import { Ago, Button, tell, tellError } from "../ui";

function Facts({ title, rows }: { title: string; rows: [string, ComponentChildren][] }) {
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const pairs = (all: Record<string, string>): [string, ComponentChildren][] => Object.entries(all).map(([name, value]) => [harmless(name, 60), <code>{harmless(value)}</code>]);

function Origin({ origin }: { origin: string }) {
  const [, kind, id] = /^(snapshot|sandbox):(.*)$/.exec(origin) ?? [];
  if (kind === "sandbox" && id !== undefined) return <>fork of <a href={link(["sandboxes", id])}>{harmless(id)}</a></>;
  if (kind === "snapshot" && id !== undefined) return <>snapshot <a href={link(["snapshots"])}>{harmless(id)}</a></>;
  return <>{harmless(origin)}</>;
}

// Usage as the daemon tells it: numbers named with their unit, in one or two levels.
type Usage = Record<string, unknown>;
function amountText(name: string, value: unknown): string {
  if (typeof value === "number") {
    if (/bytes(_|$)/.test(name) && !/seconds/.test(name)) return bytesText(value);
    if (name.endsWith("_ms")) return spanText(value);
    if (/(^|_)seconds$/.test(name) && !/gib/.test(name)) return spanText(value * 1000);
    return Number.isInteger(value) ? value.toLocaleString() : String(Number(value.toPrecision(4)));
  }
  return typeof value === "string" || typeof value === "boolean" ? harmless(String(value)) : "";
}
function usageRows(usage: Usage, prefix = ""): [string, string][] {
  const rows: [string, string][] = [];
  for (const [name, value] of Object.entries(usage)) {
    const words = (prefix === "" ? name : `${prefix} ${name}`).replace(/_(ms|bytes)$/, "").replaceAll("_", " ");
    if (value !== null && typeof value === "object" && !Array.isArray(value) && prefix === "") rows.push(...usageRows(value as Usage, name));
    else if (!/(^|_)id$/.test(name) && amountText(name, value) !== "") rows.push([words, amountText(name, value)]);
  }
  return rows.slice(0, 40);
}

function useUsage(id: string): Usage | null {
  const [usage, setUsage] = useState<Usage | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setInterval> | undefined;
    const load = () =>
      ask<Usage>("GET", sandboxPath(id, "/usage"), { signal: stop.signal }).then(setUsage, (error) => {
        // A daemon without it: nothing to show, nothing to ask again.
        if (error instanceof ApiError && (error.status === 404 || error.status === 405 || error.status === 501)) clearInterval(timer);
      });
    timer = setInterval(load, 5000);
    void load();
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [id]);
  return usage;
}

export function OverviewTab({ sandbox }: { sandbox: Sandbox }) {
  const usage = useUsage(sandbox.id);
  const { limits, lease } = sandbox;
  const rows: [string, ComponentChildren][] = [
    ["Id", <code>{sandbox.id}</code>],
    ["Isolation", harmless(sandbox.isolation)],
    ["Owner", harmless(sandbox.owner)],
    ["Runs now", sandbox.running === 0 ? "nothing" : plural(sandbox.running, "exec")],
    ["Made", <Ago time={sandbox.created_at} />],
    ["Last used", <Ago time={sandbox.last_active_at} />],
    ["State since", <Ago time={sandbox.updated_at} />],
  ];
  if (sandbox.origin !== null) rows.push(["Began as", <Origin origin={sandbox.origin} />]);
  if (sandbox.working_directory !== "") rows.push(["Directory", <code>{harmless(sandbox.working_directory)}</code>]);
  rows.push(["Host name", <code>{harmless(sandbox.hostname)}</code>]);

  const limitRows: [string, ComponentChildren][] = [];
  const limit = (name: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined) limitRows.push([name, value]);
  };
  limit("Memory", limits.memory == null ? null : bytesText(limits.memory));
  limit("Processor cores", limits.cpus);
  limit("Processes", limits.processes?.toLocaleString());
  limit("Own files", limits.files?.toLocaleString());
  limit("Disk", limits.disk == null ? null : bytesText(limits.disk));
  limit("Each exec", limits.exec_time);
  limit("Output of an exec", limits.output == null ? null : bytesText(limits.output));
  limitRows.push(["Network", sandbox.network.allow.length === 0 ? "none" : sandbox.network.allow.map((host) => <code key={host} class="block">{harmless(host)}</code>)]);

  const leaseRows: [string, ComponentChildren][] = [];
  const term = (name: string, value: string | null | undefined) => {
    if (value != null) leaseRows.push([name, value]);
  };
  term("Lives for", lease.ttl);
  term("Idle for at most", lease.idle_ttl);
  term("At most in all", lease.max_lifetime);
  if (leaseRows.length > 0) term("Then", lease.on_expiry);
  if (sandbox.expires_at !== null) leaseRows.push(["Ends", <Ago time={sandbox.expires_at} />]);
  const extend = async () => {
    try {
      put(await ask<Sandbox>("POST", sandboxPath(sandbox.id, "/extend"), { body: {} }));
      tell("The lease begins anew");
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <div class="cards">
      {sandbox.warnings.length > 0 && (
        <div class="note warning wide">{sandbox.warnings.map((warning) => <p key={warning}>{harmless(warning, 1000)}</p>)}</div>
      )}
      <Facts title="Sandbox" rows={rows} />
      {usage !== null && <Facts title="Usage" rows={usageRows(usage)} />}
      <Facts title="Limits" rows={limitRows} />
      {leaseRows.length > 0 && (
        <div class="stack">
          <Facts title="Lease" rows={leaseRows} />
          {lease.ttl != null && <Button onClick={extend}>Extend</Button>}
        </div>
      )}
      <Facts title="Labels" rows={pairs(sandbox.labels)} />
      <Facts title="Environment" rows={pairs(sandbox.environment)} />
    </div>
  );
}
