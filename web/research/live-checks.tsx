import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Profile } from '#web/data/queries.ts';
import { DriftWatch, driftQuery } from './drift-watch.tsx';
import { gateQuery, LiveGate } from './live-gate.tsx';
import { ResearchFrame } from './research-frame.tsx';
import { ShadowReplay } from './shadow-replay.tsx';

export function LiveChecksPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/live-checks' });
  return (
    <ResearchFrame id={id} part="Live vs. tested">
      {(profile) => (
        <>
          <div className="head">
            <h1 className="verdict">
              <Verdict profile={profile} />
            </h1>
            <p className="two">
              Three checks before and after going live. They advise; none of them stops or starts trading.
            </p>
          </div>
          <div className="cols">
            <LiveGate profile={profile} />
            <DriftWatch profile={profile} />
          </div>
          <ShadowReplay profile={profile} />
        </>
      )}
    </ResearchFrame>
  );
}

const DRIFT = {
  none: 'there is no reference backtest',
  undecided: 'it is too early to say whether it trades as tested',
  'as-tested': 'it trades as tested',
  worse: 'it trades worse than tested',
} as const;

function Verdict({ profile: { id, name } }: { profile: Profile }): ReactNode {
  const { data: gate } = useQuery(gateQuery(id));
  const { data: drift } = useQuery(driftQuery(id));
  if (gate === undefined || drift === undefined) return 'Live vs. tested';
  const verdict = drift.pinnedRunId === null ? 'none' : (drift.report?.verdict ?? 'undecided');
  return `${name} ${gate.clear ? 'meets your thresholds' : 'does not meet your thresholds'}, and ${DRIFT[verdict]}.`;
}
