import type { ReactNode } from 'react';
import type { Coin } from '#web/data/queries.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Prose } from '#web/ui/when.tsx';

/** What stands in the way of a coin beyond its own decisions. */
export function Blockers({ coin }: { coin: Pick<Coin, 'blockers'> }): ReactNode {
  return coin.blockers.map(({ code, sentence }) => (
    <p key={code} className="care">
      <Icon name="warn" /> <Prose text={sentence} />
    </p>
  ));
}
