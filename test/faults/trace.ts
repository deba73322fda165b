const LAST = 80;

/** The events of a run, so that the report of a failed or endless run shows where it was. */
export interface Trace {
  note(text: string): void;
  /** Runs `work` and records its start and end: work without an end is where a run hangs. */
  during<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Called once, when a run fails. */
  probe: () => Promise<string>;
  /** The last notes, the work that still runs, and the result of the probe. */
  report(): Promise<string>;
}

export function openTrace(): Trace {
  const startedMs = performance.now();
  const notes: string[] = [];
  const running = new Map<symbol, string>();
  const stamp = (text: string): string =>
    `${String(Math.round(performance.now() - startedMs)).padStart(6)} ms  ${text}`;
  const note = (text: string): void => {
    notes.push(stamp(text));
    if (notes.length > LAST) notes.shift();
  };
  const trace: Trace = {
    note,
    async during(name, work) {
      const key = Symbol(name);
      running.set(key, stamp(name));
      try {
        return await work();
      } finally {
        running.delete(key);
        note(`${name}: done`);
      }
    },
    probe: async () => 'nothing is open yet',
    async report() {
      const state = await trace.probe().catch((error: unknown) => `could not be read: ${String(error)}`);
      const resources = Map.groupBy(process.getActiveResourcesInfo(), (name) => name);
      const handles = [...resources].map(([name, { length }]) => `${length} ${name}`).join(', ');
      return [
        'What happened:',
        ...notes,
        'Not ended:',
        ...running.values(),
        `State: ${state}`,
        `Handles: ${handles}`,
      ].join('\n  ');
    },
  };
  return trace;
}
