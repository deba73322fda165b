import pg from 'pg';
import { z } from 'zod';
import type { Numbers } from '#core/decision/decision.ts';
import { isProposalRefusal, type ProposalRefusal } from '#core/order/proposal.ts';
import { readJson } from '#core/json.ts';

/** errcode of refuse_proposal in the schema. */
const REFUSED = 'TW001';
const numbersText = z.record(z.string(), z.string());

/** The refusal of a proposal or its order by the schema; undefined for any other error. */
export function proposalRefusalIn(error: unknown): { reason: ProposalRefusal; numbers: Numbers } | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== REFUSED || !isProposalRefusal(error.message))
    return undefined;
  return { reason: error.message, numbers: numbersText.parse(readJson(error.detail ?? '{}')) };
}
