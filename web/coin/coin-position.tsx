import type { ReactNode } from 'react';
import { formatDecimal, readDecimal } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { Coin } from '#web/data/answers.ts';
import { useTimes } from '#web/data/session.tsx';
import { coinView } from './coin-view.ts';
import { money, price, quantity, signedPercent } from '#web/ui/numbers.ts';
import { UnheldPrice } from './entry-price.tsx';
import { Gain } from '#web/ui/figures.tsx';
import { Rail } from './rail.tsx';
import { Section } from '#web/ui/section.tsx';
import { age } from '#web/ui/time.ts';

interface CoinPositionProps {
  profileId: ProfileId;
  coin: Coin;
  stopRests: boolean;
}

/** Position of one coin: quantity, average price, market value and P&L at the shown price. */
export function CoinPosition({ profileId, coin, stopRests }: CoinPositionProps): ReactNode {
  const view = coinView(coin);
  const { position, costBasis } = coin;
  const quote = <span className="unit">{view.quote}</span>;
  const remainder = !view.held && costBasis?.note == null && Number(position.quantity) > 0;
  return (
    <Section title="Position">
      <dl className="dl">
        <dt>Quantity</dt>
        <dd>
          {view.held ? (
            <>
              {quantity(position.quantity, coin.stepSize)} <span className="unit">{view.base}</span>
            </>
          ) : (
            'not held'
          )}
          {remainder ? (
            <span className="note block">
              {position.quantity} {view.base} left, less than one lot step
            </span>
          ) : null}
        </dd>
        {view.held ? (
          <>
            <dt>Average price</dt>
            <dd>
              {price(position.averagePrice, coin.tickSize)} {quote}
            </dd>
            <dt>Market value</dt>
            <dd>
              {money(view.value === null ? null : formatDecimal(view.value), view.quote)} {quote}
            </dd>
            <dt>Unrealised P&amp;L, before exit fee</dt>
            <dd>
              <Gain value={view.gain} unit={view.quote} />
              {view.gainShare === null ? null : <span className="note block">{signedPercent(view.gainShare)}</span>}
            </dd>
            <Stop coin={coin} stopRests={stopRests} />
            <HeldFor coin={coin} />
          </>
        ) : null}
        <UnheldPrice profileId={profileId} coin={coin} />
        <dt>Realised P&amp;L, after all fees</dt>
        <dd title={feesText(position, view.quote)}>
          <Gain value={readDecimal(position.realised) ?? null} unit={view.quote} />
        </dd>
        <dt>Trades</dt>
        <dd>{position.cycle}</dd>
      </dl>
      <Rail coin={coin} stopRests={stopRests} big />
    </Section>
  );
}

function Stop({ coin, stopRests }: Pick<CoinPositionProps, 'coin' | 'stopRests'>): ReactNode {
  const { stop, quote } = coinView(coin);
  const cause = coin.state?.protection?.cause ?? null;
  return (
    <>
      <dt>Stop</dt>
      <dd>
        {stop === null ? (
          'none'
        ) : (
          <>
            {price(stop, coin.tickSize)} <span className="unit">{quote}</span>
            <span className={stopRests || cause === null ? 'note block' : 'care block'}>
              {stopRests ? 'on the exchange' : (cause ?? 'kept by the worker')}
            </span>
          </>
        )}
      </dd>
    </>
  );
}

/** The time since the first buy of the position. */
function HeldFor({ coin: { position } }: { coin: Coin }): ReactNode {
  const { nowMs } = useTimes();
  if (position.openedAt === null) return null;
  return (
    <>
      <dt>Held</dt>
      <dd>{age(nowMs - Date.parse(position.openedAt))}</dd>
    </>
  );
}

/** All fees paid, and how many could not be valued. */
function feesText({ fees, unvaluedFees }: Coin['position'], quote: string): string {
  const paid = `${money(fees, quote)} ${quote} fees paid in total`;
  return unvaluedFees === 0
    ? paid
    : `${paid}; the fees of ${unvaluedFees} fills are missing because their price is unknown`;
}
