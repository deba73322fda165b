import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** Tick 0.01, step 0.001, minimum order value 5, without other limits. */
const RULES: SymbolRules = {
  symbol: 'AAAUSDT',
  status: 'TRADING',
  baseAsset: 'AAA',
  quoteAsset: 'USDT',
  orderTypes: ['LIMIT', 'MARKET'],
  price: { tick: requireDecimal('0.01'), min: ZERO, max: ZERO },
  lot: { step: requireDecimal('0.001'), min: requireDecimal('0.001'), max: ZERO },
  marketLot: { step: ZERO, min: ZERO, max: ZERO },
  notional: { min: requireDecimal('5'), max: ZERO, minAppliesToMarket: true },
  band: null,
};

export const rulesWith = (changes: Partial<SymbolRules> = {}): SymbolRules => ({ ...RULES, ...changes });

/** A grid without limits but the smallest step; amounts as decimal text. */
export function gridOf(tick: string, step: string): Pick<SymbolRules, 'price' | 'lot'> {
  const smallest = requireDecimal(step);
  return {
    price: { tick: requireDecimal(tick), min: ZERO, max: ZERO },
    lot: { step: smallest, min: smallest, max: ZERO },
  };
}
