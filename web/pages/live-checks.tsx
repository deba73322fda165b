import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DriftWatch } from '#web/parts/drift-watch.tsx';
import { LiveGate } from '#web/parts/live-gate.tsx';
import { ResearchFrame } from '#web/parts/research-frame.tsx';
import { ShadowReplay } from '#web/parts/shadow-replay.tsx';

export function LiveChecksPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/live-checks' });
  return (
    <ResearchFrame id={id} part="Live checks">
      {(profile) => (
        <>
          <div className="head">
            <h1 className="verdict">Does {profile.name} do what was tested?</h1>
            <p className="two">
              Three looks before and after going live. They advise: none of them stops or starts trading.
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
