import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Dashboard } from '#web/data/answers.ts';
import { useDemo } from '#web/data/session.tsx';
import { tagOf } from '#web/ui/accounts.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Section } from '#web/ui/section.tsx';

/** Suggestions for a new operator, until the first trade has closed. */
export function NextSteps({ data: { trades, profiles, accounts } }: { data: Dashboard }): ReactNode {
  const demo = useDemo();
  const [profile] = profiles;
  if (demo || profile === undefined || trades.some(({ closedAt }) => closedAt !== null)) return null;
  const params = { id: profile.id };
  const isLimited = accounts.some(({ limits }) => limits.length > 0);
  const isLive = accounts.some((account) => tagOf(account) === 'LIVE');
  return (
    <Section title="Next steps">
      <ul className="block">
        <li>
          <Icon name="ring" />
          <span>
            <Link to="/notifications">Set up a notification</Link>
            <span className="note block">so that fills reach your phone</span>
          </span>
        </li>
        <li>
          <Icon name={isLimited ? 'ok' : 'ring'} />
          <span>
            <Link to="/profiles/$id/risk" params={params}>
              Set a daily loss limit
            </Link>
            <span className="note block">buying stops when it is reached</span>
          </span>
        </li>
        <li>
          <Icon name={isLive ? 'ok' : 'ring'} />
          <span>
            <Link to="/settings">Add a live account</Link>
            <span className="note block">when the paper results convince you</span>
          </span>
        </li>
      </ul>
    </Section>
  );
}
