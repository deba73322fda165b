import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { readLiveComparison, readLiveGate } from '#api/contract/live-checks.ts';
import type { Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { LiveGate } from './live-gate.tsx';
import { LiveComparison } from './live-comparison.tsx';
import { ResearchFrame } from './research-frame.tsx';

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
            <p className="two">Checks before and after going live. They advise; neither stops or starts trading.</p>
          </div>
          <LiveGate profile={profile} />
          <LiveComparison profile={profile} />
        </>
      )}
    </ResearchFrame>
  );
}

const WORDS = {
  none: 'there is no reference backtest',
  undecided: 'it is too early to say whether it trades as tested',
  'as-tested': 'it trades as tested',
  worse: 'it trades worse than tested',
} as const;

function Verdict({ profile: { id, name } }: { profile: Profile }): ReactNode {
  const { data: gate } = useRead(readLiveGate, { params: { id } });
  const { data: live } = useRead(readLiveComparison, { params: { id } });
  if (gate === undefined || live === undefined) return 'Live vs. tested';
  const verdict = live.pinnedRunId === null ? 'none' : (live.reference?.verdict ?? 'undecided');
  return `${name} ${gate.clear ? 'meets your thresholds' : 'does not meet your thresholds'}, and ${WORDS[verdict]}.`;
}
