import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { readDashboard } from '#api/contract/records.ts';
import { blockersOf } from '#web/data/blockers.ts';
import { useConnection } from '#web/data/live.tsx';
import { useRead } from '#web/data/read.ts';
import { Icon } from '#web/ui/icon.tsx';
import { BlockerSentence } from './blocker-sentence.tsx';

/** Everything that stops a coin, the most important first. Its last decision is shown next to it. */
export function Blockers({ profileId, symbol }: { profileId: ProfileId; symbol: string }): ReactNode {
  const { stream } = useConnection();
  const { data } = useRead(readDashboard, {}, { enabled: false });
  if (stream === 'lost') {
    return (
      <p className="two">
        <Icon name="off" /> Blockers: not known without live updates.
      </p>
    );
  }
  if (data === undefined) return null;
  return blockersOf(data, { profileId, symbol }).map((blocker) => (
    <p key={`${blocker.kind} ${blocker.sentence}`} className="care">
      <Icon name="warn" /> {blocker.name === null ? null : `${blocker.name} `}
      <BlockerSentence blocker={blocker} />
    </p>
  ));
}
