import type { z } from 'zod';
import { type Account, venueOf } from '#core/account/account.ts';
import { isObject, mergePatch } from '#core/merge.ts';
import { type BoundSymbol, listAccountPositions } from '#storage/operator/profile-symbols.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { ApiContext } from '#api/frame/context.ts';
import type { warning } from '#api/contract/fields.ts';
import { unknownPatchKeys } from './patch-keys.ts';
import { type FieldError, invalid, invalidField, shownErrors } from '#api/frame/problem.ts';
import { settingFor } from './reason-to-setting.ts';
import { equityOf } from './equity.ts';
import { checkSizing, type EquityOf, type SizingCheck, sizingWarnings, USUAL_TAKER_FEE } from './sizing-check.ts';
import { fieldErrors, parseWith, requireValid } from '#api/frame/validate.ts';
import { type Prices, readFreshWallet, type Rules } from '#api/frame/venues.ts';

export type Warning = z.output<typeof warning>;

export function requireStrategy(name: string): AnyStrategy {
  const strategy = STRATEGIES.get(name);
  if (strategy !== undefined) return strategy;
  throw invalidField('strategyName', `is "${name}", but must be ${[...STRATEGIES.keys()].join(' or ')}`);
}

export const requireConfig = (strategy: AnyStrategy, config: unknown): void => {
  requireValid(strategy.config, config, 'config');
};

const errorsOf = (strategy: AnyStrategy, merged: unknown, root: string): FieldError[] => {
  const parsed = parseWith(strategy.config, merged);
  return parsed.success ? [] : fieldErrors(parsed.error, root);
};

/** True when the patch sets the field at `path` or one of its parents. */
function touches(patch: unknown, path: readonly string[]): boolean {
  let value = patch;
  for (const key of path) {
    if (!isObject(value)) return true;
    if (!Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return true;
}

/**
 * Refuses an override with an unknown key, or one that makes the merged config invalid. An error in the profile's stored
 * config (a value above a current maximum) is not an error of the override: it only skips the sizing check.
 */
export function requireOverride(strategy: AnyStrategy, config: unknown, overrideConfig: Record<string, unknown>): void {
  const root = 'overrideConfig';
  const unknown = unknownPatchKeys(strategy, overrideConfig, root);
  if (unknown.length > 0) throw invalid(unknown);
  const errors = errorsOf(strategy, mergePatch(config, overrideConfig), root);
  const baseParses = parseWith(strategy.config, config).success;
  const own = baseParses ? errors : errors.filter(({ path }) => touches(overrideConfig, path.split('.').slice(1)));
  if (own.length > 0) throw invalid(own);
}

/** Refuses a config that makes a valid override of a coin invalid. */
export function requireOverridesStillFit(
  strategy: AnyStrategy,
  configs: { readonly before: unknown; readonly after: unknown },
  bound: readonly BoundSymbol[],
): void {
  const errors = bound.flatMap(({ symbol, overrideConfig }) => {
    const parsedBefore = parseWith(strategy.config, mergePatch(configs.before, overrideConfig)).success;
    return parsedBefore ? errorsOf(strategy, mergePatch(configs.after, overrideConfig), `symbols.${symbol}`) : [];
  });
  if (errors.length > 0) throw invalid(errors);
}

/** Cached data of a venue. */
export interface CachedMarket {
  readonly rules: Rules | undefined;
  readonly prices: Prices;
  readonly equity: EquityOf;
}

export async function readMarket(context: ApiContext, account: Account): Promise<CachedMarket> {
  const { venues, database } = context;
  const venue = venueOf(account);
  const [rules, prices] = [await venues.rules(venue), await venues.prices(venue)];
  const wallet = await readFreshWallet(context, account.id);
  const positions = await listAccountPositions(database.kysely, account.id);
  return { rules, prices, equity: equityOf({ rules, prices, wallet, positions }) };
}

/** Errors that make a save refuse the config, else the warnings of its strategy. */
export function lintConfig(strategy: AnyStrategy, config: unknown, coins: readonly string[]) {
  const errors = errorsOf(strategy, config, '');
  return {
    errors: shownErrors(errors),
    findings: errors.length > 0 ? [] : [...strategy.bind(config).lint(USUAL_TAKER_FEE, coins)],
  };
}

/** Warns that an override of a coin has no effect when the strategy plans all coins at once. */
export const overrideWarnings = (strategy: AnyStrategy, overrideConfig: Record<string, unknown>): Warning[] =>
  strategy.plansBaskets === true && Object.keys(overrideConfig).length > 0
    ? [
        {
          code: 'override-inert-basket',
          message: `${strategy.title} plans over all coins at once, so settings of one coin do nothing.`,
          reason: 'lint',
          detail: 'overrideConfig',
        },
      ]
    : [];

/** Warnings for a saved config; notes that only inform are for the form. */
export const lintWarnings = (strategy: AnyStrategy, config: unknown, coins: readonly string[]): Warning[] =>
  lintConfig(strategy, config, coins)
    .findings.filter(({ level }) => level === 'warn')
    .map(({ code, message, path }) => ({ code, message, reason: 'lint', detail: path }));

interface SizingScope {
  readonly market: CachedMarket;
  readonly strategy: AnyStrategy;
  readonly config: unknown;
  /** The part of the request with the config; null for a request that only names a coin, which is then the bad field. */
  readonly part: 'config' | 'overrideConfig' | null;
}

/** The setting for the amount of a buy. */
export function amountPath(strategy: AnyStrategy, merged: unknown): string | null {
  if (strategy.plansBaskets === true) return 'basketBudgetQuote';
  const setting = settingFor(strategy, merged, { reason: 'size-below-minimum', page: '' })?.path ?? null;
  const isShare = strategy.bind(merged).shared.equityShare !== undefined;
  return isShare ? (setting?.replace(/\.amount$/, '.percent') ?? null) : setting;
}

/** Checks order sizing for coins under their merged configs: throws a 422 with the numbers, or returns warnings. */
export function requireSizing(
  { market, strategy, config, part }: SizingScope,
  bound: readonly BoundSymbol[],
): Warning[] {
  const checks = bound.map(({ symbol, overrideConfig }): SizingCheck & { path: string } => {
    const merged = mergePatch(config, overrideConfig);
    const parses = parseWith(strategy.config, merged).success;
    const bound_ = parses ? strategy.bind(merged) : undefined;
    const amount = amountPath(strategy, merged);
    // An error in the coin's own setting is not an error of the profile.
    const own = part === 'config' && amount !== null && touches(overrideConfig, amount.split('.'));
    const root = own ? `symbols.${symbol}` : part;
    const path = root === null ? 'symbol' : amount === null ? root : `${root}.${amount}`;
    const known = { rules: market.rules?.get(symbol), price: market.prices.get(symbol), equity: market.equity };
    return { ...checkSizing({ symbol, bound: bound_, ...known }), path };
  });
  const refused = checks.filter((check) => check.kind === 'refused');
  if (refused.length > 0) throw invalid(refused.map(({ path, message }) => ({ path, message })));
  return sizingWarnings(checks);
}
