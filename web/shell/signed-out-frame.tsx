import type { ReactNode } from 'react';
import { Mark } from '#web/ui/icon.tsx';
import { ThemeSwitch } from '#web/ui/theme-switch.tsx';
import { DemoBanner } from './demo-banner.tsx';
import { HealthLine } from './health-line.tsx';

/** The frame of the pages before sign-in. */
export function SignedOutFrame({ children }: { children: ReactNode }): ReactNode {
  return (
    <>
      <DemoBanner />
      <header className="top">
        <div className="bar">
          <span className="mark">
            <Mark />
            <span>Tradewind</span>
          </span>
          <span className="grow" />
          <ThemeSwitch />
        </div>
        <HealthLine signedIn={false} />
        <div className="beat" />
      </header>
      <main id="main" className="page">
        {children}
      </main>
    </>
  );
}
