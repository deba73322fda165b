import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import type { StoredResult } from '#core/research/backtest-result.ts';
import { CAPITAL } from '#web/ui/capital.ts';
import { MISSING, money, percent, signedPercent, twoDecimals, whole } from '#web/ui/numbers.ts';
import { reasonText } from '#web/ui/research.ts';
import { resultName } from '#web/ui/sharing.ts';
import { age } from '#web/ui/time.ts';
import { AmbiguityBand } from '#web/ui/ambiguity-band.tsx';
import { EquityPlot } from '#web/ui/equity-plot.tsx';
import { Figure, Result } from '#web/ui/figures.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { BacktestTrades, TradeGroups } from './backtest-trades.tsx';
import { Trust } from './trust.tsx';

/** Where the candles of a stored run are read. */
interface StoredRun {
  readonly profileId: ProfileId;
  readonly runId: string;
}

/** The report of a backtest, key figures first. */
export function BacktestReport({ result, run }: { result: StoredResult; run: StoredRun }): ReactNode {
  const { metrics, ambiguity, balance } = result;
  const start = Number(balance);
  const part = (equity: number): number => equity / start - 1;
  const { worst, base, best, ...doubtful } = ambiguity;
  return (
    <>
      <Figures result={result} />
      {result.warnings.map((warning) => (
        <Notice key={warning} tone="care">
          <Prose text={warning} />
        </Notice>
      ))}
      <BacktestTrades result={result} run={run} aside={<Trust result={result} run={run} />} />
      <div className="cols">
        <Section title="Equity" note={<Window result={result} />} span={7}>
          <div className="key">
            <span>
              <i className="n" /> these settings
            </span>
            <span>
              <i className="d" /> {result.coins === undefined ? 'buy and hold' : 'buy and hold, equal parts'}
            </span>
          </div>
          <EquityPlot
            balance={start}
            fromMs={Date.parse(result.from)}
            toMs={Date.parse(result.to)}
            label={`Equity: ${signedPercent(metrics.totalReturn, 1)}, buy and hold ${signedPercent(metrics.buyAndHold, 1)}`}
            lines={[
              { kind: 'held', values: [start, ...holdingOf(result)] },
              { kind: 'intent', values: [start, ...result.equityCurve.map(({ equity }) => equity)] },
            ]}
          />
          <AmbiguityBand band={{ worst: part(worst), base: part(base), best: part(best), ...doubtful }} />
        </Section>
        <Metrics result={result} />
      </div>
      <Groups result={result} />
      <Waits result={result} />
    </>
  );
}

function Figures({ result }: { result: StoredResult }): ReactNode {
  const { symbol, metrics, drawdown, holdout, quoteAsset, balance } = result;
  const { capital } = metrics;
  return (
    <div className="figs">
      <Figure label="Return" note={`${resultName(symbol)}, from ${money(balance, quoteAsset)} ${quoteAsset}`}>
        <Result value={metrics.totalReturn} />
      </Figure>
      <Figure
        label={CAPITAL.returnOnUsed.words}
        note={capital === undefined ? 'run the backtest again' : `at most ${twoDecimals(capital.used)} ${quoteAsset}`}
      >
        {signedPercent(capital?.returnOnUsed ?? null, 1)}
      </Figure>
      <Figure label="Buy and hold" note="the whole balance, at the first price">
        {signedPercent(metrics.buyAndHold, 1)}
      </Figure>
      <Figure label="Max drawdown" note="from the high">
        {percent(-Math.abs(drawdown.depth))}
      </Figure>
      <Figure label="Out of sample (last 30 %)" note="the last days alone">
        {holdout === null ? MISSING : signedPercent(holdout.outOfSample.totalReturn, 1)}
      </Figure>
      <Figure label="Trades" note={metrics.winRate === null ? undefined : `${percent(metrics.winRate, 0)} win rate`}>
        {metrics.closedCycles}
      </Figure>
    </div>
  );
}

