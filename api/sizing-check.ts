import type { z } from 'zod';
import { type Decimal, floorToStep, formatDecimal, formatFixed, multiply, ONE } from '#core/decimal.ts';
import type { LevelBudget } from '#core/entry-size.ts';
import { minOrderQuote } from '#core/sizing.ts';
import type { SymbolRules } from '#core/symbol.ts';
import type { SharedSettings } from '#strategies/strategy.ts';
import type { warning } from './contract/fields.ts';
import type { Price } from './venues.ts';

/** What an account pays in the bought coin unless it has arranged otherwise; the check cannot ask the exchange. */
export const USUAL_TAKER_FEE = 0.001;

export type SkipReason = 'config_not_parsable' | 'rules_not_loaded' | 'price_not_cached';
export type SizingCheck =
  | { readonly kind: 'ok' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'skipped'; readonly reason: SkipReason; readonly symbol: string };

export interface SizingQuestion {
  readonly symbol: string;
  /** Undefined when the merged settings cannot be parsed by the strategy. */
  readonly shared: SharedSettings | undefined;
  /** Undefined while the trading rules are not cached. */
  readonly rules: SymbolRules | undefined;
  readonly price: Price | undefined;
}

/**
 * Judges whether an entry of the configured budget could be placed and sold again, from cached data alone. What is
 * missing is named in the order config, rules, price. A strategy that never buys has a budget of zero.
 */
export function checkSizing({ symbol, shared, rules, price }: SizingQuestion): SizingCheck {
  if (shared === undefined) return { kind: 'skipped', reason: 'config_not_parsable', symbol };
  if (shared.entryBudget === 0n) return { kind: 'ok' };
  if (rules === undefined) return { kind: 'skipped', reason: 'rules_not_loaded', symbol };
  if (price === undefined || price.price <= 0n) return { kind: 'skipped', reason: 'price_not_cached', symbol };
  for (const [i, level] of levelsOf(shared).entries()) {
    const at = i === 0 ? price.price : floorToStep(multiply(price.price, level.trigger), rules.price.tick);
    const message = shortage(level, { shared, rules, at });
    if (message !== undefined)
      return { kind: 'refused', message: `gives ${i === 0 ? '' : `level ${i} of `}${symbol} ${message}` };
  }
  return { kind: 'ok' };
}

const levelsOf = ({ levels, entryBudget }: SharedSettings): readonly LevelBudget[] =>
  levels ?? [{ spend: entryBudget, least: null, trigger: ONE }];

interface Entry {
  readonly shared: SharedSettings;
  readonly rules: SymbolRules;
  readonly at: Decimal;
}

/** Why the spend of a level could not become an order at its price, or undefined when it could. */
function shortage({ spend, least }: LevelBudget, { shared, rules, at }: Entry): string | undefined {
  const { stopMultiple, stopLimitOffset } = shared;
  const needed = minOrderQuote({ price: at, rules, stopMultiple, stopLimitOffset, baseFeeRate: USUAL_TAKER_FEE });
  const { quoteAsset } = rules;
  if (spend === null) return undefined;
  const has = `a buy budget of ${formatDecimal(spend)} ${quoteAsset}`;
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
