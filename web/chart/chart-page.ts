import type { Interval } from '#core/market/candle.ts';
import type { ProfileId } from '#core/ids.ts';
import { readBacktestChart, readCoinChart } from '#api/contract/charts.ts';
import { call } from '#web/data/call.ts';
import type { Load } from '#web/data/load.ts';
import type { ChartPage } from './chart-data.ts';

/** A coin as it trades now, or a coin of a backtest up to the end of its period. */
export type ChartSource =
  | { readonly kind: 'coin'; readonly profileId: ProfileId; readonly symbol: string }
  | {
      readonly kind: 'backtest';
      readonly profileId: ProfileId;
      readonly runId: string;
      readonly symbol: string;
      readonly endMs: number;
    };

/** Candles of a page. */
export const PAGE = 500;
const NEWEST_MS = 5_000;
/** Candles of the past do not change. */
const PAST_MS = 600_000;

function readPage(
  source: ChartSource,
  { interval, beforeMs }: { readonly interval: Interval; readonly beforeMs: number | undefined },
  signal: AbortSignal,
): Promise<ChartPage> {
  const cursor = beforeMs === undefined ? {} : { before: new Date(beforeMs).toISOString() };
  const query = { interval, limit: PAGE, ...cursor };
  const { profileId: id, symbol } = source;
  return source.kind === 'coin'
    ? call(readCoinChart, { params: { id, symbol }, query }, signal)
    : call(readBacktestChart, { params: { id, runId: source.runId }, query: { ...query, symbol } }, signal);
}

/** One page of candles; without a time the newest, which a coin reads again and again. */
export function chartPage(source: ChartSource, interval: Interval, beforeMs?: number): Load<ChartPage> {
  const before = beforeMs ?? (source.kind === 'backtest' ? source.endMs : undefined);
  return {
    key: ['chart', source, interval, before ?? 'newest'],
    load: (signal) => readPage(source, { interval, beforeMs: before }, signal),
    ...(before === undefined ? { every: NEWEST_MS, freshMs: 0 } : { freshMs: PAST_MS }),
  };
}
