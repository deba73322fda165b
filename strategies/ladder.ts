import type { TickView } from '#core/judge/view.ts';
import { z } from 'zod';
import { decimalNumber, group, type Judge, multiplier, readFactor } from './fields.ts';
import { snapUp } from './ticks.ts';

const MOST_RUNGS = 5;

const rung = group(
  { title: 'Partial sale', help: 'Sells a part of the position at a profit' },
  {
    triggerPercentage: multiplier(
      {
        title: 'Sell at',
        help: 'Sells this part once the price has risen this far above the average entry price',
        of: 'the average entry price',
        bounds: { above: '1', atMost: '10' },
      },
      '1.03',
    ),
    fraction: decimalNumber(
      {
        title: 'Part',
        help: 'Part of the largest position of this trade that is sold here',
        bounds: { above: '0', atMost: '1' },
        percent: 'share',
      },
      '0.5',
    ),
  },
);

/** Partial sales on the way up. */
export const takeProfits = z
  .array(rung)
  .max(MOST_RUNGS, `holds more than ${MOST_RUNGS} partial sales`)
  .default([])
  .meta({
    title: 'Partial sales',
    description: 'Each sells a part at a profit on the way up; the trailing stop or the stop sells the rest',
    form: { kind: 'list', advanced: true },
  });

type StoredRungs = z.output<typeof takeProfits>;

/** Prices rise from one partial sale to the next. Together they sell at most the whole position. */
export const judgeRungs: Judge<{ readonly takeProfits: StoredRungs }> = ({ takeProfits: rungs }, refuse) => {
  let sum = 0;
  for (const [i, { triggerPercentage, fraction }] of rungs.entries()) {
    sum += readFactor(fraction);
    const before = rungs[i - 1];
    if (before !== undefined && readFactor(triggerPercentage) <= readFactor(before.triggerPercentage))
      refuse(
        ['takeProfits', i, 'triggerPercentage'],
        `${triggerPercentage} must be above the ${before.triggerPercentage} of the sale before it`,
      );
    if (sum > 1 + 1e-9)
      refuse(['takeProfits', i, 'fraction'], 'sells more than everything, together with those before');
  }
};

export interface Rung {
  readonly trigger: number;
  readonly fraction: number;
}

export const rungsOf = (stored: StoredRungs): Rung[] =>
  stored.map(({ triggerPercentage, fraction }) => ({
    trigger: readFactor(triggerPercentage),
    fraction: readFactor(fraction),
  }));

/** The next partial sale: price in ticks (0 when there is none), lots, and number of completed rungs after it. */
export interface NextRung {
  ticks: number;
  lots: number;
  done: number;
}

/**
 * Finds the next partial sale after `done` rungs. A part below `minWorth` (lots times ticks) cannot be sold alone and joins
 * the next one. When the rest would be below it, the whole position is sold.
 */
export function placeRung(
  next: NextRung,
  ladder: { readonly rungs: readonly Rung[]; readonly done: number; readonly minWorth: number },
  view: Pick<TickView, 'avgTicks' | 'lots' | 'peakLots'>,
): void {
  next.ticks = 0;
  let fraction = 0;
  for (let i = ladder.done; i < ladder.rungs.length; i++) {
    const each = ladder.rungs[i];
    if (each === undefined) return;
    fraction += each.fraction;
    const ticks = snapUp(view.avgTicks * each.trigger);
    const lots = Math.min(view.lots, Math.floor(view.peakLots * fraction + 1e-9));
    if (lots <= 0 || lots * ticks < ladder.minWorth) continue;
    next.ticks = ticks;
    next.done = i + 1;
    next.lots = (view.lots - lots) * ticks < ladder.minWorth ? view.lots : lots;
    return;
  }
}
