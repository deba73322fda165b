import type { ClientFrame, ServerFrame } from '#api/contract/socket.ts';
import { TOPICS } from '#core/installation/events.ts';
import { isObject } from '#core/merge.ts';

export type SocketState = 'connecting' | 'open' | 'lost';
/** The next attempt to connect, counted since the loss; `atMs` is `null` while an attempt is under way. */
export interface Retry {
  readonly attempt: number;
  readonly atMs: number | null;
}
export type EventFrame = Extract<ServerFrame, { topic: unknown }>;

interface SocketEvents {
  readonly frame: (frame: EventFrame) => void;
  /** Any message of the service arrived, also a heartbeat. */
  readonly alive: () => void;
  /** Frames were missed and cannot be replayed: all data has to be fetched again. */
  readonly resync: () => void;
  readonly state: (state: SocketState, retry: Retry) => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 2_000;
/** Time in which an attempt must connect. A service that hangs accepts the connection and never answers. */
const CONNECT_MS = 4_000;
/** The service sends a frame every second. A socket without one for this long is dead, although it may still be open. */
const SILENT_MS = 8_000;

/** The one WebSocket of a page: subscribes, replays missed frames after a reconnect, reconnects until closed. */
export class LiveSocket {
  private socket: WebSocket | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private seq: number | undefined;
  /** A connection was lost. Without a sequence number from before, missed frames cannot be requested. */
  private wasLost = false;
  private closed = false;
  private readonly address: string;
  private readonly events: SocketEvents;

  constructor(address: string, events: SocketEvents) {
    this.address = address;
    this.events = events;
    addEventListener('online', this.retryNow);
    this.connect();
  }

  close(): void {
    this.closed = true;
    removeEventListener('online', this.retryNow);
    clearTimeout(this.timer);
    clearTimeout(this.watchdog);
    this.socket?.close();
  }

  /** Connects at once unless the socket is open. */
  readonly retryNow = (): void => {
    if (this.closed || this.socket?.readyState === WebSocket.OPEN) return;
    this.connect();
  };

  private connect(): void {
    clearTimeout(this.timer);
    this.socket?.close();
    const socket = new WebSocket(this.address);
    this.socket = socket;
    this.watch(socket, CONNECT_MS);
    socket.onopen = () => this.opened(socket);
    socket.onmessage = (message) => this.receive(socket, message.data);
    socket.onclose = () => this.lost(socket);
  }

  /** Gives up the socket unless a message arrives in time. */
  private watch(socket: WebSocket, ms: number): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => {
      socket.close();
      // The close event of a dead connection comes late or never.
      this.lost(socket);
    }, ms);
  }

  private opened(socket: WebSocket): void {
    if (socket !== this.socket) return;
    const send = (frame: ClientFrame): void => socket.send(JSON.stringify(frame));
    send({ subscribe: [...TOPICS] });
    if (this.seq !== undefined) send({ since: this.seq });
    else if (this.wasLost) this.events.resync();
    this.failures = 0;
    this.watch(socket, SILENT_MS);
    this.events.state('open', { attempt: 0, atMs: null });
  }

  private receive(socket: WebSocket, text: unknown): void {
    if (socket !== this.socket || typeof text !== 'string') return;
    this.watch(socket, SILENT_MS);
    this.events.alive();
    const frames: unknown = JSON.parse(text);
    if (Array.isArray(frames)) for (const frame of frames) if (isFrame(frame)) this.handle(frame);
  }

  private handle(frame: ServerFrame): void {
    // A lower sequence number means that the service restarted; its earlier frames are gone.
    const restarted = this.seq !== undefined && frame.seq < this.seq;
    this.seq = frame.seq;
    if ('resync' in frame || restarted) this.events.resync();
    if ('topic' in frame) this.events.frame(frame);
  }

  private lost(socket: WebSocket): void {
    if (socket !== this.socket || this.closed) return;
    this.socket = undefined;
    this.wasLost = true;
    clearTimeout(this.watchdog);
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures) * (0.75 + Math.random() / 2);
    this.failures += 1;
    this.events.state('lost', { attempt: this.failures, atMs: Date.now() + wait });
    this.timer = setTimeout(() => this.connect(), wait);
  }
}

const isFrame = (frame: unknown): frame is ServerFrame => isObject(frame) && typeof frame['seq'] === 'number';

export const socketAddress = (page: Location): string =>
  `${page.protocol === 'https:' ? 'wss:' : 'ws:'}//${page.host}/api/ws`;
