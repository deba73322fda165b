import { absolute, type Decimal, readDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import type { DryRunCoin, DryRunDecision, DryRunSide } from '#core/research/dry-run.ts';
import type { DryRunEntry } from '#web/data/dry-runs.ts';
import { count, fixed, price, quantity, whole } from '#web/ui/numbers.ts';

/** How long a dry run can take, in minutes of the market. */
export const SPANS = { '1 hour': 60, '6 hours': 360, '1 day': 1440, '7 days': 10_080 } as const;
export type Span = keyof typeof SPANS;

/** The service refuses more. Its own constant would load the schemas of the result into the page. */
const MOST = 100_000;
/** Decisions over all coins within a span: each coin decides once a minute. */
export const decisionsFor = (span: Span, coins: number): number => Math.min(MOST, SPANS[span] * coins);

/** Remaining minutes of the market until a dry run is finished; `null` before its first result. */
export function minutesLeft({ decisions, symbols, result }: Pick<DryRunEntry, 'decisions' | 'symbols' | 'result'>) {
  if (result === null) return null;
  return Math.max(0, decisions - result.decisions) / Math.max(1, symbols.length);
}

type Result = NonNullable<DryRunEntry['result']>;
interface Nets {
  readonly quoteAsset: string;
  readonly present: { readonly net: string };
  readonly changed: { readonly net: string };
}

/** A stored amount; zero for text that is no number. */
export const amountOf = (text: string): Decimal => readDecimal(text) ?? ZERO;

/** Net P&L of the changed settings less that of the present ones. */
export const netDifference = ({ present, changed }: Pick<Nets, 'present' | 'changed'>): Decimal =>
  subtract(amountOf(changed.net), amountOf(present.net));

/** `1.24 USDT more`, `0.10 USDT less`, `the same`; several assets with `and` between. */
export function moneyText(totals: readonly Nets[]): string {
  const parts = totals.flatMap((total) => {
    const more = netDifference(total);
    const text = fixed(absolute(more), moneyPlaces(total.quoteAsset));
    return /[1-9]/.test(text) ? [`${text} ${total.quoteAsset} ${more > ZERO ? 'more' : 'less'}`] : [];
  });
  return parts.length === 0 ? 'the same' : parts.join(' and ');
}

/** `13 of 1,440 decisions differ`, `none of 60 decisions differs`. */
export const differText = ({ decisions, differing }: Pick<Result, 'decisions' | 'differing'>): string =>
  differing === 0
    ? `none of ${count(decisions, 'decision')} differs`
    : `${whole(differing)} of ${count(decisions, 'decision')} ${differing === 1 ? 'differs' : 'differ'}`;

/** A running or finished dry run in one sentence. */
export function resultSentence({ state, result }: Pick<DryRunEntry, 'state' | 'result'>): string {
  if (result === null) return 'The first result follows within two minutes.';
  const soFar = state === 'running';
  if (result.differing === 0) return `${soFar ? 'So far both' : 'Both'} settings decided the same.`;
  return `${soFar ? 'So far the' : 'The'} changed settings would have made ${moneyText(result.totals)}.`;
}

/** A changed setting in words: `config.sell.stop` by its label, `symbols.BTCUSDT.sell.stop` with its coin before the label. */
function changedText(path: string, labelOf: (path: string) => string): string {
  const [root = '', ...rest] = path.split('.');
  if (root === 'strategyName') return 'Strategy';
  const [coin = '', ...own] = rest;
  if (root !== 'symbols') return labelOf(rest.join('.'));
  return own.length === 0 ? coin : `${labelOf(own.join('.'))} of ${coin}`;
}

/** Why a dry run cannot be promoted, with the next step. */
export const conflictText = (paths: readonly string[], labelOf: (path: string) => string): string =>
  `${paths.map((path) => changedText(path, labelOf)).join(', ')}: promoting would undo that, so it is refused. ` +
  'Open the changed settings in the form, drop this dry run, and start another one.';

/** The grid of a coin, and the asset that is bought. */
export interface CoinGrid {
  readonly baseAsset: string | null;
  readonly tickSize: string | null;
  readonly stepSize: string | null;
}

/** `0.00486 BTC at 61,705.10`, or `at market` without a price. */
function sizeText(amount: string, at: string | null, grid: CoinGrid | undefined): string {
  const asset = grid?.baseAsset == null ? '' : ` ${grid.baseAsset}`;
  const where = at === null ? 'market' : price(at, grid?.tickSize ?? null);
  return `${quantity(amount, grid?.stepSize ?? null)}${asset} at ${where}`;
}

/** `Buy 0.00486 BTC at 61,705.10`; `no order` without one. */
export const orderText = ({ order }: Pick<DryRunDecision, 'order'>, grid: CoinGrid | undefined): string =>
  order === null
    ? 'no order'
    : `${order.side === 'buy' ? 'Buy' : 'Sell'} ${sizeText(order.quantity, order.limit, grid)}`;

/** A position with its average price and its stop; `not held` without one. */
export function positionText({ position }: Pick<DryRunSide, 'position'>, grid: CoinGrid | undefined): string {
  // A rest below the smallest step cannot be sold.
  if (!/[1-9]/.test(quantity(position.quantity, grid?.stepSize ?? null))) return 'not held';
  const stop = position.stop === null ? '' : `, stop ${price(position.stop, grid?.tickSize ?? null)}`;
  return `${sizeText(position.quantity, position.averagePrice, grid)}${stop}`;
}

const MINUTE_MS = 60_000;

type Difference = DryRunCoin['recent'][number];

/** Differing decisions of successive minutes that are all the same and place no order, or a single one. */
interface DifferenceRun extends Difference {
  /** Close of the first of them; `at` is that of the last. */
  readonly from: string;
}

const isQuiet = ({ present, changed }: Difference): boolean => present.order === null && changed.order === null;

/** The kept differing decisions of a coin, newest first, the first of all at the end. */
export function shownDifferences({ first, recent }: Pick<DryRunCoin, 'first' | 'recent'>): DifferenceRun[] {
  const newest = recent.toSorted((a, b) => b.at.localeCompare(a.at));
  const all = first === null || newest.some(({ at }) => at === first.at) ? newest : [...newest, first];
  return all.reduce<DifferenceRun[]>((runs, row) => {
    const last = runs.at(-1);
    const continues =
      last !== undefined &&
      isQuiet(last) &&
      isQuiet(row) &&
      last.present.reason === row.present.reason &&
      last.changed.reason === row.changed.reason &&
      Date.parse(last.from) - Date.parse(row.at) === MINUTE_MS;
    return continues ? [...runs.slice(0, -1), { ...last, from: row.at }] : [...runs, { ...row, from: row.at }];
  }, []);
}
