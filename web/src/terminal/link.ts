// The WebSocket between a terminal's screen and the sandbox.
import type { Terminal } from "@xterm/xterm";
import { type Process, address, sandboxPath, ticketFor } from "../api";

export interface LinkEvents {
  onOpen: () => void;
  onEnd: (process: Process) => void;
  onError: (error: unknown) => void;
  onClosed: () => void;
}

// Bytes that wait for the screen; with more of them the terminal ends rather than lose some.
const MOST_PENDING = 40 << 20;
const PIECE = 64 << 10;   // of what is pasted

export class TerminalLink {
  #socket: WebSocket | null = null;
  #isClosed = false;
  #pending = 0;
  readonly #stops: { dispose(): void }[] = [];

  constructor(
    readonly sandbox: string,
    readonly terminal: Terminal,
    readonly events: LinkEvents,
  ) {}

  async open(): Promise<void> {
    try {
      const ticket = await ticketFor(this.sandbox);
      if (this.#isClosed) return;
      const target = address(sandboxPath(this.sandbox, "/terminal"), { columns: this.terminal.cols, rows: this.terminal.rows, ticket });
      const socket = new WebSocket(new URL(target, location.href.replace(/^http/, "ws")));
      socket.binaryType = "arraybuffer";
      socket.onopen = () => this.#begin(socket);
      socket.onmessage = (message: MessageEvent<string | ArrayBuffer>) => this.#take(message.data);
      socket.onclose = (event) => {
        if (event.code !== 1000 && !this.#isClosed) this.events.onError(new Error(event.reason === "" ? "the connection is lost" : event.reason));
        this.#finish();
      };
      this.#socket = socket;
    } catch (error) {
      if (!this.#isClosed) this.events.onError(error);
      this.#finish();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop.dispose();
    this.#socket?.close(1000);
  }

  #begin(socket: WebSocket): void {
    this.events.onOpen();
    const encoder = new TextEncoder();
    const send = (bytes: Uint8Array<ArrayBuffer>) => {
      for (let at = 0; at < bytes.length && socket.readyState === WebSocket.OPEN; at += PIECE) socket.send(bytes.subarray(at, at + PIECE));
    };
    this.#stops.push(
      this.terminal.onData((text) => send(encoder.encode(text))),
      this.terminal.onBinary((text) => send(Uint8Array.from(text, (character) => character.charCodeAt(0)))),
      this.terminal.onResize(({ cols, rows }) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ resize: { columns: cols, rows } }));
      }),
    );
    socket.send(JSON.stringify({ resize: { columns: this.terminal.cols, rows: this.terminal.rows } }));
  }

  #take(message: string | ArrayBuffer): void {
    if (this.#isClosed) return;
    if (typeof message === "string") {
      const told = JSON.parse(message) as { exit?: Process; error?: { message: string } };
      if (told.exit) this.events.onEnd(told.exit);
      if (told.error) this.events.onError(new Error(told.error.message));
      return;
    }
    this.#pending += message.byteLength;
    this.terminal.write(new Uint8Array(message), () => {
      this.#pending -= message.byteLength;
    });
    if (this.#pending > MOST_PENDING) {
      this.events.onError(new Error("more output than this page can show; follow it under Processes"));
      this.#socket?.close(1000);
    }
  }

  #finish(): void {
    for (const stop of this.#stops.splice(0)) stop.dispose();
    if (!this.#isClosed) this.events.onClosed();
  }
}
