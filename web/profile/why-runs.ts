interface Part {
  readonly from: string;
  readonly to: string;
  readonly code: string | null;
  readonly by: 'engine' | 'strategy' | null;
}

/** Neighbouring parts of a timeline with the same main reason as one. */
export function runsOf(timeline: readonly Part[]): Part[] {
  const runs: Part[] = [];
  for (const { from, to, code, by } of timeline) {
    const last = runs.at(-1);
    if (last !== undefined && last.code === code && last.by === by) runs[runs.length - 1] = { ...last, to };
    else runs.push({ from, to, code, by });
  }
  return runs;
}
