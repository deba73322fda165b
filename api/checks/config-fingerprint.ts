import { createHash } from 'node:crypto';
import { canonicalJson } from '#core/json.ts';
import { BASKET } from '#core/research/costs.ts';
import type { RunLimits } from '#core/research/research.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { parseWith } from '#api/frame/validate.ts';

/** Equal values have equal hashes, independent of the order of their keys. */
const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

type Coins = readonly { readonly symbol: string; readonly config: unknown }[];
type Fingerprints = Map<string, string | null>;

/** The part of the limits that affects buys. The time zone matters only with a daily loss limit. */
function limitsPart({ timezone, limits }: RunLimits) {
  const isByDay = limits.some((limit) => limit.limits.dailyLoss !== null);
  const scopes = Object.fromEntries(limits.map((limit) => [limit.scope, limit.limits]));
  return { timezone: isByDay ? timezone : null, ...scopes };
}

/**
 * Hashes of settings, coins and limits by result name: the symbol of one coin, or `basket` for several coins that share a
 * balance. Null for a config that does not parse, which matches no run.
 */
export function fingerprintsOf(strategy: AnyStrategy, coins: Coins, limits?: RunLimits): Fingerprints {
  const [first] = coins;
  const under = limits === undefined ? null : limitsPart(limits);
  if (first === undefined) return new Map();
  if (strategy.plansBaskets === true) {
    const symbols = coins.map(({ symbol }) => symbol).toSorted();
    const rest = under === null ? symbols : [symbols, under];
    return new Map([[BASKET, coinHash(strategy, first.config, rest)]]);
  }
  if (coins.length === 1) return new Map([[first.symbol, coinHash(strategy, first.config, under)]]);
  const hashes = coins.map(({ symbol, config }) => [symbol, coinHash(strategy, config, null)] as const);
  if (hashes.some(([, hash]) => hash === null)) return new Map([[BASKET, null]]);
  return new Map([[BASKET, hashOf([strategy.name, Object.fromEntries(hashes), under])]]);
}

/** The hash of each coin on its own, with the whole balance and without limits. */
export const separateFingerprints = (strategy: AnyStrategy, coins: Coins): Fingerprints =>
  new Map(coins.map(({ symbol, config }) => [symbol, coinHash(strategy, config, null)]));

function coinHash(strategy: AnyStrategy, config: unknown, rest: unknown): string | null {
  const parsed = parseWith(strategy.config, config);
  return parsed.success ? hashOf([strategy.name, parsed.data, rest]) : null;
}
