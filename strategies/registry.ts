import { hold } from '#strategies/hold/strategy.ts';
import { momentum } from '#strategies/momentum/strategy.ts';
import { rebalance } from '#strategies/rebalance/strategy.ts';
import { type AnyStrategy, anyStrategy } from './strategy.ts';
import { trailingTrade } from '#strategies/trailing-trade/strategy.ts';

/** Every strategy by the name that profiles store. */
export const STRATEGIES: ReadonlyMap<string, AnyStrategy> = new Map(
  [anyStrategy(trailingTrade), anyStrategy(momentum), anyStrategy(rebalance), anyStrategy(hold)].map((strategy) => [
    strategy.name,
    strategy,
  ]),
);
