import type { BacktestResult, FillRecord } from './result.ts';
import { sha256 } from './sha256.ts';

type Hashed = Pick<
  BacktestResult,
  'holdout' | 'regimes' | 'fills' | 'rejections' | 'metrics' | 'drawdown' | 'decisions' | 'dailyEquity'
>;

/**
 * SHA-256 over every fill, every rejection and every number of a run. Equal inputs give equal fingerprints on every
 * machine: the text of a float64 is fixed by the language, and what engines may round apart is rounded to fewer decimals.
 */
export function fingerprintOf(result: Hashed): string {
  const { fills, dailyEquity, ...numbers } = result;
  const rest = inOrder(numbers);
  return sha256([...fills.map(lineOf), ...dailyEquity.map(String), rest].join('\n'));
}

const lineOf = (fill: FillRecord): string =>
  `${fill.symbol === undefined ? '' : `${fill.symbol},`}${fill.at},${fill.side},${fill.price},${fill.quantity},${fill.quote},${fill.fee},${fill.feeAsset},${fill.reason},${fill.cycle},${fill.realised},${fill.cash},${fill.position}`;

/** JSON with the keys of every object in order, so that the order in which a record was built does not count. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
