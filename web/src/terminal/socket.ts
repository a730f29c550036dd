// A WebSocket of which no more is taken than is used: where the browser has streams of them, who sends faster than the reader reads waits.
// Elsewhere what arrives is kept, up to a bound.

export type Message = string | Uint8Array<ArrayBuffer>;

export interface Socket {
  send(message: Message): void;
  close(): void;
}

export interface SocketEvents {
  onOpen: (socket: Socket) => void;
  onMessage: (message: Message) => Promise<void>;   // the next one comes when it is done
  onClosed: (error: Error | null) => void;          // once; null: it ended as it should
}

interface Opened {
  readable: ReadableStream<string | ArrayBuffer | Uint8Array<ArrayBuffer>>;
  writable: WritableStream<Message>;
}
interface SocketStream {
  opened: Promise<Opened>;
  closed: Promise<{ closeCode?: number; reason?: string }>;
  close(info?: { closeCode: number }): void;
}
type SocketStreamType = new (address: string) => SocketStream;

const MOST_KEPT = 40 << 20;   // bytes, without streams

function endOf(code: number | undefined, reason: string | undefined): Error | null {
  return code === 1000 ? null : new Error(reason === undefined || reason === "" ? "the connection is lost" : reason);
}

async function openStream(Type: SocketStreamType, address: string, events: SocketEvents): Promise<void> {
  const stream = new Type(address);
  let end: Error | null = new Error("the connection is lost");
  try {
    const { readable, writable } = await stream.opened;
    const writer = writable.getWriter();
    writer.closed.catch(() => undefined);
    events.onOpen({
      send: (message) => void writer.write(message).catch(() => undefined),
      close: () => stream.close({ closeCode: 1000 }),
    });
    const reader = readable.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      await events.onMessage(typeof read.value === "string" ? read.value : new Uint8Array(read.value));
    }
    const { closeCode, reason } = await stream.closed;
    end = endOf(closeCode, reason);
  } catch {
    // It broke, or never opened: the end says so.
  }
  stream.closed.catch(() => undefined);
  events.onClosed(end);
}

function openPlain(address: string, events: SocketEvents): void {
  const socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  let kept = 0;
  let last: Promise<void> = Promise.resolve();
  socket.onopen = () =>
    events.onOpen({
      send: (message) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(message);
      },
      close: () => socket.close(1000),
    });
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    const size = typeof data === "string" ? data.length : data.byteLength;
    kept += size;
    if (kept > MOST_KEPT) return socket.close(4000, "more output than this page can show; follow it under Processes");
    last = last.then(() => events.onMessage(typeof data === "string" ? data : new Uint8Array(data))).then(() => void (kept -= size));
  };
  socket.onclose = ({ code, reason }) => void last.then(() => events.onClosed(endOf(code, reason)));
}

export function openSocket(address: string, events: SocketEvents): void {
  const Type = (globalThis as { WebSocketStream?: SocketStreamType }).WebSocketStream;
  if (Type === undefined) openPlain(address, events);
  else void openStream(Type, address, events);
}
