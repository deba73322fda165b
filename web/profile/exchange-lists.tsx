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
import { Failure } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

interface Run<Report> {
  id: string;
  status: 'queued' | 'running' | 'done' | 'error';
  report: Report | null;
  error: string | null;
  startedAt: string;
}

/** The records beside what the exchange itself lists: fees compared, and trades that nothing here made. */
export function ExchangeLists({ profileId }: { profileId: ProfileId }): ReactNode {
  const params = { id: profileId };
  return (
    <Section title="Beside the exchange’s own lists" note="read by the worker when you ask">
      <Asked<FeeReport>
        name="fees"
        profileId={profileId}
        words="Compare the fees"
        about="Every fee that is recorded is compared with the exchange’s list of trades. Corrections stand beside the execution and in the ledger; nothing is changed in silence."
        start={() => call(reconcileFees, { params })}
        read={(signal) => call(listFeeReconciliations, { params }, signal)}
        tell={feeWords}
      />
      <Asked<BackfillReport>
        name="archive"
        profileId={profileId}
        words="Read trades made elsewhere"
        about="Trades of the account that no order of this service made, by hand or from before, go into an archive of their own. No position and no result counts them."
        start={() => call(backfillTradeArchive, { params, body: {} })}
        read={(signal) => call(listArchiveBackfills, { params }, signal)}
        tell={archiveWords}
      />
      <div className="actions">
        <a href={addressOf(exportArchivedFills.path, params, {})} download>
          Save the archive as a table (CSV)
        </a>
      </div>
    </Section>
  );
}

interface AskedProps<Report> {
  name: string;
  profileId: ProfileId;
  words: string;
  about: string;
  start: () => Promise<unknown>;
  read: (signal: AbortSignal) => Promise<{ runs: Run<Report>[] }>;
  tell: (report: Report) => string;
}

/** One thing to ask for, and what the last times came to. A live demo asks for nothing. */
function Asked<Report>({ name, profileId, words, about, start, read, tell }: AskedProps<Report>): ReactNode {
  const demo = useDemo();
  const client = useQueryClient();
  const queryKey = ['exchange-lists', name, profileId];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    refetchInterval: ({ state }) => (state.data?.runs.some(isBusy) ? 1_000 : 30_000),
  });
  const ask = useMutation({ mutationFn: start, onSuccess: () => client.invalidateQueries({ queryKey }) });
  const runs = data?.runs.slice(0, 3) ?? [];
  return (
    <div className="p-2">
      <p className="two">{about}</p>
      {demo ? null : (
        <button
          type="button"
          className="btn small"
          disabled={ask.isPending || runs.some(isBusy)}
          onClick={() => ask.mutate()}
        >
          {words}
        </button>
      )}
      {ask.isError ? <Failure what="Not asked." error={ask.error} /> : null}
      {error === null ? null : <Failure what="What was compared could not be read." error={error} />}
      <ul role="status">
        {runs.map((run) => (
          <li key={run.id}>
            <span className="note">
              <When at={run.startedAt} />
            </span>{' '}
            {run.report === null ? (run.error ?? 'The worker is at it.') : tell(run.report)}
          </li>
        ))}
      </ul>
    </div>
  );
}

const isBusy = ({ status }: Run<unknown>): boolean => status === 'queued' || status === 'running';

function feeWords({ checked, differing, differences, notListed, valued, unvalued }: FeeReport): string {
  if (checked === 0) return 'No execution is recorded yet.';
  const first = differences
    .slice(0, 3)
    .map(
      ({ symbol, tradeId, recorded, exchange }) =>
        `${symbol} trade ${tradeId}: ${feeOf(recorded)} here, ${feeOf(exchange)} there`,
    );
  return [
    differing === 0
      ? `${count(checked, 'fee')} compared, all as the exchange lists them.`
      : `${count(checked, 'fee')} compared, ${differing} corrected: ${first.join('; ')}${differing > first.length ? ', …' : ''}.`,
    valued === 0 ? '' : `The worth of ${count(valued, 'fee')} was looked up.`,
    unvalued === 0 ? '' : `The worth of ${count(unvalued, 'fee')} stays unknown: no candle of that minute.`,
    notListed.length === 0
      ? ''
      : `${count(notListed.length, 'execution')} recorded here are not listed by the exchange.`,
  ]
    .filter((one) => one !== '')
    .join(' ');
}

const feeOf = ({ amount, asset }: FeeReport['differences'][number]['recorded']): string =>
  `${amount} ${asset ?? ''}`.trim();

function archiveWords({ coins }: BackfillReport): string {
  const sum = (of: (coin: BackfillReport['coins'][number]) => number): number =>
    coins.reduce((total, coin) => total + of(coin), 0);
  const [listed, archived] = [sum((coin) => coin.listed), sum((coin) => coin.archived)];
  if (listed === 0) return 'The exchange lists nothing new.';
  return `${count(listed, 'trade')} read, ${archived} of them made elsewhere and archived.`;
}
