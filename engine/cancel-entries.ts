import { isRefusedByEveryHalt } from '#core/halts.ts';
import { haltsOf } from './account-context.ts';
import { cancelOrder } from './cancel.ts';
import { type Coin, isCertain, type LiveOrder } from './coin.ts';
import { idsOf } from './execute.ts';
import { logRow } from './settle.ts';

/** Buys that rest on the exchange although a kill switch asks for them to be cancelled, or nobody decides on them any more. */
export function entriesToCancel(coin: Coin): LiveOrder[] {
  if (coin.live.size === 0) return [];
  const asked = haltsOf(coin.context, coin.profile.id).some(({ cancelEntries }) => cancelEntries === true);
  if (!asked && coin.profile.enabled) return [];
  return [...coin.live.values()].filter(
    (live) =>
      live.record.exchangeOrderId !== null &&
      isCertain(live) &&
      (asked ? isRefusedByEveryHalt(live.record) : live.record.purpose === 'entry'),
  );
}

/** Cancels them one by one. What the exchange does not confirm stays live and is tried again with the next read. */
export async function cancelEntries(coin: Coin): Promise<void> {
  const why = coin.profile.enabled ? 'the kill switch asks for it' : 'the profile is disabled';
  for (const live of entriesToCancel(coin)) {
    const { outcome } = await cancelOrder(coin, live);
    const gone = outcome.kind === 'accepted' && outcome.order.state === 'cancelled';
    logRow(coin, {
      level: gone ? 'info' : 'warn',
      msg: gone
        ? `Cancelled the resting buy of ${coin.symbol}: ${why}.`
        : `The buy of ${coin.symbol} is to be cancelled, as ${why}; it is not cancelled yet.`,
      ctx: { event: 'entry_cancelled', ...idsOf(live.record), outcome: outcome.kind },
    });
  }
}
