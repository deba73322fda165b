import type { ReactNode } from 'react';
import { formatDecimal } from '#core/amount/decimal.ts';
import { useNow, useZone } from '#web/data/session.tsx';
import { moneyUnit, type AccountGroup } from '#web/ui/accounts.ts';
import { money } from '#web/ui/numbers.ts';
import { age, moment } from '#web/ui/time.ts';
import type { Verdict } from './verdict.ts';
import { Gain } from '#web/ui/figures.tsx';

const plural = (n: number, one: string, many: string): string => (n === 1 ? one : many);

/** The headline of the overview: the first problem, or total equity. */
export function VerdictLine({ verdict, group }: { verdict: Verdict; group: AccountGroup | undefined }): ReactNode {
  const zone = useZone();
  const equity =
    group === undefined || group.equity === null ? null : (
      <b className="nb">
        {money(formatDecimal(group.equity), group.asset)} {moneyUnit(group.tag, group.asset)}
      </b>
    );
  switch (verdict.kind) {
    case 'no-profile':
      return <>Nothing is trading yet.</>;
    case 'lost':
      return <Lost sinceMs={verdict.sinceMs} equity={equity} />;
    case 'service-silent':
      return <>The service does not answer.{equity === null ? null : <> Last known equity: {equity}.</>}</>;
    case 'worker-down':
      return (
        <>The worker is down. No decisions are made.{equity === null ? null : <> Last known equity: {equity}.</>}</>
      );
    case 'stopped':
      return (
        <>
          Buying is stopped
          {verdict.since === null ? '' : ` since ${moment(Date.parse(verdict.since), zone, Date.now())}`}.
          {equity === null ? null : <> Total equity {equity}; exits stay active.</>}
        </>
      );
    case 'key-refused':
    case 'account-faults':
    case 'wallet-unknown':
    case 'wallet-old':
      return <AccountVerdict verdict={verdict} equity={equity} />;
    case 'unanswered':
      return (
        <>
          {verdict.count} {plural(verdict.count, 'order is', 'orders are')} unconfirmed. Last known equity: {equity}.
        </>
      );
    case 'all-off':
      return <>No profile is running. Total equity {equity}.</>;
    case 'no-coin':
      return <>No running profile has a coin. Total equity {equity}.</>;
    case 'price-old':
      return (
        <>
          No price for {age(verdict.ageMs)}. Last known equity: {equity}.
        </>
      );
    case 'trading':
      return (
        <>
          Total equity {equity},{' '}
          {group === undefined ? null : <Gain value={group.realisedToday} unit={group.asset} bare />} realised today.
        </>
      );
  }
}

function Lost({ sinceMs, equity }: { sinceMs: number | null; equity: ReactNode }): ReactNode {
  const zone = useZone();
  const nowMs = useNow();
  if (sinceMs === null) return <>No live updates yet.</>;
  return (
    <>
      Live updates stopped {age(nowMs - sinceMs)} ago.
      {equity === null ? null : (
        <>
          {' '}
          Last known equity {equity} at {moment(sinceMs, zone, nowMs)}.
        </>
      )}
    </>
  );
}

type AccountTrouble = Extract<Verdict, { readonly account: string }>;

/** The headline while an account cannot trade or its wallet is stale. */
function AccountVerdict({ verdict, equity }: { verdict: AccountTrouble; equity: ReactNode }): ReactNode {
  switch (verdict.kind) {
    case 'key-refused':
      return (
        <>
          {verdict.account} cannot trade: {verdict.cause}.
        </>
      );
    case 'account-faults':
      return (
        <>
          {verdict.account} stopped on an error and restarted {verdict.count} {plural(verdict.count, 'time', 'times')}:{' '}
          {verdict.cause}.
        </>
      );
    case 'wallet-unknown':
      return <>The wallet of {verdict.account} is not loaded yet.</>;
    case 'wallet-old':
      return (
        <>
          The wallet of {verdict.account} was last updated {age(verdict.ageMs)} ago. Last known equity: {equity}.
        </>
      );
  }
}
