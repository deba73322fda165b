import assert from 'node:assert/strict';
import { z } from 'zod';
import { launchSweep, readSweep } from '#api/contract/research.ts';
import { until } from '#test/flow/until.ts';
import { LIVELY } from '#test/flow/profile.ts';
import type { ScaledStack, Trader } from './scale-stage.ts';

const DAY_MS = 86_400_000;
const log = z.array(z.looseObject({ path: z.string(), params: z.array(z.string()) }));

/** A sweep that has ended. */
interface Swept {
  readonly seconds: number;
  readonly evaluated: number;
  readonly rows: unknown;
  /** Units of each worker. */
  readonly units: readonly number[];
}

interface SweepOrder {
  readonly days: number;
  readonly knobs: string;
}

/** Runs a sweep to its end; `meanwhile` is called once the first of its units is done. */
export async function sweep(
  { database }: ScaledStack,
  trader: Trader,
  { days, knobs, meanwhile }: SweepOrder & { readonly meanwhile?: () => Promise<unknown> },
): Promise<Swept> {
  const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const [from, to] = [endMs - days * DAY_MS, endMs].map((ms) => new Date(ms).toISOString());
  const of = { id: trader.profileId };
  const startMs = performance.now();
  const { buy, sell } = LIVELY;
  const body = {
    from: from ?? '',
    to,
    symbol: 'BTCUSDT',
    knobs,
    search: 'grid',
    rank: 'return',
    overrideConfig: { buy, sell },
  } as const;
  const { sweepId } = await trader.call(launchSweep, { params: of, body });
  const read = () => trader.call(readSweep, { params: { ...of, sweepId } });
  if (meanwhile !== undefined) {
    await until('a unit to be done', async () => (await read()).unitsDone > 0, 300_000);
    await meanwhile();
  }
  const ended = await until(
    'the sweep to end',
    async () => {
      const now = await read();
      return ['done', 'failed', 'aborted'].includes(now.state) ? now : undefined;
    },
    600_000,
  );
  const seconds = (performance.now() - startMs) / 1000;
  assert.deepEqual([ended.state, ended.error, ended.unitsDone], ['done', null, ended.units]);
  const { rows } = await database.pool.query<{ units: number }>(
    'select count(*)::int as units from sweep_units where sweep_id = $1 group by worker order by 1 desc',
    [sweepId],
  );
  return {
    seconds,
    evaluated: ended.result?.evaluated ?? 0,
    rows: ended.result?.rows,
    units: rows.map(({ units }) => units),
  };
}

/** How many requests for past candles the exchange has answered so far. */
export async function candlePages({ control }: ScaledStack): Promise<number> {
  const answered = log.parse(await control('GET /log'));
  return answered.filter(
    ({ path, params }) => path === '/api/v3/klines' && params.includes('startTime') && params.includes('endTime'),
  ).length;
}
