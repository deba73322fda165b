import { type ReactNode, useId, useState } from 'react';
import type { Market } from '#web/data/queries.ts';
import { price } from '#web/ui/numbers.ts';

interface PickerProps {
  markets: readonly Market[];
  chosen: ReadonlySet<string>;
  onToggle: (symbol: string) => void;
}

const SHOWN = 40;

/** Coins the account can trade, with a search; chosen ones stay on top. */
export function CoinPicker({ markets, chosen, onToggle }: PickerProps): ReactNode {
  const [search, setSearch] = useState('');
  const id = useId();
  const wanted = search.trim().toUpperCase();
  const trading = markets.filter((market) => market.status === 'TRADING');
  const found = trading
    .filter((market) => chosen.has(market.symbol) || market.symbol.includes(wanted))
    .sort((a, b) => Number(chosen.has(b.symbol)) - Number(chosen.has(a.symbol)));
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Search</label>
        <span className="note">
          {trading.length} {trading.length === 1 ? 'coin' : 'coins'} available; {chosen.size} chosen.
        </span>
        <span className="in">
          <input
            id={id}
            type="search"
            placeholder="BTC"
            autoComplete="off"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </span>
      </div>
      <ul aria-label="Coins">
        {found.slice(0, SHOWN).map((market) => (
          <Row key={market.symbol} market={market} on={chosen.has(market.symbol)} onToggle={onToggle} />
        ))}
      </ul>
      {found.length > SHOWN ? <p className="note p-2">{found.length - SHOWN} more; search to see them.</p> : null}
      {found.length === 0 ? <p className="p-2">No coin found.</p> : null}
    </>
  );
}

function Row({ market, on, onToggle }: { market: Market; on: boolean; onToggle: (symbol: string) => void }): ReactNode {
  return (
    <li>
      <label className={on ? 'pick on' : 'pick'}>
        <input type="checkbox" checked={on} onChange={() => onToggle(market.symbol)} />
        <span className="flex flex-wrap gap-x-4">
          <span>
            <b>{market.baseAsset}</b>
            <span className="unit">/{market.quoteAsset}</span>
          </span>
          <span className="note grow self-center">
            Smallest order {price(market.minNotional, market.minNotional)} {market.quoteAsset}
          </span>
          {market.price === null ? null : <span className="num">{price(market.price, market.price)}</span>}
        </span>
      </label>
    </li>
  );
}
