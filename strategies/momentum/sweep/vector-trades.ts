import type { RecordedFills } from '#strategies/sweep.ts';

/** One fill of a vector run; see RecordedFills. */
interface RecordedFill {
  readonly row: number;
  readonly atMs: number;
  /** Below zero for a sale. */
  readonly lots: number;
  readonly ticks: number;
  readonly quote: number;
  readonly fee: number;
  readonly cash: number;
  readonly position: number;
  readonly limit: number;
  readonly reason: number;
}

const FIRST_ROOM = 8192;

/** The fills of a vector run, in columns that grow. */
export class FillRecorder implements RecordedFills {
  count = 0;
  rows = new Float64Array(FIRST_ROOM);
  atMs = new Float64Array(FIRST_ROOM);
  lots = new Float64Array(FIRST_ROOM);
  ticks = new Float64Array(FIRST_ROOM);
  quote = new Float64Array(FIRST_ROOM);
  fee = new Float64Array(FIRST_ROOM);
  cash = new Float64Array(FIRST_ROOM);
  position = new Float64Array(FIRST_ROOM);
  limits = new Float64Array(FIRST_ROOM);
  reason = new Float64Array(FIRST_ROOM);

  add(fill: RecordedFill): void {
    if (this.count === this.rows.length) this.#grow();
    const at = this.count;
    this.rows[at] = fill.row;
    this.atMs[at] = fill.atMs;
    this.lots[at] = fill.lots;
    this.ticks[at] = fill.ticks;
    this.quote[at] = fill.quote;
    this.fee[at] = fill.fee;
    this.cash[at] = fill.cash;
    this.position[at] = fill.position;
    this.limits[at] = fill.limit;
    this.reason[at] = fill.reason;
    this.count += 1;
  }

  #grow(): void {
    this.rows = twice(this.rows);
    this.atMs = twice(this.atMs);
    this.lots = twice(this.lots);
    this.ticks = twice(this.ticks);
    this.quote = twice(this.quote);
    this.fee = twice(this.fee);
    this.cash = twice(this.cash);
    this.position = twice(this.position);
    this.limits = twice(this.limits);
    this.reason = twice(this.reason);
  }
}

function twice(column: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(2 * column.length);
  longer.set(column);
  return longer;
}
