import type { ReactNode } from 'react';
import type { Coin } from '#web/data/queries.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Prose } from '#web/ui/when.tsx';

/** Blockers of a coin outside of its own decisions. */
export function Blockers({ coin }: { coin: Pick<Coin, 'blockers'> }): ReactNode {
  return coin.blockers.map(({ code, sentence }) => (
    <p key={code} className="care">
      <Icon name="warn" /> <Prose text={sentence} />
    </p>
  ));
}
