import { venueOf } from '#core/account/account.ts';
import { formatDecimal } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { mergePatch } from '#core/merge.ts';
import { requireStrategy } from '#api/checks/config-check.ts';
import type { Answer } from '#api/contract/operation.ts';
import { readOrderTerms } from '#api/contract/manual.ts';
import { parseWith } from '#api/frame/validate.ts';
import type { Routes } from '#api/handle.ts';

type Terms = Answer<typeof readOrderTerms>;

const rangeOf = ({ step, min, max }: SymbolRules['lot']) => ({
  step: formatDecimal(step),
  min: formatDecimal(min),
  max: formatDecimal(max),
});

const rulesView = ({ price, lot, marketLot, notional }: SymbolRules): Terms['rules'] => ({
  price: { tick: formatDecimal(price.tick) },
  ...{ lot: rangeOf(lot), marketLot: rangeOf(marketLot) },
  notional: {
    min: formatDecimal(notional.min),
    max: formatDecimal(notional.max),
    minAppliesToMarket: notional.minAppliesToMarket,
  },
});

/** The stop of the settings; null for settings without one, and for those that their strategy cannot read. */
function stopOf(strategyName: string, merged: unknown): Terms['stop'] {
  const strategy = requireStrategy(strategyName);
  if (!parseWith(strategy.config, merged).success) return null;
  const { stopMultiple, stopLimitOffset } = strategy.bind(merged).shared;
  return stopMultiple === null
    ? null
    : { multiple: formatDecimal(stopMultiple), limitOffset: formatDecimal(stopLimitOffset) };
}

export function mountOrderTerms({ context, handle }: Routes): void {
  const { venues } = context;
  handle(readOrderTerms, async ({ profile, bound, readAccount, params: { symbol } }) => {
    const account = await readAccount();
    const rules = (await venues.rules(venueOf(account)))?.get(symbol);
    const wallet = await venues.wallet(account.id);
    return {
      available: wallet === undefined || rules === undefined ? null : (wallet.balances[rules.quoteAsset]?.free ?? '0'),
      takerFee: wallet?.takerFee ?? null,
      rules: rules === undefined ? null : rulesView(rules),
      stop: stopOf(profile.strategyName, mergePatch(profile.config, bound.overrideConfig)),
    };
  });
}
