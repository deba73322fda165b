import type { Page } from 'playwright-core';
import { isObject } from '#core/merge.ts';
import { MARKET_START } from '#test/flow/candles.ts';
import { until } from '#test/flow/until.ts';
import { ask, type Stack } from './stack.ts';

const HOUR_MS = 3_600_000;
/** Hours of the market that lie in the past once the stack has started. */
const WINDOW = {
  from: new Date(MARKET_START).toISOString(),
  to: new Date(MARKET_START + 6 * HOUR_MS).toISOString(),
  detailInterval: '1m',
};
const KNOBS = 'sell.triggerPercentage=1.003,1.006,1.01; sell.stopLossPercentage=0.96,0.97,0.985';

/** Ids for the addresses of screens that show finished research. */
export interface Research {
  readonly run: string;
  readonly otherRun: string;
  readonly sweep: string;
}

/** Two finished backtests, one of them with a change, and a finished sweep. */
export async function finishResearch(
  { app }: Pick<Stack, 'app'>,
  page: Page,
  { profileId, window = WINDOW }: { readonly profileId: string; readonly window?: typeof WINDOW },
): Promise<Research> {
  const at = `${app.url}/api/profiles/${profileId}`;
  const launch = async (kind: 'backtests' | 'sweeps', more: object): Promise<string> => {
    const made = await ask(page, { method: 'POST', url: `${at}/${kind}`, data: { ...window, ...more } });
    return isObject(made) ? String(made['runId'] ?? made['sweepId']) : '';
  };
  const run = await launch('backtests', {});
  const otherRun = await launch('backtests', { overrideConfig: { sell: { stopLossPercentage: '0.985' } } });
  const sweep = await launch('sweeps', { symbol: 'BTCUSDT', knobs: KNOBS });
  for (const path of [`backtests/${run}`, `backtests/${otherRun}`, `sweeps/${sweep}`]) {
    await until(
      `${path} to finish`,
      async () => {
        const found = await ask(page, { method: 'GET', url: `${at}/${path}` });
        return (isObject(found) && found['state'] === 'done') || undefined;
      },
      120_000,
    );
  }
  return { run, otherRun, sweep };
}
