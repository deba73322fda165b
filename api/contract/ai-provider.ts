import { z } from 'zod';
import { AI_PROVIDERS, CREDENTIAL_KINDS } from '#core/installation/ai-provider.ts';
import { instant } from './fields.ts';
import { operation } from './operation.ts';

/** The credential only ever goes in: what comes out says of which kind it is and how it ends. */
const aiProvider = z.object({
  provider: z.enum(AI_PROVIDERS),
  baseUrl: z.string(),
  model: z.string(),
  credential: z.object({ kind: z.enum(CREDENTIAL_KINDS), last4: z.string() }).nullable(),
  updatedAt: instant,
});
const answer = z.object({ aiProvider: aiProvider.nullable() });
export type AiProviderView = z.output<typeof aiProvider>;

export const readAiProvider = operation({
  method: 'GET',
  path: '/ai-provider',
  auth: 'session',
  status: 200,
  summary: 'Whom the backtest advisor asks; null where nobody was set up',
  response: answer,
});

export const changeAiProvider = operation({
  method: 'PATCH',
  path: '/ai-provider',
  auth: 'session',
  status: 200,
  summary: 'Sets up whom the advisor asks; what is left out stays, with provider null it is removed',
  body: z.strictObject({
    provider: z.enum(AI_PROVIDERS).nullable().optional(),
    /** Empty is the usual address of the provider. */
    baseUrl: z.string().max(2000, 'is longer than 2000 characters').optional(),
    model: z.string().trim().max(200, 'is longer than 200 characters').optional(),
    /** A console key and an OAuth token go to Anthropic, an endpoint key to any other endpoint. */
    credentialKind: z.enum(CREDENTIAL_KINDS).optional(),
    /** Left out or empty stays as it is while the address stays; null removes it. */
    credential: z.string().max(4000, 'is longer than 4000 characters').nullable().optional(),
  }),
  response: answer,
});

export const testAiProvider = operation({
  method: 'POST',
  path: '/ai-provider/test',
  auth: 'session',
  status: 200,
  summary: 'Sends one short question with what is stored and says in a sentence what came back; it may cost a little',
  response: z.object({ ok: z.boolean(), detail: z.string() }),
});
