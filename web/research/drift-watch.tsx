import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DriftReport } from '#core/research/drift.ts';
import type { ProfileId } from '#core/ids.ts';
import { readDrift } from '#api/contract/live-checks.ts';
import { call } from '#web/data/call.ts';
import type { Profile } from '#web/data/queries.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';

const MEASURES = {
  'win-rate': 'Win rate: share of winning trades',
  'profit-factor': 'Profit factor: gross profit per gross loss',
  slippage: 'Slippage: fill price against decision price',
} as const;

const VERDICTS = {
  undecided: { words: 'too early to say', mark: 'ring' },
  'as-tested': { words: 'as tested', mark: 'ok' },
  worse: { words: 'worse than tested', mark: 'x' },
} as const;

export const driftQuery = (id: ProfileId) =>
  queryOptions({
    queryKey: ['drift', id] as const,
    queryFn: ({ signal }) => call(readDrift, { params: { id } }, signal),
    refetchInterval: 60_000,
  });

/** Live results compared with the reference backtest. */
export function DriftWatch({ profile: { id } }: { profile: Profile }): ReactNode {
  const { data, error } = useQuery(driftQuery(id));
  return (
    <Section title="Live vs. tested" note="live results against the reference backtest" span={6}>
      {error === null ? null : <Failure what="Could not load the comparison." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={4} /> : null}
      {data === undefined ? null : data.pinnedRunId === null ? (
        <p className="p-2">
          No reference backtest. Open a{' '}
          <Link to="/profiles/$id/backtests" params={{ id }}>
            backtest
          </Link>{' '}
          of the settings that you trade and use it as reference. Live trading is then compared with it.
        </p>
      ) : (
        <>
          {data.report === null ? (
            <p className="p-2">Checked every 15 min; not checked yet.</p>
          ) : (
            <Report report={data.report} />
          )}
          <p className="px-2">
            <Link to="/profiles/$id/backtests/$runId" params={{ id, runId: data.pinnedRunId }}>
              Reference backtest
            </Link>
          </p>
        </>
      )}
    </Section>
  );
}

function Report({ report: { at, since, verdict, tests } }: { report: DriftReport }): ReactNode {
  return (
    <>
      {verdict === 'worse' ? (
        <Notice tone="care" title="Worse than tested.">
          The difference is larger than chance.
        </Notice>
      ) : null}
      <p className="two p-2">
        Since <When at={since} />; checked <When at={at} />.
      </p>
      <ul className="block">
        {tests.map(({ measure, sentence, verdict: own }) => (
          <li key={measure}>
            <span className={own === 'worse' ? 'care' : ''}>
              <Icon name={VERDICTS[own].mark} />
            </span>
            <div>
              {MEASURES[measure]}: <b>{VERDICTS[own].words}</b>
              <span className="note block">
                <Prose text={sentence} />
              </span>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
