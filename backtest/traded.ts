import type { CycleRecord, FillRecord, RejectionRecord } from '#core/research/backtest-result.ts';
import type { Book, BookedFill, Cycle } from './book.ts';
import { cycleColumns, type CycleColumns } from './cycle-columns.ts';
import { fillColumns, type FillColumns } from './fill-columns.ts';
import { cycleRecord, fillRecord, rejectionRecord } from './records.ts';

/** With several coins: the coin. */
interface OfCoin {
  readonly symbol?: string;
}

/** The fills, cycles and rejections of a run, of one coin or of several. */
export interface Traded {
  readonly fills: FillColumns;
  readonly cycles: CycleColumns;
  readonly rejections: readonly RejectionRecord[];
  /** Candles with another possible outcome, and the stops in them: `Book.doubtful` and `Book.overrun` of all coins. */
  readonly doubtful: number;
  readonly overrun: Book['overrun'];
  /** The exact texts of all fills and cycles. They take longer than the run, so they are built on request. */
  fillRecords(): FillRecord[];
  cycleRecords(): CycleRecord[];
}

/** The books of the kernel. `fills`: those of all books in order of time. */
export function tradedBy(books: readonly Book[], fills: readonly (BookedFill & OfCoin)[]): Traded {
  const coinOf = ({ rules: { symbol } }: Book): OfCoin => (books.length > 1 ? { symbol } : {});
  const sum = (what: (book: Book) => number): number => books.reduce((total, book) => total + what(book), 0);
  const cycles: (Cycle & OfCoin)[] = books
    .flatMap((book) => book.cycles.map((cycle) => ({ ...coinOf(book), ...cycle })))
    .toSorted((a, b) => a.closedMs - b.closedMs);
  return {
    fills: fillColumns(fills),
    cycles: cycleColumns(cycles),
    rejections: books.flatMap((book) => book.rejections.map((one) => ({ ...coinOf(book), ...rejectionRecord(one) }))),
    doubtful: sum((book) => book.doubtful),
    overrun: { stops: sum((book) => book.overrun.stops), loss: sum((book) => book.overrun.loss) },
    fillRecords: () => fills.map(fillRecord),
    cycleRecords: () => cycles.map(cycleRecord),
  };
}
