import { formatDecimal, toNumber } from '#core/amount/decimal.ts';
import type { Position } from '#core/position/position.ts';
import type { BacktestResult } from '#core/research/backtest-result.ts';
import { type CoinDay, coinDays } from './benchmarks.ts';
import type { EquityMeter } from './equity.ts';
import { type KernelRun, runKernel } from './kernel.ts';
import { meanExposure } from './mean-exposure.ts';
import { recordCoin } from './recorded-coin.ts';
import type { KernelInput } from './run-state.ts';
import { type Traded, tradedBy } from './traded.ts';

/** Input of a report: one coin, or several coins that share a balance. */
export interface Made {
  readonly inputs: readonly KernelInput[];
  readonly traded: Traded;
  readonly coin: readonly CoinDay[];
  readonly meter: EquityMeter;
  /** Peak capital in use of all coins together, in quote. */
  readonly capitalUsed: number;
  /** See mean-exposure.ts. */
  readonly meanExposure: number;
  /** Endings of the run with the other outcomes of its doubtful candles. */
  readonly others: readonly Ending[];
  /** Candles that crossed a price at which the strategy acts, but did not close there. */
  readonly crossed: number;
  readonly counts: ReadonlyMap<string, number>;
  /** Candles with a decision, and candles at whose close a position was held. */
  readonly candles: number;
  readonly heldCandles: number;
  readonly offGrid: number;
  readonly warmUp: number;
  /** Candles that were skipped in bulk, because nothing could happen on them. */
  readonly skipped: number;
  readonly openPosition: BacktestResult['openPosition'];
}

/** Final equity, and the loss if no stop sold before the price fell through its limit. */
export interface Ending {
  readonly last: number;
  readonly overrun: number;
}
const endingOf = ({ book, meter }: Pick<KernelRun, 'book' | 'meter'>): Ending => ({
  last: meter.last,
  overrun: book.overrun.loss,
});

/** Runs one strategy on one coin: as a vector run when that gives the same result, otherwise in the kernel. */
export function runCoin(kernel: KernelInput): Made {
  const recorded = recordCoin(kernel);
  if (recorded === undefined) return runInKernel(kernel);
  const { traded, decisions, openPosition, peakCapital, ...run } = recorded;
  return {
    ...{ ...run, ...windowOf(kernel, traded), traded, counts: decisions, others: [], crossed: 0 },
    ...{
      capitalUsed: toNumber(peakCapital),
      openPosition: openPosition === null ? null : positionRecord(openPosition),
    },
  };
}

/** Runs one strategy on one coin, and again for the other outcomes of its doubtful candles. */
function runInKernel(kernel: KernelInput): Made {
  const run = runKernel(kernel);
  const { book, meter, heldCandles, offGrid, warmUp, skipped, reasons, counts } = run;
  const others: Ending[] = [];
  if (book.ambiguous > 0) others.push(endingOf(runKernel({ ...kernel, path: 'fall-first' })));
  const inside = kernel.bound.actsOnTicks === true ? runKernel({ ...kernel, inside: true }) : undefined;
  if (inside !== undefined) others.push(endingOf(inside));
  const traded = tradedBy([book], book.fills);
  return {
    ...{ ...windowOf(kernel, traded), traded, meter, others, crossed: inside?.crossed ?? 0 },
    counts: new Map(reasons.map((reason, code) => [reason, counts[code] ?? 0])),
    capitalUsed: toNumber(book.balance.peakCapitalInUse),
    openPosition: book.position.firstBuyAt === null ? null : positionRecord(book.position),
    ...{ heldCandles, offGrid, warmUp, skipped },
  };
}

const windowOf = (kernel: KernelInput, { fills }: Traded) => ({
  inputs: [kernel],
  coin: coinDays(kernel.detail, kernel.start, kernel.end),
  candles: kernel.end - kernel.start,
  meanExposure: meanExposure(kernel, fills),
});

/** Final equity of the base run, with the lowest and highest value over the doubtful candles. */
export function bandOf({ traded: { doubtful, overrun }, meter, others, crossed }: Made): BacktestResult['ambiguity'] {
  const endings = [{ last: meter.last, overrun: overrun.loss }, ...others];
  return {
    candles: doubtful + crossed,
    stops: overrun.stops,
    crossed,
    worst: Math.min(...endings.map((ending) => ending.last - Math.max(0, ending.overrun))),
    base: meter.last,
    best: Math.max(...endings.map(({ last }) => last)),
  };
}

function positionRecord({ quantity, averagePrice }: Pick<Position, 'quantity' | 'averagePrice'>) {
  return { quantity: formatDecimal(quantity), averagePrice: formatDecimal(averagePrice) };
}
