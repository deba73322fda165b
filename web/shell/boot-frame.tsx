import { type ReactNode, useEffect, useState } from 'react';
import { Mark } from '#web/ui/icon.tsx';
import { Notice } from '#web/ui/notice.tsx';

/** After this long the page names what it waits for. */
const NAME_AFTER_MS = 3_000;

interface BootProps {
  /** Named once it takes long. */
  awaits: string;
  /** Shown instead of the placeholder. */
  children?: ReactNode;
}

/** The frame before the first answer of the service, the same as in index.html. */
export function BootFrame({ awaits, children }: BootProps): ReactNode {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), NAME_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <header className="top">
        <div className="bar">
          <span className="mark">
            <Mark />
            <span>Tradewind</span>
          </span>
        </div>
        <div className="health" role="status">
          {!navigator.onLine ? 'Offline' : children === undefined ? 'Loading Tradewind…' : null}
        </div>
        <div className="beat" />
      </header>
      <main className="page">
        <div className="head">
          {navigator.onLine ? (
            (children ?? (
              <>
                <span className="sk sk-verdict" />
                <span className="sk sk-line" />
                {isLong ? <p className="two">Waiting for {awaits}.</p> : null}
              </>
            ))
          ) : (
            <>
              <h1 className="verdict">Offline. Nothing is known about your account now.</h1>
              <Notice tone="care" title="No connection.">
                This page continues as soon as the connection is back. The worker and the stops on the exchange do not
                need this page.
              </Notice>
            </>
          )}
        </div>
      </main>
    </>
  );
}
