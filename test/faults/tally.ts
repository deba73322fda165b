/** Kinds of failures, by the first sentence of the oracle. All others, such as a run that did not end, are counted apart. */
const BROKEN = {
  'unprotected or unsold beyond the limit': /its stops are for|without a stop and without a reason|manual sale of/,
  lost: /differ|never arrived|does not come to rest|position .*, wallet|is (?:pending|taken)/,
  doubled: /was sent twice|belongs to no intent|does not have|two for one action/,
  'kill-switch violations': /under a kill switch/,
} as const;

/** Counts runs and their failures, and the CPU time of this process. */
export interface Tally {
  runs: number;
  readonly failed: readonly number[];
  fail(seed: number, message: string): void;
  summary(): string;
}

export function openTally(): Tally {
  const failures: { readonly seed: number; readonly kind: string }[] = [];
  const startedMs = performance.now();
  const before = process.cpuUsage();
  return {
    runs: 0,
    get failed() {
      return failures.map(({ seed }) => seed);
    },
    fail(seed, message) {
      const [line = ''] = message.split('\n');
      const [kind = 'other failures'] = Object.entries(BROKEN).find(([, pattern]) => pattern.test(line)) ?? [];
      failures.push({ seed, kind });
    },
    summary() {
      const { user, system } = process.cpuUsage(before);
      const counted = [...Object.keys(BROKEN), 'other failures'].map((name) => {
        const seeds = failures.filter(({ kind }) => kind === name).map(({ seed }) => seed);
        return `${seeds.length} ${name}${seeds.length === 0 ? '' : ` (seeds ${seeds.toSorted((a, b) => a - b).join(', ')})`}`;
      });
      const seconds = (performance.now() - startedMs) / 1000;
      const cpuMs = (user + system) / 1000 / Math.max(1, this.runs);
      const pass = this.runs - failures.length;
      return `${this.runs} runs in ${seconds.toFixed(0)} s, ${pass} passed: ${counted.join(', ')}; ${cpuMs.toFixed(0)} ms of CPU a seed`;
    },
  };
}
