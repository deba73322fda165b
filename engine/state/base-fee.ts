import { fromNumber, multiply, ZERO } from '#core/amount/decimal.ts';
import { type ExchangeFill, isThirdAssetFee } from '#core/order/fill.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { type AccountContext, marketNow } from './account-context.ts';

/** Remembers from the newest fill whether the account pays its fees in a third asset. */
export function noteFeeAsset(context: Pick<AccountContext, 'fees'>, fill: ExchangeFill, rules: SymbolRules): void {
  context.fees.thirdAsset = isThirdAssetFee(fill, rules) ? fill.feeAsset : null;
}

/**
 * The share of a buy that the exchange takes from the bought coin as its fee. It is 0 under two conditions: the newest
 * fee was paid in a third asset, and the wallet holds enough of it for a buy with the whole available balance.
 * Otherwise the exchange charges the coin.
 */
export function baseFeeRate(context: AccountContext, rules: Pick<SymbolRules, 'baseAsset' | 'quoteAsset'>): number {
  const { fees, feePrices, wallet } = context;
  const { thirdAsset, taker } = fees;
  if (thirdAsset === null || thirdAsset === rules.baseAsset || thirdAsset === rules.quoteAsset) return taker;
  const nowMs = performance.now();
  const feeAmount = wallet.free(thirdAsset, nowMs);
  const worth = feePrices.valueOf({ feeAsset: thirdAsset, feeAmount, at: marketNow(context) }, rules) ?? ZERO;
  const needed = multiply(wallet.free(rules.quoteAsset, nowMs), fromNumber(taker));
  return worth > 0n && worth >= needed ? 0 : taker;
}
