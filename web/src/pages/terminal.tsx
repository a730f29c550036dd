// A terminal in the sandbox. It lives as long as its sandbox is on the page, also behind another view.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Process, type Sandbox, errorText } from "../api";
import { harmless } from "../format";
import { useStore } from "../store";
import { isDark } from "../theme";
import { TerminalLink } from "../terminal/link";
import { makeTerminal, themeOf } from "../terminal/screen";
import { Button } from "../ui";

type End = { exit: Process } | { error: string } | null;

function endText(end: End): string {
  if (end === null) return "";
  if ("error" in end) return harmless(end.error, 500);
  const { exit_code: code, termination } = end.exit;
  return code !== null ? `The shell ended with exit code ${code}.` : `The shell was ended: ${termination?.reason ?? "unknown"}.`;
}

export function TerminalTab({ sandbox, isShown }: { sandbox: Sandbox; isShown: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [round, setRound] = useState(0);
  const [state, setState] = useState<"opening" | "open" | "ended">("opening");
  const [end, setEnd] = useState<End>(null);
  const screen = useRef<ReturnType<typeof makeTerminal> | null>(null);
  const dark = useStore(isDark);

  useEffect(() => {
    if (box.current === null) return;
    setState("opening");
    setEnd(null);
    const made = makeTerminal(box.current, () => {
      const current = document.querySelector<HTMLElement>(".tabs [aria-current]");
      current?.focus();
    });
    screen.current = made;
    const socket = new TerminalLink(sandbox.id, made.terminal, {
      onOpen: () => setState("open"),
      onEnd: (exit) => setEnd({ exit }),
      onError: (error) => setEnd((known) => known ?? { error: errorText(error) }),
      onClosed: () => setState("ended"),
    });
    made.fit();
    void socket.open();
    made.terminal.focus();
    return () => {
      socket.close();
      made.dispose();
      screen.current = null;
    };
  }, [sandbox.id, round]);

  useEffect(() => {
    if (screen.current !== null) screen.current.terminal.options.theme = themeOf(dark);
  }, [dark, round]);
  useLayoutEffect(() => {
    if (!isShown) return;
    screen.current?.fit();
    screen.current?.terminal.focus();
  }, [isShown, round]);

  return (
    <section class="terminal" aria-label="Terminal" hidden={!isShown}>
      <div class="bar">
        <span class="muted" role="status">{state === "opening" ? "Opening…" : state === "open" ? "Connected" : `Ended. ${endText(end)}`}</span>
        <span class="space" />
        <span class="muted">F6 leaves the terminal by keyboard</span>
        {state === "ended" && <Button kind="main" onClick={() => setRound(round + 1)}>New terminal</Button>}
      </div>
      <div class="screen" ref={box} />
    </section>
  );
}
