import { isIP } from 'node:net';
import { z } from 'zod';
import type { AiProviderName, CredentialKind } from '#core/installation/ai-provider.ts';
import { readJson } from '#core/json.ts';
import { isMetadata, isPrivate, type PrivateAddresses } from './addresses.ts';
import { type Outgoing, postJson } from './outgoing.ts';
import { shownText, withoutSecrets } from './redact.ts';

export interface AiProvider {
  readonly provider: AiProviderName;
  readonly baseUrl: string;
  readonly model: string;
  readonly credential: { readonly kind: CredentialKind; readonly value: string } | null;
}

type AiAnswer =
  | { readonly ok: true; readonly text: string; readonly model: string }
  | { readonly ok: false; readonly detail: string };

interface Question {
  readonly text: string;
  readonly mostTokens: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Protocol of a provider. */
interface Protocol {
  readonly title: string;
  readonly usualUrl: string;
  readonly credentials: readonly CredentialKind[];
  readonly needsCredential: boolean;
  write(provider: AiProvider, question: Question): Outgoing;
  /** Reads the text of an answer; undefined when it has another form. */
  read(answer: unknown): { readonly text: string; readonly model: string } | undefined;
}

const messages = z.object({
  model: z.string(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
});
const completion = z.object({
  model: z.string().default(''),
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable().default('') }) })).min(1),
});
const failure = z.object({ error: z.union([z.object({ message: z.string() }), z.string()]) });

const under = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, '')}${path}`;
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

export const AI_PROTOCOLS: Readonly<Record<AiProviderName, Protocol>> = {
  anthropic: {
    title: 'Anthropic',
    usualUrl: 'https://api.anthropic.com',
    credentials: ['console-key', 'oauth-token'],
    needsCredential: true,
    write({ baseUrl, model, credential }, { text, mostTokens }) {
      const signed =
        credential?.kind === 'oauth-token'
          ? { ...bearer(credential.value), 'anthropic-beta': 'oauth-2025-04-20' }
          : { 'x-api-key': credential?.value ?? '' };
      return {
        url: under(baseUrl, '/v1/messages'),
        headers: { ...signed, 'anthropic-version': '2023-06-01' },
        body: { model, max_tokens: mostTokens, messages: [{ role: 'user', content: text }] },
      };
    },
    read(answer) {
      const { data } = messages.safeParse(answer);
      return data && { model: data.model, text: data.content.map((part) => part.text ?? '').join('') };
    },
  },
  'openai-compatible': {
    title: 'OpenAI-compatible endpoint',
    usualUrl: 'http://localhost:11434/v1',
    credentials: ['endpoint-key'],
    needsCredential: false,
    // No token limit: endpoints disagree on the field's name, and some refuse the other name.
    write: ({ baseUrl, model, credential }, { text }) => ({
      url: under(baseUrl, '/chat/completions'),
      headers: credential === null ? {} : bearer(credential.value),
      body: { model, messages: [{ role: 'user', content: text }], stream: false },
    }),
    read(answer) {
      const { data } = completion.safeParse(answer);
      return data && { model: data.model, text: data.choices[0]?.message.content ?? '' };
    },
  },
};

const NEAR_NAMES = /^[^.]+$|\.(local|internal|lan|localhost|home\.arpa)$/;

/** Why a text is not a valid provider address; undefined when it is valid. */
function addressProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not an address such as https://api.example.org/v1';
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol)) return 'must start with https:// or http://';
  if (username !== '' || password !== '')
    return 'must not hold a name or a password: enter the credential in its own field';
  if (search !== '' || hash !== '') return 'must end with its path, without ? and #';
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isAddress = isIP(host) !== 0;
  if ((isAddress && isMetadata(host)) || host === 'metadata.google.internal')
    return 'is an address of the machine that hosts this one, not of an AI provider';
  const near = isAddress ? isPrivate(host) : NEAR_NAMES.test(host);
  if (protocol === 'http:' && !near) return 'must start with https://: over http others can read the credential';
  return undefined;
}

/** Schema of the stored provider settings. */
export const aiProviderSettings = z
  .strictObject({
    provider: z.enum(['anthropic', 'openai-compatible']),
    baseUrl: z.string().max(2000, 'is longer than 2000 characters'),
    model: z.string().min(1, 'is empty: enter the name of the model'),
    credential: z
      .strictObject({
        kind: z.enum(['console-key', 'oauth-token', 'endpoint-key']),
        // The refused value is not repeated, because the sentence is shown on a screen.
        value: z.string().regex(/^[\x21-\x7e]{1,4000}$/, 'holds a space or a character that no credential has'),
      })
      .nullable(),
  })
  .superRefine(({ provider, baseUrl, credential }, context) => {
    const { title, credentials, needsCredential } = AI_PROTOCOLS[provider];
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    const problem = addressProblem(baseUrl);
    if (problem !== undefined) refuse('baseUrl', problem);
    if (credential === null && needsCredential)
      refuse('credential', 'is missing: it is not sent to another address than the one that it was entered for');
    if (credential !== null && !credentials.includes(credential.kind))
      refuse('credentialKind', `must be ${credentials.join(' or ')} for ${title}`);
  });

const MAX_BYTES = 1_000_000;
const WHAT_TO_DO: Readonly<Record<number, string>> = {
  401: ' Check the credential.',
  403: ' Check the credential and its permissions.',
  404: ' Check the address and the name of the model.',
  429: ' Try again later, or check the limits of the credential.',
};

/** Sends one question and waits for the answer. It is not retried, because a lost answer may have been paid for. */
export async function askAi(allowed: PrivateAddresses, provider: AiProvider, question: Question): Promise<AiAnswer> {
  const protocol = AI_PROTOCOLS[provider.provider];
  const outgoing = protocol.write(provider, question);
  const { host } = new URL(outgoing.url);
  const reply = await postJson(allowed, outgoing, { ...question, mostBytes: MAX_BYTES });
  if (reply.kind === 'failed') return { ok: false, detail: `${reply.detail}.` };
  const { status, headers, text, cut } = reply;
  const secrets = provider.credential === null ? [] : [provider.credential.value];
  if (cut) return { ok: false, detail: `${host} sent more than ${MAX_BYTES} bytes, which is too long for an answer.` };
  const parsed = readJson(text);
  if (status >= 200 && status < 300) {
    const answer = protocol.read(parsed);
    if (answer !== undefined)
      return {
        ok: true,
        text: withoutSecrets(answer.text, secrets),
        model: shownText(answer.model, secrets) || provider.model,
      };
    const shown = shownText(text, secrets);
    return {
      ok: false,
      detail: `${host} does not use the protocol of ${protocol.title}; it sent: ${shown || 'nothing'}`,
    };
  }
  const message = shownText(messageOf(parsed) ?? text, secrets);
  const wait = headers.get('retry-after');
  const waits = wait === null || !/^\d{1,6}$/.test(wait) ? '' : ` Wait ${wait} seconds before the next attempt.`;
  const said = message === '' ? '.' : `: ${message.replace(/\.$/, '')}.`;
  return { ok: false, detail: `${host} answered ${status}${said}${waits}${WHAT_TO_DO[status] ?? ''}` };
}

function messageOf(answer: unknown): string | undefined {
  const { data } = failure.safeParse(answer);
  if (data === undefined) return undefined;
  return typeof data.error === 'string' ? data.error : data.error.message;
}
