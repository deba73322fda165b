import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useLabels } from '#web/config/setting-labels.ts';
import { count, MISSING, whole } from '#web/ui/numbers.ts';
import { Result } from '#web/ui/figures.tsx';
import { StrategyName } from '#web/ui/strategy-name.tsx';
import { When } from '#web/ui/when.tsx';
import { type HubColumn, type HubRun, type HubSorting, sortBy, sortRuns } from './hub-runs.ts';

const HEADS: readonly { readonly column?: HubColumn; readonly words: string; readonly numeric?: boolean }[] = [
  { column: 'kind', words: 'Run' },
  { column: 'profile', words: 'Profile and coins' },
  { words: 'Period' },
  { column: 'best', words: 'Best return', numeric: true },
  { column: 'trades', words: 'Trades', numeric: true },
  { column: 'verdict', words: 'Verdict' },
  { column: 'startedMs', words: 'Started' },
];

const SHOWN = 20;

/** All runs; each column sorts. */
export function RunsTable({ runs }: { runs: readonly HubRun[] }): ReactNode {
  const [sorting, setSorting] = useState<HubSorting>({ column: 'startedMs', descending: true });
  const [all, setAll] = useState(false);
  const sorted = sortRuns(runs, sorting);
  return (
    <>
      <div className="tw" tabIndex={0} role="group" aria-label="Runs">
        <table className="cards">
          <thead>
            <tr>
              {HEADS.map(({ column, words, numeric }) => (
                <th
                  key={words}
                  className={numeric === true ? 'num' : undefined}
                  aria-sort={column !== sorting.column ? undefined : sorting.descending ? 'descending' : 'ascending'}
                >
                  {column === undefined ? (
                    words
                  ) : (
                    <button type="button" onClick={() => setSorting(sortBy(sorting, column))}>
                      {words}{' '}
                      <span aria-hidden="true">{column !== sorting.column ? '' : sorting.descending ? '▾' : '▴'}</span>
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, all ? sorted.length : SHOWN).map((run) => (
              <Row key={run.id} run={run} />
            ))}
          </tbody>
        </table>
      </div>
      {all || sorted.length <= SHOWN ? null : (
        <div className="actions">
          <button type="button" className="btn small" onClick={() => setAll(true)}>
            Show all {sorted.length}
          </button>
        </div>
      )}
    </>
  );
}

function Row({ run }: { run: HubRun }): ReactNode {
  const { profile, strategyName, coins, varied, config, sets, startedMs, from, to, busy, done, all } = run;
  const { labelOf } = useLabels(strategyName, config);
  return (
    <tr>
      <td>
        <RunLink run={run} />
      </td>
      <td className="full">
        {profile}, {coins.length > 3 ? count(coins.length, 'coin') : coins.join(', ')}
        <span className="note">
          <StrategyName name={strategyName} />
          {varied.length === 0 ? '' : `; ${count(sets, 'setting')} of ${varied.map(labelOf).join(', ')}`}
        </span>
      </td>
      <td data-l="Period" className="note">
        <When at={from} day /> to {to === undefined ? 'now' : <When at={to} day />}
      </td>
      <td className="num" data-l="Best return">
        {run.best === null ? MISSING : <Result value={run.best} />}
      </td>
      <td className="num" data-l="Trades">
        {run.trades === null ? MISSING : whole(run.trades)}
      </td>
      <td data-l="Verdict">
        {run.verdict}
        {busy ? (
          <span className="note">
            {done} of {all}
          </span>
        ) : null}
      </td>
      <td data-l="Started" className="note">
        <When at={new Date(startedMs).toISOString()} />
      </td>
    </tr>
  );
}

function RunLink({ run: { kind, id, profileId } }: { run: HubRun }): ReactNode {
  return kind === 'Backtest' ? (
    <Link to="/profiles/$id/backtests/$runId" params={{ id: profileId, runId: id }}>
      {kind}
    </Link>
  ) : (
    <Link to="/profiles/$id/sweeps/$sweepId" params={{ id: profileId, sweepId: id }}>
      {kind}
    </Link>
  );
}
