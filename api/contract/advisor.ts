import { z } from 'zod';
import { ADVISOR_SLOTS, advice, LONGEST_REPLY, VARIANT_NAMES } from '#core/research/advice.ts';
import { idSchema } from '#core/id-schema.ts';
import { instant, ofProfile } from './fields.ts';
import { operation } from './operation.ts';

const ofRun = { ...ofProfile, params: ofProfile.params.extend({ runId: idSchema() }) };
const path = '/profiles/:id/backtests/:runId/advisor';

/** The last answer to one question about a backtest; a new question replaces it. It only proposes. */
const slot = advice.extend({
  slot: z.enum(ADVISOR_SLOTS),
  state: z.enum(['running', 'done', 'failed']),
  /** Model that answered; null for a pasted reply and before an answer. */
  model: z.string().nullable(),
  /** Why it failed, in a sentence. */
  error: z.string().nullable(),
  askedAt: instant,
  finishedAt: instant.nullable(),
});

export const readAdvisor = operation({
  method: 'GET',
  path,
  ...ofRun,
  status: 200,
  summary: 'Proposals of the advisor for a backtest, one slot for each question',
  response: z.object({ slots: z.array(slot) }),
});

export const readAdvisorPrompt = operation({
  method: 'GET',
  path: `${path}/manual/prompt`,
  ...ofRun,
  status: 200,
  summary: 'The question as text for any chat; it only holds the config and the results',
  query: z.strictObject({ variant: z.enum(VARIANT_NAMES).default('safe') }),
  response: z.object({ prompt: z.string() }),
});

export const keepAdvisorReply = operation({
  method: 'POST',
  path: `${path}/manual`,
  ...ofRun,
  status: 200,
  summary: 'Reads a pasted reply and stores its proposals in the slot manual',
  audit: 'advisor.reply',
  locks: [],
  maxBodyKiB: 1024,
  body: z.strictObject({
    reply: z.string().min(1, 'is empty').max(LONGEST_REPLY, `is longer than ${LONGEST_REPLY} characters`),
  }),
  response: slot,
});

export const askAdvisor = operation({
  method: 'POST',
  path: `${path}/:variant`,
  ...ofRun,
  status: 202,
  summary: 'Requests changes to the config of a finished backtest from the AI provider; the slot receives the answer',
  audit: 'advisor.ask',
  locks: [],
  params: ofRun.params.extend({ variant: z.enum(VARIANT_NAMES) }),
  response: slot,
});
