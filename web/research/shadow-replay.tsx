import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ShadowCoin } from '#core/research/shadow.ts';
import { readShadowReplay, startShadowReplay } from '#api/contract/live-checks.ts';
import { call } from '#web/data/call.ts';
import { coinsQuery, type Profile } from '#web/data/queries.ts';
import { count, MINUS, percent, price, quantity } from '#web/ui/numbers.ts';
import { reasonText } from '#web/ui/research.ts';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';

/** The last day replayed with the present settings, compared with live trading. */
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
    <Section title="Nightly replay" note="the last day replayed every night and compared with live">
      {error === null ? null : <Failure what="Could not load the replay." error={error} />}
      {start.isError ? <Failure what="Not started." error={start.error} /> : null}
      {data === undefined && error === null ? <Skeleton rows={4} /> : null}
      {(data?.error ?? null) === null ? null : (
        <Notice tone="care" title="The newest replay failed.">
          {data?.error}
        </Notice>
      )}
      {data === undefined ? null : (
        <div className="actions">
          <button type="button" className="btn" disabled={start.isPending || waits} onClick={() => start.mutate()}>
            Replay the last day now
          </button>
          <span className="note" role="status">
            {data.requestedAt !== null ? (
              <>
                Requested <When at={data.requestedAt} />; a worker runs it.
              </>
            ) : report === null ? (
              'No report yet. The replay runs every night.'
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
          ? 'No decisions to compare.'
          : `${agreed.toLocaleString('en-US')} of ${compared.toLocaleString('en-US')} decisions were the same (${percent(agreed / compared, 1)}).`}{' '}
        {fills.length === 0 ? 'No fills in either.' : 'Prices are compared in percent; below zero live was better.'}
      </p>
      {fills.length === 0 ? null : <Fills fills={fills} steps={steps} />}
      {differing.length === 0 ? null : (
        <details className="px-2">
          <summary>{count(differing.length, 'decision')} that differed</summary>
          <ul className="two list-disc pl-5">
            {differing.map(({ at, live, replayed, sentence }) => (
              <li key={at}>
                <When at={at} />: live {reasonText(live).toLowerCase()}, replayed {reasonText(replayed).toLowerCase()}.{' '}
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

/** Hundredths of a percent as percent with three decimals. */
const percentOf = (bps: number | null): string =>
  bps === null ? '–' : Math.abs(bps) < 0.05 ? '0.000' : `${bps > 0 ? '+' : MINUS}${(Math.abs(bps) / 100).toFixed(3)}`;

function Side({ fill, steps }: { fill: Fill['live']; steps: Steps | undefined }): ReactNode {
  if (fill === null) return <span className="two">no fill</span>;
  return (
    <>
      {quantity(fill.quantity, steps?.stepSize ?? null)} at {price(fill.price, steps?.tickSize ?? null)}
      <span className="note">
        <When at={fill.at} />, {reasonText(fill.reason).toLowerCase()}
      </span>
    </>
  );
}

function Fills({ fills, steps }: { fills: readonly Fill[]; steps: Steps | undefined }): ReactNode {
  return (
    <table className="cards">
      <thead>
        <tr>
          <th>Fill</th>
          <th>Live</th>
          <th>Replayed</th>
          <th className="num">Live worse by, %</th>
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
              <Side fill={live} steps={steps} />
            </td>
            <td data-l="Replayed">
              <Side fill={replayed} steps={steps} />
            </td>
            <td className="num" data-l="Live worse by, %">
              {percentOf(bps)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
