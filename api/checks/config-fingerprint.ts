import { createHash } from 'node:crypto';
import { BASKET } from '#core/research/research.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { parseWith } from '#api/frame/validate.ts';

const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Equal values have equal hashes, whatever the order of their keys. */
const hashOf = (value: unknown): string => createHash('sha256').update(inOrder(value)).digest('hex');

/**
 * What of a profile is tested for itself, each with the hash of its parsed config: every coin, or all of them together.
 * Null for a config that does not parse, which can match nothing.
 */
export function fingerprintsOf(
  strategy: AnyStrategy,
  coins: readonly { readonly symbol: string; readonly config: unknown }[],
): Map<string, string | null> {
  const hashed = (config: unknown, rest: unknown): string | null => {
    const parsed = parseWith(strategy.config, config);
    return parsed.success ? hashOf([strategy.name, parsed.data, rest]) : null;
  };
  if (strategy.plansBaskets !== true) return new Map(coins.map(({ symbol, config }) => [symbol, hashed(config, null)]));
  const symbols = coins.map(({ symbol }) => symbol).toSorted();
  return new Map(symbols.length === 0 ? [] : [[BASKET, hashed(coins[0]?.config, symbols)]]);
}
