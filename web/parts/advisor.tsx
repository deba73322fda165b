import type { ReactNode } from 'react';
import type { Profile } from '#web/data/queries.ts';
export function Advisor(_: { profile: Profile; runId: string }): ReactNode {
  return null;
}
