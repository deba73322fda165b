import type { BusEvent, Topic } from '#core/installation/events.ts';

/** An event with its sequence number in this process; `text` is the frame as it is sent. */
export interface Frame {
  readonly seq: number;
  readonly topic: Topic;
  readonly text: string;
}

/**
 * The last frames, for clients that reconnect. Numbers start at the boot time in microseconds, so that a number of an
 * earlier process is always older than the ring and leads to a resync.
 */
export class FrameRing {
  readonly #capacity: number;
  readonly #frames: Frame[] = [];
  #seq: number;

  constructor(options: { capacity: number; bootedAt: Date }) {
    this.#capacity = options.capacity;
    this.#seq = options.bootedAt.getTime() * 1000;
  }

  /** Number of the newest frame. */
  get seq(): number {
    return this.#seq;
  }

  push(event: BusEvent, at: Date): Frame {
    this.#seq += 1;
    const { topic, id, data } = event;
    const text = JSON.stringify({
      seq: this.#seq,
      at: at.toISOString(),
      topic,
      ...(id === undefined ? {} : { id }),
      data: data ?? {},
    });
    const frame = { seq: this.#seq, topic, text };
    this.#frames.push(frame);
    // Cut in batches: a shift per frame would move the whole array each time.
    if (this.#frames.length >= this.#capacity * 2) this.#frames.splice(0, this.#frames.length - this.#capacity);
    return frame;
  }

  /** Drops all frames: a browser that reconnects with an earlier number must fetch everything again. */
  forget(): void {
    this.#frames.length = 0;
    this.#seq += 1;
  }

  /** Frames after `seq`, oldest first; undefined when some were dropped or `seq` is in the future. */
  since(seq: number): readonly Frame[] | undefined {
    const kept = this.#frames.slice(-this.#capacity);
    const oldest = kept[0]?.seq ?? this.#seq + 1;
    if (seq < oldest - 1 || seq > this.#seq) return undefined;
    return kept.slice(seq - oldest + 1);
  }
}
