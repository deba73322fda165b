import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { forceSell, placeOrder } from '#api/contract/manual.ts';
import { call } from '#web/data/call.ts';
import { useIsStale } from '#web/data/live.tsx';
import type { Coin } from '#web/data/queries.ts';
import { useAction } from '#web/data/use-action.ts';
import { Field } from '#web/ui/field.tsx';
import { coinView } from './coin-view.ts';
import { price, quantity } from '#web/ui/numbers.ts';
import { ActionOutcome } from '#web/ui/action-outcome.tsx';
import { ActButtons, WorkerAction } from './worker-action.tsx';
import { Dialog } from '#web/ui/dialog.tsx';

interface ActProps {
  accountId: AccountId;
  profileId: ProfileId;
  coin: Coin;
}

/** Manual orders; the worker checks and executes them. */
export function ManualActions({ accountId, profileId, coin }: ActProps): ReactNode {
  const [side, setSide] = useOrderSide();
  const { held, base, quote } = coinView(coin);
  const isStale = useIsStale();
  const close = (): void => setSide(undefined);
  const size = quantity(coin.position.quantity, coin.stepSize);
  return (
    <>
      <div className="actions">
        <button type="button" className="btn" disabled={isStale} onClick={() => setSide('buy')}>
          Buy {base}…
        </button>
        <button type="button" className="btn" disabled={!held || isStale} onClick={() => setSide('sell')}>
          Sell {base}…
        </button>
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
      {side === 'buy' || (side === 'sell' && held) ? (
        <OrderDialog {...{ accountId, profileId, coin }} side={side} onClose={close} />
      ) : null}
    </>
  );
}

type Side = 'buy' | 'sell' | undefined;

/** The open order form. `#buy` and `#sell` in the address open it, as the palette does. */
function useOrderSide(): readonly [Side, (side: Side) => void] {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<Side>(undefined);
  const named = hash === 'buy' || hash === 'sell' ? hash : undefined;
  const setSide = (side: Side): void => {
    setChosen(side);
    if (named !== undefined) void navigate({ to: '.', search: true, hash: '', replace: true });
  };
  return [chosen ?? named, setSide];
}

interface DialogProps extends ActProps {
  onClose: () => void;
}

function OrderDialog({ accountId, profileId, coin, side, onClose }: DialogProps & { side: 'buy' | 'sell' }): ReactNode {
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
  const isStale = useIsStale();
  const act = useAction(accountId, () => call(placeOrder, { params, body: { order, requestId } }));
  const unit = buying ? quote : base;
  const where = at === '' ? 'at the market' : `at ${at} or ${buying ? 'lower' : 'higher'}`;
  return (
    <Dialog title={`${buying ? 'Buy' : 'Sell'} ${base}`} open onClose={onClose}>
      <p className="two py-2">
        Price: {price(coin.price, coin.tickSize)} {quote}. The worker rejects an order that breaks a limit, the balance
        or a rule of the exchange. This profile manages the {base} that you buy.
      </p>
      <Field
        stack
        label={buying ? 'Spend' : 'Sell'}
        unit={unit}
        input={{ inputMode: 'decimal', autoFocus: true, value: size, onChange: (event) => setSize(event.target.value) }}
      />
      <Field
        stack
        label="Limit price"
        note="Empty: market order."
        unit={quote}
        input={{ inputMode: 'decimal', value: limit, onChange: (event) => setLimit(event.target.value) }}
      />
      <ActionOutcome state={act} done="Order sent." />
      <ActButtons
        words={
          size.trim() === ''
            ? `${buying ? 'Buy' : 'Sell'} ${base}`
            : `${buying ? 'Buy for' : 'Sell'} ${size.trim()} ${unit} ${where}`
        }
        ended={act.action !== undefined && !act.isWaiting}
        waiting={act.isWaiting || isStale || size.trim() === ''}
        onAct={() => act.send(undefined)}
        onClose={onClose}
      />
    </Dialog>
  );
}
