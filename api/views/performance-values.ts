import { z } from 'zod';
import { type Holding, meanPriceChange, NOTHING_HELD, profitOf } from '#core/account/performance.ts';
import { add, type Decimal, readDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { PositionStep, readPastPrices } from '#storage/history/performance.ts';

/** Sums over coins at one moment. */
interface Sums {
  readonly realised: Decimal;
  readonly unrealised: Decimal;
  readonly fees: Decimal;
  readonly unvaluedFees: number;
}
export const NO_SUMS: Sums = { realised: ZERO, unrealised: ZERO, fees: ZERO, unvaluedFees: 0 };

export const profitIn = ({ realised, unrealised }: Sums): Decimal => add(realised, unrealised);

const addSums = (a: Sums, b: Sums): Sums => ({
  realised: add(a.realised, b.realised),
  unrealised: add(a.unrealised, b.unrealised),
  fees: add(a.fees, b.fees),
  unvaluedFees: a.unvaluedFees + b.unvaluedFees,
});

/** `to` less `from`: what changed between two moments. */
export const changeOf = (from: Sums, to: Sums): Sums => ({
  realised: subtract(to.realised, from.realised),
  unrealised: subtract(to.unrealised, from.unrealised),
  fees: subtract(to.fees, from.fees),
  unvaluedFees: to.unvaluedFees - from.unvaluedFees,
});

/** A coin of a profile at the first and at the last moment. */
export interface CoinResult {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly from: Sums;
  readonly to: Sums;
  readonly stepFrom: PositionStep | undefined;
  readonly stepTo: PositionStep | undefined;
}

type Prices = ReadonlyMap<string, Decimal>;

interface ValuesInput {
  readonly steps: readonly PositionStep[];
  readonly pastPrices: Awaited<ReturnType<typeof readPastPrices>>;
  /** Prices of now. */
  readonly prices: Prices;
  /** The moment that ends the period, and the one that is now: the same, or the one after it. */
  readonly last: number;
  readonly now: number;
  readonly isCounted: (profileId: ProfileId) => boolean;
  /** A deleted profile holds nothing that is managed: it counts with what it has realised. */
  readonly exists: (profileId: ProfileId) => boolean;
}

export interface Values {
  /** P&L of the whole account at each moment. */
  readonly account: readonly Decimal[];
  /** Of the profiles that are counted. */
  readonly counted: readonly Sums[];
  readonly coins: readonly CoinResult[];
  /** Mean price change of their coins since the first moment, at each moment; null without prices. */
  readonly holding: readonly (Decimal | null)[];
  /** Coins that are held at the end of the period without a price. */
  readonly unpriced: readonly string[];
}

const priceTable = z.record(z.string(), z.string());

/** Every coin at every moment. Prices of the past are those of the equity snapshots; between two, the last one counts. */
export function valueCoins(input: ValuesInput): Values {
  const { steps, pastPrices, last, now, isCounted, exists } = input;
  const stepsAt = Map.groupBy(steps, ({ period }) => period);
  const pricesAt = Map.groupBy(pastPrices, ({ mark }) => mark - 1);
  const held = new Map<string, PositionStep>();
  const results = new Map<string, CoinResult>();
  const prices = new Map<string, Decimal>();
  const ours = new Set<string>();
  const [account, counted, holding]: [Decimal[], Sums[], (Decimal | null)[]] = [[], [], []];
  let firstPrices: Prices | undefined;
  for (let moment = 0; moment <= now; moment++) {
    for (const step of stepsAt.get(moment) ?? []) held.set(`${step.profileId} ${step.symbol}`, step);
    for (const row of pricesAt.get(moment) ?? []) {
      for (const [symbol, text] of Object.entries(priceTable.parse(row.prices))) {
        const price = readDecimal(text);
        if (price !== undefined) prices.set(symbol, price);
        if (isCounted(row.profileId)) ours.add(symbol);
      }
    }
    if (moment === now) for (const [symbol, price] of input.prices) prices.set(symbol, price);
    let [all, sum] = [ZERO, NO_SUMS];
    for (const [key, step] of held) {
      const value = sumsOf(step, exists(step.profileId) ? prices.get(step.symbol) : undefined);
      all = add(all, profitIn(value));
      if (!isCounted(step.profileId)) continue;
      sum = addSums(sum, value);
      if (moment === 0 || moment === last) results.set(key, resultOf(results.get(key), { step, value, moment }));
    }
    account.push(all);
    counted.push(sum);
    firstPrices ??= [...ours].some((symbol) => prices.has(symbol)) ? only(prices, ours) : undefined;
    holding.push(firstPrices === undefined ? null : meanPriceChange(firstPrices, prices));
  }
  const coins = [...results.values()];
  const isUnpriced = ({ profileId, symbol, stepTo }: CoinResult): boolean =>
    (stepTo?.quantity ?? ZERO) > 0n && exists(profileId) && !prices.has(symbol);
  return { account, counted, coins, holding, unpriced: coins.filter(isUnpriced).map(({ symbol }) => symbol) };
}

const only = (prices: Prices, symbols: ReadonlySet<string>): Prices =>
  new Map([...prices].filter(([symbol]) => symbols.has(symbol)));

function sumsOf(held: Holding, price: Decimal | undefined): Sums {
  const { realised, unrealised } = profitOf(held, price);
  return { realised, unrealised, fees: held.fees, unvaluedFees: held.unvaluedFees };
}

interface Seen {
  readonly step: PositionStep;
  readonly value: Sums;
  readonly moment: number;
}

function resultOf(known: CoinResult | undefined, { step, value, moment }: Seen): CoinResult {
  const { profileId, symbol } = step;
  if (moment === 0) return { profileId, symbol, from: value, to: value, stepFrom: step, stepTo: step };
  const start = known ?? { from: sumsOf(NOTHING_HELD, undefined), stepFrom: undefined };
  return { profileId, symbol, from: start.from, to: value, stepFrom: start.stepFrom, stepTo: step };
}
