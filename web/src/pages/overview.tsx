// What a sandbox is, may use and has used.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, type Sandbox, type SandboxUsage, ask, sandboxPath } from "../api";
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
  const id = harmless(origin, 60);
  if (origin.startsWith("sbx_")) return <>fork of <a href={link(["sandboxes", origin])}>{id}</a></>;
  if (origin.startsWith("snap_")) return <>snapshot <a href={link(["snapshots"])}>{id}</a></>;
  return <>{origin.startsWith("tpl_") && "template "}{id}</>;
}

const gib = (seconds: number): string => `${Number(seconds.toPrecision(3)).toLocaleString()} GiB s`;

// What was not measured is absent.
function usageRows({ usage, price }: SandboxUsage): [string, ComponentChildren][] {
  const rows: [string, ComponentChildren][] = [];
  const row = (name: string, value: number | null | undefined, text: (value: number) => string) => {
    if (value != null) rows.push([name, text(value)]);
  };
  row("Execs", usage.execs, (count) => count.toLocaleString());
  row("Alive", usage.alive_ms, spanText);
  row("Active", usage.active_ms, spanText);
  row("Processor time", usage.cpu_ms, spanText);
  row("Memory", usage.memory_gib_seconds, gib);
  row("Disk", usage.disk_gib_seconds, gib);
  row("Output", usage.output_bytes, bytesText);
  row("Uploads", usage.upload_bytes, bytesText);
  row("Downloads", usage.download_bytes, bytesText);
  row("From the network", usage.network_in_bytes, bytesText);
  row("Into the network", usage.network_out_bytes, bytesText);
  const costs = (name: string, total: string) => {
    if (Number(total) > 0) rows.push([name, `${harmless(total, 40)} ${harmless(price.currency, 12)}`]);
  };
  costs("Price, as used", price.active.total);
  costs("Price, while alive", price.alive.total);
  return rows;
}

function useUsage(id: string): SandboxUsage | null {
  const [usage, setUsage] = useState<SandboxUsage | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setInterval> | undefined;
    const load = () =>
      ask<SandboxUsage>("GET", sandboxPath(id, "/usage"), { signal: stop.signal }).then(setUsage, (error) => {
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
