import { hold } from '#strategies/hold/strategy.ts';
import { momentum } from '#strategies/momentum/strategy.ts';
import { rebalance } from '#strategies/rebalance/strategy.ts';
import { signal } from '#strategies/signal/strategy.ts';
import { type AnyStrategy, anyStrategy } from './strategy.ts';
import { trailingTrade } from '#strategies/trailing-trade/strategy.ts';

const known = new Map<string, AnyStrategy>(
  [
    anyStrategy(trailingTrade),
    anyStrategy(momentum),
    anyStrategy(rebalance),
    anyStrategy(signal),
    anyStrategy(hold),
  ].map((strategy) => [strategy.name, strategy]),
);

/** Every strategy by the name that profiles store. */
export const STRATEGIES: ReadonlyMap<string, AnyStrategy> = known;

/** Adds a version of a strategy file, by its name with its hash. Each process adds the versions that it has read. */
export function addStrategy(strategy: AnyStrategy): void {
  known.set(strategy.name, strategy);
}
