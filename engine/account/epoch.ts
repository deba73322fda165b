import { certainFrom } from '#core/order/order-timing.ts';
import { type OrderRecord, originalIdOf } from '#core/order/order.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import { type AccountContext, marketNow } from '#engine/state/account-context.ts';
import { ExchangeReset, LeaseLost } from '#engine/state/ends-run.ts';
import { wait } from '#engine/state/wait.ts';

const MOST_ORDERS = 3;

/** Checks whether a test exchange was reset, once after each (re)connect: a reset closes every connection. */
export interface ResetWatch {
  /** The connection was lost. */
  suspect(): void;
  /** Throws ExchangeReset after a reset. Throws another error when the check failed; the next call checks again. */
  look(): Promise<void>;
}

export function createResetWatch(context: AccountContext): ResetWatch {
  const { account, fencing, ports, timing, signal } = context;
  let due = account.exchangeMode === 'testnet';
  let looking: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    if (!due) return;
    // Checked twice, because closing the epoch cannot be undone.
    let verdict = await judge(context);
    if (verdict === 'reset') {
      await wait(timing.separateMs, signal);
      verdict = signal.aborted ? 'undecided' : await judge(context);
    }
    due = verdict === 'undecided';
    if (verdict !== 'reset') return;
    const result = await ports.store.closeEpoch({ account, fencing, at: marketNow(context) });
    throw result.kind === 'lost-lease' ? new LeaseLost() : new ExchangeReset(result);
  };
  return {
    suspect() {
      due = account.exchangeMode === 'testnet';
    },
    look() {
      looking ??= look().finally(() => {
        looking = null;
      });
      return looking;
    },
  };
}

/**
 * A reset means: the exchange knows none of the newest orders, and the ids in its order lists are all lower than
 * theirs. The lists are a second proof, because the exchange may report an existing order as absent for a while.
 */
async function judge(context: AccountContext): Promise<'same' | 'reset' | 'undecided'> {
  const { account, ports, timing } = context;
  const nowMs = ports.market.clock.protocolMs();
  const sentBeforeMs = nowMs - certainFrom(0, timing);
  const known = await ports.store.acknowledgedOrders(account, { most: MOST_ORDERS, sentBeforeMs });
  if (known.length === 0) return 'undecided';
  const fates = await Promise.all(known.map((record) => fateOf(context, record)));
  if (fates.includes('there')) return 'same';
  if (fates.includes('another')) return 'reset';
  for (const record of known) {
    const { orders: listed, unread } = await ports.trading.recentOrders(record.symbol);
    if (listed.some((order) => reaches(order, record))) return 'same';
    if (unread.length > 0) return 'undecided';
  }
  return 'reset';
}

async function fateOf({ ports }: AccountContext, record: OrderRecord): Promise<'there' | 'gone' | 'another'> {
  const { symbol, exchangeOrderId } = record;
  if (exchangeOrderId === null) return 'gone';
  const found = await ports.trading.findOrder(symbol, { exchangeOrderId });
  if (found.kind === 'unreadable') throw new Error(`Order ${exchangeOrderId} of ${symbol}: ${found.cause}`);
  if (found.kind === 'absent') return 'gone';
  return isSame(found.order, record) ? 'there' : 'another';
}

/** A manually cancelled order has another client id, but the same side and quantity. */
const isSame = (order: ExchangeOrder, { clientOrderId, side, quantity }: OrderRecord): boolean =>
  originalIdOf(order.clientOrderId, order.type) === clientOrderId ||
  (order.side === side && order.quantity === quantity);

/** True when the listed order is the recorded order or a later one. */
function reaches(listed: ExchangeOrder, record: OrderRecord): boolean {
  const [id, recordedId] = [BigInt(listed.exchangeOrderId), BigInt(record.exchangeOrderId ?? '0')];
  return id > recordedId || (id === recordedId && isSame(listed, record));
}
