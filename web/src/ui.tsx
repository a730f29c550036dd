// The small parts that pages are made of.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { errorText } from "./api";
import { harmless, timeText, agoText } from "./format";
import { Store, now, useStore } from "./store";

type ButtonProps = Omit<JSX.IntrinsicElements["button"], "type"> & { kind?: "plain" | "main" | "danger" | "quiet"; submits?: boolean };
export function Button({ kind = "plain", submits = false, class: more, ...rest }: ButtonProps) {
  return <button type={submits ? "submit" : "button"} class={`button ${kind} ${(more as string | undefined) ?? ""}`} {...rest} />;
}

export function StateBadge({ state }: { state: string }) {
  return (
    <span class={`badge state-${state}`}>
      <span class="dot" aria-hidden="true" />
      {state}
    </span>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> Loading {what}…
    </p>
  );
}

export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div class="note error" role="alert">
      <span>{harmless(errorText(error), 1000)}</span>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

// Time as "3 min ago", the exact one on hover.
export function Ago({ time }: { time: string | null }) {
  const at = useStore(now);
  if (time === null) return <span class="muted">–</span>;
  return (
    <time dateTime={time} title={timeText(time)}>
      {agoText(time, Math.max(at, Date.now()))}
    </time>
  );
}

interface FieldProps {
  label: string;
  hint?: string;
  children: (id: string, hintId: string | undefined) => ComponentChildren;
}
export function LabelledField({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, hintId)}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps {
  label: string;
  hint?: string;
  value: string;
  onValue: (value: string) => void;
  lines?: number;
  type?: "text" | "password" | "number";
  required?: boolean;
  autofocus?: boolean;
  placeholder?: string;
}
export function TextField({ label, hint, value, onValue, lines, type = "text", required, autofocus, placeholder }: TextFieldProps) {
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (autofocus) box.current?.focus();
  }, []);
  return (
    <LabelledField label={label} {...(hint === undefined ? {} : { hint })}>
      {(id, hintId) => {
        const common = { id, value, required: required ?? false, placeholder: placeholder ?? "", ref: box, spellcheck: false, autocomplete: "off" as const,
                         ...(hintId === undefined ? {} : { "aria-describedby": hintId }) };
        return lines === undefined ? (
          <input {...common} type={type as "text"} onInput={(event) => onValue(event.currentTarget.value)} />
        ) : (
          <textarea {...common} rows={lines} onInput={(event) => onValue(event.currentTarget.value)} />
        );
      }}
    </LabelledField>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}
export function Dialog({ title, onClose, children, wide }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    const before = document.activeElement;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={box} class={wide ? "wide" : ""} aria-labelledby={id} onClose={onClose} onCancel={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </Button>
      </header>
      {children}
    </dialog>
  );
}

interface FormProps {
  submit: string;
  kind?: "main" | "danger";
  onSubmit: () => Promise<void>;
  onCancel?: () => void;
  children?: ComponentChildren;
}
// Fields with a button; while it works, and when it failed, it says so.
export function Form({ submit, kind = "main", onSubmit, onCancel, children }: FormProps) {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(null);
    try {
      await onSubmit();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={send}>
      {children}
      {error !== null && <ErrorNote error={error} />}
      <div class="actions">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind={kind} submits disabled={isBusy}>
          {isBusy ? "Working…" : submit}
        </Button>
      </div>
    </form>
  );
}

interface ConfirmProps {
  title: string;
  text: string;
  submit: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}
export function Confirm({ title, text, submit, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={submit} kind="danger" onCancel={onClose} onSubmit={async () => {
        await onConfirm();
        onClose();
      }}>
        <p>{text}</p>
      </Form>
    </Dialog>
  );
}

// ---- short messages at the edge

interface Toast {
  number: number;
  text: string;
  isError: boolean;
}
const toasts = new Store<readonly Toast[]>([]);
let toastCount = 0;

export function tell(text: string, isError = false): void {
  const number = ++toastCount;
  toasts.set([...toasts.get().slice(-3), { number, text, isError }]);
  setTimeout(() => toasts.set(toasts.get().filter((toast) => toast.number !== number)), isError ? 10_000 : 5000);
}
export function tellError(error: unknown): void {
  tell(harmless(errorText(error), 500), true);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useStore(toasts).map((toast) => (
        <div key={toast.number} class={toast.isError ? "toast error" : "toast"}>
          {toast.text}
        </div>
      ))}
    </div>
  );
}

// ---- long lists

interface RowsProps<T> {
  label: string;
  rows: readonly T[];
  height: number;
  columns: string[];
  classes: string;
  keyOf: (row: T) => string;
  cells: (row: T) => ComponentChildren[];
  onOpen: (row: T) => void;
}
// A table of which only what is seen is in the page. Arrows move within it, Enter opens.
export function LongTable<T>({ label, rows, height, columns, classes, keyOf, cells, onOpen }: RowsProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [top, setTop] = useState(0);
  const [view, setView] = useState(600);
  const [active, setActive] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setView(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const at = Math.min(active, Math.max(0, rows.length - 1));
  const first = Math.max(0, Math.floor(top / height) - 8);
  const last = Math.min(rows.length, Math.ceil((top + view) / height) + 8);
  const show = (index: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    setActive(to);
    const element = box.current;
    if (element === null) return;
    if (to * height < element.scrollTop) element.scrollTop = to * height;
    else if ((to + 2) * height > element.scrollTop + element.clientHeight) element.scrollTop = (to + 2) * height - element.clientHeight;
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== box.current) return;
    const page = Math.max(1, Math.floor(view / height) - 2);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1 };
    const to = steps[event.key];
    const row = rows[at];
    if (to !== undefined) show(to);
    else if (event.key === "Enter" && row !== undefined) onOpen(row);
    else return;
    event.preventDefault();
  };
  const shown = [];
  for (let index = first; index < last; index++) {
    const row = rows[index] as T;
    shown.push(
      <div key={keyOf(row)} id={`${id}-${index}`} role="row" aria-rowindex={index + 2} aria-selected={index === at} class={`row ${classes} ${index === at ? "active" : ""}`}
           style={{ top: `${(index + 1) * height}px`, height: `${height}px` }}
           onClick={(event) => {
             setActive(index);
             if (!(event.target as Element).closest("a,button")) onOpen(row);
           }}>
        {cells(row).map((cell, column) => (
          <div role="gridcell" key={column} class={`cell c${column}`}>
            {cell}
          </div>
        ))}
      </div>,
    );
  }
  return (
    <div class="long" role="grid" aria-label={label} aria-rowcount={rows.length + 1} tabIndex={0} ref={box} onKeyDown={onKey} {...(rows.length > 0 ? { "aria-activedescendant": `${id}-${at}` } : {})}
         onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div class="tall" role="rowgroup" style={{ height: `${(rows.length + 1) * height}px` }}>
        <div class={`row head ${classes}`} role="row" aria-rowindex={1} style={{ height: `${height}px` }}>
          {columns.map((column, index) => (
            <div role="columnheader" key={column} class={`cell c${index}`}>
              {column}
            </div>
          ))}
        </div>
        {shown}
      </div>
    </div>
  );
}
