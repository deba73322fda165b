import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Notification, NotifierName } from '#core/installation/notify.ts';
import type { PrivateAddresses } from './addresses.ts';
import { type Outgoing, postJson } from './outgoing.ts';
import { shownText } from './redact.ts';

type Texts = Readonly<Record<string, string>>;

/** One kind of notifier: its settings, and the format of its messages. Responses and logs never contain secrets. */
interface NotifierProvider {
  readonly title: string;
  readonly settings: z.ZodType<Texts>;
  readonly secrets: z.ZodType<Texts>;
  /** Names of the secrets, optional ones included. */
  readonly secretNames: readonly string[];
  write(known: { readonly settings: Texts; readonly secrets: Texts }, message: Notification): Outgoing;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_000_000;

const address = (example: string) =>
  z
    .string()
    .max(2000, 'is longer than 2000 characters')
    .refine(
      (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
      `is not an address such as ${example}`,
    );
const text = (most: number) => z.string().trim().min(1, 'is empty').max(most, `is longer than ${most} characters`);

const plainText = ({ title, text }: Notification): string => (text === '' ? title : `${title}\n${text}`);
const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
const hidden = (known: Texts, name: string): string => known[name] ?? '';

export const NOTIFIERS: Readonly<Record<NotifierName, NotifierProvider>> = {
  slack: {
    title: 'Slack',
    settings: z.strictObject({}),
    secrets: z.strictObject({ webhookUrl: address('https://hooks.slack.com/services/…') }),
    secretNames: ['webhookUrl'],
    write: ({ secrets }, message) => {
      const safe = plainText(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      return { url: hidden(secrets, 'webhookUrl'), body: { text: cut(safe, 10_000) } };
    },
  },
  discord: {
    title: 'Discord',
    settings: z.strictObject({}),
    secrets: z.strictObject({ webhookUrl: address('https://discord.com/api/webhooks/…') }),
    secretNames: ['webhookUrl'],
    write: ({ secrets }, message) => ({
      url: hidden(secrets, 'webhookUrl'),
      body: { content: cut(plainText(message), 2000), allowed_mentions: { parse: [] } },
    }),
  },
  telegram: {
    title: 'Telegram',
    settings: z.strictObject({
      chatId: text(100).meta({
        title: 'Chat ID',
        description: 'Write to your bot, then open api.telegram.org/bot<token>/getUpdates: it is the id under chat.',
      }),
      serverUrl: address('https://api.telegram.org')
        .default('https://api.telegram.org')
        .meta({ form: { hidden: true } }),
    }),
    secrets: z.strictObject({
      botToken: z.string().regex(/^\d+:[\w-]+$/, 'is not a bot token such as 123456:ABC-DEF'),
    }),
    secretNames: ['botToken'],
    write: ({ settings, secrets }, message) => ({
      url: `${hidden(settings, 'serverUrl').replace(/\/$/, '')}/bot${hidden(secrets, 'botToken')}/sendMessage`,
      body: {
        chat_id: hidden(settings, 'chatId'),
        text: cut(plainText(message), 4096),
        link_preview_options: { is_disabled: true },
      },
    }),
  },
  ntfy: {
    title: 'ntfy',
    settings: z.strictObject({
      topic: z.string().regex(/^[\w-]{1,64}$/, 'is not a topic: letters, digits, - and _, at most 64'),
      serverUrl: address('https://ntfy.sh')
        .default('https://ntfy.sh')
        .meta({ title: 'Server', description: 'Empty: https://ntfy.sh.' }),
    }),
    secrets: z.strictObject({ token: text(500).optional() }).transform(present),
    secretNames: ['token'],
    write: ({ settings, secrets }, message) => ({
      url: hidden(settings, 'serverUrl'),
      headers: secrets['token'] === undefined ? {} : { authorization: `Bearer ${secrets['token']}` },
      body: { topic: hidden(settings, 'topic'), title: cut(message.title, 250), message: cut(message.text, 4000) },
    }),
  },
  webhook: {
    title: 'Webhook',
    settings: z.strictObject({}),
    secrets: z
      .strictObject({ url: address('https://example.org/hook'), signingKey: text(500).optional() })
      .transform(present),
    secretNames: ['url', 'signingKey'],
    write: ({ secrets }, message) => {
      const key = secrets['signingKey'];
      const signature = createHmac('sha256', key ?? '')
        .update(JSON.stringify(message))
        .digest('hex');
      const headers: Texts = key === undefined ? {} : { 'x-tradewind-signature': `sha256=${signature}` };
      return { url: hidden(secrets, 'url'), headers, body: message };
    },
  },
};

function present(fields: Readonly<Record<string, string | undefined>>): Texts {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

export type Delivery =
  | { readonly ok: true }
  | { readonly ok: false; readonly detail: string; readonly status?: number };

/** Sends one message and waits for the answer, at most ten seconds; an error is a sentence without secrets. */
export function sendNotification(
  allowed: PrivateAddresses,
  notifier: { readonly provider: NotifierName; readonly settings: Texts; readonly secrets: Texts },
  message: Notification,
): Promise<Delivery> {
  const outgoing = NOTIFIERS[notifier.provider].write(notifier, message);
  return sendOutgoing(allowed, outgoing, Object.values(notifier.secrets));
}

/** Sends a request; `secrets` are removed from the answer that an error quotes. */
export async function sendOutgoing(
  allowed: PrivateAddresses,
  outgoing: Outgoing,
  secrets: readonly string[],
): Promise<Delivery> {
  const answer = await postJson(allowed, outgoing, { timeoutMs: TIMEOUT_MS, mostBytes: MAX_BYTES });
  if (answer.kind === 'failed') return { ok: false, detail: answer.detail };
  const { status } = answer;
  if (status >= 200 && status < 300) return { ok: true };
  const shown = shownText(answer.text, secrets);
  const { host } = new URL(outgoing.url);
  return { ok: false, status, detail: `${host} answered ${status}${shown === '' ? '' : `: ${shown}`}` };
}
