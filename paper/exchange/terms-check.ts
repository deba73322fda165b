import type { Account } from './accounts.ts';
import type { SymbolMarket } from '#paper/market/symbol-market.ts';
import { type Feature, FEATURES } from '#paper/market/terms.ts';
import type { NewOrder } from './order.ts';
import { type Refusal, refuse, rejected } from './refusal.ts';

/** The feature of a coin that each kind of order needs. */
const NEEDS: readonly (readonly [Feature, (order: NewOrder) => boolean])[] = [
  ['icebergAllowed', (order) => order.icebergQuantity > 0n],
  ['quoteOrderQtyMarketAllowed', (order) => order.quoteQuantity > 0n],
  ['allowTrailingStop', (order) => order.trailingDelta > 0],
];

/** The reason why a coin refuses this order of this account, whatever its price and quantity. */
export function termsRefusal(market: SymbolMarket, account: Account, order: NewOrder): Refusal | undefined {
  const { terms } = market;
  if (!terms.permissions.some((permission) => account.permissions.includes(permission)))
    return rejected('This symbol is not permitted for this account.');
  if (account.restrictedSymbols.includes(order.symbol)) return rejected('This symbol is restricted for this account.');
  if (!terms.preventions.includes(order.prevention))
    return refuse(-1013, 'This symbol does not allow the specified self-trade prevention mode.');
  if (terms.lacks.includes(order.type))
    return rejected(`${inWords(order.type)} orders are not supported for this symbol.`);
  for (const [feature, isNeeded] of NEEDS) {
    const refusal = isNeeded(order) ? featureRefusal(market, feature) : undefined;
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The reason why a coin refuses an instruction. */
export const featureRefusal = ({ terms }: SymbolMarket, feature: Feature): Refusal | undefined =>
  terms.lacks.includes(feature) ? rejected(FEATURES[feature]) : undefined;

/** STOP_LOSS_LIMIT as "Stop loss limit". */
const inWords = (type: string): string => `${type.charAt(0)}${type.slice(1).toLowerCase().replaceAll('_', ' ')}`;
