import { type Decimal, ZERO } from '#core/amount/decimal.ts';

export const SYMBOL_STATUSES = [
  ...(['TRADING', 'HALT', 'BREAK', 'CANCEL_ONLY'] as const),
  /** No longer listed. */
  'absent',
  /** Listed, but not for this account. */
  'not-permitted',
  /** Listed with unreadable rules. A running coin keeps its last rules for its exits. */
  'unreadable',
] as const;
export type SymbolStatus = (typeof SYMBOL_STATUSES)[number];

/**
 * Trading rules of one coin, as decimals. A zero step, minimum or maximum means that the exchange does not enforce it.
 */
export interface SymbolRules {
  readonly symbol: string;
  readonly status: SymbolStatus;
  /** Why the rules could not be read, as a sentence. */
  readonly problem?: string;
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
  /** Allowed distances of a trailing stop below the price, in bps; absent when trailing stops are not allowed. */
  readonly trailing?: { readonly min: number; readonly max: number };
  /** Whether the exchange accepts order lists for the coin; absent: it does not. */
  readonly lists?: boolean;
}

/**
 * Rules for an account with these permissions. Some replies omit the permissions. The account then counts as permitted,
 * and the exchange decides.
 */
export const rulesFor = (permissions: readonly string[], list: readonly SymbolRules[]): SymbolRules[] =>
  list.map((rules) => {
    const missing = rules.permissionSets?.some((set) => !set.some((one) => permissions.includes(one))) ?? false;
    return missing && permissions.length > 0 ? { ...rules, status: 'not-permitted' } : rules;
  });

const NO_RANGE = { step: ZERO, min: ZERO, max: ZERO };

/** A listed coin with unreadable rules. It has a name but no tick or lot size, so no order can be priced or sized. */
export const unreadableRules = (
  entry: Pick<SymbolRules, 'symbol' | 'baseAsset' | 'quoteAsset'> & { readonly problem: string },
): SymbolRules => ({
  symbol: entry.symbol,
  status: 'unreadable',
  problem: entry.problem,
  baseAsset: entry.baseAsset,
  quoteAsset: entry.quoteAsset,
  orderTypes: [],
  price: { tick: ZERO, min: ZERO, max: ZERO },
  lot: NO_RANGE,
  marketLot: NO_RANGE,
  notional: { min: ZERO, max: ZERO, minAppliesToMarket: false },
  band: null,
});
