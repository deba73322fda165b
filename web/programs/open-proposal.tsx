import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { negate, readDecimal } from '#core/amount/decimal.ts';
import { approveProposal, denyProposal } from '#api/contract/proposals.ts';
import { readDashboard } from '#api/contract/records.ts';
import { call } from '#web/data/call.ts';
import type { Proposal } from '#web/data/proposals.ts';
import { useRead } from '#web/data/read.ts';
import { useNow } from '#web/data/session.tsx';
import { tagOf } from '#web/ui/accounts.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { AccountTag, Gain } from '#web/ui/figures.tsx';
import { MISSING, money, quantity } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import { Prose } from '#web/ui/when.tsx';
import { type OrderTerms, orderText, termsOf, timeLeft } from './proposal-text.ts';

/** An open proposal with its preview, and the buttons that decide it. */
export function OpenProposal({ proposal }: { proposal: Proposal }): ReactNode {
  const { tokenName, reason, expiresAt, preview } = proposal;
  const now = useNow();
  const terms = termsOf(proposal);
  const isOver = Date.parse(expiresAt) <= now;
  return (
    <Section title={orderText(terms)} note={`proposed by ${tokenName}`} span={7}>
      <dl className="dl">
        <dt>Expires in</dt>
        <dd>
          <span role="timer" aria-label="Expires in">
            {timeLeft(expiresAt, now)}
          </span>
        </dd>
        <dt>Its reason, unverified</dt>
        <dd>“{reason}”</dd>
        <Place proposal={proposal} />
        {preview?.state === 'done' ? <Numbers terms={terms} /> : null}
      </dl>
      {preview?.state === 'done' ? null : (
        <p className="note p-2" role="status">
          The worker judges the order. You can approve it after that.
        </p>
      )}
      <Decision proposal={proposal} terms={terms} isOver={isOver} />
    </Section>
  );
}

/** Coin, profile and account of a proposal. */
function Place({ proposal: { symbol, profileId, accountId } }: { proposal: Proposal }): ReactNode {
  const { data } = useRead(readDashboard, {});
  const account = data?.accounts.find(({ id }) => id === accountId);
  const profile = data?.profiles.find(({ id }) => id === profileId);
  return (
    <>
      <dt>Coin</dt>
      <dd>
        <Link to="/profiles/$id/coins/$symbol" params={{ id: profileId, symbol }}>
          {symbol}
        </Link>
        {profile === undefined ? null : ` of ${profile.name}`}
      </dd>
      <dt>Account</dt>
      <dd>
        {account === undefined ? (
          MISSING
        ) : (
          <>
            {account.name} <AccountTag tag={tagOf(account)} />
          </>
        )}
      </dd>
    </>
  );
}

function Numbers({ terms }: { terms: OrderTerms }): ReactNode {
  const { side, isLimit, base, quoteAsset, quote, fee, price } = terms;
  const loss = readDecimal(terms.worstLoss ?? '');
  return (
    <>
      <dt>Order</dt>
      <dd>
        {isLimit ? 'Limit' : 'Market'} {side}
      </dd>
      <dt>Quantity</dt>
      <dd>
        {quantity(terms.quantity, terms.quantity)} <span className="unit">{base}</span>
      </dd>
      <dt>{isLimit ? 'Limit price' : side === 'buy' ? 'Price, at most about' : 'Price now'}</dt>
      <dd>
        <Prose text={price ?? MISSING} /> <span className="unit">{quoteAsset}</span>
      </dd>
      <dt>{side === 'buy' ? 'Cost' : 'Proceeds'}</dt>
      <dd>
        {money(quote, quoteAsset)} <span className="unit">{quoteAsset}</span>
      </dd>
      <dt>Fee</dt>
      <dd>
        about {money(fee, quoteAsset)} <span className="unit">{quoteAsset}</span>
      </dd>
      {loss === undefined ? null : (
        <>
          <dt title="Its loss at the stop of the settings, with both fees; without a stop the whole cost.">
            Worst loss
          </dt>
          <dd>
            <Gain value={negate(loss)} unit={quoteAsset} />
          </dd>
        </>
      )}
    </>
  );
}

interface DecisionProps {
  proposal: Proposal;
  terms: OrderTerms;
  isOver: boolean;
}

function Decision({ proposal: { id, hash, tokenName, preview }, terms, isOver }: DecisionProps): ReactNode {
  const text = orderText(terms);
  const params = { id };
  return (
    <>
      <div className="actions">
        <Confirm
          words="Approve…"
          label={`Approve: ${text}…`}
          title={`${text}?`}
          action={text}
          failed="Not approved."
          disabled={isOver || preview?.state !== 'done'}
          run={() => call(approveProposal, { params, body: { hash } })}
        >
          <p>
            {terms.isLimit ? `A limit order at ${terms.price ?? MISSING} ${terms.quoteAsset}` : 'A market order'},
            proposed by {tokenName}. The worker judges it again and places it within 30 seconds, or not at all.
          </p>
          {terms.isLimit ? null : <p>It is refused when the price has moved by more than 1 % since the preview.</p>}
        </Confirm>
        <Confirm
          words="Deny…"
          label={`Deny: ${text}…`}
          title={`Deny to ${text.charAt(0).toLowerCase()}${text.slice(1)}?`}
          action="Deny this order"
          failed="Not denied."
          disabled={isOver}
          run={() => call(denyProposal, { params })}
        >
          Nothing is traded. {tokenName} may propose again.
        </Confirm>
      </div>
      <p className="note p-2">
        Bound to exactly this order: <code title={hash}>{hash.slice(0, 12)}</code>
      </p>
    </>
  );
}
