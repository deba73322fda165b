import { isRefusedByEveryHalt } from '#core/account/halts.ts';
import { haltsOf } from '#engine/state/account-context.ts';
import { cancelOrder } from '#engine/tick/cancel.ts';
import { type Coin, isCertain } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { idsOf } from '#engine/tick/outcome.ts';
import { logRow } from '#engine/tick/settle.ts';

const BY_KILL_SWITCH = 'a kill switch cancels resting buys';

/** Why resting buys must be cancelled; undefined while they may stay. */
function whyCancel({ context, profile, symbol, view }: Coin): string | undefined {
  if (haltsOf(context, profile.id).some(({ cancelEntries }) => cancelEntries === true)) return BY_KILL_SWITCH;
  if (!profile.enabled) return 'the profile is disabled';
  const { reason } = context.risk.refusal({ profileId: profile.id, symbol }, new Date(view.nowMs)) ?? {};
  const paused = reason?.startsWith('halt-') === true || reason === 'cooldown-loss-streak';
  return paused ? 'buying is paused' : undefined;
}

/** Resting buys that may not rest now. Only a kill switch cancels manual buys too. */
export function entriesToCancel(coin: Coin): LiveOrder[] {
  const why = coin.live.size === 0 ? undefined : whyCancel(coin);
  if (why === undefined) return [];
  const alsoManual = why === BY_KILL_SWITCH;
  return [...coin.live.values()].filter(
    (live) =>
      live.record.exchangeOrderId !== null &&
      isCertain(live) &&
      (alsoManual ? isRefusedByEveryHalt(live.record) : live.record.purpose === 'entry'),
  );
}

/**
 * Cancels them one by one. An order whose cancel is not confirmed stays live; the next read of the halts tries again.
 */
export async function cancelEntries(coin: Coin): Promise<void> {
  const why = whyCancel(coin) ?? 'it may not rest';
  for (const live of entriesToCancel(coin)) {
    const { outcome } = await cancelOrder(coin, live);
    const gone = outcome.kind === 'accepted' && outcome.order.state === 'cancelled';
    logRow(coin, {
      level: gone ? 'info' : 'warn',
      msg: gone
        ? `Cancelled the resting buy of ${coin.symbol}: ${why}.`
        : `The resting buy of ${coin.symbol} is not cancelled yet: ${why}. The worker tries again.`,
      ctx: { event: 'entry_cancelled', ...idsOf(live.record), outcome: outcome.kind },
    });
  }
}
