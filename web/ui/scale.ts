/** Round values between two ends, about `count` of them: the rules of a plot. */
export function roundTicks(low: number, high: number, count = 4): number[] {
  const rough = (high - low) / count;
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

/** Labels moved so far from each other that each can be read; `at` is a share of the height in percent. */
export function apart<Label extends { readonly at: number }>(labels: readonly Label[], gap = 7): Label[] {
  let below = Number.NEGATIVE_INFINITY;
  return labels
    .toSorted((a, b) => a.at - b.at)
    .map((label) => {
      below = Math.max(label.at, below + gap);
      return { ...label, at: below };
    });
}
