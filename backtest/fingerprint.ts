import type { BacktestResult, CycleRecord, FillRecord } from './result.ts';
import { sha256 } from './sha256.ts';

type Hashed = Pick<
  BacktestResult,
  'cycles' | 'holdout' | 'regimes' | 'fills' | 'rejections' | 'metrics' | 'drawdown' | 'decisions' | 'dailyEquity'
>;

/**
 * SHA-256 over every fill, every rejection and every number of a run. Equal inputs give equal fingerprints on every
 * machine: the text of a float64 is fixed by the language, and what engines may round apart is rounded to fewer decimals.
 */
export function fingerprintOf(result: Hashed): string {
  const { fills, dailyEquity, cycles, ...numbers } = result;
  let text = '';
  for (const fill of fills) text += lineOf(fill);
  for (const equity of dailyEquity) text += `${equity}\n`;
  // The first of the keys in order; all cycles look alike, so they need no sorting.
  text += `{"cycles":[${cycles.map(cycleOf).join(',')}],`;
  return sha256(text + JSON.stringify(inOrder(numbers)).slice(1));
}

const lineOf = (fill: FillRecord): string =>
  `${fill.symbol === undefined ? '' : `${fill.symbol},`}${fill.at},${fill.side},${fill.price},${fill.quantity},${fill.quote},${fill.fee},${fill.feeAsset},${fill.reason},${fill.cycle},${fill.realised},${fill.cash},${fill.position}\n`;

const cycleOf = ({ closedAt, cycle, exitReason, net, openedAt, symbol }: CycleRecord): string =>
  `{"closedAt":"${closedAt}","cycle":${cycle},"exitReason":${JSON.stringify(exitReason)},"net":"${net}","openedAt":"${openedAt}"${symbol === undefined ? '' : `,"symbol":${JSON.stringify(symbol)}`}}`;

/** The same with the keys of every object in order, so that the order in which a record was built does not count. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, part]) => [key, inOrder(part)]));
}
