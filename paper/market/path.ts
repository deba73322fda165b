import { mix, share } from './noise.ts';
import { countOf, type Grid, type SourceCandle } from './source.ts';

/** A trade of the source: price in whole ticks, quantity in whole lots. */
export interface SourceTrade {
  readonly atMs: number;
  readonly ticks: number;
  readonly lots: number;
  readonly takerBuys: boolean;
}

const MIN_TRADES = 4;

/** The number of trades that a candle is played as: at most one for each lot. A tiny candle still shows its corners. */
export function countTrades({ volume }: Pick<SourceCandle, 'volume'>, { stepUnits }: Grid, wanted: number): number {
  const lots = countOf(volume, stepUnits);
  return lots <= 0 ? 0 : Math.max(MIN_TRADES, Math.min(wanted, lots));
}

/**
 * Plays one candle as trades: open, then low and high (high and low for a falling candle), then close. They are spread
 * over the candle and share its volume. Deterministic for (candle, salt). A candle without volume has no trades.
 */
export function tradesOf(
  candle: SourceCandle,
  grid: Grid,
  play: { readonly count: number; readonly salt: number },
): SourceTrade[] {
  const { tickUnits, stepUnits } = grid;
  const lots = countOf(candle.volume, stepUnits);
  const total = countTrades(candle, grid, play.count);
  if (total === 0) return [];
  const seed = mix(play.salt, Math.floor(candle.openMs / 1000));
  const prices = pricesOf(candle, tickUnits, { total, seed });
  const trades: SourceTrade[] = [];
  let sold = 0;
  let previous = prices[0] ?? 1;
  for (const [index, ticks] of prices.entries()) {
    const until = Math.round((lots * (index + share(seed, index))) / total);
    const quantity = Math.max(1, (index === total - 1 ? lots : until) - sold);
    sold += quantity;
    const takerBuys = ticks === previous ? share(seed, index + total) < 0.5 : ticks > previous;
    previous = ticks;
    trades.push({ atMs: timeOf(candle, index, { total, seed }), ticks, lots: quantity, takerBuys });
  }
  return trades;
}

interface PathSeed {
  readonly total: number;
  readonly seed: number;
}

function timeOf(candle: SourceCandle, index: number, { total, seed }: PathSeed): number {
  const gap = (candle.closeMs - candle.openMs - 1) / (total - 1);
  const jitter = index === 0 || index === total - 1 ? 0 : (share(seed, index + 2 * total) - 0.5) * 0.8 * gap;
  return candle.openMs + Math.floor(index * gap + jitter);
}

/** Prices in ticks: the four corners at chosen positions, straight lines with a little noise between them. */
function pricesOf(candle: SourceCandle, tickUnits: number, { total, seed }: PathSeed): number[] {
  const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map((price) =>
    Math.max(1, countOf(price, tickUnits)),
  );
  if (open === undefined || high === undefined || low === undefined || close === undefined) return [];
  const rising = close >= open;
  const first = 1 + Math.floor(share(seed, -1) * (total - 3));
  const second = first + 1 + Math.floor(share(seed, -2) * (total - 2 - first));
  const corners = [
    { at: 0, ticks: open },
    { at: first, ticks: rising ? low : high },
    { at: second, ticks: rising ? high : low },
    { at: total - 1, ticks: close },
  ];
  const prices = [open];
  for (const [index, to] of corners.entries()) {
    const from = corners[index - 1];
    if (from === undefined) continue;
    for (let at = from.at + 1; at < to.at; at++) {
      const line = from.ticks + ((to.ticks - from.ticks) * (at - from.at)) / (to.at - from.at);
      const noise = (share(seed, at + 3 * total) - 0.5) * (high - low) * 0.15;
      prices.push(Math.min(high, Math.max(low, Math.round(line + noise))));
    }
    prices.push(to.ticks);
  }
  return prices;
}
