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

const [FIRST_ROOM, GROWTH] = [8192, 8];

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
    this.rows = longer(this.rows);
    this.atMs = longer(this.atMs);
    this.lots = longer(this.lots);
    this.ticks = longer(this.ticks);
    this.quote = longer(this.quote);
    this.fee = longer(this.fee);
    this.cash = longer(this.cash);
    this.position = longer(this.position);
    this.limits = longer(this.limits);
    this.reason = longer(this.reason);
  }
}

/** New memory is only used once it is written, so a large step costs no more than a small one. */
function longer(column: Float64Array): Float64Array<ArrayBuffer> {
  const next = new Float64Array(GROWTH * column.length);
  next.set(column);
  return next;
}
