import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ShadowCoin } from '#core/research/shadow.ts';
import { readShadowReplay, startShadowReplay } from '#api/contract/live-checks.ts';
import { call } from '#web/data/call.ts';
import { coinsQuery, type Profile } from '#web/data/queries.ts';
import { count, MINUS, percent, price, quantity } from '#web/ui/numbers.ts';
import { reasonWords } from '#web/ui/research.ts';
import { Failure, Say, Skeleton } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';

/** The last day replayed with the present settings, beside what was traded. */
export function ShadowReplay({ profile: { id } }: { profile: Profile }): ReactNode {
  const client = useQueryClient();
  const params = { id };
  const queryKey = ['shadow-replay', id];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(readShadowReplay, { params }, signal),
    refetchInterval: ({ state }) => ((state.data?.requestedAt ?? null) === null ? 60_000 : 1_000),
  });
  const start = useMutation({
    mutationFn: () => call(startShadowReplay, { params }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  const { data: held } = useQuery(coinsQuery(id));
  const waits = (data?.requestedAt ?? null) !== null;
  const report = data?.report ?? null;
  return (
    <Section title="Shadow replay" note="the last day decided again, every night, beside what was done">
      {error === null ? null : <Failure what="The replay could not be read." error={error} />}
      {start.isError ? <Failure what="Not begun." error={start.error} /> : null}
      {data === undefined && error === null ? <Skeleton rows={4} /> : null}
      {(data?.error ?? null) === null ? null : (
        <Say tone="care" title="The newest replay ended without a report.">
          {data?.error}
        </Say>
      )}
      {data === undefined ? null : (
        <div className="actions">
          <button type="button" className="btn" disabled={start.isPending || waits} onClick={() => start.mutate()}>
            Replay the last day now
          </button>
          <span className="note" role="status">
            {data.requestedAt !== null ? (
              <>
                Asked for <When at={data.requestedAt} />; a worker replays it.
              </>
            ) : report === null ? (
              'There is no report yet: one comes every night.'
            ) : (
              <>
                From <When at={report.from} /> to <When at={report.to} />, replayed <When at={report.at} />.
              </>
            )}
          </span>
        </div>
      )}
      {report?.coins.map((coin) => (
        <OneCoin key={coin.symbol} coin={coin} steps={held?.coins.find(({ symbol }) => symbol === coin.symbol)} />
      ))}
    </Section>
  );
}

interface Steps {
  readonly tickSize: string | null;
  readonly stepSize: string | null;
}

function OneCoin({ coin, steps }: { coin: ShadowCoin; steps: Steps | undefined }): ReactNode {
  const { symbol, refused, compared, agreed, differing, fills } = coin;
  if (refused !== null) {
    return (
      <p className="p-2">
        <b>{symbol}</b> could not be replayed: {refused}
      </p>
    );
  }
  return (
    <div className="pb-4">
      <h3 className="px-2">{symbol}</h3>
      <p className="two px-2">
        {compared === 0
          ? 'There was no moment at which both decided.'
          : `${agreed.toLocaleString('en-US')} of ${compared.toLocaleString('en-US')} decisions were the same (${percent(agreed / compared, 1)}).`}{' '}
        {fills.length === 0
          ? 'Neither bought or sold.'
          : 'Prices are compared in bps, hundredths of a percent; below zero live was better.'}
      </p>
      {fills.length === 0 ? null : <Fills fills={fills} steps={steps} />}
      {differing.length === 0 ? null : (
        <details className="px-2">
          <summary>{count(differing.length, 'decision')} that differed</summary>
          <ul className="two list-disc pl-5">
            {differing.map(({ at, live, replayed, sentence }) => (
              <li key={at}>
                <When at={at} />: live {reasonWords(live).toLowerCase()}, replayed {reasonWords(replayed).toLowerCase()}
                .{' '}
                <span className="note">
                  <Prose text={sentence} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

type Fill = ShadowCoin['fills'][number];

const bpsWords = (bps: number | null): string =>
  bps === null ? '–' : Math.abs(bps) < 0.05 ? '0.0' : `${bps > 0 ? '+' : MINUS}${Math.abs(bps).toFixed(1)}`;

function Side({ one, steps }: { one: Fill['live']; steps: Steps | undefined }): ReactNode {
  if (one === null) return <span className="two">not done</span>;
  return (
    <>
      {quantity(one.quantity, steps?.stepSize ?? null)} at {price(one.price, steps?.tickSize ?? null)}
      <span className="note">
        <When at={one.at} />, {reasonWords(one.reason).toLowerCase()}
      </span>
    </>
  );
}

function Fills({ fills, steps }: { fills: readonly Fill[]; steps: Steps | undefined }): ReactNode {
  return (
    <table className="cards">
      <thead>
        <tr>
          <th>What</th>
          <th>Live</th>
          <th>Replayed</th>
          <th className="num">Live worse by, bps</th>
        </tr>
      </thead>
      <tbody>
        {fills.map(({ side, live, replayed, bps, why }) => (
          <tr key={`${side} ${live?.at} ${replayed?.at}`}>
            <td className="full">
              {side === 'buy' ? 'Buy' : 'Sell'}
              {why === null ? null : <span className="note">{why}</span>}
            </td>
            <td data-l="Live">
              <Side one={live} steps={steps} />
            </td>
            <td data-l="Replayed">
              <Side one={replayed} steps={steps} />
            </td>
            <td className="num" data-l="Live worse by, bps">
              {bpsWords(bps)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
