import { setTimeout as delay } from 'node:timers/promises';
import type { Hono } from 'hono';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import {
  forgetUpdates,
  markAnnounced,
  markAnswered,
  noteChatProblem,
  proposalsToAnnounce,
  readChat,
  skipUpdates,
  type StoredChat,
  takeRead,
  takeUpdate,
  takeUpdateForCode,
  takeWrongCode,
} from '#storage/operator/chat.ts';
import { type ChatLock, lockChat } from '#storage/operator/chat-lock.ts';
import { readUser, type User } from '#storage/operator/users.ts';
import { listProposals } from '#api/contract/proposals.ts';
import { CHAT_CHANNEL } from '#api/frame/bus.ts';
import type { ServerContext } from '#api/frame/context.ts';
import type { ApiEnv } from '#api/handle.ts';
import { type Acted, actOn, CODE_VALID_SECONDS, confirm, isOutage, refusalText } from './act.ts';
import { callerFor } from './call.ts';
import { type Command, readCommand } from './command.ts';
import { Outbox } from './outbox.ts';
import { callTelegram, readUpdates, type TelegramAnswer, type Update } from './telegram.ts';
import { announcementText } from './texts.ts';

/*
 * The Telegram chat of the operator, in order. One api reads it (storage/operator/chat-lock.ts).
 *
 * 1. Poll. getUpdates waits up to 50 s for messages; its offset confirms all updates that were handled.
 * 2. Check. Chat and user must be listed, else the message is counted and ignored without an answer. A message is dropped
 *    when it is older than 60 s or above 20 a minute, except /halt.
 * 3. Act. A command calls operations of the api, with the rights of a session. The transaction of a change also marks its
 *    update as handled (api/commit.ts), so a restart never repeats it; before that mark, a restart receives it again.
 * 4. Codes. /resume, /sell and /approve only store what they would do and answer with a code. The message with the code
 *    carries out exactly that, and the same transaction voids the code.
 * 5. Answer. Answers are sent one after the other. A process that ends before an answer says so at its next start. One that
 *    no longer reads the chat repeats none: the next reader reports it.
 */

const POLL_SECONDS = 50;
const POLL_TIMEOUT_MS = 65_000;
const IDLE_MS = 60_000;
/** A lock of another api is tried again after this; it ends 20 s after that api stops to run. */
const STANDBY_MS = 10_000;
const ANNOUNCE_EVERY_MS = 3_000;
const MAX_AGE_MS = 60_000;
const MAX_A_MINUTE = 20;
const [FIRST_RETRY_MS, MOST_RETRY_MS] = [1_000, 60_000];
const WINDOW_MS = 60_000;
/** Telegram keeps updates for a day. */
const FORGET_MS = 3 * 86_400_000;

type Message = NonNullable<Update['message']>;

const isListed = ({ chatId, userIds }: StoredChat, message: Message | undefined): message is Message =>
  message !== undefined && message.chatId === chatId && message.userId !== null && userIds.includes(message.userId);

/** Runs the chat until it is disposed. */
export class ChatPoller implements AsyncDisposable {
  readonly #context: ServerContext;
  readonly #app: Hono<ApiEnv>;
  readonly #stop = new AbortController();
  readonly #outbox: Outbox;
  readonly #queued = new Set<string>();
  #wake = new AbortController();
  #lock: ChatLock | undefined;
  #failures = 0;
  #isNoticed = false;
  #retried = 0;

  private constructor(context: ServerContext, app: Hono<ApiEnv>) {
    this.#context = context;
    this.#app = app;
    const { log, settings } = context;
    this.#outbox = new Outbox({ allowed: settings.outgoingPrivate, log, stop: this.#stop.signal });
  }

  static async open(context: ServerContext, app: Hono<ApiEnv>): Promise<AsyncDisposable> {
    const poller = new ChatPoller(context, app);
    const changes = await context.cache.subscribe(CHAT_CHANNEL, () => poller.#wake.abort());
    const polling = poller.#repeat(
      () => poller.#poll(),
      () => AbortSignal.any([poller.#stop.signal, poller.#wake.signal]),
    );
    const announcing = poller.#repeat(
      () => poller.#announce(),
      () => poller.#stop.signal,
    );
    return {
      async [Symbol.asyncDispose]() {
        poller.#stop.abort();
        await changes[Symbol.asyncDispose]();
        await Promise.all([polling, announcing, poller.#outbox.idle()]);
        await poller[Symbol.asyncDispose]();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock?.[Symbol.asyncDispose]();
    this.#lock = undefined;
  }

  get #kysely() {
    return this.#context.reserved.kysely;
  }

  /** Repeats `once`, which returns the wait until its next run in ms; `ends` gives the signal that ends a wait. */
  async #repeat(once: () => Promise<number>, ends: () => AbortSignal): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const waitMs = await once().catch((err: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#context.log.warn({ event: 'chat_failed', err }, 'The chat could not be read; trying again');
        return this.#retryMs();
      });
      if (waitMs > 0) await delay(waitMs, undefined, { signal: ends() }).catch(() => {});
    }
  }

