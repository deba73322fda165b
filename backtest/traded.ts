import { type Decimal, toNumber } from '#core/amount/decimal.ts';
import type { CycleRecord, FillRecord, RejectionRecord } from '#core/research/backtest-result.ts';
import type { Book, BookedFill, Cycle } from './book.ts';
import { fillColumns, type FillColumns } from './fill-columns.ts';
import type { ClosedCycle } from './metrics.ts';
import { cycleRecord, fillRecord, rejectionRecord } from './records.ts';

/** With several coins: the coin. */
interface OfCoin {
  readonly symbol?: string;
}

/** The fills, cycles and rejections of a run, of one coin or of several. */
export interface Traded {
  readonly fills: FillColumns;
  /** In order of their close. */
  readonly cycles: readonly ClosedCycle[];
  readonly rejections: readonly RejectionRecord[];
  /** Candles with another possible outcome, and the stops in them: `Book.doubtful` and `Book.overrun` of all coins. */
  readonly doubtful: number;
  readonly overrun: Book['overrun'];
  /** The exact texts of all fills and cycles. They take longer than the run, so they are built on request. */
  fillRecords(): FillRecord[];
  cycleRecords(): CycleRecord[];
}

/** A closed cycle with its exact net. */
export interface ExactCycle extends ClosedCycle, OfCoin {
  readonly exactNet: Decimal;
}

/** Cycles in order of their close, with their records. */
export function cyclesOf(cycles: readonly ExactCycle[]): Pick<Traded, 'cycles' | 'cycleRecords'> {
  return { cycles, cycleRecords: () => cycles.map((cycle) => cycleRecord({ ...cycle, net: cycle.exactNet })) };
}

const exactCycle = (cycle: Cycle): ExactCycle => ({ ...cycle, exactNet: cycle.net, net: toNumber(cycle.net) });

/** The books of the kernel. `fills`: those of all books in order of time. */
export function tradedBy(books: readonly Book[], fills: readonly (BookedFill & OfCoin)[]): Traded {
  const coinOf = ({ rules: { symbol } }: Book): OfCoin => (books.length > 1 ? { symbol } : {});
  const sum = (what: (book: Book) => number): number => books.reduce((total, book) => total + what(book), 0);
  return {
    fills: fillColumns(fills),
    ...cyclesOf(
      books
        .flatMap((book) => book.cycles.map((cycle) => ({ ...coinOf(book), ...exactCycle(cycle) })))
        .toSorted((a, b) => a.closedMs - b.closedMs),
    ),
    rejections: books.flatMap((book) => book.rejections.map((one) => ({ ...coinOf(book), ...rejectionRecord(one) }))),
    doubtful: sum((book) => book.doubtful),
    overrun: { stops: sum((book) => book.overrun.stops), loss: sum((book) => book.overrun.loss) },
    fillRecords: () => fills.map(fillRecord),
  };
}
