import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import {
  type BackfillReport,
  backfillTradeArchive,
  exportArchivedFills,
  type FeeReport,
  listArchiveBackfills,
  listFeeReconciliations,
  reconcileFees,
} from '#api/contract/history.ts';
import { addressOf, call } from '#web/data/call.ts';
import { useDemo } from '#web/data/session.tsx';
import { count } from '#web/ui/numbers.ts';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

interface Run<Report> {
  id: string;
  status: 'queued' | 'running' | 'done' | 'error';
  report: Report | null;
  error: string | null;
  startedAt: string;
}

/** Reconciles records with the exchange: fees, and trades that no order of this service made. */
export function ExchangeLists({ profileId }: { profileId: ProfileId }): ReactNode {
  const params = { id: profileId };
  return (
    <Section title="Reconcile with the exchange" note="run by the worker on request">
      <Reconciliation<FeeReport>
        name="fees"
        profileId={profileId}
        words="Check fees"
        about="Compares every recorded fee with the trades of the exchange. Corrections are shown next to the fill and in the ledger."
        start={() => call(reconcileFees, { params })}
        read={(signal) => call(listFeeReconciliations, { params }, signal)}
        describe={feeText}
      />
      <Reconciliation<BackfillReport>
        name="archive"
        profileId={profileId}
        words="Import external trades"
        about="Imports trades of the account that no order of this service made into a separate archive. They count in no position and no result."
        start={() => call(backfillTradeArchive, { params, body: {} })}
        read={(signal) => call(listArchiveBackfills, { params }, signal)}
        describe={archiveText}
      />
      <div className="actions">
        <a href={addressOf(exportArchivedFills.path, params, {})} download>
          Export archive (CSV)
        </a>
      </div>
    </Section>
  );
}

interface ReconciliationProps<Report> {
  name: string;
  profileId: ProfileId;
  words: string;
  about: string;
  start: () => Promise<unknown>;
  read: (signal: AbortSignal) => Promise<{ runs: Run<Report>[] }>;
  describe: (report: Report) => string;
}

/** One reconciliation with its last results. A live demo cannot start it. */
function Reconciliation<Report>({
  name,
  profileId,
  words,
  about,
  start,
  read,
  describe,
}: ReconciliationProps<Report>): ReactNode {
  const demo = useDemo();
  const client = useQueryClient();
  const queryKey = ['exchange-lists', name, profileId];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    refetchInterval: ({ state }) => (state.data?.runs.some(isBusy) ? 1_000 : 30_000),
  });
  const launch = useMutation({ mutationFn: start, onSuccess: () => client.invalidateQueries({ queryKey }) });
  const runs = data?.runs.slice(0, 3) ?? [];
  return (
    <div className="p-2">
      <p className="two">{about}</p>
      {demo ? null : (
        <button
          type="button"
          className="btn small"
          disabled={launch.isPending || runs.some(isBusy)}
          onClick={() => launch.mutate()}
        >
          {words}
        </button>
      )}
      {launch.isError ? <Failure what="Not started." error={launch.error} /> : null}
      {error === null ? null : <Failure what="Could not load the results." error={error} />}
      <ul role="status">
        {runs.map((run) => (
          <li key={run.id}>
            <span className="note">
              <When at={run.startedAt} />
            </span>{' '}
            {run.report === null ? (run.error ?? 'Running…') : describe(run.report)}
          </li>
        ))}
      </ul>
    </div>
  );
}

const isBusy = ({ status }: Run<unknown>): boolean => status === 'queued' || status === 'running';

function feeText({ checked, differing, differences, notListed, valued, unvalued }: FeeReport): string {
  if (checked === 0) return 'No fills recorded yet.';
  const first = differences
    .slice(0, 3)
    .map(
      ({ symbol, tradeId, recorded, exchange }) =>
        `${symbol} trade ${tradeId}: ${feeOf(recorded)} recorded, ${feeOf(exchange)} on the exchange`,
    );
  return [
    differing === 0
      ? `${count(checked, 'fee')} checked, all match the exchange.`
      : `${count(checked, 'fee')} checked, ${differing} corrected: ${first.join('; ')}${differing > first.length ? ', …' : ''}.`,
    valued === 0 ? '' : `The value of ${count(valued, 'fee')} was looked up.`,
    unvalued === 0 ? '' : `The value of ${count(unvalued, 'fee')} is unknown: no candle of that minute.`,
    notListed.length === 0 ? '' : `The exchange does not list ${count(notListed.length, 'recorded fill')}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

const feeOf = ({ amount, asset }: FeeReport['differences'][number]['recorded']): string =>
  `${amount} ${asset ?? ''}`.trim();

function archiveText({ coins }: BackfillReport): string {
  const sum = (valueOf: (coin: BackfillReport['coins'][number]) => number): number =>
    coins.reduce((total, coin) => total + valueOf(coin), 0);
  const [listed, archived] = [sum((coin) => coin.listed), sum((coin) => coin.archived)];
  if (listed === 0) return 'No new trades.';
  return `${count(listed, 'trade')} read, ${archived} external trades archived.`;
}
