import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import type { PaperMarket, PaperState } from '#core/installation/paper-market.ts';
import { useChangeMarket, usePaperMarket } from '#web/data/use-paper-market.ts';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { ReplayTour } from '#web/ui/replay-tour.tsx';

const CHOICES: readonly { readonly market: PaperMarket; readonly words: string; readonly note: string }[] = [
  {
    market: 'invented',
    words: 'Invented market',
    note: 'Needs no network. Prices swing more regularly than real ones, so trades come quickly.',
  },
  {
    market: 'live',
    words: 'Live prices',
    note: 'Paper money at the real prices of the exchange. Needs a connection to it.',
  },
];

interface ChoiceProps {
  paper: PaperState;
  accountId: AccountId;
}

/** The market that the paper account trades on, and the replay of two months with one click. */
export function MarketChoice({ accountId }: { accountId: AccountId }): ReactNode {
  const paper = usePaperMarket();
  return paper == null ? null : <Choice paper={paper} accountId={accountId} />;
}

function Choice({ paper, accountId }: ChoiceProps): ReactNode {
  const change = useChangeMarket();
  const wanted = change.isPending ? change.variables : paper.market;
  return (
    <Section title="Market of the paper account" span={5}>
      <div role="radiogroup" aria-label="Market">
        {CHOICES.map(({ market, words, note }) => (
          <label key={market} className={market === wanted ? 'pick on' : 'pick'}>
            <input
              type="radio"
              name="market"
              aria-label={words}
              checked={market === wanted}
              disabled={change.isPending}
              onChange={() => change.mutate(market)}
            />
            <span>
              <b>{words}</b>
              <span className="note block pt-1">{note}</span>
            </span>
          </label>
        ))}
      </div>
      {change.isPending ? (
        <p className="p-2" role="status">
          Starting the market. This takes some seconds.
        </p>
      ) : null}
      <Failure what="The market was not changed." error={change.error} />
      {paper.problem !== null && !change.isError && !change.isPending ? (
        <Notice tone="care" title="Live prices are not available.">
          {paper.problem}
        </Notice>
      ) : null}
      {paper.market === 'replay' ? null : (
        <>
          <h3 className="px-2 pt-5 font-strong">In a hurry?</h3>
          <ReplayTour accountId={accountId} />
        </>
      )}
    </Section>
  );
}
