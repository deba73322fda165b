import type { ReactNode } from 'react';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { forceSell } from '#api/contract/manual.ts';
import { call } from '#web/data/call.ts';
import { useIsStale } from '#web/data/live.tsx';
import type { Coin } from '#web/data/answers.ts';
import { coinView } from './coin-view.ts';
import { price, quantity } from '#web/ui/numbers.ts';
import { WorkerAction } from './worker-action.tsx';

interface ActProps {
  accountId: AccountId;
  profileId: ProfileId;
  coin: Coin;
}

/** The sale of the whole position; the worker checks and executes it. */
export function ManualActions({ accountId, profileId, coin }: ActProps): ReactNode {
  const { held, base, quote } = coinView(coin);
  const isStale = useIsStale();
  const size = quantity(coin.position.quantity, coin.stepSize);
  return (
    <div className="actions">
      <WorkerAction
        accountId={accountId}
        words={held ? `Sell all ${size} ${base}…` : 'Sell all…'}
        disabled={!held || isStale}
        title={`Sell ${size} ${base} at the market?`}
        action={`Sell ${size} ${base}`}
        done="Order sent."
        run={(requestId) => call(forceSell, { params: { id: profileId, symbol: coin.symbol }, body: { requestId } })}
      >
        <p>
          The worker sells {size} {base} at the market, at about {price(coin.price, coin.tickSize)} {quote}. It first
          cancels the stop and other open orders of the coin.
        </p>
        <p>The profile may buy again when its rules allow it. To prevent that, pause buying first.</p>
      </WorkerAction>
      {isStale ? <span className="why">No orders while prices are old.</span> : null}
      {held ? null : <span className="why">No position to sell.</span>}
    </div>
  );
}
