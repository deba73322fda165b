import { type ReactNode, useState } from 'react';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { forceSell, placeOrder } from '#api/contract/manual.ts';
import { call } from '#web/data/call.ts';
import type { Coin } from '#web/data/queries.ts';
import { useAction } from '#web/data/use-action.ts';
import { Field } from '#web/ui/field.tsx';
import { coinView } from './coin-view.ts';
import { price, quantity } from '#web/ui/numbers.ts';
import { ActionOutcome } from '#web/ui/action-outcome.tsx';
import { ActButtons, AskWorker } from './ask-worker.tsx';
import { Dialog } from '#web/ui/dialog.tsx';

interface ActProps {
  accountId: AccountId;
  profileId: ProfileId;
  coin: Coin;
}

/** Orders by hand, and selling everything at once; the worker judges and carries them out. */
export function ActYourself({ accountId, profileId, coin }: ActProps): ReactNode {
  const [asking, setAsking] = useState<'buy' | 'sell' | undefined>(undefined);
  const { held, base, quote } = coinView(coin);
  const close = (): void => setAsking(undefined);
  const size = quantity(coin.position.quantity, coin.stepSize);
  return (
    <>
      <div className="actions">
        <button type="button" className="btn" onClick={() => setAsking('buy')}>
          Buy {base}…
        </button>
        <button type="button" className="btn" disabled={!held} onClick={() => setAsking('sell')}>
          Sell a part…
        </button>
        <AskWorker
          accountId={accountId}
          words={held ? `Sell all ${size} ${base}…` : 'Sell all'}
          disabled={!held}
          title={`Sell all ${base} at once?`}
          action={`Sell ${size} ${base}`}
          done="Sold, or on its way: the orders below show it."
          run={(requestId) => call(forceSell, { params: { id: profileId, symbol: coin.symbol }, body: { requestId } })}
        >
          <p>
            {size} {base} are sold at the market: at what buyers pay now, about {price(coin.price, coin.tickSize)}{' '}
            {quote}. The stop and other orders that rest on the exchange are cancelled first.
          </p>
          <p>The profile may buy again when its rules say so. Pause buying first if it should not.</p>
        </AskWorker>
        {held ? null : <span className="why">Nothing is held that could be sold.</span>}
      </div>
      {asking === 'buy' || asking === 'sell' ? (
        <ByHand {...{ accountId, profileId, coin }} side={asking} onClose={close} />
      ) : null}
    </>
  );
}

interface DialogProps extends ActProps {
  onClose: () => void;
}

function ByHand({ accountId, profileId, coin, side, onClose }: DialogProps & { side: 'buy' | 'sell' }): ReactNode {
  const { base, quote } = coinView(coin);
  const [requestId] = useState(() => crypto.randomUUID());
  const [size, setSize] = useState('');
  const [limit, setLimit] = useState('');
  const buying = side === 'buy';
  const at = limit.trim();
  const order = {
    side,
    type: at === '' ? ('market' as const) : ('limit' as const),
    ...(at === '' ? {} : { price: at }),
    ...(buying ? { quoteAmount: size.trim() } : { quantity: size.trim() }),
  };
  const params = { id: profileId, symbol: coin.symbol };
  const act = useAction(accountId, () => call(placeOrder, { params, body: { order, requestId } }));
  const unit = buying ? quote : base;
  const where = at === '' ? 'at the market' : `at ${at} or ${buying ? 'lower' : 'higher'}`;
  return (
    <Dialog title={buying ? `Buy ${base} by hand` : `Sell a part of the ${base}`} open onClose={onClose}>
      <p className="two py-2">
        The price now is {price(coin.price, coin.tickSize)} {quote}. The worker checks the order like its own: limits,
        balance and the rules of the exchange can refuse it. {base} that is bought is managed by this profile.
      </p>
      <Field
        stack
        label={buying ? 'Spend' : 'Sell'}
        unit={unit}
        input={{ inputMode: 'decimal', autoFocus: true, value: size, onChange: (event) => setSize(event.target.value) }}
      />
      <Field
        stack
        label={buying ? 'Price to pay at most' : 'Price to get at least'}
        note="Empty orders at the market: at once, at what the other side asks."
        unit={quote}
        input={{ inputMode: 'decimal', value: limit, onChange: (event) => setLimit(event.target.value) }}
      />
      <ActionOutcome state={act} done="Sent. The orders below show what becomes of it." />
      <ActButtons
        words={
          size.trim() === ''
            ? `${buying ? 'Buy' : 'Sell'} ${base}`
            : `${buying ? 'Buy for' : 'Sell'} ${size.trim()} ${unit} ${where}`
        }
        ended={act.action !== undefined && !act.isWaiting}
        waiting={act.isWaiting || size.trim() === ''}
        onAct={() => act.ask(undefined)}
        onClose={onClose}
      />
    </Dialog>
  );
}
