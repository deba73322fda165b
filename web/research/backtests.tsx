import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { listBacktests } from '#api/contract/research.ts';
import type { Profile } from '#web/data/answers.ts';
import { isBusy, paceOf, type Run } from '#web/data/research.ts';
import { useZone } from '#web/data/session.tsx';
import { useRead } from '#web/data/read.ts';
import { BacktestForm } from './backtest-form.tsx';
import { Result } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { ResearchFrame } from './research-frame.tsx';
import { ResearchReady } from './research-ready.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { count, percent } from '#web/ui/numbers.ts';
import { runStateText } from '#web/ui/research.ts';
import { resultCount, sharingText } from '#web/ui/sharing.ts';
import { full } from '#web/ui/time.ts';
import { Read } from '#web/ui/read.tsx';

export function BacktestsPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/backtests' });
  const { try: proposed } = useSearch({ from: '/shell/profiles/$id/backtests' });
  return (
    <ResearchFrame id={id} part="Backtests">
      {(profile) => (
        <>
          <div className="head">
            <h1 className="verdict">Backtests of {profile.name}</h1>
            <p className="two">
              A backtest runs the live strategy over past candles. It runs in the background; no order is placed.
            </p>
          </div>
          <div className="cols">
            <Section title="New backtest" span={5}>
              <ResearchReady profile={profile}>
                {(ready) => <BacktestForm key={proposed} ready={ready} proposed={proposed} />}
              </ResearchReady>
            </Section>
            <Runs profile={profile} />
          </div>
        </>
      )}
    </ResearchFrame>
  );
}

const MOST_COMPARED = 8;

function Runs({ profile: { id } }: { profile: Profile }): ReactNode {
  const all = useRead(listBacktests, { params: { id } }, { every: (data) => paceOf(data?.runs) });
  const navigate = useNavigate();
  const [marked, setMarked] = useState<readonly string[]>([]);
  const runs = all.data?.runs ?? [];
  const chosen = marked.filter((runId) => runs.some((run) => run.id === runId));
  const toggle = (runId: string): void =>
    setMarked(marked.includes(runId) ? marked.filter((id) => id !== runId) : [...marked, runId]);
  const compare = (): void => {
    void navigate({ to: '/profiles/$id/compare', params: { id }, search: { runs: chosen.join(',') } });
  };
  return (
    <Section title="Backtests" note="newest first; the last 100 and all reference backtests are kept" span={7} first>
      <Read of={all} what="the backtests" rows={4} height={52}>
        {() =>
          runs.length === 0 ? (
            <p className="p-2">No backtests yet.</p>
          ) : (
            <>
              <table className="cards">
                <thead>
                  <tr>
                    <th>Started</th>
                    <th>Coins</th>
                    <th className="num">Return</th>
                    <th className="num">Buy and hold</th>
                    <th className="num">Trades</th>
                    <th>
                      <span className="vh">Compare</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {runs.map((run) => (
                    <Row
                      key={run.id}
                      run={run}
                      marked={chosen.includes(run.id)}
                      onMark={() => toggle(run.id)}
                      id={id}
                    />
                  ))}
                </tbody>
              </table>
              <div className="actions">
                <button
                  type="button"
                  className="btn"
                  disabled={chosen.length < 2 || chosen.length > MOST_COMPARED}
                  onClick={compare}
                >
                  Compare {chosen.length < 2 ? '' : count(chosen.length, 'backtest')}
                </button>
                <span className="note">
                  {chosen.length < 2
                    ? 'Select two or more to compare them.'
                    : chosen.length > MOST_COMPARED
                      ? `At most ${MOST_COMPARED} can be compared.`
                      : 'Compares metrics and settings.'}
                </span>
              </div>
            </>
          )
        }
      </Read>
    </Section>
  );
}

interface RowProps {
  id: Profile['id'];
  run: Run;
  marked: boolean;
  onMark: () => void;
}

/** One run; with several results the mean return. */
function Row({ id, run, marked, onMark }: RowProps): ReactNode {
  const zone = useZone();
  const { request } = run;
  const coins = Object.values(run.metrics);
  const symbols = request.coins.map(({ symbol }) => symbol);
  const sharing = sharingText(request);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return (
    <tr>
      <td>
        <Link to="/profiles/$id/backtests/$runId" params={{ id, runId: run.id }}>
          <When at={run.createdAt} />
        </Link>
        <span className="note">
          {run.pinned ? (
            <>
              <Icon name="flag" /> reference,{' '}
            </>
          ) : null}
          {isBusy(run)
            ? `${runStateText(run.state)}, ${coins.length} of ${resultCount(request)}`
            : runStateText(run.state)}
        </span>
      </td>
      <td>
        {symbols.length > 2 ? count(symbols.length, 'coin') : symbols.join(', ')}
        <span className="note">
          from <When at={request.from} day />, {request.detailInterval}
          {sharing === undefined ? null : `; ${sharing}`}
        </span>
      </td>
      <td className="num" data-l="Return">
        {coins.length === 0 ? '–' : <Result value={mean(coins.map((metrics) => metrics.totalReturn))} />}
      </td>
      <td className="num" data-l="Buy and hold">
        {coins.length === 0 ? '–' : percent(mean(coins.map((metrics) => metrics.buyAndHold)))}
      </td>
      <td className="num" data-l="Trades">
        {coins.length === 0 ? '–' : coins.reduce((sum, metrics) => sum + metrics.closedCycles, 0)}
      </td>
      <td className="full num">
        <label className="check">
          <input
            type="checkbox"
            aria-label={`Compare the backtest started ${full(Date.parse(run.createdAt), zone, true)}`}
            checked={marked}
            disabled={coins.length === 0}
            onChange={onMark}
          />
          <span className="phone">Compare</span>
        </label>
      </td>
    </tr>
  );
}