/** Buy and hold: equity of the balance after buying at the first price. */
function holdingOf({ equityCurve, balance }: StoredResult): number[] {
  const first = equityCurve[0]?.price ?? 1;
  return equityCurve.map(({ price }) => (Number(balance) * price) / first);
}

function Window({ result: { from, to, detailInterval, coverage } }: { result: StoredResult }): ReactNode {
  return (
    <>
      <When at={from} day /> to <When at={to} day />, {whole(coverage.candles)} candles of {detailInterval}
    </>
  );
}

type Numbers = readonly (readonly [words: string, text: string, note?: string])[];

/** Capital metrics; a result of an earlier version has none. */
function capitalRows({ metrics: { capital, exposure }, quoteAsset }: StoredResult): Numbers {
  const rows = [
    [CAPITAL.returnOnUsed, signedPercent(capital?.returnOnUsed ?? null, 1)],
    [CAPITAL.used, capital === undefined ? MISSING : `${twoDecimals(capital.used)} ${quoteAsset}`],
    [CAPITAL.alpha, signedPercent(capital?.alpha ?? null)],
    [CAPITAL.equalExposure, signedPercent(capital?.equalExposure ?? null)],
    [CAPITAL.meanExposure, capital === undefined ? MISSING : percent(capital.meanExposure, 1)],
    [CAPITAL.exposure, percent(exposure, 0)],
  ] as const;
  return rows.map(([{ words, note }, text]) => [words, text, note]);
}

function Metrics({ result }: { result: StoredResult }): ReactNode {
  const { metrics, quoteAsset } = result;
  const rows: Numbers = [
    ['Return per year', signedPercent(metrics.cagr, 1)],
    ...capitalRows(result),
    [
      'Daily DCA',
      signedPercent(metrics.costAveraging, 1),
      'An equal part of the balance is spent at the first price of each day.',
    ],
    ['Sharpe ratio', twoDecimals(metrics.sharpe)],
    ['Sortino ratio', twoDecimals(metrics.sortino)],
    ['Calmar ratio', twoDecimals(metrics.calmar)],
    ['Profit factor', twoDecimals(metrics.profitFactor)],
    [`Average trade, ${quoteAsset}`, twoDecimals(metrics.expectancy)],
    [`Best and worst trade, ${quoteAsset}`, `${twoDecimals(metrics.best)} / ${twoDecimals(metrics.worst)}`],
    [`Fees paid, ${quoteAsset}`, twoDecimals(metrics.fees)],
    ['Median holding time', metrics.durations === null ? MISSING : age(metrics.durations.medianMs)],
  ];
  return (
    <Section title="Metrics" span={5}>
      <dl className="dl">
        {rows.map(([words, text, note]) => (
          <div key={words} className="contents">
            <dt title={note}>{words}</dt>
            <dd>
              <Prose text={text} />
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** Net result by exit reason, and by coin for several. */
function Groups({ result }: { result: StoredResult }): ReactNode {
  const several = result.coins !== undefined;
  return (
    <div className="cols">
      <Section title="By exit reason" span={several ? 6 : 12}>
        <TradeGroups result={result} by="exit" />
      </Section>
      {several ? (
        <Section title="By coin" span={6}>
          <TradeGroups result={result} by="symbol" />
        </Section>
      ) : null}
    </div>
  );
}

/** The most frequent decisions: why it did not trade. */
function Waits({ result: { decisions, fillRules } }: { result: StoredResult }): ReactNode {
  const total = Object.values(decisions).reduce((sum, count) => sum + count, 0);
  return (
    <Section title="By wait reason" note="share of the candles">
      <dl className="dl">
        {Object.entries(decisions)
          .toSorted(([, a], [, b]) => b - a)
          .slice(0, 8)
          .map(([reason, count]) => (
            <div key={reason} className="contents">
              <dt>{reasonText(reason)}</dt>
              <dd>{percent(count / Math.max(1, total))}</dd>
            </div>
          ))}
      </dl>
      <details className="px-2">
        <summary>Fill rules</summary>
        <ul className="note list-disc pl-5">
          {fillRules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      </details>
    </Section>
  );
}
