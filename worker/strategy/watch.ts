import type { Worker } from 'node:worker_threads';
import { isObject } from '#core/merge.ts';

/** A file that another thread runs. */
export interface WatchedFile {
  /** Shared memory: steps so far, odd while one runs; the place of its function; close time of its candle. */
  readonly pulse: Float64Array;
  /** The functions of the file in words, with file and line, by place. */
  readonly places: Readonly<Record<number, string>>;
}
const isWatched = (value: unknown): value is WatchedFile =>
  isObject(value) && value['pulse'] instanceof Float64Array && isObject(value['places']);

const LOOK_EVERY_MS = 1_000;
/** A step that lasts this many looks has hung. */
const MOST_LOOKS = 5;

/**
 * Watches the strategy files of a thread. `onHang` receives a sentence with file and line once a step takes more than
 * five seconds; the caller ends the thread. Returns a function that stops watching.
 */
export function watchThread(thread: Worker, onHang: (sentence: string) => void): () => void {
  const files: { readonly file: WatchedFile; steps: number; looks: number }[] = [];
  const received = (message: unknown): void => {
    if (isWatched(message)) files.push({ file: message, steps: 0, looks: 0 });
  };
  const look = (): void => {
    for (const each of files) {
      const [steps = 0, place = 0, closeMs = 0] = each.file.pulse;
      each.looks = steps % 2 === 1 && steps === each.steps ? each.looks + 1 : 0;
      each.steps = steps;
      if (each.looks < MOST_LOOKS) continue;
      const where = each.file.places[place] ?? 'a function of the file';
      onHang(`${where} hung at the candle that closed at ${new Date(closeMs).toISOString()}: no answer within 5 s.`);
      return;
    }
  };
  thread.on('message', received);
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    thread.off('message', received);
  };
}
