// The processes of a sandbox and what they write.
import { useEffect, useState } from "preact/hooks";
import { type Process, type Sandbox, ask, sandboxPath } from "../api";
import { bytesText, harmless, spanText } from "../format";
import { go, link, place } from "../router";
import { useStore } from "../store";
import { Ago, Button, Dialog, Empty, ErrorNote, Form, Loading, TextField, tellError } from "../ui";
import { OutputView } from "./output";

function outcome(process: Process): { text: string; kind: string } {
  if (process.state !== "exited") return { text: process.state, kind: process.state };
  if (process.failure !== null) return { text: "failed", kind: "bad" };
  if (process.exit_code !== null) return { text: `exit ${process.exit_code}`, kind: process.exit_code === 0 ? "good" : "bad" };
  return { text: process.termination?.reason ?? "ended", kind: "bad" };
}

function StartDialog({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const [script, setScript] = useState("");
  const [timeout, setTimeoutText] = useState("");
  const [hasInput, setHasInput] = useState(false);
  return (
    <Dialog title="Run a script" onClose={onClose}>
      <Form submit="Run" onCancel={onClose} onSubmit={async () => {
        const exec = { script, ...(timeout.trim() === "" ? {} : { timeout: timeout.trim() }) };
        const made = await ask<Process>("POST", sandboxPath(sandbox.id, "/processes"), { body: { exec, open_input: hasInput } });
        onClose();
        go(["sandboxes", sandbox.id, "processes"], { process: made.id });
      }}>
        <TextField label="Script" hint="For the sandbox's shell." lines={6} value={script} onValue={setScript} required autofocus />
        <TextField label="Ends after" placeholder="5m" value={timeout} onValue={setTimeoutText} />
        <label class="check"><input type="checkbox" checked={hasInput} onChange={(event) => setHasInput(event.currentTarget.checked)} /> Keep its input open, to write to it</label>
      </Form>
    </Dialog>
  );
}

function InputBar({ path }: { path: string }) {
  const [text, setText] = useState("");
  const send = async (event: Event | null, close: boolean) => {
    event?.preventDefault();
    try {
      await ask("POST", `${path}/input`, { body: close ? "" : `${text}\n`, query: { close } });
      setText("");
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <form class="bar" onSubmit={(event) => send(event, false)}>
      <input aria-label="Line for its input" placeholder="Line for its input" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <Button submits>Send</Button>
      <Button onClick={() => send(null, true)}>End input</Button>
    </form>
  );
}

function Detail({ sandbox, process, onChange }: { sandbox: Sandbox; process: Process; onChange: () => void }) {
  const path = sandboxPath(sandbox.id, `/processes/${process.id}`);
  const { text, kind } = outcome(process);
  const signal = async (number: number) => {
    try {
      await ask("POST", `${path}/signal`, { body: { signal: number } });
    } catch (error) {
      tellError(error);
    }
    onChange();
  };
  const limit = process.termination?.limit ?? "";
  return (
    <section class="detail" aria-label="Process">
      <div class="heading">
        <span class={`badge outcome-${kind}`}>{text}</span>
        <code class="id">{process.id}</code>
        <span class="muted">{process.duration_ms !== null && `${spanText(process.duration_ms)}, `}{bytesText(process.output_bytes)} of output{limit !== "" && `, limit: ${harmless(limit)}`}</span>
        <span class="space" />
        {process.state !== "exited" && sandbox.isolation !== "virtual" && <Button onClick={() => signal(15)}>Ask to end</Button>}
        {process.state !== "exited" && <Button kind="danger" onClick={() => signal(9)}>Kill</Button>}
      </div>
      <pre class="command" tabIndex={0} aria-label="Command">{process.command.slice(0, 20_000)}</pre>
      {process.failure !== null && <p class="note error">{harmless(process.failure, 1000)}</p>}
      {process.denials.length > 0 && (
        <details class="note warning" open>
          <summary>Refused by the policy: {process.denials.length}</summary>
          <ul>{process.denials.slice(0, 200).map((line, index) => <li key={index}><code class="wrap">{harmless(line, 600)}</code></li>)}</ul>
        </details>
      )}
      {process.state === "running" && <InputBar path={path} />}
      <OutputView key={process.id} path={path} size={process.output_bytes} />
    </section>
  );
}

export function ProcessesTab({ sandbox }: { sandbox: Sandbox }) {
  const { query } = useStore(place);
  const chosen = query.get("process");
  const [processes, setProcesses] = useState<Process[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  const [isStarting, setStarting] = useState(false);
  const again = () => setRound((count) => count + 1);
  useEffect(() => {
    const stop = new AbortController();
    const load = () =>
      ask<{ processes: Process[] }>("GET", sandboxPath(sandbox.id, "/processes"), { signal: stop.signal }).then(
        (answer) => {
          setProcesses(answer.processes.reverse());
          setError(null);
        },
        (failure) => {
          if (!stop.signal.aborted) setError(failure);
        },
      );
    void load();
    const timer = setInterval(() => {
      if (!document.hidden) void load();
    }, 2000);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [sandbox.id, round, chosen]);
  const process = processes?.find((one) => one.id === chosen) ?? null;
  return (
    <div class="split">
      <section class="side" aria-label="Processes">
        <div class="bar"><Button kind="main" onClick={() => setStarting(true)}>Run a script</Button></div>
        {error !== null && <ErrorNote error={error} onRetry={again} />}
        {processes === null && error === null && <Loading what="processes" />}
        {processes?.length === 0 && <Empty title="Nothing ran yet"><p>What is run over the API, by tools or from here is listed, with its output.</p></Empty>}
        <ul class="list">
          {processes?.map((one) => {
            const { text, kind } = outcome(one);
            return (
              <li key={one.id}>
                <a href={link(["sandboxes", sandbox.id, "processes"], { process: one.id })} {...(one.id === chosen ? { "aria-current": "true" as const } : {})}>
                  <code class="cut">{harmless(one.command.slice(0, 400).trim().replace(/\s+/g, " "), 120)}</code>
                  <span class="row-facts"><span class={`badge outcome-${kind}`}>{text}</span> <Ago time={one.created_at} />{one.denials.length > 0 && <span class="badge outcome-bad">{one.denials.length} refused</span>}</span>
                </a>
              </li>
            );
          })}
        </ul>
      </section>
      {process !== null ? <Detail sandbox={sandbox} process={process} onChange={again} /> : (
        <section class="detail" aria-label="Process">
          {chosen !== null && processes !== null ? <Empty title="This process is remembered no longer" /> : (processes?.length ?? 0) > 0 && <Empty title="Choose a process" />}
        </section>
      )}
      {isStarting && <StartDialog sandbox={sandbox} onClose={() => setStarting(false)} />}
    </div>
  );
}
