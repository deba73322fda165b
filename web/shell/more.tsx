import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useDemo } from '#web/data/session.tsx';
import { morePlacesOf } from '#web/ui/places.ts';
import { Section } from '#web/ui/section.tsx';
import { ThemeSwitch } from '#web/ui/theme-switch.tsx';

/** The pages that have no tab of their own on a phone. */
export function MorePage(): ReactNode {
  const demo = useDemo();
  return (
    <>
      <title>More · Tradewind</title>
      <div className="head">
        <h1 className="verdict">More</h1>
      </div>
      <Section title="Pages">
        <ul className="block">
          {[...morePlacesOf(demo), ...(demo ? [] : NOT_IN_DEMO), ...MORE].map(({ to, words }) => (
            <li key={to}>
              <span />
              <Link to={to}>{words}</Link>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Display">
        <div className="actions">
          <ThemeSwitch />
        </div>
      </Section>
    </>
  );
}

const NOT_IN_DEMO = [
  { to: '/notifications', words: 'Notifications' },
  { to: '/approvals', words: 'Approvals' },
] as const;
const MORE = [
  { to: '/orphans', words: 'Orphan orders' },
  { to: '/dead-letters', words: 'Failed jobs' },
  { to: '/changes', words: 'Audit log' },
] as const;
