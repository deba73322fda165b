import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { auditActor } from '#core/installation/audit-actor.ts';
import { instant, numbers, ofProfile, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const by = z.enum(['engine', 'strategy']);

export const readWhy = operation({
  method: 'GET',
  path: '/profiles/:id/why',
  ...ofProfile,
  status: 200,
  summary: 'Why a coin was or was not bought in a span: reasons by time, nearest miss, and changes of settings',
  query: z.strictObject({
    symbol: symbolName,
    /** At most 92 days before `to`. */
    from: instantText,
    /** Default: now. */
    to: instantText.optional(),
  }),
  response: z.object({
    asked: z.object({ symbol: z.string(), from: instant, to: instant }),
    /** The part of the span in which the coin was decided on. */
    covered: z.object({ from: instant.nullable(), to: instant.nullable(), share: z.number() }),
    decisions: z.number(),
    /** Longest first. */
    reasons: z.array(
      z.object({
        code: z.string(),
        /** Who kept it: a refusal of the engine, or a reason of the strategy. */
        by,
        decisions: z.number(),
        seconds: z.number(),
        /** Of the span. */
        share: z.number(),
        firstAt: instant,
        lastAt: instant,
        /** Of its newest row, as is the id. */
        sentence: z.string(),
        rowId: z.string(),
      }),
    ),
    /** 24 equal parts of the span with the reason that lasted longest; null without a decision. */
    timeline: z.array(
      z.object({ from: instant, to: instant, code: z.string().nullable(), by: by.nullable(), share: z.number() }),
    ),
    /** The smallest distance of the price from a buy; null where no reason has one. */
    nearest: z
      .object({
        awayPercent: z.number(),
        code: z.string(),
        at: instant,
        sentence: z.string(),
        numbers,
        rowId: z.string(),
      })
      .nullable(),
    /** Changes of settings, limits, pauses and kill switches, newest first, at most 100. */
    changes: z.array(
      z.object({
        rowId: z.string(),
        at: instant,
        action: z.string(),
        subject: z.string(),
        /** Null: a session. */
        actor: auditActor.nullable(),
      }),
    ),
  }),
});
