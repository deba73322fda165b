import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { compareBacktests, repeatBacktest } from '#api/contract/research.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import type { Profile } from '#web/data/queries.ts';
import { BUSY_MS, fullConfigOf, isBusy, isMetrics, runRequestOf, type StoredMetrics } from '#web/data/research.ts';
import { useLabels } from '#web/config/setting-labels.ts';
import { Result } from '#web/ui/figures.tsx';
import { ResearchFrame } from './research-frame.tsx';
import { Failure, Say, Skeleton } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { CAPITAL } from '#web/ui/capital.ts';
import { count, percent } from '#web/ui/numbers.ts';
import { fineShare, plain, runWords, share } from '#web/ui/research.ts';
import { resultName } from '#web/ui/sharing.ts';

type Comparison = Answer<typeof compareBacktests>;
type Compared = Comparison['coins'][number];

export function ComparePage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/compare' });
  const { runs = '' } = useSearch({ from: '/shell/profiles/$id/compare' });
  return (
    <ResearchFrame id={id} part="Compare">
      {(profile) => <Compare profile={profile} runs={runs} />}
    </ResearchFrame>
  );
}

function Compare({ profile: { id }, runs }: { profile: Profile; runs: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['compare', id, runs],
    queryFn: ({ signal }) => call(compareBacktests, { params: { id }, query: { runs } }, signal),
    refetchInterval: ({ state }) => (state.data?.runs.some(isBusy) === true ? BUSY_MS : false),
  });
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {data === undefined ? 'Backtests side by side.' : `${data.runs.length} backtests side by side.`}
        </h1>
        <p className="two">
          <Link to="/profiles/$id/backtests" params={{ id }}>
            Choose others
          </Link>
        </p>
      </div>
      {error === null ? null : <Failure what="They could not be compared." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={10} /> : null}
      {data === undefined ? null : (
        <>
          {data.sameTerms ? null : (
            <Say tone="care" title="They were not asked the same.">
              Days, candles or money differ, so these numbers say little about the settings.
              <SamePeriod id={id} comparison={data} />
            </Say>
          )}
          {data.coins.map((coin) => (
            <Section key={coin.symbol} title={resultName(coin.symbol)} note="the best of each row is bold">
              <Numbers id={id} comparison={data} coin={coin} />
            </Section>
          ))}
          <Settings id={id} comparison={data} />
        </>
      )}
    </>
  );
}

