import type { UseQueryResult } from '@tanstack/react-query';
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
import { useRead, useRun } from '#web/data/read.ts';
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

const isBusy = ({ status }: { readonly status: string }): boolean => status === 'queued' || status === 'running';
const paceOf = (data: { readonly runs: readonly { readonly status: string }[] } | undefined): number =>
  data?.runs.some(isBusy) === true ? 1_000 : 30_000;

/** Reconciles records with the exchange: fees, and trades that no order of this service made. */
export function ExchangeLists({ profileId }: { profileId: ProfileId }): ReactNode {
  const params = { id: profileId };
  return (
    <Section title="Reconcile with the exchange" note="run by the worker on request">
      <Reconciliation<FeeReport>
        words="Check fees"
        about="Compares every recorded fee with the trades of the exchange. Corrections are shown next to the fill and in the ledger."
        start={() => call(reconcileFees, { params })}
        read={useRead(listFeeReconciliations, { params }, { every: paceOf })}
        describe={feeText}
      />
      <Reconciliation<BackfillReport>
        words="Import external trades"
        about="Imports trades of the account that no order of this service made into a separate archive. They count in no position and no result."
        start={() => call(backfillTradeArchive, { params, body: {} })}
        read={useRead(listArchiveBackfills, { params }, { every: paceOf })}
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
  words: string;
  about: string;
  start: () => Promise<unknown>;
  read: UseQueryResult<{ runs: Run<Report>[] }>;
  describe: (report: Report) => string;
}

/** One reconciliation with its last results. A live demo cannot start it. */
function Reconciliation<Report>({ words, about, start, read, describe }: ReconciliationProps<Report>): ReactNode {
  const demo = useDemo();
  const launch = useRun(start);
  const runs = read.data?.runs.slice(0, 3) ?? [];
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
      <Failure what="Not started." error={launch.error} />
      <Failure what="Could not load the results." error={read.error} retry={read.refetch} />
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
