import {
  absolute,
  type Decimal,
  divide,
  formatDecimal,
  multiply,
  readDecimal,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import { unrealisedOf } from '#core/position/position.ts';
import type { Coin } from '#web/data/answers.ts';
import { change, money, percent } from '#web/ui/numbers.ts';

/** The next action of a coin, read from its plan. */
export interface NextStep {
  readonly verb: string;
  readonly level: string;
  readonly side: 'lower' | 'higher';
  /** Distance from the price as a share; `null` without a price. */
  readonly away: number | null;
  /** The price has reached the level; something else blocks the action. */
  readonly reached: boolean;
}

/** A coin as the pages show it: value and unrealised P&L always follow the shown price; the fees of the buys count. */
interface CoinView {
  readonly base: string;
  readonly quote: string;
  readonly held: boolean;
  readonly price: Decimal | null;
  readonly value: Decimal | null;
  readonly gain: Decimal | null;
  readonly gainShare: number | null;
  readonly stop: string | null;
  readonly next: NextStep | null;
  /** The engine, not the strategy, blocks the action. */
  readonly blocked: boolean;
}

/** Distance of the next step: `, 0.8 % away`. */
export const distanceText = ({ away, reached }: NextStep): string =>
  away === null ? '' : reached ? ': price reached' : `, ${percent(Math.abs(away))} away`;

const distance = ({ away }: NextStep): number => Math.abs(away ?? Number.POSITIVE_INFINITY);

const decimal = (text: string | null | undefined): Decimal | null =>
  text == null ? null : (readDecimal(text) ?? null);

/** Less than one lot step cannot be sold, so the remainder of a fee is no position; nor is a quantity that the note calls not held. */
function isHeld(coin: Coin): boolean {
  if (coin.costBasis !== null && coin.costBasis.note !== null) return false;
  const quantity = decimal(coin.position.quantity) ?? ZERO;
  const step = decimal(coin.stepSize) ?? ZERO;
  return quantity > 0n && quantity >= step;
}

const views = new WeakMap<Coin, CoinView>();

/** Computed once for each state of a coin: several parts of a page read it. */
export function coinView(coin: Coin): CoinView {
  const known = views.get(coin);
  if (known !== undefined) return known;
  const view = viewOf(coin);
  views.set(coin, view);
  return view;
}

function viewOf(coin: Coin): CoinView {
  const held = isHeld(coin);
  const price = decimal(coin.price);
  const quantity = decimal(coin.position.quantity) ?? ZERO;
  const cost = decimal(coin.position.cost) ?? ZERO;
  const value = held && price !== null ? multiply(quantity, price) : null;
  const gain = held && price !== null && cost > 0n ? unrealisedOf({ quantity, cost }, price) : null;
  return {
    base: coin.baseAsset ?? coin.symbol,
    quote: coin.quoteAsset ?? '',
    held,
    price,
    value,
    gain,
    gainShare: gain === null ? null : toNumber(divide(gain, cost)),
    stop: held ? planLevel(coin, 'stop') : null,
    next: nextStep(coin, held, price),
    blocked: coin.state?.approval.kind === 'refused',
  };
}

/** Whether a P&L has no digit but zero as it is shown: then it is neither a gain nor a loss. */
export const roundsToZero = (gain: Decimal, asset: string): boolean =>
  !/[1-9]/.test(money(formatDecimal(absolute(gain)), asset));

const planLevel = (coin: Coin, name: string): string | null =>
  coin.state?.plan.find((line) => line.name === name)?.price ?? null;

/** With a position: the nearest of trailing stop, its start and the take profit, else the stop loss. Without: the entry. */
function nextStep(coin: Coin, held: boolean, price: Decimal | null): NextStep | null {
  const step = (name: string, verb: string, side: NextStep['side']): NextStep | null => {
    const level = planLevel(coin, name);
    const at = decimal(level);
    if (level === null || at === null) return null;
    const reached = price !== null && (side === 'lower' ? price <= at : price >= at);
    return { verb, level, side, away: price === null ? null : change(price, at), reached };
  };
  if (!held) return step('entry', 'Buys', 'lower');
  const [first, ...others] = [
    step('trail', 'Sells all', 'lower') ?? [],
    step('arm', 'Starts the trailing stop', 'higher') ?? [],
    step('part', 'Takes profit', 'higher') ?? [],
  ].flat();
  if (first === undefined) return step('stop', 'Sells all', 'lower');
  return others.reduce((near, other) => (distance(other) < distance(near) ? other : near), first);
}
