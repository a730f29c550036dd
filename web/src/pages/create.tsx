// A new sandbox.
import { useEffect, useState } from "preact/hooks";
import { type Sandbox, ask, onceKey } from "../api";
import { harmless } from "../format";
import { go } from "../router";
import { put } from "../sandboxes";
import { Dialog, Form, LabelledField, TextField } from "../ui";

// NAME=VALUE lines.
export function pairsOf(text: string, what: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const equals = line.indexOf("=");
    if (equals <= 0) throw new Error(`${what}: '${line.trim()}' must be NAME=VALUE`);
    pairs[line.slice(0, equals).trim()] = line.slice(equals + 1);
  }
  return pairs;
}

interface Template {
  id: string;
  name: string;
  version: number;
}

const given = (text: string): boolean => text.trim() !== "";

export function CreateDialog({ onClose, snapshot }: { onClose: () => void; snapshot?: string }) {
  const [isolations, setIsolations] = useState<string[]>([]);
  const [isolation, setIsolation] = useState("");
  const [name, setName] = useState("");
  const [labels, setLabels] = useState("");
  const [environment, setEnvironment] = useState("");
  const [memory, setMemory] = useState("");
  const [execTime, setExecTime] = useState("");
  const [idle, setIdle] = useState("");
  const [hosts, setHosts] = useState("");
  const [templates, setTemplates] = useState<Template[]>([]);
  const [template, setTemplate] = useState("");
  useEffect(() => {
    if (snapshot === undefined) ask<{ templates: Template[] }>("GET", "/v1/templates", { query: { limit: 1000 } }).then((answer) => setTemplates(answer.templates), () => undefined);
    ask<{ isolations: string[] }>("GET", "/v1/isolations").then((answer) => setIsolations(answer.isolations), () => undefined);
  }, []);
  const create = async () => {
    const body: Record<string, unknown> = { labels: pairsOf(labels, "labels"), environment: pairsOf(environment, "environment") };
    if (given(name)) body["name"] = name.trim();
    if (isolation !== "") body["isolation"] = isolation;
    if (snapshot !== undefined) body["snapshot"] = snapshot;
    if (template !== "") body["template"] = template;
    const limits: Record<string, string> = {};
    if (given(memory)) limits["memory"] = memory.trim();
    if (given(execTime)) limits["exec_time"] = execTime.trim();
    body["limits"] = limits;
    if (given(idle)) body["lease"] = { idle_ttl: idle.trim() };
    if (given(hosts)) body["network"] = { allow: hosts.split(/[\s,]+/).filter(given) };
    const made = await ask<Sandbox>("POST", "/v1/sandboxes", { body, headers: { "Idempotency-Key": onceKey() } });
    put(made);
    onClose();
    go(["sandboxes", made.id]);
  };
  return (
    <Dialog title={snapshot === undefined ? "New sandbox" : "New sandbox from a snapshot"} onClose={onClose}>
      <Form submit="Create" onSubmit={create} onCancel={onClose}>
        <TextField label="Name" hint="Unique among yours; may be left empty." value={name} onValue={setName} autofocus />
        {snapshot === undefined && (
          <LabelledField label="Isolation" hint="virtual: an interpreter, no host program runs. process: programs of this host behind a wall.">
            {(id, hint) => (
              <select id={id} aria-describedby={hint ?? ""} value={isolation} onChange={(event) => setIsolation(event.currentTarget.value)}>
                <option value="">The daemon's own choice</option>
                {isolations.map((one) => <option key={one}>{one}</option>)}
              </select>
            )}
          </LabelledField>
        )}
        {templates.length > 0 && (
          <LabelledField label="Template" hint="The files that it begins with.">
            {(id, hint) => (
              <select id={id} aria-describedby={hint ?? ""} value={template} onChange={(event) => setTemplate(event.currentTarget.value)}>
                <option value="">None</option>
                {templates.map((one) => <option key={one.id} value={one.id}>{harmless(`${one.name}@${one.version}`, 100)}</option>)}
              </select>
            )}
          </LabelledField>
        )}
        <details>
          <summary>Limits, lease, labels, network</summary>
          <div class="columns">
            <TextField label="Memory" placeholder="256m" value={memory} onValue={setMemory} />
            <TextField label="Time of each exec" placeholder="5m" value={execTime} onValue={setExecTime} />
            <TextField label="Rests when idle for" placeholder="10m" value={idle} onValue={setIdle} />
            <TextField label="Hosts it may reach" placeholder="pypi.org:443" hint="None: no network. Isolation process only." value={hosts} onValue={setHosts} />
          </div>
          <TextField label="Labels" hint="One NAME=VALUE a line." lines={2} value={labels} onValue={setLabels} />
          <TextField label="Environment" hint="One NAME=VALUE a line." lines={2} value={environment} onValue={setEnvironment} />
        </details>
      </Form>
    </Dialog>
  );
}
