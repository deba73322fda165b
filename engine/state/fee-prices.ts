import { type Decimal, multiply, ZERO } from '#core/amount/decimal.ts';
import { type ExchangeFill, isThirdAssetFee } from '#core/order/fill.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { EngineLog } from './ports.ts';

/** The asset in which the exchange charges discounted fees. */
export const DISCOUNT_ASSET = 'BNB';

/** A price values fills that are at most this much older or newer, in market time. */
const FRESH_MS = 300_000;
const REREAD_MS = 60_000;
/** Wall time, because market time may run faster. */
const READ_EVERY_MS = 5_000;

/** Values fees in a third asset. Prices are read in advance: no fill waits for one. */
export interface FeePrices {
  /** Reads prices in the background when the known ones are old. */
  refresh(): void;
  /** Value in quote; zero for a fee in base or quote, null while no fresh price is known. */
  valueOf(
    fill: Pick<ExchangeFill, 'feeAsset' | 'feeAmount' | 'at'>,
    rules: Pick<SymbolRules, 'baseAsset' | 'quoteAsset'>,
  ): Decimal | null;
}

export function createFeePrices(sources: {
  readonly prices: () => Promise<ReadonlyMap<string, Decimal>>;
  readonly marketMs: () => number;
  readonly log: Pick<EngineLog, 'warn'>;
}): FeePrices {
  let known: { readonly prices: ReadonlyMap<string, Decimal>; readonly atMs: number } | null = null;
  let readMs = Number.NEGATIVE_INFINITY;
  return {
    refresh() {
      const [atMs, nowMs] = [sources.marketMs(), performance.now()];
      if (known !== null && Math.abs(atMs - known.atMs) < REREAD_MS) return;
      if (nowMs - readMs < READ_EVERY_MS) return;
      readMs = nowMs;
      sources
        .prices()
        .then((prices) => void (known = { prices, atMs }))
        .catch((err: unknown) =>
          sources.log.warn({ event: 'fee_prices_not_read', err }, 'The prices that value fees could not be read'),
        );
    },
    valueOf(fill, rules) {
      if (fill.feeAsset === null || !isThirdAssetFee(fill, rules)) return ZERO;
      if (known === null || Math.abs(fill.at.getTime() - known.atMs) > FRESH_MS) return null;
      const price = known.prices.get(fill.feeAsset + rules.quoteAsset);
      return price === undefined ? null : multiply(fill.feeAmount, price);
    },
  };
}
