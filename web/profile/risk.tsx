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
            <h1 className="verdict">What may be lost before buying stops.</h1>
            <p className="two">
              A limit that is reached stops new buys of this profile or of its whole account. Coins that are held can
              still be sold, and stops stay where they are.
            </p>
          </div>
          <RiskPanel profile={profile} />
        </>
      )}
    </ProfileFrame>
  );
}