/** Runs those over another period once more, each with its own settings, and compares what they make then. */
function SamePeriod({ id, comparison: { runs, newest, differing } }: TableProps): ReactNode {
  const navigate = useNavigate();
  const repeat = useMutation({
    mutationFn: async () => {
      const again = new Map<string, string>();
      const compare = () => {
        const ids = runs.map((run) => again.get(run.id) ?? run.id).join(',');
        return navigate({ to: '/profiles/$id/compare', params: { id }, search: { runs: ids } });
      };
      try {
        for (const runId of differing) {
          const started = await call(repeatBacktest, { params: { id, runId }, body: { termsOf: newest } });
          again.set(runId, started.runId);
        }
      } finally {
        // What was started before a refusal is compared, too.
        if (again.size > 0) await compare();
      }
    },
  });
  const reference = runs.find((run) => run.id === newest);
  const { from, to } = (reference === undefined ? undefined : runRequestOf(reference)) ?? {};
  const period =
    from === undefined || to === undefined ? 'the newest period' : `${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  return (
    <>
      <span className="actions">
        <button type="button" className="btn small" disabled={repeat.isPending} onClick={() => repeat.mutate()}>
          Same period: run {count(differing.length, 'backtest')} again over {period}
        </button>
      </span>
      {repeat.error === null ? null : <Failure what="Not every backtest could be started." error={repeat.error} />}
    </>
  );
}

type Column =
  | { readonly metrics: StoredMetrics; readonly drawdown: number; readonly outOfSample: number | null }
  | undefined;

interface Measure {
  readonly words: string;
  /** Shown on hover. */
  readonly note?: string;
  readonly of: (column: NonNullable<Column>) => number | null;
  readonly show: (value: number | null) => ReactNode;
  /** Which end is better; nothing where neither is. */
  readonly better?: 'more' | 'less';
}

const MEASURES: readonly Measure[] = [
  {
    words: 'Made',
    of: ({ metrics }) => metrics.totalReturn,
    show: (value) => (value === null ? '–' : <Result value={value} />),
    better: 'more',
  },
  {
    ...CAPITAL.returnOnUsed,
    of: ({ metrics }) => metrics.capital?.returnOnUsed ?? null,
    show: share,
    better: 'more',
  },
  { ...CAPITAL.alpha, of: ({ metrics }) => metrics.capital?.alpha ?? null, show: fineShare, better: 'more' },
  { words: 'Last 30 % of the days (out of sample)', of: ({ outOfSample }) => outOfSample, show: share, better: 'more' },
  { words: 'Buy and hold', of: ({ metrics }) => metrics.buyAndHold, show: share },
  {
    words: 'Deepest fall',
    of: ({ drawdown }) => Math.abs(drawdown),
    show: (value) => (value === null ? '–' : percent(-value)),
    better: 'less',
  },
  { words: 'Return for its ups and downs (Sharpe)', of: ({ metrics }) => metrics.sharpe, show: plain, better: 'more' },
  {
    words: 'Won for each unit lost (profit factor)',
    of: ({ metrics }) => metrics.profitFactor,
    show: plain,
    better: 'more',
  },
  { words: 'Round trips', of: ({ metrics }) => metrics.closedCycles, show: (value) => value ?? '–' },
  {
    words: 'In profit',
    of: ({ metrics }) => metrics.winRate,
    show: (value) => (value === null ? '–' : percent(value, 0)),
    better: 'more',
  },
  {
    ...CAPITAL.exposure,
    of: ({ metrics }) => metrics.exposure,
    show: (value) => (value === null ? '–' : percent(value, 0)),
  },
  {
    ...CAPITAL.meanExposure,
    of: ({ metrics }) => metrics.capital?.meanExposure ?? null,
    show: (value) => (value === null ? '–' : percent(value, 1)),
  },
  { words: 'Fees paid', of: ({ metrics }) => metrics.fees, show: plain, better: 'less' },
];

interface TableProps {
  id: Profile['id'];
  comparison: Comparison;
}

/** One column for each run, headed by the moment it was begun. */
function Head({ id, comparison: { runs }, first }: TableProps & { first: string }): ReactNode {
  return (
    <thead>
      <tr>
        <th>{first}</th>
        {runs.map((run) => (
          <th key={run.id} className="num">
            <Link to="/profiles/$id/backtests/$runId" params={{ id, runId: run.id }}>
              <When at={run.createdAt} />
            </Link>
            <span className="note block">
              {run.pinned ? 'pinned, ' : ''}
              {runRequestOf(run)?.detailInterval}
            </span>
            {run.state === 'done' ? null : <span className="note block">{runWords(run.state)}</span>}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Numbers({ id, comparison, coin }: TableProps & { coin: Compared }): ReactNode {
  const columns: readonly Column[] = comparison.runs.map((run) => {
    const found = coin.results.find(({ runId }) => runId === run.id);
    return found !== undefined && isMetrics(found.metrics) ? { ...found, metrics: found.metrics } : undefined;
  });
  return (
    <div className="tw" tabIndex={0} role="group" aria-label={`Numbers of ${resultName(coin.symbol)}`}>
      <table className="side">
        <Head id={id} comparison={comparison} first="Measure" />
        <tbody>
          {MEASURES.map(({ words, note, of, show, better }) => {
            const values = columns.map((column) => (column === undefined ? null : of(column)));
            const known = values.filter((value) => value !== null);
            const best = better === undefined ? undefined : Math[better === 'more' ? 'max' : 'min'](...known);
            const alone = new Set(known).size > 1;
            return (
              <tr key={words}>
                <th scope="row" title={note}>
                  {words}
                </th>
                {values.map((value, i) => (
                  <td key={comparison.runs[i]?.id} className="num">
                    {value !== null && alone && value === best ? <b>{show(value)}</b> : show(value)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Settings({ id, comparison }: TableProps): ReactNode {
  const { settings, runs } = comparison;
  const [first] = runs;
  const { labelOf, wordsOf } = useLabels(first?.strategyName ?? '', first === undefined ? {} : fullConfigOf(first));
  return (
    <Section title="Settings that differ" note="all others are the same">
      {settings.length === 0 ? <p className="p-2">None: every run used the same settings.</p> : null}
      {settings.length === 0 ? null : (
        <div className="tw" tabIndex={0} role="group" aria-label="Settings that differ">
          <table className="side">
            <Head id={id} comparison={comparison} first="Setting" />
            <tbody>
              {settings.map(({ path, values }) => (
                <tr key={path}>
                  <th scope="row">{labelOf(path)}</th>
                  {runs.map((run, i) => (
                    <td key={run.id} className="num">
                      {wordsOf(path, values[i])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
