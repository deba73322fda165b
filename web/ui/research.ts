import { exitCause } from '#core/decision/exit-cause.ts';
import { type Interval, INTERVAL_MS, INTERVALS } from '#core/market/candle.ts';
import { COST_NAMES, DEFAULT_COSTS } from '#core/research/costs.ts';
import type { Costs } from '#core/research/research.ts';
import { percentOf } from './percent.ts';

const DAY_MS = 86_400_000;

/** Period, balance and costs of a run as typed; `days` is a number of days back, or `dates` for `from` and `to`. */
export interface Terms {
  readonly days: string;
  readonly from: string;
  readonly to: string;
  /** The settings of RUN_FORM (api/contract/forms.ts). */
  readonly run: Readonly<Record<string, unknown>>;
}

export const PERIODS = [
  { value: '7', words: 'the last 7 days' },
  { value: '30', words: 'the last 30 days' },
  { value: '90', words: 'the last 90 days' },
  { value: '365', words: 'the last year' },
  { value: 'dates', words: 'Custom' },
] as const;

const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const firstTerms = (nowMs: number): Terms => ({
  days: '30',
  from: dayText(nowMs - 30 * DAY_MS),
  to: dayText(nowMs),
  run: { detailInterval: '1m', balance: '1000', ...DEFAULT_COSTS, makerFeeBps: '' },
});

const TERMS: readonly string[] = ['from', 'to', 'detailInterval', 'balance', ...COST_NAMES];
/** Whether an error of this path is shown at one of these fields. */
export const isTerm = (path: string): boolean => TERMS.includes(path);

/** The terms as the API takes them; days are full UTC days. A period such as 30 days ends with the last full day, so that two runs can be compared. */
export function termsBody(terms: Terms, nowMs: number): Readonly<Record<string, unknown>> {
  const end = Math.floor(nowMs / 60_000) * 60_000;
  const days = terms.days === 'dates' ? undefined : Number(terms.days);
  const [fromMs, lastMs] = [Date.parse(terms.from), Date.parse(terms.to) + DAY_MS];
  const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const [startMs, endMs] = days === undefined ? [fromMs, Math.min(lastMs, end)] : [midnight - days * DAY_MS, midnight];
  const iso = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : '');
  return {
    ...Object.fromEntries(Object.entries(terms.run).filter(([, value]) => value !== '')),
    from: iso(startMs),
    to: iso(endMs),
  };
}

/** The costs of a run in one phrase; a run from before a cost existed has none. */
export function costText({
  feeBps,
  makerFeeBps,
  feeIn,
  slippageBps,
  spreadBps,
  volumePercent,
}: Partial<Costs>): string {
  const part = (name: string, bps: string | undefined): string[] =>
    bps === undefined || Number(bps) === 0 ? [] : [`${name} ${percentOf('bps', bps) ?? bps} %`];
  const volume = Number(volumePercent ?? 0) === 0 ? [] : [`at most ${volumePercent} % of the volume`];
  return [
    ...part('fee', feeBps),
    ...part('maker fee', makerFeeBps),
    ...(feeIn === 'other' ? ['fees in another asset'] : []),
    ...part('slippage', slippageBps),
    ...part('spread', spreadBps),
    ...volume,
  ].join(', ');
}

/** Candle intervals that divide `interval`: a strategy can be replayed over them. */
export const detailsFor = (interval: Interval): Interval[] =>
  INTERVALS.filter((detail) => INTERVAL_MS[interval] % INTERVAL_MS[detail] === 0);

/** Remaining time of work in ms after `done` of `all` parts; `null` before the first part. */
export function remainingMs(progress: { readonly done: number; readonly all: number; readonly passedMs: number }) {
  const { done, all, passedMs } = progress;
  return done === 0 || all === 0 ? null : (passedMs / done) * (all - done);
}

const STATES: Readonly<Record<string, string>> = {
  queued: 'waits for a worker',
  running: 'is running',
  done: 'finished',
  failed: 'failed',
  aborted: 'stopped',
};
export const runStateText = (state: string): string => STATES[state] ?? state;

const WORDS: Readonly<Record<string, string>> = { entry: 'Waited: ', hold: 'Held: ', order: '' };

/** Reasons whose text does not follow from the code. */
const PLAIN: Readonly<Record<string, string>> = {
  'entry-first': 'First buy',
  'entry-add': 'Bought more',
  'entry-immediate': 'Bought immediately',
  'entry-cross-up': 'Crossed up',
  'cooldown-loss': 'Paused after a loss',
  'cooldown-loss-streak': 'Paused by the limit of losses in a row',
  'halt-daily-loss': 'Paused by the limit of the daily loss',
  'halt-drawdown': 'Paused by the limit of the drawdown',
  'cap-open-positions': 'Waited: the limit of open positions was reached',
  'cap-account-exposure': 'Waited: the exposure limit of the account was reached',
  'cap-profile-exposure': 'Waited: the exposure limit of the profile was reached',
  'cap-entry-rate': 'Waited: the limit of buys per minute was reached',
  'cap-other-asset': 'Waited: the limits do not count the asset that it is bought with',
  'entry-above-window-low': 'Waited: the price was too far above the low',
  'entry-above-level': 'Waited: the next buy level was not reached',
  'entry-grid-complete': 'Waited: all buy levels were used',
  'entry-history-short': 'Waited: there were not enough candles yet',
  'entry-no-cross': 'Waited: the averages had not crossed',
  'entry-below-trend': 'Waited: below the trend average',
  'entry-trend-not-rising': 'Waited: the trend did not rise',
  'entry-overextended': 'Waited: too far above the average',
  'entry-already-this-candle': 'Waited: traded since the last candle closed',
  'entry-rsi-high': 'Waited: RSI too high',
  'entry-disabled': 'Waited: buying is off',
  'hold-below-arm': 'Held: the trailing stop had not started',
  'hold-below-floor-arm': 'Held: the profit lock was not raised',
  'hold-trail-armed': 'Held: the trailing stop followed the price',
  'hold-trail-pending': 'Held: the trailing stop was about to start',
  'hold-break-even-armed': 'Held: profit lock set, not trailing yet',
  'hold-above-floor': 'Held: above the profit lock',
  'hold-above-stop': 'Held: above the stop',
  'hold-until-time-stop': 'Held: until the maximum holding time',
  'hold-sell-disabled': 'Held: selling is off',
  'hold-no-exit': 'Held: no exit is set',
};

/** The exit reason of a sale, capitalised. */
export const exitText = (reason: string): string => capital(exitCause(reason));
const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** A reason code as text: `entry-rating-low` is `Waited: rating low`. */
export function reasonText(reason: string): string {
  const known = PLAIN[reason];
  if (known !== undefined) return known;
  const [family = '', ...rest] = reason.split('-');
  if (family === 'exit' || family === 'manual' || family === 'force') return exitText(reason);
  const prefix = WORDS[family];
  const words = prefix === undefined ? reason.replaceAll('-', ' ') : `${prefix}${rest.join(' ')}`;
  return capital(words);
}

/** Changes of settings as the settings form takes them from the address. */
export const editOf = (changes: readonly { readonly path: string; readonly value: unknown }[]): string =>
  JSON.stringify(changes.map(({ path, value }) => [path, value]));
