import { type CandleColumns, INTERVAL_MS, INTERVALS, type Interval } from '#core/candle.ts';
import { joinColumns } from '#core/candle-columns.ts';
import { requireDecimal, ZERO } from '#core/decimal.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { listCandles } from '#api/contract/records.ts';
import { call } from '#web/data/call.ts';
import type { Candle, Coin, Profile } from '#web/data/queries.ts';
import type { Past } from './summary.ts';

const YEAR_MS = 365 * 86_400_000;
const ROWS = 1000;
/** More would press on what the exchange answers per minute. */
const MOST_CALLS = 40;

/** The finest candles of which so many calls reach back a year, or as far as they reach at what the strategy needs. */
export function intervalFor(needed: Interval): Interval {
  const fits = (interval: Interval): boolean => INTERVAL_MS[needed] % INTERVAL_MS[interval] === 0;
  const reaches = (interval: Interval): boolean => YEAR_MS / INTERVAL_MS[interval] / ROWS <= MOST_CALLS;
  return INTERVALS.find((interval) => fits(interval) && reaches(interval)) ?? needed;
}

interface Wanted {
  readonly profile: Profile;
  readonly coin: Coin;
  readonly minNotional: string;
  readonly needed: Interval;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/** Up to a year of closed candles of one coin, newest page first, with what a replay has to know about the coin. */
export async function loadPast({ profile, coin, minNotional, needed, signal, onProgress }: Wanted): Promise<Past> {
  const interval = intervalFor(needed);
  const calls = Math.min(MOST_CALLS, Math.ceil(YEAR_MS / INTERVAL_MS[interval] / ROWS));
  const pages: CandleColumns[] = [];
  let before: string | undefined;
  for (let n = 0; n < calls; n++) {
    const place = before === undefined ? {} : { before };
    const query = { profileId: profile.id, symbol: coin.symbol, interval, limit: ROWS, ...place };
    const { candles } = await call(listCandles, { query }, signal);
    const closed = candles.filter((candle) => candle.closed);
    const [first] = closed;
    if (first === undefined) break;
    pages.unshift(columnsOf(closed));
    onProgress((n + 1) / calls);
    if (candles.length < ROWS) break;
    before = new Date(first.openMs).toISOString();
  }
  return { interval, columns: joinColumns(pages), rules: rulesOf(coin, minNotional), terms: TERMS };
}

const columnsOf = (candles: readonly Candle[]): CandleColumns => ({
  openMs: Float64Array.from(candles, ({ openMs }) => openMs),
  open: Float64Array.from(candles, ({ open }) => open),
  high: Float64Array.from(candles, ({ high }) => high),
  low: Float64Array.from(candles, ({ low }) => low),
  close: Float64Array.from(candles, ({ close }) => close),
  volume: Float64Array.from(candles, ({ volume }) => volume),
});

/** What every preview begins with: 10,000 and the usual fee of a tenth of a percent. */
const TERMS = {
  balance: requireDecimal('10000'),
  feeRate: requireDecimal('0.001'),
  slippage: requireDecimal('0.0005'),
} as const;

/** The rules that a page knows: grid and smallest order. The others do not bind orders of such sizes. */
function rulesOf(coin: Coin, minNotional: string): SymbolRules {
  const tick = requireDecimal(coin.tickSize ?? '0.01');
  const step = requireDecimal(coin.stepSize ?? '0.00001');
  const open = { min: ZERO, max: ZERO };
  return {
    symbol: coin.symbol,
    status: 'TRADING',
    baseAsset: coin.baseAsset ?? coin.symbol,
    quoteAsset: coin.quoteAsset ?? '',
    orderTypes: ['LIMIT', 'MARKET', 'STOP_LOSS_LIMIT', 'STOP_LOSS'],
    price: { tick, ...open },
    lot: { step, ...open },
    marketLot: { step: ZERO, ...open },
    notional: { min: requireDecimal(minNotional), max: ZERO, minAppliesToMarket: true },
    band: null,
  };
}
