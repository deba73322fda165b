import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDecimal, readDecimal, subtract } from '#core/amount/decimal.ts';
import { type OrderId, readId } from '#core/ids.ts';
import { listCoins, readProfile } from '#api/contract/profiles.ts';
import { readOrderProof } from '#api/contract/proof.ts';
import { useNow } from '#web/data/session.tsx';
import { useRead } from '#web/data/read.ts';
import { Icon } from '#web/ui/icon.tsx';
import { OrderChain } from './order-chain.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { orderCause, orderName, stateLabel } from './order-labels.ts';
import { costOf, countdown, type Proof } from './proof.ts';
import { Read } from '#web/ui/read.tsx';

export function OrderPage(): ReactNode {
  const { id } = useParams({ from: '/shell/orders/$id' });
  const known = readId<OrderId>(id);
  return known === undefined ? <p className="head">Order not found.</p> : <Known id={known} />;
}

function Known({ id }: { id: OrderId }): ReactNode {
  const proof = useRead(
    readOrderProof,
    { params: { id } },
    { every: (data) => (data?.verdict.state === 'unknown' ? 1_000 : 15_000) },
  );
  return (
    <Read of={proof} what="the order" title="Order" rows={8}>
      {(data) => <Page proof={data} />}
    </Read>
  );
}

const MARKS = { proved: 'circ', open: 'ring', unknown: 'q' } as const;
const TITLES: Readonly<Record<Proof['verdict']['state'], string>> = {
  proved: 'Verified.',
  open: 'Open.',
  unknown: 'Unconfirmed.',
  refused: 'Rejected by the exchange.',
  'never-arrived': 'Not received.',
  'not-sent': 'Not sent.',
  contradicted: 'Mismatch.',
};

function Page({ proof }: { proof: Proof }): ReactNode {
  const { verdict, order } = proof;
  const { data: profile } = useRead(readProfile, { params: { id: order.profileId } });
  const { data: held } = useRead(listCoins, { params: { id: order.profileId } });
  // A coin that was removed since is not among them: its amounts have no unit.
  const coin = held?.coins.find(({ symbol }) => symbol === order.symbol);
  const [base, quote] = [coin?.baseAsset ?? '', coin?.quoteAsset ?? ''];
  const { state } = verdict;
  const good = state === 'proved' || state === 'open';
  const cause = orderCause(order);
  const mark = state === 'proved' || state === 'open' || state === 'unknown' ? MARKS[state] : 'x';
  return (
    <>
      <title>{`${orderName(order)} ${order.symbol} · Tradewind`}</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/profiles/$id" params={{ id: order.profileId }}>
          {profile?.name ?? 'Profile'}
        </Link>
        <Link to="/profiles/$id/coins/$symbol" params={{ id: order.profileId, symbol: order.symbol }}>
          {order.symbol}
        </Link>
        <span>
          {orderName(order)}, <When at={order.createdAt} />
        </span>
      </nav>
      <div className="head">
        <h1 className="verdict">
          <span className={state === 'proved' ? 'gain' : good ? '' : 'care'}>
            <Icon name={mark} />
          </span>{' '}
          <b>{TITLES[state]}</b>{' '}
          {state === 'unknown' ? (
            <Certain at={verdict.certainAt} />
          ) : (
            <Prose
              text={`Ordered ${`${verdict.wanted} ${base}`.trim()}, filled ${verdict.filled}, recorded ${verdict.booked}.`}
            />
          )}
        </h1>
        <p className="two">
          {orderName(order)}
          {cause === null ? '' : ` (${cause})`} of {order.symbol}: {stateLabel(order.state).text.toLowerCase()}.
          {state === 'unknown'
            ? ' The exchange may or may not have the order. Until that is confirmed the coin makes no new buys. Its exit and its stop stay active.'
            : ''}
        </p>
      </div>
      {verdict.problems.map((problem) => (
        <Notice key={problem} tone="loss">
          <Prose text={problem} />
        </Notice>
      ))}
      <div className="cols">
        <Section title="From decision to ledger" note="UTC on hover" span={8}>
          <OrderChain proof={proof} base={base} quote={quote} />
        </Section>
        <div className="c4">
          <Amounts proof={proof} base={base} />
          <Cost proof={proof} quote={quote} />
        </div>
      </div>
    </>
  );
}

/** Counts down to the time from which the outcome can be confirmed. */
function Certain({ at }: { at: string | null }): ReactNode {
  const now = useNow();
  if (at === null) return 'It is not sent again until its outcome is confirmed.';
  const left = Date.parse(at) - now;
  return left > 0 ? (
    <>
      Confirmation due in <b className="nb">{countdown(left)}</b>. It is not sent again before that.
    </>
  ) : (
    'Confirming now. It is not sent again before that.'
  );
}

function Amounts({ proof: { verdict }, base }: { proof: Proof; base: string }): ReactNode {
  const { wanted, filled, booked } = verdict;
  const [total, recorded] = [readDecimal(filled), readDecimal(booked)];
  const unit = <span className="unit"> {base}</span>;
  return (
    <Section title="Verification" note="checked when this page was loaded">
      <dl className="dl">
        <dt>Ordered</dt>
        <dd>
          {wanted}
          {unit}
        </dd>
        <dt>Filled</dt>
        <dd>
          {filled}
          {unit}
        </dd>
        <dt>Recorded in the ledger</dt>
        <dd>
          {booked}
          {unit}
        </dd>
        <dt>
          <b>Filled but not recorded</b>
        </dt>
        <dd>
          <b>{total === undefined || recorded === undefined ? '–' : formatDecimal(subtract(total, recorded))}</b>
          {unit}
        </dd>
      </dl>
    </Section>
  );
}

function Cost({ proof, quote }: { proof: Proof; quote: string }): ReactNode {
  const rows = costOf(proof, quote);
  if (rows.length === 0) return null;
  return (
    <Section title="Execution cost">
      <dl className="dl">
        {rows.map(({ words, value }) => (
          <div key={words} className="contents">
            <dt>{words}</dt>
            <dd>
              <Prose text={value} />
            </dd>
          </div>
        ))}
      </dl>
      <div className="actions">
        <CopyProof proof={proof} />
        <Link
          className="btn"
          to="/profiles/$id/coins/$symbol"
          params={{ id: proof.order.profileId, symbol: proof.order.symbol }}
        >
          Show on the chart
        </Link>
      </div>
    </Section>
  );
}

function CopyProof({ proof }: { proof: Proof }): ReactNode {
  const text = JSON.stringify(proof, null, 2);
  return (
    <button type="button" className="btn" onClick={() => void navigator.clipboard.writeText(text)}>
      Copy proof
    </button>
  );
}
