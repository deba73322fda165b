import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

/** A message that the service has sent to the chat. */
interface SentMessage {
  readonly chat_id: string;
  readonly text: string;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly offset: number;
  readonly timer: NodeJS.Timeout;
}

interface Refusal {
  readonly status: number;
  readonly retryAfter?: number;
}

const polled = z.object({ offset: z.number().default(0), timeout: z.number(), limit: z.number() });
const outgoing = z.object({ chat_id: z.string(), text: z.string() });

const KNOWN = { chat: 42, user: 7, name: 'Ann' };
type From = Partial<typeof KNOWN> & { readonly ageSeconds?: number };

/**
 * A server of the bot API for one bot: getUpdates with offset and long polling, where a newer poll ends an older one with
 * 409, and sendMessage. An update stays until a poll with a higher offset confirms it.
 */
export class TelegramServer implements AsyncDisposable {
  readonly token = '123456:CANARY-telegram-bot';
  readonly sent: SentMessage[] = [];
  /** Ids of confirmed updates. */
  readonly confirmed: number[] = [];
  /** Requests that are answered with an error before they are served, by method. */
  readonly refusals: Record<'getUpdates' | 'sendMessage', Refusal[]> = { getUpdates: [], sendMessage: [] };
  /** While true, messages arrive, and sendMessage is never answered. */
  isSilent = false;
  polls = 0;
  conflicts = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #updates: { update_id: number; message: unknown }[] = [];
  #next = 1000;
  #waiting: Waiting | undefined;
  url = '';

  static async open(): Promise<TelegramServer> {
    const telegram = new TelegramServer();
    telegram.#server.listen(0, '127.0.0.1');
    await once(telegram.#server, 'listening');
    const address = telegram.#server.address();
    telegram.url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    return telegram;
  }

  /** A user writes to the bot. Returns the id of the update. */
  write(text: string, { chat, user, name, ageSeconds = 0 }: From = {}): number {
    const from = { ...KNOWN, ...(chat === undefined ? {} : { chat }), ...(user === undefined ? {} : { user }) };
    const update_id = this.#next++;
    const message = {
      ...{ message_id: update_id, date: Math.floor(Date.now() / 1000) - ageSeconds, text },
      ...{
        chat: { id: from.chat, type: 'private' },
        from: { id: from.user, is_bot: false, first_name: name ?? 'Ann' },
      },
    };
    this.#updates.push({ update_id, message });
    if (this.#waiting !== undefined) this.#answerPoll(this.#waiting);
    return update_id;
  }

  /** The next update gets this id, as after a week without messages. */
  renumber(next: number): void {
    this.#next = next;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const body = await json(request).catch(() => undefined);
    if (token !== this.token) return refuse(response, { status: 401 });
    if (method !== 'getUpdates' && method !== 'sendMessage') return refuse(response, { status: 404 });
    const refusal = this.refusals[method].shift();
    if (refusal !== undefined) return refuse(response, refusal);
    if (method === 'getUpdates') return this.#poll(polled.parse(body), response);
    this.sent.push(outgoing.parse(body));
    if (this.isSilent) return;
    reply(response, { message_id: this.sent.length });
  }

  #poll({ offset, timeout }: z.output<typeof polled>, response: ServerResponse): void {
    this.polls += 1;
    const older = this.#waiting;
    if (older !== undefined) {
      this.conflicts += 1;
      this.#end(older);
      refuse(older.response, { status: 409 });
    }
    this.confirmed.push(
      ...this.#updates.filter(({ update_id }) => update_id < offset).map((update) => update.update_id),
    );
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset);
    const timer = setTimeout(() => this.#waiting && this.#answerPoll(this.#waiting), timeout * 1000);
    this.#waiting = { response, offset, timer };
    response.on('close', () => this.#waiting?.response === response && this.#end(this.#waiting));
    if (this.#updates.length > 0) this.#answerPoll(this.#waiting);
  }

  #answerPoll(waiting: Waiting): void {
    this.#end(waiting);
    reply(waiting.response, this.#updates.slice(0, 100));
  }

  #end({ timer }: Waiting): void {
    clearTimeout(timer);
    this.#waiting = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#waiting !== undefined) this.#end(this.#waiting);
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function reply(response: ServerResponse, result: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true, result }));
}

function refuse(response: ServerResponse, { status, retryAfter }: Refusal): void {
  const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
  const body = { ok: false, error_code: status, description: `Error ${status}`, ...parameters };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
