import { INTERVAL_MS, INTERVALS } from '#core/market/candle.ts';
import { decodeColumns } from '#core/market/candle-planes.ts';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { chargesOf, costTerms } from '#core/research/research.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { readCandleColumns } from '#api/contract/market.ts';
import { callBytes } from '#web/data/call.ts';
import type { Coin, Profile } from '#web/data/queries.ts';
import type { Past } from './summary.ts';

const YEAR_MS = 365 * 86_400_000;
const LOOK_EVERY_MS = 2_500;
/** The finest candles decide in a replay which of two events happened first. */
const [FINEST] = INTERVALS;

interface PastInput {
  readonly profile: Profile;
  readonly coin: Coin;
  readonly minNotional: string;
  /** The market time in ms; a replayed market has its own clock. */
  readonly endMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/**
 * Up to a year of closed 1m candles of one coin, with its trading rules. The worker fetches candles that are not stored
 * yet; this function waits for it.
 */
export async function loadPast({ profile, coin, minNotional, endMs, signal, onProgress }: PastInput): Promise<Past> {
  const span = { from: new Date(endMs - YEAR_MS).toISOString(), to: new Date(endMs).toISOString() };
  const query = { profileId: profile.id, symbol: coin.symbol, interval: FINEST, ...span };
  for (;;) {
    const { head, columns } = decodeColumns(await callBytes(readCandleColumns, { query }, signal));
    const { state, problem } = head;
    if (typeof problem === 'string' && columns.openMs.length === 0) throw new Error(problem);
    if (state !== 'fetching') return { interval: FINEST, columns, rules: rulesOf(coin, minNotional), terms: TERMS };
    onProgress(columns.openMs.length / (YEAR_MS / INTERVAL_MS[FINEST]));
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    signal.throwIfAborted();
  }
}

/** Every preview starts with 10,000 quote units and the default costs of a backtest. */
const TERMS = { balance: requireDecimal('10000'), ...chargesOf(costTerms.parse({})) };

/** The rules known to the page: grid and smallest order. The others do not limit orders of this size. */
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
