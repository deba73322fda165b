import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import type { DashboardAccount } from '#web/data/answers.ts';
import { Meter, NEAR } from '#web/ui/meter.tsx';
import { Section } from '#web/ui/section.tsx';
import { money } from '#web/ui/numbers.ts';

type Limit = DashboardAccount['limits'][number];

const NAMES: Readonly<Record<string, string>> = {
  dailyLoss: 'Loss today',
  drawdown: 'Drawdown',
  lossStreak: 'Losses in a row',
  openPositions: 'Open positions',
  exposure: 'Exposure',
  entriesPerMinute: 'Buys per minute',
};

interface LimitsProps {
  accounts: readonly DashboardAccount[];
  /** The profile whose page has the form. */
  profileId: ProfileId | undefined;
}

/** How much of each limit is used. */
export function Limits({ accounts, profileId }: LimitsProps): ReactNode {
  const limits = accounts.flatMap((account) => account.limits.map((limit) => ({ ...limit, account: account.id })));
  const isOne = new Set(limits.map(({ name }) => name)).size < 2;
  const edit =
    profileId === undefined ? undefined : (
      <Link to="/profiles/$id/risk" params={{ id: profileId }}>
        {limits.length === 0 ? 'Set a daily loss limit' : 'Edit limits'}
      </Link>
    );
  return (
    <Section title="Limits" note={edit}>
      {limits.length === 0 ? <p className="p-2">No limits set.</p> : null}
      <ul className="lim">
        {limits.map((limit) => (
          <LimitUse key={`${limit.account} ${limit.profileId} ${limit.limit}`} limit={limit} named={!isOne} />
        ))}
      </ul>
    </Section>
  );
}

function LimitUse({ limit, named }: { limit: Limit; named: boolean }): ReactNode {
  const { name, used, most, share, blocked } = limit;
  const title = NAMES[limit.limit] ?? limit.limit;
  const [usedText, mostText] = [String(used), String(most)];
  const unit = /[A-Z]+$/.exec(mostText)?.[0];
  const sized = (text: string): string => (unit === undefined ? text : money(text.replace(` ${unit}`, ''), unit));
  return (
    <li>
      <span className="r">
        <span>
          {title}
          {named ? <span className="note"> {name}</span> : null}
        </span>
        <span className="nb">
          {sized(usedText)} of {sized(mostText)} {unit}
        </span>
      </span>
      <Meter label={title} share={share} care={blocked || share >= NEAR} />
      {blocked ? <span className="note care">reached: no more buys</span> : <Room limit={limit} />}
    </li>
  );
}

/** How many positions may still be opened, when the limit is near. */
function Room({ limit: { limit, used, most, share } }: { limit: Limit }): ReactNode {
  const left = Number(most) - Number(used);
  if (limit !== 'openPositions' || share < NEAR || !Number.isFinite(left)) return null;
  return (
    <span className="note">
      {left} more {left === 1 ? 'coin' : 'coins'} may be bought
    </span>
  );
}
