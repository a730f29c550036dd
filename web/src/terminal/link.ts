// Between a terminal's screen and the sandbox.
import type { Terminal } from "@xterm/xterm";
import { type Process, address, sandboxPath, ticketFor } from "../api";
import { type Message, type Socket, openSocket } from "./socket";

export interface LinkEvents {
  onOpen: () => void;
  onEnd: (process: Process) => void;
  onError: (error: unknown) => void;
  onClosed: () => void;
}

const PIECE = 64 << 10;      // of what is pasted
const MOST_WAITING = 1 << 20; // bytes that the screen has not shown; then no more are taken

export class TerminalLink {
  #socket: Socket | null = null;
  #isClosed = false;
  #waiting = 0;
  #onRoom: (() => void) | null = null;
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
      openSocket(new URL(target, location.href.replace(/^http/, "ws")).href, {
        onOpen: (socket) => this.#begin(socket),
        onMessage: (message) => this.#take(message),
        onClosed: (error) => this.#finish(error),
      });
    } catch (error) {
      this.#finish(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#onRoom?.();
    for (const stop of this.#stops.splice(0)) stop.dispose();
    this.#socket?.close();
  }

  #begin(socket: Socket): void {
    if (this.#isClosed) return socket.close();
    this.#socket = socket;
    this.events.onOpen();
    const encoder = new TextEncoder();
    const send = (bytes: Uint8Array<ArrayBuffer>) => {
      for (let at = 0; at < bytes.length; at += PIECE) socket.send(bytes.slice(at, at + PIECE));
    };
    const resize = () => socket.send(JSON.stringify({ resize: { columns: this.terminal.cols, rows: this.terminal.rows } }));
    this.#stops.push(
      this.terminal.onData((text) => send(encoder.encode(text))),
      this.terminal.onBinary((text) => send(Uint8Array.from(text, (character) => character.charCodeAt(0)))),
      this.terminal.onResize(resize),
    );
    resize();
  }

  async #take(message: Message): Promise<void> {
    if (this.#isClosed) return;
    if (typeof message === "string") {
      const told = JSON.parse(message) as { exit?: Process; error?: { message: string } };
      if (told.exit) this.events.onEnd(told.exit);
      if (told.error) this.events.onError(new Error(told.error.message));
      return;
    }
    this.#waiting += message.length;
    this.terminal.write(message, () => {
      this.#waiting -= message.length;
      if (this.#waiting < MOST_WAITING) this.#onRoom?.();
    });
    if (this.#waiting < MOST_WAITING) return;
    await new Promise<void>((resolve) => {
      this.#onRoom = resolve;
    });
    this.#onRoom = null;
  }

  #finish(error: unknown): void {
    for (const stop of this.#stops.splice(0)) stop.dispose();
    if (this.#isClosed) return;
    if (error !== null) this.events.onError(error);
    this.events.onClosed();
  }
}
