import { z } from 'zod';
import { AI_PROVIDERS, CREDENTIAL_KINDS } from '#core/installation/ai-provider.ts';
import { instant } from './fields.ts';
import { operation } from './operation.ts';

/** The credential is never returned: responses only hold its kind and its last characters. */
const aiProvider = z.object({
  provider: z.enum(AI_PROVIDERS),
  baseUrl: z.string(),
  model: z.string(),
  credential: z.object({ kind: z.enum(CREDENTIAL_KINDS), last4: z.string() }).nullable(),
  updatedAt: instant,
});
const answer = z.object({ aiProvider: aiProvider.nullable() });

export const readAiProvider = operation({
  method: 'GET',
  path: '/ai-provider',
  auth: 'session',
  status: 200,
  summary: 'The AI provider of the backtest advisor; null when none is set up',
  response: answer,
});

export const changeAiProvider = operation({
  method: 'PATCH',
  path: '/ai-provider',
  auth: 'session',
  status: 200,
  summary: 'Sets up the AI provider; omitted fields are unchanged, provider null removes it',
  audit: 'ai-provider.change',
  body: z.strictObject({
    provider: z.enum(AI_PROVIDERS).nullable().optional(),
    /** Empty means the default address of the provider. */
    baseUrl: z.string().max(2000, 'is longer than 2000 characters').optional(),
    model: z.string().trim().max(200, 'is longer than 200 characters').optional(),
    /** A console key and an OAuth token go to Anthropic, an endpoint key to any other endpoint. */
    credentialKind: z.enum(CREDENTIAL_KINDS).optional(),
    /** Omitted or empty keeps the credential while the address is unchanged; null removes it. */
    credential: z.string().max(4000, 'is longer than 4000 characters').nullable().optional(),
  }),
  response: answer,
});

export const testAiProvider = operation({
  method: 'POST',
  path: '/ai-provider/test',
  auth: 'session',
  status: 200,
  summary:
    'Sends one short question with the stored settings and returns the outcome as a sentence; it may cost a little',
  audit: 'ai-provider.test',
  response: z.object({ ok: z.boolean(), detail: z.string() }),
});
