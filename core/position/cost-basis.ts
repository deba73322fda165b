import { add, type Decimal, divide, multiply, readDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** Shown beside a recorded price that no position backs; without an unrealised gain then. */
export const NOT_HELD_NOTE = 'Not held — nothing sellable backs this cost basis';

/** A wallet snapshot older than this says nothing about what is held now. */
export const SNAPSHOT_MAX_AGE_MS = 60_000;

/** Names of the lines that the job writes into the process log and, as `ctx.event`, into the profile's log. */
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

/** Why the wallet cannot be judged, with the words for it. */
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

/** Free and locked amount of an asset in a wallet; what a wallet does not name is zero, what it garbles is undefined. */
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
