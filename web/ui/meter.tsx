import type { ReactNode } from 'react';

/** From this share on a limit is near: its meter has the colour of care, and a tick marks the share. */
export const NEAR = 0.8;

/** How much of a limit is used, as a bar across its place. `share` is of the limit, 1 when all is used. */
export function Meter({ label, share, care }: { label: string; share: number; care: boolean }): ReactNode {
  const percent = Math.min(100, share * 100);
  return (
    <span
      className={care ? 'meter care' : 'meter'}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
    >
      <b style={{ width: `${percent}%` }} />
      <i style={{ left: `${NEAR * 100}%` }} />
    </span>
  );
}
