import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

interface StripProps {
  label: string;
  /** Pages of a page: smaller. */
  sub?: boolean;
  children: ReactNode;
}

/** Links to pages that belong together. On a phone they scroll in one row with the present page in the middle. */
export function PageStrip({ label, sub = false, children }: StripProps): ReactNode {
  const strip = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    const here = strip.current?.querySelector<HTMLElement>('[aria-current]');
    if (strip.current === null || here == null) return;
    strip.current.scrollLeft = here.offsetLeft - (strip.current.clientWidth - here.offsetWidth) / 2;
  }, [path]);
  return (
    <nav className={sub ? 'places sub' : 'places'} aria-label={label} ref={strip}>
      {children}
    </nav>
  );
}
