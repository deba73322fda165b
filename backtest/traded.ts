import { toNumber } from '#core/amount/decimal.ts';
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
  /** The exact texts of all fills and cycles. They take longer than the run, so they are made when somebody reads them. */
  fillRecords(): FillRecord[];
  cycleRecords(): CycleRecord[];
}

/** Cycles in order of their close, with their records; `net` is the exact decimal. */
function cyclesOf(cycles: readonly (Cycle & OfCoin)[]): Pick<Traded, 'cycles' | 'cycleRecords'> {
  const closed = cycles.toSorted((a, b) => a.closedMs - b.closedMs);
  return {
    cycles: closed.map((cycle) => ({ ...cycle, net: toNumber(cycle.net) })),
    cycleRecords: () => closed.map(cycleRecord),
  };
}

/** What the kernel has booked. `fills`: those of all books in order of time. */
export function tradedBy(books: readonly Book[], fills: readonly (BookedFill & OfCoin)[]): Traded {
  const coinOf = ({ rules: { symbol } }: Book): OfCoin => (books.length > 1 ? { symbol } : {});
  const sum = (what: (book: Book) => number): number => books.reduce((total, book) => total + what(book), 0);
  return {
    fills: fillColumns(fills),
    ...cyclesOf(books.flatMap((book) => book.cycles.map((cycle) => ({ ...coinOf(book), ...cycle })))),
    rejections: books.flatMap((book) => book.rejections.map((one) => ({ ...coinOf(book), ...rejectionRecord(one) }))),
    doubtful: sum((book) => book.doubtful),
    overrun: { stops: sum((book) => book.overrun.stops), loss: sum((book) => book.overrun.loss) },
    fillRecords: () => fills.map(fillRecord),
  };
}
