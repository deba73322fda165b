import type { ReactNode } from 'react';
import { valueText, wordsOf } from '#web/ui/names.ts';
import { atLeastCents } from '#web/ui/numbers.ts';
import { chainOf, type Link, type Proof } from './proof.ts';
import { age, utc } from '#web/ui/time.ts';
import { Context } from '#web/ui/feed.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Prose, When } from '#web/ui/when.tsx';

const PINS = { proved: 'circ', open: 'flag', failed: 'x' } as const;

interface ChainProps {
  proof: Proof;
  /** The assets of the coin; empty where they are no longer known. */
  base: string;
  quote: string;
}

/** Every link from the decision to the ledger, with its record. */
export function OrderChain({ proof, base, quote }: ChainProps): ReactNode {
  const links = chainOf(proof);
  return (
    <ol className="chain pt-2">
      {links.map((link, i) => (
        <li key={`${link.title} ${i}`}>
          <span className="at">
            <At at={link.at} before={links[i - 1]?.at ?? null} />
          </span>
          <span className={link.state === 'proved' ? 'pin' : 'pin open'}>
            <Icon name={PINS[link.state]} />
          </span>
          <div>
            <h3>
              {i + 1}. {link.title}
            </h3>
            <p className="two">
              <Prose text={link.sentence} />
            </p>
            <Numbers numbers={link.numbers} />
            {link.table === 'fills' ? <Fills proof={proof} base={base} quote={quote} /> : null}
            {link.table === 'ledger' ? <Ledger proof={proof} /> : null}
            {link.detail === undefined ? null : <Context ctx={link.detail} />}
          </div>
        </li>
      ))}
    </ol>
  );
}

const SOON_MS = 60_000;

/** A time, or the delay after the previous link when that is short. */
function At({ at, before }: { at: string | null; before: string | null }): ReactNode {
  if (at === null) return null;
  const after = before === null ? Number.NaN : Date.parse(at) - Date.parse(before);
  return after >= 0 && after < SOON_MS ? (
    <time dateTime={at} title={utc(Date.parse(at))}>
      + {after < 1000 ? `${after} ms` : age(after)}
    </time>
  ) : (
    <When wall at={at} />
  );
}

function Numbers({ numbers }: Pick<Link, 'numbers'>): ReactNode {
  return (
    <div className="kv">
      {numbers.map(([name, value]) => (
        <span key={name}>
          {wordsOf(name).toLowerCase()}{' '}
          <b>
            <Prose text={valueText(name, value)} />
          </b>
        </span>
      ))}
    </div>
  );
}

function Fills({ proof: { fills }, base, quote }: ChainProps): ReactNode {
  return (
    <table className="cards pt-2">
      <thead>
        <tr>
          <th>Trade</th>
          <th className="num">Quantity</th>
          <th className="num">Price</th>
          <th className="num">Value</th>
          <th className="num">Fee</th>
        </tr>
      </thead>
      <tbody>
        {fills.map((fill) => (
          <tr key={fill.tradeId}>
            <td className="mono full" data-l="Trade">
              {fill.tradeId}
            </td>
            <td className="num" data-l="Quantity">
              <Prose text={fill.quantity} /> <span className="unit">{base}</span>
            </td>
            <td className="num" data-l="Price">
              <Prose text={atLeastCents(fill.price)} /> <span className="unit">{quote}</span>
            </td>
            <td className="num" data-l="Value">
              <Prose text={atLeastCents(fill.quoteQuantity)} /> <span className="unit">{quote}</span>
            </td>
            <td className="num" data-l="Fee">
              <Prose text={fill.feeAmount} /> <span className="unit">{fill.feeAsset}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Ledger({ proof: { ledger } }: { proof: Proof }): ReactNode {
  return (
    <details>
      <summary>Ledger rows</summary>
      <table>
        <thead>
          <tr>
            <th>Book</th>
            <th>Reason</th>
            <th className="num">Amount</th>
          </tr>
        </thead>
        <tbody>
          {ledger.map(({ tradeId, book, asset, amount, reason }, i) => (
            <tr key={`${tradeId} ${book} ${asset} ${reason} ${i}`}>
              <td>{book}</td>
              <td>{reason}</td>
              <td className="num">
                <Prose text={amount} /> <span className="unit">{asset}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
