import type { ReactNode } from 'react';
import { formatDecimal } from '#core/amount/decimal.ts';
import type { Blocker } from '#web/data/blockers.ts';
import { useNow, useTimes } from '#web/data/session.tsx';
import { type AccountGroup, moneyUnit } from '#web/ui/accounts.ts';
import { money, signedPercent } from '#web/ui/numbers.ts';
import { age, moment } from '#web/ui/time.ts';
import { BlockerSentence } from '#web/coin/blocker-sentence.tsx';
import { When } from '#web/ui/when.tsx';
import type { Verdict } from './verdict.ts';
import { Gain } from '#web/ui/figures.tsx';

/** The headline of the overview: the first problem, or total equity. */
export function VerdictLine({ verdict, group }: { verdict: Verdict; group: AccountGroup | undefined }): ReactNode {
  const equity =
    group === undefined || group.equity === null ? null : (
      <b className="nb">
        {money(formatDecimal(group.equity), group.asset)} {moneyUnit(group.tag, group.asset)}
      </b>
    );
  const known = equity === null ? null : <> Last known equity {equity}.</>;
  switch (verdict.kind) {
    case 'no-profile':
      return <>Nothing is trading yet.</>;
    case 'lost':
      return <Lost sinceMs={verdict.sinceMs} equity={equity} />;
    case 'service-silent':
      return <>The service does not answer.{known}</>;
    case 'blocked':
      return <Blocked blocker={verdict.blocker} equity={equity} />;
    case 'unconfirmed':
      return (
        <>
          {verdict.count} {verdict.count === 1 ? 'order is' : 'orders are'} unconfirmed.{known}
        </>
      );
    case 'all-off':
      return <>No profile is running.{equity === null ? null : <> Total equity {equity}.</>}</>;
    case 'no-coin':
      return <>No running profile has a coin.{equity === null ? null : <> Total equity {equity}.</>}</>;
    case 'trading':
      return (
        <>
          Total equity {equity ?? 'is not known yet'}
          {group === undefined || group.pnlToday === null ? null : (
            <>
              , <Gain value={group.pnlToday} unit={group.asset} />
              {group.pnlShare === null ? null : ` (${signedPercent(group.pnlShare)})`} today
            </>
          )}
          .
        </>
      );
  }
}

/** The headline while one blocker stops every coin. */
function Blocked({ blocker, equity }: { blocker: Blocker; equity: ReactNode }): ReactNode {
  const { kind, scope, name, since } = blocker;
  const last = equity === null ? null : <> Last known equity {equity}.</>;
  if (kind === 'worker-down') return <>The worker is down. No decisions are made.{last}</>;
  if (kind === 'buying-stopped' && scope === 'all') {
    return (
      <>
        Buying is stopped
        {since === null ? null : (
          <>
            {' '}
            since <When wall at={since} />
          </>
        )}
        .{equity === null ? null : <> Total equity {equity}; exits stay active.</>}
      </>
    );
  }
  const exits = kind === 'limit' || kind === 'buying-stopped';
  return (
    <>
      {name} <BlockerSentence blocker={blocker} />
      {exits && equity !== null ? <> Total equity {equity}; exits stay active.</> : last}
    </>
  );
}

function Lost({ sinceMs, equity }: { sinceMs: number | null; equity: ReactNode }): ReactNode {
  const { zone, nowMs: marketMs, toMarket } = useTimes();
  const nowMs = useNow();
  if (sinceMs === null) return <>No live updates yet.</>;
  return (
    <>
      Live updates stopped {age(nowMs - sinceMs)} ago.
      {equity === null ? null : (
        <>
          {' '}
          Last known equity {equity} at {moment(toMarket(sinceMs), zone, marketMs)}.
        </>
      )}
    </>
  );
}
