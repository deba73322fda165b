import type { Luck } from '#core/research/research-results.ts';

/** The numbers of a sweep that decide the verdict. */
export interface Judged {
  readonly evaluated: number;
  /** Sets that made money; unknown for sweeps stored by an earlier version. */
  readonly profitable?: number | undefined;
  /** Best first. */
  readonly rows: readonly { readonly totalReturn: number }[];
  readonly luck: Luck;
  readonly overfitting: number | null;
  readonly walkForward?: { readonly totalReturn: number } | undefined;
}

export interface Verdict {
  readonly kind: 'no-profit' | 'too-few-trades' | 'not-measured' | 'likely-luck' | 'not-tried-forward' | 'promising';
  readonly title: string;
  readonly text: string;
}

/** A promising result has at most this probability of luck. */
const MOST_LUCK = 0.05;
const EVEN = 0.5;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const chanceText = (share: number): string => (share < 0.001 ? 'less than 0.1 %' : percent(share));
const countText = (value: number): string => value.toLocaleString('en-US');

/**
 * The verdict about the best set of a sweep, for the command line and the web app. The first match counts:
 * too few trades, no set made money, likely luck, promising. A record that is short for its Sharpe ratio counts after a
 * loss: the days that are needed say nothing about a strategy that lost.
 */
export function sweepVerdict(found: Judged): Verdict {
  const { luck } = found;
  if (luck.kind === 'few-trades') return tooFew(luck);
  const lost = lossOf(found);
  if (lost !== undefined) return { kind: 'no-profit', title: 'None made money', text: lost };
  if (luck.kind === 'not-measured')
    return {
      kind: 'not-measured',
      title: 'Luck was not measured',
      text: 'An earlier version computed this sweep and measured luck wrongly. Run it again.',
    };
  if (luck.kind !== 'measured') return tooFew(luck);
  const chance = `A result this good would come from luck alone in ${chanceText(luck.chance)} of cases.`;
  return likelyLuck(found, luck.chance, chance) ?? promising(found, chance);
}

function lossOf({ evaluated, profitable, rows }: Judged): string | undefined {
  const [best] = rows;
  if (profitable === 0 || best === undefined) return `None of the ${countText(evaluated)} sets made money.`;
  return best.totalReturn > 0 ? undefined : 'The best set by this ranking made no money.';
}

type Unmeasured = Exclude<Luck, { kind: 'measured' | 'not-measured' }>;

const tooFew = (luck: Unmeasured): Verdict => ({
  kind: 'too-few-trades',
  title: 'Too few trades to judge',
  text: fewText(luck),
});

function fewText(luck: Unmeasured): string {
  const closed = `The best set closed ${luck.trades === 1 ? 'one trade' : `${countText(luck.trades)} trades`}`;
  if (luck.kind === 'few-trades')
    return `${closed}. At least ${luck.needed} are needed to distinguish skill from luck.`;
  if (luck.kind === 'irregular')
    return `${closed}, but a few days make up most of its result, or too few sets differ. Luck cannot be measured from that.`;
  const inDays = `${closed} in ${countText(luck.days)} days.`;
  return luck.needed === null
    ? `${inDays} Its Sharpe ratio is not above zero.`
    : `${inDays} With its Sharpe ratio at least ${countText(luck.needed)} days are needed to distinguish skill from luck.`;
}

function likelyLuck({ overfitting, walkForward }: Judged, measured: number, chance: string): Verdict | undefined {
  const kind = 'likely-luck';
  if (measured >= EVEN) return { kind, title: 'Likely luck', text: chance };
  if (overfitting !== null && overfitting > EVEN) {
    const fails = `The best set of one half of the days is below the median set in the other half in ${percent(overfitting)} of cases.`;
    return { kind, title: 'Likely luck', text: `${chance} ${fails}` };
  }
  if (walkForward !== undefined && walkForward.totalReturn <= 0)
    return {
      kind,
      title: 'Likely luck',
      text: `${chance} On days that no choice had seen it made ${percent(walkForward.totalReturn)}.`,
    };
  if (measured > MOST_LUCK)
    return {
      kind,
      title: 'Luck is not ruled out',
      text: `${chance} A promising result needs at most ${MOST_LUCK * 100} %.`,
    };
  return undefined;
}

function promising({ walkForward }: Judged, chance: string): Verdict {
  if (walkForward === undefined)
    return {
      kind: 'not-tried-forward',
      title: 'Promising, but not tried out of sample',
      text: `${chance} Run a walk-forward before you trade it.`,
    };
  return {
    kind: 'promising',
    title: 'Promising out of sample',
    text: `${chance} On days that no choice had seen it made ${percent(walkForward.totalReturn)}. The past may not repeat.`,
  };
}
