import { queryOptions } from '@tanstack/react-query';
import type { Interval } from '#core/market/candle.ts';
import type { ProfileId } from '#core/ids.ts';
import { readBacktestChart, readCoinChart } from '#api/contract/charts.ts';
import { call } from '#web/data/call.ts';
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
export function chartQuery(source: ChartSource, interval: Interval, beforeMs?: number) {
  const before = beforeMs ?? (source.kind === 'backtest' ? source.endMs : undefined);
  return queryOptions({
    queryKey: ['chart', source, interval, before ?? 'newest'] as const,
    queryFn: ({ signal }) => readPage(source, { interval, beforeMs: before }, signal),
    refetchInterval: before === undefined ? NEWEST_MS : false,
    staleTime: before === undefined ? 0 : PAST_MS,
  });
}
