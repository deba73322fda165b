import { z } from 'zod';
import { readJson } from '#core/json.ts';
import type { PrivateAddresses } from '#integrations/addresses.ts';
import { postJson } from '#integrations/outgoing.ts';
import { shownText } from '#integrations/redact.ts';

/** The bot of the chat, and the server of its bot API. */
export interface Bot {
  readonly botToken: string;
  readonly serverUrl: string;
}

interface TelegramCall {
  readonly method: 'getUpdates' | 'sendMessage';
  readonly body: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `status` is absent without an answer; `retryAfterMs` where the server names a wait. `detail` holds no secret. */
export type TelegramAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly detail: string; readonly status?: number; readonly retryAfterMs?: number };

const MAX_BYTES = 1_000_000;

const answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().min(0).optional() }).optional(),
});

/** One request of the bot API (https://core.telegram.org/bots/api). */
export async function callTelegram(allowed: PrivateAddresses, bot: Bot, call: TelegramCall): Promise<TelegramAnswer> {
  const url = `${bot.serverUrl.replace(/\/$/, '')}/bot${bot.botToken}/${call.method}`;
  const { timeoutMs, signal } = call;
  const received = await postJson(allowed, { url, body: call.body }, { timeoutMs, signal, mostBytes: MAX_BYTES });
  if (received.kind === 'failed') return { ok: false, detail: received.detail };
  const parsed = answer.safeParse(readJson(received.text));
  if (parsed.data?.ok === true) return { ok: true, result: parsed.data.result };
  const { description = received.text, parameters } = parsed.data ?? {};
  const shown = shownText(description, [bot.botToken, url]);
  const { status } = received;
  const detail = `${new URL(url).host} answered ${status}${shown === '' ? '' : `: ${shown}`}`;
  const seconds = parameters?.retry_after;
  return { ok: false, detail, status, ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }) };
}

const message = z.object({
  /** Unix time in seconds. */
  date: z.number(),
  text: z.string().optional(),
  chat: z.object({ id: z.number().int() }),
  from: z.object({ id: z.number().int(), first_name: z.string().optional() }).optional(),
});
const updates = z.array(z.object({ update_id: z.number().int(), message: z.unknown().optional() }));

export interface Update {
  readonly id: number;
  /** Absent for an update that is no message, or of a form that is not known. */
  readonly message?: {
    readonly atMs: number;
    readonly text: string;
    readonly chatId: string;
    readonly userId: string | null;
    readonly userName: string;
  };
}

/** The updates of an answer in their order; undefined for an answer of another form. */
export function readUpdates(result: unknown): Update[] | undefined {
  return updates.safeParse(result).data?.map(({ update_id: id, message: raw }) => {
    const parsed = message.safeParse(raw).data;
    if (parsed === undefined) return { id };
    const { date, text = '', chat, from } = parsed;
    const userName = (from?.first_name ?? '').replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 60);
    const sender = { userId: from === undefined ? null : String(from.id), userName };
    return { id, message: { atMs: date * 1000, text, chatId: String(chat.id), ...sender } };
  });
}
