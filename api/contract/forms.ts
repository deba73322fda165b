import { z } from 'zod';
import { riskLimits } from '#core/account/risk.ts';
import { BACKUP_SCHEDULE, RETENTION } from '#core/installation/settings.ts';
import { discoveryConfig } from '#core/research/discovery.ts';
import { gateBars } from '#core/research/live-gate.ts';
import { howToSearch, runTerms } from '#core/research/research.ts';

/* Parts of request bodies as JSON Schemas of which the web app draws forms: labels, help texts and hints of each setting. */

function formOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return { properties };
}

export const LIMITS_FORM = formOf(riskLimits);
export const RETENTION_FORM = formOf(RETENTION.schema);
export const BACKUP_FORM = formOf(BACKUP_SCHEDULE.schema);
export const DISCOVERY_FORM = formOf(discoveryConfig);
export const GATE_FORM = formOf(gateBars);
export const SEARCH_FORM = formOf(howToSearch);
/** Balance, costs and candles of a backtest or sweep; the web app chooses the period itself. */
export const RUN_FORM = formOf(
  runTerms.pick({
    ...{ balance: true, feeBps: true, slippageBps: true, makerFeeBps: true, feeIn: true, spreadBps: true },
    ...{ volumePercent: true, detailInterval: true },
  }),
);
