import { type ReactNode, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import type { Answer } from '#api/contract/operation.ts';
import { listDiscoveryCycles } from '#api/contract/discovery.ts';
import { useRead } from '#web/data/read.ts';
import { stageLabel } from './discovery-labels.ts';
import { Prose, When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

type Round = Answer<typeof listDiscoveryCycles>['rows'][number];

/** The newest searches: the coins left after each criterion, and the verdict on the last ones. */
export function DiscoveryRounds({ profileId }: { profileId: ProfileId }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className="px-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Recent searches</summary>
      {open ? <Rounds profileId={profileId} /> : null}
    </details>
  );
}

function Rounds({ profileId }: { profileId: ProfileId }): ReactNode {
  const searches = useRead(listDiscoveryCycles, { params: { id: profileId }, query: { limit: 10 } });
  return (
    <Read of={searches} what="the searches" rows={10} height={24}>
      {({ rows }) =>
        rows.length === 0 ? (
          <p className="p-2">No searches yet.</p>
        ) : (
          rows.map((round) => <OneRound key={round.id} round={round} />)
        )
      }
    </Read>
  );
}

function OneRound({ round: { at, error, market, candidates, breadth, coins } }: { round: Round }): ReactNode {
  return (
    <details>
      <summary>
        <When at={at} />
        {error === null ? '' : ', failed'}
      </summary>
      {error === null ? null : <p className="care p-2">{error}</p>}
      <dl className="dl">
        {[...market, ...candidates].map(({ stage, left }) => (
          <div key={stage} className="contents">
            <dt>{stageLabel(stage)}</dt>
            <dd>{left} left</dd>
          </div>
        ))}
        {breadth === null ? null : (
          <>
            <dt>market breadth, rising coins</dt>
            <dd>
              {breadth.up} of {breadth.all}
            </dd>
          </>
        )}
      </dl>
      <ul className="note list-disc pl-5">
        {coins.map(({ symbol, sentence }) => (
          <li key={symbol}>
            {symbol}: <Prose text={sentence} />
          </li>
        ))}
      </ul>
    </details>
  );
}
