import { add, type Decimal, divide, multiply, readDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** Shown with a recorded price that no position backs, instead of an unrealised P&L. */
export const NOT_HELD_NOTE = 'Not held — nothing sellable backs this cost basis';

/** Maximum age of a wallet snapshot. */
export const SNAPSHOT_MAX_AGE_MS = 60_000;

/** Event names that the job writes to the process log and, as `ctx.event`, to the profile's log. */
export const GATE_UNAVAILABLE = 'pipeline_apply_avg_entry_price_gate_unavailable';
export const NO_SELLABLE_POSITION = 'pipeline_apply_avg_entry_price_no_sellable_position';

const ADJUSTMENT_REASONS = [
  'average-entry-price',
  'average-entry-price-deleted',
  'balance-confirmed',
  'drift',
  'phantom-pruned',
  'exchange-reset',
] as const;
export type AdjustmentReason = (typeof ADJUSTMENT_REASONS)[number];

/** Reasons why the wallet cannot be checked, with their text. */
export const GATE_CAUSES = {
  'no-api-client': 'no API client',
  'no-cached-symbol-info': 'no cached symbol info',
  'malformed-symbol-info': 'malformed symbol info',
  'failed-balance-read': 'failed balance read',
} as const;
export type GateCause = keyof typeof GATE_CAUSES;

const HUNDRED = requireDecimal('100');

/** A balance below one tradeable step, or worth a hundredth of the minimum order value or less, backs no position. */
export function isPhantom(balance: Decimal, price: Decimal, rules: Pick<SymbolRules, 'lot' | 'notional'>): boolean {
  if (balance <= 0n || balance < rules.lot.step) return true;
  return multiply(balance, price) <= divide(rules.notional.min, HUNDRED);
}

/** Free and locked amount of an asset in a wallet. An absent asset is zero, an unreadable entry is undefined. */
export function totalOf(
  balances: Readonly<Record<string, { readonly free: string; readonly locked: string }>>,
  asset: string,
): Decimal | undefined {
  const balance = balances[asset];
  if (balance === undefined) return ZERO;
  const free = readDecimal(balance.free);
  const locked = readDecimal(balance.locked);
  return free === undefined || locked === undefined ? undefined : add(free, locked);
}
