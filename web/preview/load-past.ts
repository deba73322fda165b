import type { AccountId, ProfileId } from '#core/ids.ts';
import { type CandleColumns, type Interval, INTERVAL_MS } from '#core/market/candle.ts';
import { decodeColumns } from '#core/market/candle-planes.ts';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { DEFAULT_COSTS, chargesOf } from '#core/research/costs.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { readCandleColumns } from '#api/contract/market.ts';
import { callBytes } from '#web/data/call.ts';
import type { Coin, Market, Profile } from '#web/data/answers.ts';
import type { Past } from './summary.ts';

const YEAR_MS = 365 * 86_400_000;
const LOOK_EVERY_MS = 2_500;
/** Intervals to try: a replayed market may have no minutes. */
const TRIED = ['1m', '1h'] as const satisfies readonly Interval[];
interface PastInput {
  readonly profile: Profile;
  readonly coin: Coin;
  readonly minNotional: string;
  /** The market time in ms; a replayed market has its own clock. */
  readonly endMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/** Up to a year of closed candles of one coin of a profile, with its trading rules. */
export async function loadPast({ profile, coin, minNotional, endMs, signal, onProgress }: PastInput): Promise<Past> {
  const span = { fromMs: endMs - YEAR_MS, endMs };
  const where = { profileId: profile.id };
  const found = await loadFinest({ where, symbol: coin.symbol, span, signal, onProgress });
  const { symbol, baseAsset, quoteAsset, tickSize, stepSize } = coin;
  const grid = { tickSize: tickSize ?? '0.01', stepSize: stepSize ?? '0.00001', minNotional };
  const rules = rulesOf({ symbol, baseAsset: baseAsset ?? symbol, quoteAsset: quoteAsset ?? '', ...grid });
  return { ...found, rules, terms: TERMS };
}

interface CandlesInput extends Pick<PastInput, 'signal' | 'onProgress'> {
  readonly where: { readonly profileId: ProfileId } | { readonly accountId: AccountId };
  readonly symbol: string;
  readonly interval: Interval;
  readonly span: { readonly fromMs: number; readonly endMs: number };
}

/**
 * The closed candles of a span, of the finest interval that the market has: in a replay they decide which of two events
 * happened first. Throws why there are none.
 */
export async function loadFinest(
  input: Omit<CandlesInput, 'interval'>,
): Promise<{ readonly interval: Interval; readonly columns: CandleColumns }> {
  let failure = new Error(`${input.symbol} has no candles yet.`);
  for (const interval of TRIED) {
    try {
      const columns = await loadCandles({ ...input, interval });
      if (columns.openMs.length > 0) return { interval, columns };
    } catch (error) {
      input.signal.throwIfAborted();
      if (error instanceof Error) failure = error;
    }
  }
  throw failure;
}

/** The closed candles of a span. The worker fetches those that are not stored yet; this function waits for it. */
async function loadCandles(input: CandlesInput): Promise<CandleColumns> {
  const { where, symbol, interval, span, signal, onProgress } = input;
  const times = { from: new Date(span.fromMs).toISOString(), to: new Date(span.endMs).toISOString() };
  const query = { ...where, symbol, interval, ...times };
  for (;;) {
    const { head, columns } = decodeColumns(await callBytes(readCandleColumns, { query }, signal));
    const { state, problem } = head;
    if (typeof problem === 'string' && columns.openMs.length === 0) throw new Error(problem);
    if (state !== 'fetching') return columns;
    onProgress(columns.openMs.length / ((span.endMs - span.fromMs) / INTERVAL_MS[interval]));
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    signal.throwIfAborted();
  }
}

/** Every preview starts with 10,000 quote units and the default costs of a backtest. */
export const TERMS = { balance: requireDecimal('10000'), ...chargesOf(DEFAULT_COSTS) };

type KnownRules = Pick<Market, 'symbol' | 'baseAsset' | 'quoteAsset' | 'tickSize' | 'stepSize' | 'minNotional'>;

/** The rules known to the page: grid and smallest order. The others do not limit orders of this size. */
export function rulesOf({ tickSize, stepSize, minNotional, ...names }: KnownRules): SymbolRules {
  const open = { min: ZERO, max: ZERO };
  const { symbol, baseAsset, quoteAsset } = names;
  return {
    ...{ symbol, baseAsset, quoteAsset, status: 'TRADING' },
    orderTypes: ['LIMIT', 'MARKET', 'STOP_LOSS_LIMIT', 'STOP_LOSS'],
    price: { tick: requireDecimal(tickSize), ...open },
    lot: { step: requireDecimal(stepSize), ...open },
    marketLot: { step: ZERO, ...open },
    notional: { min: requireDecimal(minNotional), max: ZERO, minAppliesToMarket: true },
    band: null,
  };
}
