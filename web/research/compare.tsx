import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import type { Answer } from '#api/contract/operation.ts';
import { compareBacktests, readBacktest, repeatBacktest } from '#api/contract/research.ts';
import { call } from '#web/data/call.ts';
import type { Profile } from '#web/data/answers.ts';
import { BUSY_MS, fullConfigOf, isBusy, untilDone } from '#web/data/research.ts';
import { useRead, useReads, useRun } from '#web/data/read.ts';
import { useLabels } from '#web/config/setting-labels.ts';
import { Result } from '#web/ui/figures.tsx';
import { CompareCurves, type Letter, letterOf } from './compare-curves.tsx';
import { ResearchFrame } from './research-frame.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { CAPITAL } from '#web/ui/capital.ts';
import { runStateText } from '#web/ui/research.ts';
import { resultName } from '#web/ui/sharing.ts';
import { Read } from '#web/ui/read.tsx';
import { count, percent, signedPercent, twoDecimals } from '#web/ui/numbers.ts';

type Comparison = Answer<typeof compareBacktests>;
type Compared = Comparison['coins'][number];

export function ComparePage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/compare' });
  const { runs = '' } = useSearch({ from: '/shell/profiles/$id/compare' });
  return (
    <ResearchFrame id={id} part="Compare">
      {(profile) =>
        runs.split(',').length < 2 ? <Choose id={profile.id} /> : <Compare profile={profile} runs={runs} />
      }
    </ResearchFrame>
  );
}

/** One run, or none, is no comparison. */
function Choose({ id }: { id: ProfileId }): ReactNode {
  return (
    <div className="head">
      <h1 className="verdict">Compare backtests</h1>
      <p className="two">Select two or more in the list of backtests.</p>
      <div className="actions">
        <Link to="/profiles/$id/backtests" params={{ id }} className="btn go">
          Choose backtests
        </Link>
      </div>
    </div>
  );
}

function Compare({ profile: { id }, runs }: { profile: Profile; runs: string }): ReactNode {
  const comparison = useRead(
    compareBacktests,
    { params: { id }, query: { runs } },
    { every: (data) => (data?.runs.some(isBusy) === true ? BUSY_MS : false) },
  );
  const { data } = comparison;
  const pages = useReads(
    readBacktest,
    (data?.runs ?? []).map((run) => ({ params: { id, runId: run.id } })),
    untilDone,
  );
  const lettersOf = (symbol: string): Letter[] =>
    (data?.runs ?? []).flatMap((run, i) => {
      const page = pages.data?.find((each) => each.id === run.id);
      const result = page === undefined ? undefined : page.results[symbol];
      return result === undefined ? [] : [{ letter: letterOf(i), runId: run.id, result }];
    });
  return (
    <>
      <div className="head">
        <h1 className="verdict">{data === undefined ? 'Comparison of backtests' : <Verdict comparison={data} />}</h1>
        <p className="two">
          <Link to="/profiles/$id/backtests" params={{ id }}>
            Choose others
          </Link>
        </p>
      </div>
      <Read of={comparison} what="the comparison" rows={10}>
        {(answer) => (
          <>
            {answer.sameTerms ? null : (
              <Notice tone="care" title="These runs differ in period, candles or balance.">
                Their metrics say little about the settings.
                <SamePeriod id={id} comparison={answer} />
              </Notice>
            )}
            <Settings id={id} comparison={answer} />
            <Failure what="Could not load the curves." error={pages.error} />
            {answer.coins.map((coin) => {
              const letters = lettersOf(coin.symbol);
              return (
                <div key={coin.symbol}>
                  {answer.coins.length < 2 ? null : <h2 className="px-2 pt-4">{resultName(coin.symbol)}</h2>}
                  {letters.length < 2 ? null : <CompareCurves id={id} letters={letters} />}
                  <Section title={`Metrics of ${resultName(coin.symbol)}`} note="whole runs">
                    <Numbers id={id} comparison={answer} coin={coin} />
                  </Section>
                </div>
              );
            })}
          </>
        )}
      </Read>
    </>
  );
}

/** The runs of the first coin, the best return first. */
function Verdict({ comparison: { runs, coins } }: { comparison: Comparison }): ReactNode {
  const [coin] = coins;
  const found = (coin?.results ?? [])
    .map(({ runId, metrics }) => ({
      letter: letterOf(runs.findIndex((run) => run.id === runId)),
      made: metrics.totalReturn,
    }))
    .toSorted((a, b) => b.made - a.made);
  if (found.length < 2) return `Comparison of ${runs.length} backtests`;
  const [best, last] = [found[0], found.at(-1)];
  if (best === undefined || last === undefined) return null;
  return (
    <>
      {best.letter} made <Result value={best.made} />, {last.letter} <Result value={last.made} />.
    </>
  );
}

