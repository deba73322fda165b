import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isWaiting, type Proposal, useProposals } from '#web/data/proposals.ts';
import { useDemo } from '#web/data/session.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { count } from '#web/ui/numbers.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { DemoNote } from './demo-note.tsx';
import { OpenProposal } from './open-proposal.tsx';
import { orderIdOf, orderText, outcomeText, termsOf } from './proposal-text.ts';

const POLL_MS = 3_000;

/** Proposed orders that wait for the operator, and the recent ones. */
export function ApprovalsPage(): ReactNode {
  const demo = useDemo();
  return (
    <>
      <title>Approvals · Tradewind</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/activity">Activity</Link>
        <span>Approvals</span>
      </nav>
      {demo ? <DemoNote title="Approvals" /> : <Approvals />}
    </>
  );
}

function Approvals(): ReactNode {
  const known = useProposals(POLL_MS);
  const waiting = known.data?.proposals.filter(isWaiting) ?? [];
  const others = known.data?.proposals.filter((proposal) => !isWaiting(proposal)) ?? [];
  return (
    <>
      <div className="head">
        <h1 className="verdict">{known.data === undefined ? 'Approvals' : verdictOf(waiting)}</h1>
        <p className="two">
          Programs with a <Link to="/tokens">token</Link> propose orders. Without your approval nothing is traded.
        </p>
      </div>
      <div className="cols">
        {waiting.map((proposal) => (
          <OpenProposal key={proposal.id} proposal={proposal} />
        ))}
      </div>
      <Section title="Recent proposals" note="newest first, kept 90 days">
        <Read of={known} what="the proposals" rows={2}>
          {() => <Recent proposals={others} />}
        </Read>
      </Section>
    </>
  );
}

const verdictOf = (waiting: readonly Proposal[]): string =>
  waiting.length === 0
    ? 'No order waits for your approval.'
    : `${count(waiting.length, 'order')} ${waiting.length === 1 ? 'waits' : 'wait'} for your approval.`;

function Recent({ proposals }: { proposals: readonly Proposal[] }): ReactNode {
  if (proposals.length === 0) return <p className="p-2">No earlier proposals.</p>;
  return (
    <div className="tw">
      <table className="cards">
        <thead>
          <tr>
            <th>Time</th>
            <th>Program</th>
            <th>Order</th>
            <th>Outcome</th>
          </tr>
        </thead>
        <tbody>
          {proposals.map((proposal) => (
            <RecentRow key={proposal.id} proposal={proposal} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RecentRow({ proposal }: { proposal: Proposal }): ReactNode {
  const { words, reason, isRefused } = outcomeText(proposal);
  const orderId = orderIdOf(proposal);
  return (
    <tr>
      <td>
        <When at={proposal.decidedAt ?? proposal.proposedAt} />
      </td>
      <td className="rt">{proposal.tokenName}</td>
      <td className="full">
        {orderText(termsOf(proposal))}
        <span className="note block">“{proposal.reason}”</span>
      </td>
      <td className="full">
        <span className={isRefused ? 'care' : ''}>
          <Icon name={isRefused ? 'x' : 'dot'} /> {words}
        </span>
        {reason === null ? null : (
          <span className="note block">
            <Prose text={reason} />
          </span>
        )}
        {orderId === null ? null : (
          <>
            {' '}
            <Link to="/orders/$id" params={{ id: orderId }}>
              Order
            </Link>
          </>
        )}
      </td>
    </tr>
  );
}
