import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateAddresses } from '#integrations/addresses.ts';
import type { Log } from '#integrations/log.ts';
import { type Bot, callTelegram } from './telegram.ts';
import { cut } from './texts.ts';

const TIMEOUT_MS = 10_000;
const MAX_WAITING = 100;
const MAX_TRIES = 6;
const RETRY_MS = 2_000;
const MAX_WAIT_MS = 300_000;

interface Outgoing {
  readonly bot: Bot & { readonly chatId: string };
  readonly text: string;
  /** Called before it is sent again: false once another api reads the chat, which then reports what has no answer. */
  readonly mayRepeat: () => Promise<boolean>;
  /** Called once it was sent, or after several tries that failed. */
  readonly ended?: () => Promise<void>;
}

interface OutboxOptions {
  readonly allowed: PrivateAddresses;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** Sends the messages of the chat one after the other, so that a limit of Telegram does not delay the next command. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #waiting: Outgoing[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Drops the message when too many wait. */
  send(outgoing: Outgoing): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(outgoing);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    const { log, stop } = this.#options;
    for (let next = this.#waiting.shift(); next !== undefined && !stop.aborted; next = this.#waiting.shift()) {
      try {
        if ((await this.#sendOne(next)) && !stop.aborted) await next.ended?.();
      } catch (err) {
        if (!stop.aborted) log.warn({ event: 'chat_not_answered', err }, 'A message to the chat could not be sent');
      }
    }
  }

  /** False when it was left to another api. */
  async #sendOne({ bot, text, mayRepeat }: Outgoing): Promise<boolean> {
    const { allowed, log, stop } = this.#options;
    const body = { chat_id: bot.chatId, text: cut(text), link_preview_options: { is_disabled: true } };
    for (let i = 1; !stop.aborted; i++) {
      const sent = await callTelegram(allowed, bot, {
        method: 'sendMessage',
        body,
        timeoutMs: TIMEOUT_MS,
        signal: stop,
      });
      if (sent.ok || stop.aborted) return true;
      const { status = 500, retryAfterMs = RETRY_MS * i, detail } = sent;
      // A request that Telegram refuses stays refused.
      if (i >= MAX_TRIES || (status < 500 && status !== 429)) {
        log.warn({ event: 'chat_not_answered', detail }, 'A message to the chat could not be sent');
        return true;
      }
      await delay(Math.min(retryAfterMs, MAX_WAIT_MS), undefined, { signal: stop }).catch(() => {});
      // Without an answer it may have arrived.
      if (!(await mayRepeat())) return false;
    }
    return true;
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    await this.#sending;
  }
}
