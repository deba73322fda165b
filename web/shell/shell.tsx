import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { readDashboard } from '#api/contract/records.ts';
import { Live, useIsStale } from '#web/data/live.tsx';
import { useDemo } from '#web/data/session.tsx';
import { useSteady } from '#web/data/use-steady.ts';
import { useRead } from '#web/data/read.ts';
import { accountGroups } from '#web/ui/accounts.ts';
import { placesOf, tabsOf } from '#web/ui/places.ts';
import { AccountTag } from '#web/ui/figures.tsx';
import { ApproveLink } from './approve-link.tsx';
import { Bell } from './bell.tsx';
import { DemoBanner } from './demo-banner.tsx';
import { HealthLine } from './health-line.tsx';
import { Heartbeat } from './heartbeat.tsx';
import { Mark } from '#web/ui/icon.tsx';
import { KillSwitch } from './kill-switch.tsx';
import { LostBar } from './lost-bar.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { ThemeSwitch } from '#web/ui/theme-switch.tsx';

/** Every page shows parts of the dashboard; it is polled here for all of them. */
const POLL_MS = 15_000;

function Places({ places }: { places: readonly { to: string; words: string }[] }): ReactNode {
  return places.map(({ to, words }) => (
    <Link key={to} to={to} activeOptions={{ exact: to === '/' }} activeProps={{ 'aria-current': 'page' }}>
      {words}
    </Link>
  ));
}

function Brand(): ReactNode {
  return (
    <Link to="/" className="mark" aria-label="Tradewind, overview">
      <Mark />
      <span className="wd">Tradewind</span>
    </Link>
  );
}

/** The account group that the overview shows. */
function ActiveAccounts(): ReactNode {
  const { data } = useRead(readDashboard, {}, { every: POLL_MS });
  const group = data === undefined ? undefined : accountGroups(data)[0];
  if (group === undefined) return null;
  const [first] = group.accounts;
  return (
    <span className="acct">
      <span className="nm">{group.accounts.length === 1 ? first?.name : `${group.accounts.length} accounts`}</span>
      <AccountTag tag={group.tag} />
    </span>
  );
}

/** Moves the focus to a page that was just opened. */
function useArrival(): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const arrived = useRef(path);
  useEffect(() => {
    if (arrived.current === path) return;
    arrived.current = path;
    // A setting that the address names has the focus already.
    if (main.current?.querySelector('[data-target]') === null) main.current.focus({ preventScroll: true });
  }, [path]);
  return main;
}

/** The open page. It accepts no clicks while its content still moves. Old values lose their colour. */
function Page(): ReactNode {
  const main = useArrival();
  const isSteady = useSteady();
  const isStale = useIsStale();
  return (
    <main
      id="main"
      className={`page ${isSteady ? '' : 'pointer-events-none'} ${isStale ? 'old' : ''}`}
      ref={main}
      tabIndex={-1}
    >
      <Outlet />
    </main>
  );
}

/** The frame of every page for a signed-in operator. */
export function Shell(): ReactNode {
  const [stopping, setStopping] = useState(false);
  const demo = useDemo();
  return (
    <Live>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <DemoBanner />
      <header className="top">
        <div className="bar">
          <Brand />
          <nav className="nav" aria-label="Main">
            <Places places={placesOf(demo)} />
          </nav>
          <span className="grow" />
          {demo ? null : <ApproveLink />}
          {demo ? null : <Bell />}
          <ActiveAccounts />
          <Shortcuts onStop={() => setStopping(true)} />
          <ThemeSwitch />
          <KillSwitch open={stopping} onOpen={setStopping} />
        </div>
        <HealthLine signedIn />
        <Heartbeat />
        <LostBar />
      </header>
      <Page />
      <nav className="tabs" aria-label="Main, phone">
        <Places places={tabsOf(demo)} />
      </nav>
    </Live>
  );
}
