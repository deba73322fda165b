import { INTERVAL_MS } from '#core/market/candle.ts';
import { toNumber } from '#core/amount/decimal.ts';
import type { FillColumns } from './fill-columns.ts';
import { inParts } from './parts.ts';
import type { KernelInput } from './run-state.ts';

/**
 * Mean exposure = mean over the closes of the detail candles of (value of the coin / equity), a share. All candles have one
 * length, so this is a mean over time. Cash and quantity follow from the fills, so the run itself measures nothing for it.
 * A quantity below one lot cannot be sold and counts as zero.
 */
export function meanExposure({ detail, rules, terms, start, end }: KernelInput, fills: FillColumns): number {
  const { openMs, close } = detail.columns;
  const reader: Reader = {
    ...{ fills, openMs, close, end, lengthMs: INTERVAL_MS[detail.interval], step: toNumber(rules.lot.step) },
    ...{ cash: toNumber(terms.balance), quantity: 0, from: start, total: 0 },
  };
  inParts(fills.count, (from, to) => readShares(reader, from, to));
  addShares(reader, end);
  return end > start ? reader.total / (end - start) : 0;
}

interface Reader {
  readonly fills: FillColumns;
  readonly openMs: Float64Array;
  readonly close: Float64Array;
  readonly end: number;
  readonly lengthMs: number;
  readonly step: number;
  /** Cash and sellable quantity since row `from`. */
  cash: number;
  quantity: number;
  from: number;
  total: number;
}

function readShares(reader: Reader, from: number, to: number): void {
  const { fills, lengthMs, step } = reader;
  for (let i = from; i < to; i++) {
    addShares(reader, firstAfter(reader, (fills.atMs[i] ?? 0) - lengthMs));
    reader.cash = fills.cash[i] ?? 0;
    const position = fills.position[i] ?? 0;
    reader.quantity = position < step ? 0 : position;
  }
}

/** Adds the shares at the closes up to row `to`, exclusive. */
function addShares(reader: Reader, to: number): void {
  const { close, cash, quantity, from } = reader;
  let { total } = reader;
  for (let row = from; quantity > 0 && row < to; row++) {
    const value = quantity * (close[row] ?? 0);
    total += value / (cash + value);
  }
  reader.total = total;
  reader.from = to;
}

/** The first row from `from` on that opens after `ms`, or `end`. It is the time between them away, or nearer where rows are missing. */
function firstAfter({ openMs, from, end, lengthMs }: Reader, ms: number): number {
  const ahead = Math.floor((ms - (openMs[from] ?? 0)) / lengthMs) + 1;
  let row = Math.min(end, from + Math.max(0, ahead));
  while (row > from && (openMs[row - 1] ?? 0) > ms) row -= 1;
  return row;
}
