import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ProfileFrame } from './profile-frame.tsx';
import { RiskPanel } from './risk-panel.tsx';

export function RiskPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/risk' });
  return (
    <ProfileFrame id={id} part="Limits">
      {(profile) => (
        <>
          <div className="head">
            <h1 className="verdict">Limits</h1>
            <p className="two">
              A reached limit stops new buys of this profile or of its account. Exits and stops stay active.
            </p>
          </div>
          <RiskPanel profile={profile} />
        </>
      )}
    </ProfileFrame>
  );
}
