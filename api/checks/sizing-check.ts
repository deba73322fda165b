import type { z } from 'zod';
import { equityBudget, lossFraction } from '#core/sizing/budget.ts';
import {
  type Decimal,
  divide,
  floorToStep,
  formatDecimal,
  formatFixed,
  fromSteps,
  multiply,
  ONE,
  ZERO,
} from '#core/amount/decimal.ts';
import type { LevelBudget } from '#core/sizing/entry-size.ts';
import { minOrderQuote } from '#core/sizing/sizing.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { BoundStrategy, SharedSettings } from '#strategies/strategy.ts';
import type { warning } from '#api/contract/fields.ts';
import type { Price } from '#api/frame/venues.ts';

/** Default taker fee, paid in the bought coin; the check cannot query the exchange. */
export const USUAL_TAKER_FEE = 0.001;

type SkipReason = 'config_not_parsable' | 'rules_not_loaded' | 'price_not_cached' | 'equity_not_known';
export type SizingCheck =
  | { readonly kind: 'ok' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'skipped'; readonly reason: SkipReason; readonly symbol: string };

export interface SizingQuestion {
  readonly symbol: string;
  /** Undefined when the merged settings cannot be parsed by the strategy. */
  readonly bound: Pick<BoundStrategy, 'shared' | 'basketShare'> | undefined;
  /** Undefined while the trading rules are not cached. */
  readonly rules: SymbolRules | undefined;
  readonly price: Price | undefined;
  /** Current equity of the account in a quote asset; undefined while it is unknown. */
  readonly equity: EquityOf;
}

export type EquityOf = (quoteAsset: string) => Decimal | undefined;

/**
 * Checks from cached data whether an entry of the configured budget could be placed and sold again. Missing data are named
 * in the order config, rules, price, equity. A budget that is a share of the equity uses the current equity. A strategy
 * that never buys has no budget.
 */
export function checkSizing({ symbol, bound, rules, price, equity }: SizingQuestion): SizingCheck {
  if (bound === undefined) return { kind: 'skipped', reason: 'config_not_parsable', symbol };
  const { shared } = bound;
  const levels = levelsOf(bound, symbol);
  if (levels.length === 0) return { kind: 'ok' };
  if (rules === undefined) return { kind: 'skipped', reason: 'rules_not_loaded', symbol };
  if (price === undefined || price.price <= 0n) return { kind: 'skipped', reason: 'price_not_cached', symbol };
  const worth = levels.some(({ spend }) => spend === null) ? equity(rules.quoteAsset) : ZERO;
  if (worth === undefined || (worth === ZERO && levels.some(({ spend }) => spend === null)))
    return { kind: 'skipped', reason: 'equity_not_known', symbol };
  for (const [i, level] of levels.entries()) {
    const at = i === 0 ? price.price : floorToStep(multiply(price.price, level.trigger), rules.price.tick);
    const message = shortage(level, { shared, rules, at, worth, levels: levels.length });
    if (message !== undefined)
      return { kind: 'refused', message: `gives ${i === 0 ? '' : `level ${i} of `}${symbol} ${message}` };
  }
  return { kind: 'ok' };
}

/** Budgets of a coin's buy levels; empty for a strategy that never buys. A spend of null is a share of the equity. */
function levelsOf(
  { shared, basketShare }: NonNullable<SizingQuestion['bound']>,
  symbol: string,
): readonly LevelBudget[] {
  const { levels, entryBudget, equityShare } = shared;
  const share = basketShare?.(symbol) ?? null;
  if (share !== null) return [share];
  if (entryBudget === 0n && equityShare === undefined) return [];
  return levels ?? [{ spend: equityShare === undefined ? entryBudget : null, least: null, trigger: ONE }];
}

interface Entry {
  readonly shared: SharedSettings;
  readonly rules: SymbolRules;
  readonly at: Decimal;
  readonly worth: Decimal;
  readonly levels: number;
}

/** An equal share of the round's budget, computed from the equity like in the engine. */
function shareOfEquity({ shared, rules, at, worth, levels }: Entry): Decimal {
  const { equityShare, stopMultiple, stopLimitOffset } = shared;
  if (equityShare === undefined) return ZERO;
  const loss = lossFraction({ price: at, rules, stopMultiple, stopLimitOffset }, USUAL_TAKER_FEE);
  return divide(equityBudget(equityShare, worth, loss), fromSteps(levels, ONE));
}

/** Why the budget of a level is too small for an order at its price; undefined when it suffices. */
function shortage({ spend: named, least }: LevelBudget, entry: Entry): string | undefined {
  const { shared, rules, at, worth } = entry;
  const { stopMultiple, stopLimitOffset } = shared;
  const spend = named ?? shareOfEquity(entry);
  const needed = minOrderQuote({ price: at, rules, stopMultiple, stopLimitOffset, baseFeeRate: USUAL_TAKER_FEE });
  const { quoteAsset } = rules;
  const from = named === null ? `, from an equity of ${formatDecimal(worth)} ${quoteAsset} now` : '';
  const has = `a buy budget of ${formatDecimal(spend)} ${quoteAsset}${from}`;
  if (spend < needed) {
    const minimum = `${formatDecimal(rules.notional.min)} ${quoteAsset}`;
    return `${has}, but at the price ${formatDecimal(at)} the smallest order that can be sold again at its stop needs ${formatFixed(needed, 8)} ${quoteAsset} (the exchange's minimum order value is ${minimum})`;
  }
  if (least === null || spend >= least) return undefined;
  return `${has}, which is below the ${formatDecimal(least)} ${quoteAsset} it must at least spend`;
}

export const WHAT_TO_DO: Readonly<Record<SkipReason, string>> = {
  config_not_parsable: 'The saved settings cannot be parsed by the strategy: correct and save the config again.',
  rules_not_loaded: 'The trading rules are not loaded yet: the worker loads them within minutes of its start.',
  price_not_cached: 'No price is cached: prices are kept only for coins that a running profile watches.',
  equity_not_known:
    'The amount is a share of the equity, which is not known or nothing now: check that the worker runs, and that the account has an API key and money.',
};

/** One warning per reason, naming the coins it applies to. */
export function sizingWarnings(checks: readonly SizingCheck[]): z.output<typeof warning>[] {
  const skipped = checks.filter((check) => check.kind === 'skipped');
  const reasons = [...new Set(skipped.map((check) => check.reason))];
  return reasons.map((reason) => {
    const symbols = skipped.filter((check) => check.reason === reason).map((check) => check.symbol);
    const detail = `${symbols.join(', ')}: ${WHAT_TO_DO[reason]}`;
    return { code: 'order_sizing_not_verified', message: 'order sizing was not verified', reason, detail };
  });
}
