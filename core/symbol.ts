import type { Decimal } from './decimal.ts';

export type SymbolStatus = 'TRADING' | 'HALT' | 'BREAK' | 'CANCEL_ONLY' | 'absent';

/**
 * Trading rules of one coin, as decimals. A zero step, minimum or maximum means that the exchange does not enforce it.
 */
export interface SymbolRules {
  readonly symbol: string;
  readonly status: SymbolStatus;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly orderTypes: readonly string[];
  readonly price: { readonly tick: Decimal; readonly min: Decimal; readonly max: Decimal };
  readonly lot: { readonly step: Decimal; readonly min: Decimal; readonly max: Decimal };
  readonly marketLot: { readonly step: Decimal; readonly min: Decimal; readonly max: Decimal };
  readonly notional: { readonly min: Decimal; readonly max: Decimal; readonly minAppliesToMarket: boolean };
  /** Multipliers on the reference price; null when the coin has no such filter. */
  readonly band: {
    readonly bidUp: Decimal;
    readonly bidDown: Decimal;
    readonly askUp: Decimal;
    readonly askDown: Decimal;
  } | null;
  /** Distances in hundredths of a percent at which a stop below the price may trail; absent when none may. */
  readonly trailing?: { readonly min: number; readonly max: number };
}
