const LAST = 80;

/** What happened in a run, so that one that fails or never ends says where it was. */
export interface Trail {
  note(text: string): void;
  /** Does `work` and remembers when it began and how it ended: what has no end is where a run hangs. */
  during<Result>(what: string, work: () => Promise<Result>): Promise<Result>;
  /** Asked once, when a run is given up. */
  probe: () => Promise<string>;
  /** The last notes, what is still under way, and the probe's answer. */
  tell(): Promise<string>;
}

export function openTrail(): Trail {
  const startedMs = performance.now();
  const notes: string[] = [];
  const under = new Map<symbol, string>();
  const stamp = (text: string): string =>
    `${String(Math.round(performance.now() - startedMs)).padStart(6)} ms  ${text}`;
  const note = (text: string): void => {
    notes.push(stamp(text));
    if (notes.length > LAST) notes.shift();
  };
  const trail: Trail = {
    note,
    async during(what, work) {
      const key = Symbol(what);
      under.set(key, stamp(what));
      try {
        return await work();
      } finally {
        under.delete(key);
        note(`${what}: done`);
      }
    },
    probe: async () => 'nothing is open yet',
    async tell() {
      const state = await trail.probe().catch((error: unknown) => `could not be read: ${String(error)}`);
      const resources = Map.groupBy(process.getActiveResourcesInfo(), (name) => name);
      const handles = [...resources].map(([name, { length }]) => `${length} ${name}`).join(', ');
      return [
        'What happened:',
        ...notes,
        'Not ended:',
        ...under.values(),
        `State: ${state}`,
        `Handles: ${handles}`,
      ].join('\n  ');
    },
  };
  return trail;
}