/** Runs the backtests of another period again over the newest period, each with its own settings, then compares. */
function SamePeriod({ id, comparison: { runs, newest, differing } }: TableProps): ReactNode {
  const navigate = useNavigate();
  const repeat = useRun(async () => {
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
      // Runs started before an error are compared too.
      if (again.size > 0) await compare();
    }
  });
  const reference = runs.find((run) => run.id === newest);
  const { from, to } = reference?.request ?? {};
  const period =
    from === undefined || to === undefined ? 'the newest period' : `${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  return (
    <>
      <span className="actions">
        <button type="button" className="btn small" disabled={repeat.isPending} onClick={() => repeat.mutate()}>
          Same period: run {count(differing.length, 'backtest')} again over {period}
        </button>
      </span>
      <Failure what="Not all backtests started." error={repeat.error} />
    </>
  );
}

type Column = Compared['results'][number] | undefined;

interface Measure {
  readonly words: string;
  /** Shown on hover. */
  readonly note?: string;
  readonly valueOf: (column: NonNullable<Column>) => number | null;
  readonly show: (value: number | null) => ReactNode;
  /** The better direction; absent where neither is better. */
  readonly better?: 'more' | 'less';
}

const MEASURES: readonly Measure[] = [
  {
    words: 'Return',
    valueOf: ({ metrics }) => metrics.totalReturn,
    show: (value) => (value === null ? '–' : <Result value={value} />),
    better: 'more',
  },
  {
    ...CAPITAL.returnOnUsed,
    valueOf: ({ metrics }) => metrics.capital?.returnOnUsed ?? null,
    show: (value) => signedPercent(value, 1),
    better: 'more',
  },
  { ...CAPITAL.alpha, valueOf: ({ metrics }) => metrics.capital?.alpha ?? null, show: signedPercent, better: 'more' },
  {
    words: 'Out of sample (last 30 %)',
    valueOf: ({ outOfSample }) => outOfSample,
    show: (value) => signedPercent(value, 1),
    better: 'more',
  },
  { words: 'Buy and hold', valueOf: ({ metrics }) => metrics.buyAndHold, show: (value) => signedPercent(value, 1) },
  {
    words: 'Max drawdown',
    valueOf: ({ drawdown }) => Math.abs(drawdown),
    show: (value) => (value === null ? '–' : percent(-value)),
    better: 'less',
  },
  { words: 'Sharpe ratio', valueOf: ({ metrics }) => metrics.sharpe, show: twoDecimals, better: 'more' },
  {
    words: 'Profit factor',
    valueOf: ({ metrics }) => metrics.profitFactor,
    show: twoDecimals,
    better: 'more',
  },
  { words: 'Trades', valueOf: ({ metrics }) => metrics.closedCycles, show: (value) => value ?? '–' },
  {
    words: 'Win rate',
    valueOf: ({ metrics }) => metrics.winRate,
    show: (value) => (value === null ? '–' : percent(value, 0)),
    better: 'more',
  },
  {
    ...CAPITAL.exposure,
    valueOf: ({ metrics }) => metrics.exposure,
    show: (value) => (value === null ? '–' : percent(value, 0)),
  },
  {
    ...CAPITAL.meanExposure,
    valueOf: ({ metrics }) => metrics.capital?.meanExposure ?? null,
    show: (value) => (value === null ? '–' : percent(value, 1)),
  },
  { words: 'Fees paid', valueOf: ({ metrics }) => metrics.fees, show: twoDecimals, better: 'less' },
];

/** Fewer closed trades say nothing. */
const FEW_TRADES = 30;

interface TableProps {
  id: Profile['id'];
  comparison: Comparison;
}

/** One column for each run, headed by its start time. */
function Head({ id, comparison: { runs }, first }: TableProps & { first: string }): ReactNode {
  return (
    <thead>
      <tr>
        <th>{first}</th>
        {runs.map((run, i) => (
          <th key={run.id} className="num">
            {letterOf(i)}{' '}
            <Link to="/profiles/$id/backtests/$runId" params={{ id, runId: run.id }}>
              <When at={run.createdAt} />
            </Link>
            <span className="note block">
              {run.pinned ? 'reference, ' : ''}
              {run.request.detailInterval}
            </span>
            {run.state === 'done' ? null : <span className="note block">{runStateText(run.state)}</span>}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Numbers({ id, comparison, coin }: TableProps & { coin: Compared }): ReactNode {
  const columns: readonly Column[] = comparison.runs.map((run) => coin.results.find(({ runId }) => runId === run.id));
  // Runs over other days or with few trades have no best.
  const marks =
    comparison.sameTerms &&
    columns.every((column) => column !== undefined && column.metrics.closedCycles >= FEW_TRADES);
  return (
    <div className="tw" tabIndex={0} role="group" aria-label={`Metrics of ${resultName(coin.symbol)}`}>
      <table className="side">
        <Head id={id} comparison={comparison} first="Metric" />
        <tbody>
          {MEASURES.map(({ words, note, valueOf, show, better }) => {
            const values = columns.map((column) => (column === undefined ? null : valueOf(column)));
            const known = values.filter((value) => value !== null);
            const best = better === undefined ? undefined : Math[better === 'more' ? 'max' : 'min'](...known);
            const alone = marks && new Set(known).size > 1;
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

/** A strategy with the short name of its version, when it is a file: `my-rsi@1a2b3c4d`. */
const shortReference = (reference: string): string => reference.replace(/(@.{8}).*$/, '$1');

function Settings({ id, comparison }: TableProps): ReactNode {
  const { settings, runs } = comparison;
  const [first] = runs;
  const { labelOf, wordsOf } = useLabels(first?.strategyName ?? '', first === undefined ? {} : fullConfigOf(first));
  const versions = new Set(runs.map(({ strategyName }) => strategyName));
  const rows = settings.length + (versions.size < 2 ? 0 : 1);
  return (
    <Section title="Settings that differ">
      {rows === 0 ? <p className="p-2">None: every run used the same settings.</p> : null}
      {rows === 0 ? null : (
        <div className="tw" tabIndex={0} role="group" aria-label="Settings that differ">
          <table className="side">
            <Head id={id} comparison={comparison} first="Setting" />
            <tbody>
              {versions.size < 2 ? null : (
                <tr>
                  <th scope="row">Strategy</th>
                  {runs.map(({ id: runId, strategyName }) => (
                    <td key={runId} className="num">
                      {shortReference(strategyName)}
                    </td>
                  ))}
                </tr>
              )}
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
