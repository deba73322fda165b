import { createEma, SCALE } from './averages.ts';
import { isBelow } from './fraction.ts';
import type { Bar } from './market.ts';
import type { Settings } from './settings.ts';

export type Trend = ReturnType<typeof createTrend>;

/** The daily trend: 1 rising, -1 falling, 0 neither, undefined while it is not known. */
export function createTrend(settings: Settings) {
  const policy = settings.text('regime.policy', 'off');
  const period = settings.count('regime.period', 200);
  const confirm = settings.count('regime.confirmBars', 3);
  const need = period + confirm - 1;
  const average = createEma(period);
  let [days, run] = [0, 0];
  const value = (): -1 | 0 | 1 | undefined => {
    if (policy === 'off' || days < need) return undefined;
    return run >= confirm ? 1 : run <= -confirm ? -1 : 0;
  };
  return {
    isAsked: policy !== 'off',
    warmUp: Math.max(need, Math.min(999, 8 * (period + 1))),
    push({ exact }: Bar): void {
      days += 1;
      average.push(exact.close);
      const mean = average.value();
      if (mean === undefined) return;
      const close = { n: exact.close, d: SCALE };
      if (isBelow(mean, close)) run = Math.max(run, 0) + 1;
      else run = isBelow(close, mean) ? Math.min(run, 0) - 1 : 0;
    },
    falls: () => value() === -1,
    refuses(): boolean {
      if (policy === 'off') return false;
      const now = value();
      return policy === 'require-bull' ? now !== 1 : now === undefined || now === -1;
    },
  };
}
