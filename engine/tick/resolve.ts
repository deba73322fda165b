import { formatDecimal } from '#core/amount/decimal.ts';
import { cancelIdOf, type OrderRecord } from '#core/order/order.ts';
import { certainFrom } from '#core/order/order-timing.ts';
import type { OrderList } from '#core/order/order-list.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import { type AccountContext, marketNow } from '#engine/state/account-context.ts';
import { wait } from '#engine/state/wait.ts';
import type { Coin } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { idsOf } from './outcome.ts';
import { announceOrder, logRow, settleOrder } from './settle.ts';

const FIRST_WAIT_MS = 100;

/** The result of one lookup of an order whose outcome is unknown. */
type Proof =
  | { readonly kind: 'found'; readonly order: ExchangeOrder }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unclear' };

/**
 * Looks the order up by its exchange id, else by its client id, then among open and recent orders. A cancelled order
 * carries the id of the cancel. The order counts as absent only when every source gives a definite answer.
 */
async function lookForOrder(context: AccountContext, record: OrderRecord): Promise<Proof> {
  const { trading } = context.ports;
  const { symbol, clientOrderId, exchangeOrderId } = record;
  const byId = await trading.findOrder(symbol, exchangeOrderId === null ? { clientOrderId } : { exchangeOrderId });
  if (byId.kind === 'found') return byId;
  if (byId.kind === 'unreadable') return { kind: 'unclear' };
  try {
    const lists = [await trading.openOrders(symbol), await trading.recentOrders(symbol)];
    return proofFromLists(lists, clientOrderId);
  } catch (error) {
    context.ports.log.warn(
      { event: 'order_lookup_failed', symbol, clientOrderId, err: error },
      'Orders could not be listed; trying again',
    );
    return { kind: 'unclear' };
  }
}

/** Searches the lists. An unreadable order that may be this one makes the result `unclear`, not `absent`. */
export function proofFromLists(lists: readonly OrderList[], clientOrderId: string): Proof {
  const ids = new Set([clientOrderId, cancelIdOf(clientOrderId)]);
  const order = lists.flatMap(({ orders }) => orders).find((each) => ids.has(each.clientOrderId));
  if (order !== undefined) return { kind: 'found', order };
  const maybe = lists.flatMap(({ unread }) => unread).some((each) => ids.has(each.clientOrderId ?? clientOrderId));
  return { kind: maybe ? 'unclear' : 'absent' };
}

/**
 * Queries the exchange until the order is found or proved absent: step 8 in execute.ts. `enqueue` runs each change in
 * the coin's queue.
 */
export async function resolveOrder(
  coin: Coin,
  live: LiveOrder,
  enqueue: (job: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { context } = coin;
  const { clientOrderId } = live.record;
  const { timing } = context;
  const certainMs = certainFrom(live.record.sendBeforeMs, timing);
  let seen = live.record.exchangeOrderId !== null;
  if (!seen) live.certainAtMs = certainMs;
  let absentSinceMs: number | null = null;
  for (let waitMs = FIRST_WAIT_MS; !context.signal.aborted; waitMs = Math.min(waitMs * 2, timing.lookEveryMs)) {
    if (!coin.live.has(clientOrderId)) return;
    const queriedMs = context.ports.market.clock.protocolMs();
    const proof = await lookForOrder(context, live.record);
    const conclusive = proof.kind === 'found' || queriedMs > certainMs;
    recordLookup(context, live, { proof, certainMs, conclusive });
    if (proof.kind === 'found') {
      let complete = false;
      seen = true;
      await enqueue(async () => {
        if (!coin.live.has(clientOrderId)) complete = true;
        else
          complete =
            (await settleOrder(coin, live, { order: proof.order, fills: [] })) && isPastCancel(coin, live, queriedMs);
      });
      if (complete) return;
    }
    const nowMs = context.ports.market.clock.protocolMs();
    const provable = proof.kind === 'absent' && !seen && conclusive;
    if (!provable) absentSinceMs = null;
    else if (absentSinceMs === null) absentSinceMs = nowMs;
    else if (nowMs - absentSinceMs >= timing.separateMs) {
      await enqueue(() => declareNeverArrived(coin, live));
      return;
    }
    await wait(waitMs, context.signal);
  }
}

interface LookupInput {
  readonly proof: Proof;
  readonly certainMs: number;
  /** "Absent" proves something only when the query was sent after the moment of certainty. */
  readonly conclusive: boolean;
}

/** Records the lookup as evidence. */
function recordLookup(
  { ports }: AccountContext,
  { record }: LiveOrder,
  { proof, certainMs, conclusive }: LookupInput,
): void {
  const found =
    proof.kind === 'found'
      ? { state: proof.order.state, filledQuantity: formatDecimal(proof.order.filledQuantity) }
      : {};
  const detail = { answer: proof.kind, ...found, conclusive, certainAt: new Date(certainMs).toISOString() };
  ports.records.evidence({ orderId: record.id, kind: 'lookup', at: new Date(), detail });
}

/** False for a query sent while a cancel could still take effect: its answer does not prove the cancel's outcome. */
function isPastCancel(coin: Coin, live: LiveOrder, queriedMs: number): boolean {
  if (!coin.live.has(live.record.clientOrderId) || live.cancelUntilMs === null) return true;
  if (queriedMs <= live.cancelUntilMs) return false;
  live.cancelUntilMs = null;
  return true;
}

async function declareNeverArrived(coin: Coin, live: LiveOrder): Promise<void> {
  if (!coin.live.has(live.record.clientOrderId)) return;
  live.record = await coin.context.ports.store.updateOrder(live.record.id, {
    state: 'never-arrived',
    at: marketNow(coin.context),
  });
  coin.live.delete(live.record.clientOrderId);
  coin.context.wallet.settle(live.record.id, performance.now());
  coin.context.risk.finish(live.record.id);
  logRow(coin, {
    level: 'warn',
    msg: 'The order never arrived. The exchange reported twice that it does not exist, after the last moment at which it could have arrived. The coin decides again.',
    ctx: { event: 'order_never_arrived', ...idsOf(live.record) },
  });
  announceOrder(coin, live);
}
