import type { Wallet } from '#core/account/account.ts';
import { add, type Decimal, maximum, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import type { OrderId } from '#core/ids.ts';

interface Reservation {
  readonly asset: string;
  readonly amount: Decimal;
  settledMs: number | null;
}

/** How long a settled reservation stays in force when no balance event arrives. */
const RESERVATION_GRACE_MS = 2_000;

/**
 * The available balances of the account: the last balances that the exchange reported, less the amounts that committed
 * orders reserve. All coins of the account share it, so that two entries cannot spend the same money.
 */
export interface WalletBook {
  replace(wallet: Wallet): void;
  merge(balances: Wallet['balances'], at: Date): void;
  free(asset: string, nowMs: number): Decimal;
  /** Free plus locked balance, as the exchange last reported it. */
  total(asset: string): Decimal;
  reserve(orderId: OrderId, asset: string, amount: Decimal): void;
  /** The order will never be sent. */
  release(orderId: OrderId): void;
  /** The exchange has the order, or it is gone: the next balances include it. */
  settle(orderId: OrderId, nowMs: number): void;
  snapshot(): Wallet | null;
}

export function createWalletBook(): WalletBook {
  let wallet: Wallet | null = null;
  const reservations = new Map<OrderId, Reservation>();
  /** Parsed free balances, cached because every tick reads them. */
  const known = new Map<string, Decimal>();

  const dropSettled = (): void => {
    for (const [orderId, reservation] of reservations) if (reservation.settledMs !== null) reservations.delete(orderId);
  };
  const reserved = (asset: string, nowMs: number): Decimal => {
    let total = ZERO;
    for (const [orderId, reservation] of reservations) {
      const over = reservation.settledMs !== null && nowMs - reservation.settledMs > RESERVATION_GRACE_MS;
      if (over) reservations.delete(orderId);
      else if (reservation.asset === asset) total = add(total, reservation.amount);
    }
    return total;
  };

  return {
    replace(next) {
      wallet = next;
      known.clear();
      dropSettled();
    },
    merge(balances, at) {
      wallet = { at, balances: { ...wallet?.balances, ...balances } };
      known.clear();
      dropSettled();
    },
    free(asset, nowMs) {
      let free = known.get(asset);
      if (free === undefined) {
        const balance = wallet?.balances[asset];
        free = balance === undefined ? ZERO : requireDecimal(balance.free);
        known.set(asset, free);
      }
      return maximum(subtract(free, reserved(asset, nowMs)), ZERO);
    },
    total(asset) {
      const balance = wallet?.balances[asset];
      return balance === undefined ? ZERO : add(requireDecimal(balance.free), requireDecimal(balance.locked));
    },
    reserve(orderId, asset, amount) {
      reservations.set(orderId, { asset, amount, settledMs: null });
    },
    release: (orderId) => void reservations.delete(orderId),
    settle(orderId, nowMs) {
      const reservation = reservations.get(orderId);
      if (reservation !== undefined) reservation.settledMs = nowMs;
    },
    snapshot: () => wallet,
  };
}
