import { isRefusedByEveryHalt } from '#core/account/halts.ts';
import { haltsOf } from '#engine/state/account-context.ts';
import { cancelOrder } from '#engine/tick/cancel.ts';
import { type Coin, isCertain } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { idsOf } from '#engine/tick/execute.ts';
import { logRow } from '#engine/tick/settle.ts';

/** Why the buys that rest on the exchange must go; undefined while they may stay. */
function whyCancel({ context, profile, symbol, view }: Coin): string | undefined {
  if (haltsOf(context, profile.id).some(({ cancelEntries }) => cancelEntries === true))
    return 'the kill switch asks for it';
  if (!profile.enabled) return 'the profile is disabled';
  const { reason } = context.risk.refusal({ profileId: profile.id, symbol }, new Date(view.nowMs)) ?? {};
  const paused = reason?.startsWith('halt-') === true || reason === 'cooldown-loss-streak';
  return paused ? 'buying is paused' : undefined;
}

/** Buys that rest although nothing may be bought now; those that the operator placed go with a kill switch alone. */
export function entriesToCancel(coin: Coin): LiveOrder[] {
  const why = coin.live.size === 0 ? undefined : whyCancel(coin);
  if (why === undefined) return [];
  const byHand = why === 'the kill switch asks for it';
  return [...coin.live.values()].filter(
    (live) =>
      live.record.exchangeOrderId !== null &&
      isCertain(live) &&
      (byHand ? isRefusedByEveryHalt(live.record) : live.record.purpose === 'entry'),
  );
}

/** Cancels them one by one. What the exchange does not confirm stays live and is tried again with the next read. */
export async function cancelEntries(coin: Coin): Promise<void> {
  const why = whyCancel(coin) ?? 'it may not rest';
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
