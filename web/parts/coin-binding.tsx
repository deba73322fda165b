import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { bindCoin, unbindCoin } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import { type Coin, type Profile, symbolsQuery } from '#web/data/queries.ts';
import { coinView } from '#web/words/coin-view.ts';
import { quantity } from '#web/words/numbers.ts';
import { Dialog } from './dialog.tsx';
import { PriceField } from './entry-price.tsx';
import { Failure, Say } from './say.tsx';

function useRefresh(id: ProfileId): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    const stale = [['coins', id], ['profile', id], ['profiles'], ['dashboard']];
    await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}

/** Binds one more coin to a profile. */
export function AddCoin({ profile }: { profile: Profile }): ReactNode {
  const id = useId();
  const [symbol, setSymbol] = useState('');
  const [averageEntryPrice, setAverageEntryPrice] = useState('');
  const { data } = useQuery(symbolsQuery(profile.accountId));
  const refresh = useRefresh(profile.id);
  const bind = useMutation({
    mutationFn: () => {
      const price = averageEntryPrice.trim();
      const body = { symbol: symbol.trim().toUpperCase(), ...(price === '' ? {} : { averageEntryPrice: price }) };
      return call(bindCoin, { params: { id: profile.id }, body });
    },
    onSuccess: async () => {
      setSymbol('');
      setAverageEntryPrice('');
      await refresh();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    bind.mutate();
  };
  const free =
    data?.symbols.filter((market) => market.status === 'TRADING' && !profile.symbols.includes(market.symbol)) ?? [];
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
        {free.map((market) => (
          <option key={market.symbol}>{market.symbol}</option>
        ))}
      </datalist>
      <PriceField value={averageEntryPrice} onChange={setAverageEntryPrice} />
      <button type="submit" className="btn" disabled={bind.isPending}>
        Add {symbol.trim().toUpperCase() || 'coin'}
      </button>
      <div className="w-full">
        {bind.isError ? <Failure what="Not added." error={bind.error} /> : null}
        {bind.data?.warnings.map((warning) => (
          <Say key={warning.code} tone="care" title={`Added, but ${warning.message}:`}>
            {warning.detail}
          </Say>
        ))}
      </div>
    </form>
  );
}

/** Unbinds a coin after naming it; a held coin says why it can not go. */
export function RemoveCoin({ profileId, coin }: { profileId: ProfileId; coin: Coin }): ReactNode {
  const [asking, setAsking] = useState(false);
  const refresh = useRefresh(profileId);
  const remove = useMutation({
    mutationFn: () => call(unbindCoin, { params: { id: profileId, symbol: coin.symbol } }),
    onSuccess: async () => {
      setAsking(false);
      await refresh();
    },
  });
  const view = coinView(coin);
  return (
    <>
      <button
        type="button"
        className="btn small quiet two"
        aria-label={`Remove ${view.base}`}
        onClick={() => setAsking(true)}
      >
        Remove
      </button>
      <Dialog title={`Remove ${coin.symbol}?`} open={asking} onClose={() => setAsking(false)}>
        <p className="two whitespace-normal py-2 text-left">
          {view.held
            ? `${quantity(coin.position.quantity, coin.stepSize)} ${view.base} is held. Sell it first: a coin that is held can not be removed.`
            : `This profile makes no more decisions about ${view.base}. Its records stay.`}
        </p>
        {remove.isError ? <Failure what="Not removed." error={remove.error} /> : null}
        <div className="flex flex-wrap gap-3 pt-2">
          <button
            type="button"
            className="btn go"
            disabled={view.held || remove.isPending}
            onClick={() => remove.mutate()}
          >
            Remove {coin.symbol}
          </button>
          <button type="button" className="btn" onClick={() => setAsking(false)}>
            Keep it
          </button>
        </div>
      </Dialog>
    </>
  );
}
