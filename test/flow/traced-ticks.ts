/** How many ticks the entries of a trace stand for; one that was written twice counts once. */
export function tracedTicks(texts: readonly string[]): number {
  const ticks = new Map(texts.map((text) => [/"id":"([0-9a-f-]+)"/.exec(text)?.[1], /"ticks":(\d+)/.exec(text)?.[1]]));
  return ticks.values().reduce((sum, count) => sum + Number(count), 0);
}
