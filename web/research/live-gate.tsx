import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { changeLiveGate, readLiveGate } from '#api/contract/live-checks.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import type { Profile } from '#web/data/queries.ts';
import { TextForm } from '#web/ui/text-form.tsx';
import { barBody, BARS, barTexts, barValue } from './gate.ts';
import { resultName } from '#web/ui/sharing.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';

type Gate = Answer<typeof readLiveGate>;

const keyOf = (id: string) => ['gate', id] as const;
export const gateQuery = (id: ProfileId) =>
  queryOptions({ queryKey: keyOf(id), queryFn: ({ signal }) => call(readLiveGate, { params: { id } }, signal) });

/** Compares the newest backtest of exactly the present settings with each threshold. */
export function LiveGate({ profile: { id } }: { profile: Profile }): ReactNode {
  const params = { id };
  const client = useQueryClient();
  const { data, error } = useQuery(gateQuery(id));
  return (
    <Section title="Go-live checklist" note="a backtest of exactly these settings against your thresholds">
      {error === null ? null : <Failure what="Could not load the checklist." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={6} /> : null}
      {data === undefined ? null : (
        <>
          {data.clear ? (
            <p className="p-2">
              <Icon name="ok" /> <Prose text={data.sentence} />
            </p>
          ) : (
            <Notice tone="care" title="Not met.">
              <Prose text={data.sentence} />
            </Notice>
          )}
          {data.coins.map((coin) => (
            <OneCoin key={coin.symbol} id={id} coin={coin} />
          ))}
          <details className="px-2">
            <summary>Change thresholds</summary>
            <TextForm
              key={JSON.stringify(data.bars)}
              first={barTexts(data.bars)}
              fields={Object.entries(BARS).map(([name, { words, note, kind }]) => ({
                name,
                label: words,
                note: `${note} Empty: off.`,
                ...(kind === 'share' ? { unit: '%' } : kind === 'days' ? { unit: 'days' } : {}),
                input: { required: false, inputMode: 'decimal' },
              }))}
              submit={async (values) => {
                client.setQueryData(keyOf(id), await call(changeLiveGate, { params, body: barBody(values) }));
              }}
              action="Save thresholds"
              failed="Not saved."
              done="Saved."
            />
          </details>
        </>
      )}
    </Section>
  );
}

function OneCoin({ id, coin }: { id: Profile['id']; coin: Gate['coins'][number] }): ReactNode {
  const { symbol, verdict, sentence, runId, finishedAt, checks } = coin;
  return (
    <div className="py-2">
      <h3 className="px-2">
        <Icon name={verdict === 'clear' ? 'ok' : 'warn'} /> {resultName(symbol)}
      </h3>
      <p className="two px-2">
        <Prose text={sentence} />{' '}
        {runId === null ? (
          <Link to="/profiles/$id/backtests" params={{ id }}>
            Run one
          </Link>
        ) : (
          <Link to="/profiles/$id/backtests/$runId" params={{ id, runId }}>
            The backtest{finishedAt === null ? '' : ' of '}
            {finishedAt === null ? null : <When at={finishedAt} />}
          </Link>
        )}
      </p>
      {checks.length === 0 ? null : (
        <dl className="dl">
          {checks.map(({ bar, kind, wanted, value, passed }) => (
            <div key={bar} className="contents">
              <dt>
                <span className={passed ? '' : 'care'}>
                  <Icon name={passed ? 'ok' : 'x'} />
                  <span className="vh">{passed ? 'Passed: ' : 'Missed: '}</span>
                </span>{' '}
                {BARS[bar].words}
              </dt>
              <dd>
                {barValue(bar, value)}{' '}
                <span className="note">
                  {kind === 'least' ? 'at least' : 'at most'} {barValue(bar, wanted)}
                </span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
