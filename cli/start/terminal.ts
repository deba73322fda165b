/** Maximum repetitions of a line of one process. The log file contains all. */
const repeatMs = 10_000;

/** Terminal output while the service starts and runs. */
export class Terminal {
  readonly #startedMs = performance.now();
  readonly #shownMs = new Map<string, number>();

  constructor() {
    // A closed terminal must not end the supervisor before it has stopped the other processes.
    process.stdout.on('error', () => undefined);
    process.stderr.on('error', () => undefined);
  }

  /** Prints one line about a completed step. */
  step(subject: string, text: string): void {
    console.log(`  ${subject.padEnd(10)} ${text}`);
  }

  line(text: string): void {
    console.log(text);
  }

  /** A warning or an error of a process while the service runs. */
  trouble(name: string, text: string): void {
    const key = `${name} ${text}`;
    const now = performance.now();
    if (now - (this.#shownMs.get(key) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
    if (this.#shownMs.size > 500) this.#shownMs.clear();
    this.#shownMs.set(key, now);
    console.error(`  ${name.padEnd(10)} ${text}`);
  }

  /** Seconds since the start, with one decimal. */
  elapsed(): string {
    return ((performance.now() - this.#startedMs) / 1000).toFixed(1);
  }
}
