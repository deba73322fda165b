import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { listDayTickers } from '#api/contract/market.ts';
import { bindCoin, unbindCoin } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import type { Coin, Order, Profile } from '#web/data/answers.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { useMarkets } from '#web/data/use-markets.ts';
import { coinView } from './coin-view.ts';
import { count, decimalsOf, numberText, quantity, signedPercent } from '#web/ui/numbers.ts';
import { volumeText } from '#web/chart/chart-text.ts';
import { orderName } from './order-labels.ts';
import { WorkerAction } from './worker-action.tsx';
import { PriceField } from './entry-price.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';

/** Adds a coin to a profile. */
export function AddCoin({ profile }: { profile: Profile }): ReactNode {
  const id = useId();
  const [symbol, setSymbol] = useState('');
  const [averageEntryPrice, setAverageEntryPrice] = useState('');
  const { data } = useMarkets(profile.accountId);
  const bind = useAct(bindCoin, {
    onSuccess: () => {
      setSymbol('');
      setAverageEntryPrice('');
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const price = averageEntryPrice.trim();
    const body = { symbol: symbol.trim().toUpperCase(), ...(price === '' ? {} : { averageEntryPrice: price }) };
    bind.mutate({ params: { id: profile.id }, body });
  };
  // The coins with the most volume come first, each with its last day.
  const { data: days } = useRead(listDayTickers, { params: { id: profile.accountId } });
  const dayOf = new Map(days?.tickers.map((ticker) => [ticker.symbol, ticker]));
  const volumeOf = (name: string): number => dayOf.get(name)?.volume ?? -1;
  const free = (data?.symbols ?? [])
    .filter((market) => market.status === 'TRADING' && !profile.symbols.includes(market.symbol))
    .toSorted((a, b) => volumeOf(b.symbol) - volumeOf(a.symbol));
  return (
    <form className="actions" onSubmit={submit}>
      <label htmlFor={id} className="two">
        Add a coin
      </label>
      <span className="in">
        <input
          id={id}
          list={`${id}-list`}
          placeholder="ETHUSDT"
          autoComplete="off"
          required
          value={symbol}
          onChange={(event) => setSymbol(event.target.value)}
        />
      </span>
      <datalist id={`${id}-list`}>
        {free.map(({ symbol: name, tickSize, quoteAsset }) => {
          const day = dayOf.get(name);
          return (
            <option key={name} value={name}>
              {day === undefined
                ? name
                : `${numberText(day.last, decimalsOf(tickSize, 2))} ${quoteAsset}, ${signedPercent(day.change)} in 24 h, volume ${volumeText(day.volume)} ${quoteAsset}`}
            </option>
          );
        })}
      </datalist>
      <PriceField value={averageEntryPrice} onChange={setAverageEntryPrice} />
      <button type="submit" className="btn" disabled={bind.isPending}>
        Add {symbol.trim().toUpperCase() || 'coin'}
      </button>
      <div className="w-full">
        <Failure what="Not added." error={bind.error} />
        {bind.data?.warnings.map((warning) => (
          <Notice key={warning.code} tone="care" title={`Added, but ${warning.message}:`}>
            {warning.detail}
          </Notice>
        ))}
      </div>
    </form>
  );
}

interface RemoveProps {
  profile: Profile;
  coin: Coin;
  /** Orders of this coin that may be open on the exchange. */
  orders: readonly Order[];
}

/** Removes a coin; the dialog explains the effect on its orders and its position. */
export function RemoveCoin({ profile, coin, orders }: RemoveProps): ReactNode {
  const view = coinView(coin);
  const exposed = view.held || orders.length > 0;
  const params = { id: profile.id, symbol: coin.symbol };
  const names = orders.map(
    (order) => `${orderName(order).toLowerCase()} of ${quantity(order.quantity, coin.stepSize)}`,
  );
  return (
    <WorkerAction
      small
      accountId={profile.accountId}
      words="Remove"
      label={`Remove ${view.base}`}
      title={`Remove ${coin.symbol}?`}
      action={
        orders.length > 0
          ? `Cancel ${count(orders.length, 'order')} and remove ${coin.symbol}`
          : `Remove ${coin.symbol}`
      }
      done={`${coin.symbol} is removed.`}
      run={() => call(unbindCoin, { params, query: { cancelOrders: exposed ? 'true' : 'false' } })}
    >
      <p>{view.base} is no longer traded by this profile. Its records stay.</p>
      {orders.length === 0 ? null : (
        <p>
          The worker first cancels the open orders: {names.join(', ')} {view.base}. It removes the coin once none is
          open.
        </p>
      )}
      {view.held ? (
        <p>
          <b>
            {quantity(coin.position.quantity, coin.stepSize)} {view.base} stay in the wallet, unmanaged and without a
            stop.
          </b>{' '}
          Add the coin again to manage them again. To close the position, first sell all on the coin’s page.
        </p>
      ) : null}
    </WorkerAction>
  );
}
