import type { ReactNode } from 'react';

const line = { fill: 'none', stroke: 'currentColor' } as const;

/** Marks on a 12 by 12 grid; the shape carries the meaning, colour only repeats it. */
const SHAPES = {
  up: <path d="M6 2 11 10H1z" />,
  dn: <path d="M6 10 1 2h10z" />,
  dno: <path d="M6 9.5 1.7 2.5h8.6z" {...line} strokeWidth="1.4" />,
  ok: <path d="M1.5 6.5 4.5 9.5 10.5 2.5" {...line} strokeWidth="1.6" />,
  x: <path d="M2 2 10 10M10 2 2 10" {...line} strokeWidth="1.6" />,
  warn: (
    <>
      <path d="M6 1 11.4 11H.6z" {...line} strokeWidth="1.2" />
      <path d="M6 4.4V7.6M6 8.7V9.8" {...line} strokeWidth="1.4" />
    </>
  ),
  oct: <path d="M3.8.6h4.4l3.2 3.2v4.4l-3.2 3.2H3.8L.6 8.2V3.8z" />,
  flag: <path d="M5.4 12V.6L11.6 3.6 6.8 6.4V12z" />,
  dot: <circle cx="6" cy="6" r="3.6" />,
  ring: <circle cx="6" cy="6" r="4" {...line} strokeWidth="1.5" />,
  dia: <path d="M6 1 11 6 6 11 1 6z" fill="var(--color-ground)" stroke="currentColor" strokeWidth="1.4" />,
  q: (
    <>
      <circle cx="6" cy="6" r="5" {...line} strokeWidth="1.2" strokeDasharray="2 1.4" />
      <path d="M4.5 4.7a1.5 1.5 0 1 1 2 1.5c-.4.2-.5.4-.5.9M6 8.2v1" {...line} strokeWidth="1.2" />
    </>
  ),
  stp: <path d="M6 0V12M3 11h6" {...line} strokeWidth="2" />,
  stw: (
    <>
      <path d="M6 0V12" {...line} strokeWidth="2" strokeDasharray="2.5 2" />
      <path d="M3 11h6" {...line} strokeWidth="1.4" />
    </>
  ),
  off: (
    <>
      <circle cx="6" cy="6" r="4.4" {...line} strokeWidth="1.3" />
      <path d="M2.5 9.5 9.5 2.5" {...line} strokeWidth="1.3" />
    </>
  ),
  bell: (
    <path
      d="M6 1a3.2 3.2 0 0 1 3.2 3.2c0 3 1.3 3.8 1.3 3.8h-9s1.3-.8 1.3-3.8A3.2 3.2 0 0 1 6 1zM4.8 10a1.2 1.2 0 0 0 2.4 0"
      {...line}
      strokeWidth="1.2"
    />
  ),
  hand: <path d="M2 6.2 4.6 8.8 10 3M1 11h10" {...line} strokeWidth="1.3" />,
  minus: <path d="M2 6h8" {...line} strokeWidth="1.4" />,
  circ: (
    <>
      <circle cx="6" cy="6" r="5" {...line} strokeWidth="1.3" />
      <path d="M3.6 6.2 5.3 7.9 8.5 4.2" {...line} strokeWidth="1.3" />
    </>
  ),
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, className = 'i' }: { name: IconName; className?: string }): ReactNode {
  return (
    <svg className={className} aria-hidden="true" viewBox="0 0 12 12">
      {SHAPES[name]}
    </svg>
  );
}

export function Mark(): ReactNode {
  return (
    <svg viewBox="0 0 28 20" aria-hidden="true">
      <path d="M1 17 26 7M26 7 22.6 1M21.4 8.9 18 2.9M16.7 10.8 14.9 7.6" />
      <circle cx="2" cy="16.6" r="1.6" fill="currentColor" />
    </svg>
  );
}
