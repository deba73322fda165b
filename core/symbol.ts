import type { Decimal } from './decimal.ts';

/** `absent`: no longer listed; `not-permitted`: listed, but not for this account. */
export type SymbolStatus = 'TRADING' | 'HALT' | 'BREAK' | 'CANCEL_ONLY' | 'absent' | 'not-permitted';

/**
 * Trading rules of one coin, as decimals. A zero step, minimum or maximum means that the exchange does not enforce it.
 */
export interface SymbolRules {
  readonly symbol: string;
  readonly status: SymbolStatus;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly orderTypes: readonly string[];
  /** An account needs one permission of every set. */
  readonly permissionSets?: readonly (readonly string[])[];
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

/**
 * Rules as they are for an account with these permissions. Without any, as some replies leave them out, nothing is known
 * against it: the exchange's refusals decide.
 */
export const rulesFor = (permissions: readonly string[], list: readonly SymbolRules[]): SymbolRules[] =>
  list.map((rules) => {
    const missing = rules.permissionSets?.some((set) => !set.some((one) => permissions.includes(one))) ?? false;
    return missing && permissions.length > 0 ? { ...rules, status: 'not-permitted' } : rules;
  });