  #retryMs(): number {
    this.#failures += 1;
    return Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), MOST_RETRY_MS);
  }

  async #poll(): Promise<number> {
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
    const { signal: woken } = this.#wake;
    const chat = await readChat(this.#kysely);
    if (chat?.enabled !== true) {
      await this[Symbol.asyncDispose]();
      return IDLE_MS;
    }
    if ((await this.#lock?.isHeld()) === false) await this[Symbol.asyncDispose]();
    if (!(await this.#take())) return STANDBY_MS;
    this.#noticeUnanswered(chat);
    const answer = await this.#receive(chat, woken);
    if (this.#stop.signal.aborted || woken.aborted) return 0;
    if (!answer.ok) return this.#failed(answer);
    const updates = readUpdates(answer.result);
    if (updates === undefined) return this.#failed({ ok: false, detail: 'The answer is not of the bot API.' });
    // The settings may have changed during the wait.
    const current = updates.length === 0 ? chat : await readChat(this.#kysely);
    if (current?.enabled === true && current.botToken === chat.botToken) await this.#handleAll(current, updates);
    this.#failures = 0;
    if (chat.problem !== null) await noteChatProblem(this.#kysely, null);
    return 0;
  }

  /** Takes the lock unless it is held; false while another api has it. */
  async #take(): Promise<boolean> {
    if (this.#lock !== undefined) return true;
    const { database, log } = this.#context;
    this.#lock = await lockChat(database, () => {
      log.warn({ event: 'chat_lost' }, 'This api no longer reads the Telegram chat: its database session has ended');
      // Another api reads the messages that this one waits for.
      this.#wake.abort();
    });
    if (this.#lock === undefined) return false;
    log.info({ event: 'chat_taken' }, 'This api reads the Telegram chat');
    this.#isNoticed = false;
    this.#queued.clear();
    return true;
  }

  async #receive(chat: StoredChat, woken: AbortSignal): Promise<TelegramAnswer> {
    let { handledUpdate } = chat;
    if (handledUpdate > 0 && Date.now() - chat.handledAt.getTime() > FORGET_MS) {
      await forgetUpdates(this.#kysely);
      handledUpdate = 0;
    }
    const offset = handledUpdate === 0 ? {} : { offset: handledUpdate + 1 };
    return callTelegram(this.#context.settings.outgoingPrivate, chat, {
      method: 'getUpdates',
      body: { ...offset, timeout: POLL_SECONDS, limit: 100, allowed_updates: ['message'] },
      timeoutMs: POLL_TIMEOUT_MS,
      signal: AbortSignal.any([this.#stop.signal, woken]),
    });
  }

  async #failed({ detail, status, retryAfterMs }: Exclude<TelegramAnswer, { ok: true }>): Promise<number> {
    await noteChatProblem(this.#kysely, detail);
    this.#context.log.warn({ event: 'chat_unreachable', detail }, 'Telegram could not be read; trying again');
    // Another program reads the same bot, perhaps another installation.
    if (status === 409) await this[Symbol.asyncDispose]();
    return Math.max(retryAfterMs ?? 0, this.#retryMs());
  }

  /** After a start or a takeover: a command before it may have been carried out without an answer. */
  #noticeUnanswered(chat: StoredChat): void {
    const { handledUpdate, answeredUpdate } = chat;
    if (!this.#isNoticed && handledUpdate > answeredUpdate)
      this.#answer(
        chat,
        handledUpdate,
        'The service restarted before it answered: your last command is done or refused. /status shows the state.',
      );
    this.#isNoticed = true;
  }

  #answer(bot: StoredChat, update: number, text: string): void {
    const ended = async (): Promise<void> => void (await markAnswered(this.#kysely, update));
    this.#outbox.send({ bot, text, mayRepeat: this.#whileReading(), ended });
  }

  /** Whether the lock of now is still held. */
  #whileReading(): () => Promise<boolean> {
    const lock = this.#lock;
    return async () => (await lock?.isHeld()) === true;
  }

  async #handleAll(chat: StoredChat, updates: readonly Update[]): Promise<void> {
    const user = await readUser(this.#kysely, chat.userId);
    let skipped = { id: 0, ignored: 0 };
    const skip = async (): Promise<void> => {
      if (skipped.id > 0) await skipUpdates(this.#kysely, skipped.id, skipped.ignored);
      skipped = { id: 0, ignored: 0 };
    };
    for (const { id, message } of updates) {
      // After a pause another api may have read and answered them.
      if ((await this.#lock?.isHeld()) !== true) return;
      const isKnown = user !== undefined && isListed(chat, message);
      const command = isKnown ? await this.#admit(chat, message) : undefined;
      if (!isKnown || command === undefined) {
        skipped = { id, ignored: skipped.ignored + (isKnown ? 0 : 1) };
        continue;
      }
      await skip();
      await this.#handle(chat, { id, message, user, command });
    }
    await skip();
  }

  /** The command of a message; undefined for one without, from before the setup, or above the limit. */
  async #admit(chat: StoredChat, { text, atMs }: Message): Promise<Command | 'late' | 'too-many' | undefined> {
    const command = readCommand(text);
    // Telegram gives whole seconds.
    if (command === undefined || atMs + 1_000 <= chat.since.getTime()) return undefined;
    if (command.kind === 'command' && command.name === 'halt') return command;
    const { count } = await this.#context.cache.countInWindow(cacheKeys.chatCommands, WINDOW_MS);
    if (count > MAX_A_MINUTE) return count === MAX_A_MINUTE + 1 ? 'too-many' : undefined;
    return this.#context.now().getTime() - atMs > MAX_AGE_MS ? 'late' : command;
  }

  async #handle(
    chat: StoredChat,
    {
      id,
      message,
      user,
      command,
    }: { id: number; message: Message; user: User; command: Command | 'late' | 'too-many' },
  ): Promise<void> {
    const sender = { id: message.userId ?? '', name: message.userName };
    const call = callerFor(this.#app, { user, session: null, token: null, chat: { update: id, sender } });
    try {
      const { text, code } = await this.#act(id, { acting: { call, now: this.#context.now() }, command });
      const isMarked =
        code === undefined
          ? await takeRead(this.#kysely, id)
          : await takeUpdateForCode(this.#kysely, id, { ...code, validSeconds: CODE_VALID_SECONDS });
      // The mark is that of its own change, unless this process was paused and another api has handled the message.
      if (isMarked || (await this.#lock?.isHeld()) === true) this.#answer(chat, id, text);
    } catch (error) {
      if (!isOutage(error)) {
        this.#context.log.error({ event: 'chat_command_failed', err: error }, 'A command of the chat failed');
        await takeRead(this.#kysely, id);
        return this.#answer(chat, id, 'It failed unexpectedly: see the log of the api.');
      }
      const text = 'The database cannot be reached: the command is tried again.';
      if (this.#retried !== id) this.#outbox.send({ bot: chat, text, mayRepeat: this.#whileReading() });
      this.#retried = id;
      throw error;
    }
  }

  async #act(
    id: number,
    { acting, command }: { acting: Parameters<typeof actOn>[0]; command: Command | 'late' | 'too-many' },
  ): Promise<Acted> {
    if (command === 'late')
      return { text: 'The message arrived more than a minute late and was dropped: send it again.' };
    if (command === 'too-many')
      return { text: `More than ${MAX_A_MINUTE} messages a minute: further ones are dropped, except /halt.` };
    if (command.kind === 'unknown') return { text: 'There is no such command: /help lists them.' };
    if (command.kind === 'command')
      return actOn(acting, command.name, command.words).catch((error: unknown) => ({ text: refusalText(error) }));
    const chat = await readChat(this.#kysely);
    if (chat === undefined) return { text: 'The chat is switched off.' };
    const confirmed = await confirm(acting, chat, command.code).catch((error: unknown) => ({
      text: refusalText(error),
    }));
    if ('wrong' in confirmed) await takeWrongCode(this.#kysely, id);
    else await takeUpdate(this.#kysely, id);
    return confirmed;
  }

  /** Sends proposals to the chat that the operator can approve. */
  async #announce(): Promise<number> {
    if (this.#lock === undefined) return ANNOUNCE_EVERY_MS;
    const chat = await readChat(this.#kysely);
    if (chat?.enabled !== true) return ANNOUNCE_EVERY_MS;
    const ids = (await proposalsToAnnounce(this.#kysely, chat.userId)).filter((id) => !this.#queued.has(id));
    const user = ids.length === 0 ? undefined : await readUser(this.#kysely, chat.userId);
    if (user === undefined) return ANNOUNCE_EVERY_MS;
    const call = callerFor(this.#app, {
      user,
      session: null,
      token: null,
      chat: { update: 0, sender: { id: '', name: '' } },
    });
    const { proposals } = await call(listProposals, { query: { limit: '100' } });
    for (const proposal of proposals.filter(({ id }) => ids.includes(id)).toReversed()) {
      this.#queued.add(proposal.id);
      const ended = async (): Promise<void> => {
        await markAnnounced(this.#kysely, proposal.id);
        this.#queued.delete(proposal.id);
      };
      this.#outbox.send({ bot: chat, text: announcementText(proposal), mayRepeat: this.#whileReading(), ended });
    }
    return ANNOUNCE_EVERY_MS;
  }
}
