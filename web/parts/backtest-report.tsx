import type { ReactNode } from 'react';
import { toNumber } from '#core/decimal.ts';
import type { BacktestResult } from '#backtest/result.ts';
import type { Past } from '#web/preview/summary.ts';
import { Replayer } from '#web/preview/replay.ts';
import { MINUS, MISSING, percent, signedPercent } from '#web/words/numbers.ts';
import { age } from '#web/words/time.ts';
import { AmbiguityBand } from './ambiguity-band.tsx';
import { EquityPlot } from './equity-plot.tsx';
import { Figure } from './figures.tsx';
import { Icon } from './icon.tsx';
import { Say } from './say.tsx';
import { Section } from './section.tsx';
import { Prose, When } from './when.tsx';

interface ReportProps {
  result: BacktestResult;
  past: Past;
}

const number = (value: number | null): string => (value === null ? MISSING : value.toFixed(2).replace('-', MINUS));
const share = (value: number | null): string => (value === null ? MISSING : signedPercent(value, 1));

/** Everything a backtest says, the number to believe first. */
export function BacktestReport({ result, past }: ReportProps): ReactNode {
  const { metrics, drawdown, holdout, ambiguity, quoteAsset, balance } = result;
  const start = Number(balance);
  const part = (equity: number): number => equity / start - 1;
  const { worst, base, best, candles } = ambiguity;
  return (
    <>
      <div className="figs">
        <Figure label="Return" note={`${result.symbol}, from 10,000 ${quoteAsset}`}>
          <Result value={metrics.totalReturn} />
        </Figure>
        <Figure label="Holding instead" note="bought once, at the first price">
          {share(metrics.buyAndHold)}
        </Figure>
        <Figure label="Deepest fall" note="from the highest worth before it">
          {percent(-Math.abs(drawdown.depth))}
        </Figure>
        <Figure label="Last third alone" note="the days that came last: 30 % of them">
          {holdout === null ? MISSING : share(holdout.outOfSample.totalReturn)}
        </Figure>
        <Figure
          label="Round trips"
          note={metrics.winRate === null ? undefined : `${percent(metrics.winRate, 0)} in profit`}
        >
          {metrics.closedCycles}
        </Figure>
      </div>
      {result.warnings.map((warning) => (
        <Say key={warning} tone="care">
          <Prose text={warning} />
        </Say>
      ))}
      <div className="cols">
        <Section title="Equity" note={<Window result={result} />} span={7}>
          <div className="key">
            <span>
              <i className="n" /> these settings
            </span>
            <span>
              <i className="d" /> holding the coin
            </span>
          </div>
          <EquityPlot
            balance={toNumber(past.terms.balance)}
            fromMs={Date.parse(result.from)}
            toMs={Date.parse(result.to)}
            label={`Equity: ${share(metrics.totalReturn)}, holding ${share(metrics.buyAndHold)}`}
            lines={[
              { kind: 'held', values: new Replayer(past).holding() },
              { kind: 'intent', values: result.dailyEquity },
            ]}
          />
          <AmbiguityBand band={{ worst: part(worst), base: part(base), best: part(best), candles }} />
        </Section>
        <AllNumbers result={result} />
      </div>
      <div className="cols">
        <Reasons result={result} />
        <Trips result={result} />
      </div>
    </>
  );
}

function Result({ value }: { value: number }): ReactNode {
  const text = share(value);
  if (!/[1-9]/.test(text)) return text;
  return (
    <span className={value > 0 ? 'gain' : 'loss'}>
      <Icon name={value > 0 ? 'up' : 'dn'} /> {text}
    </span>
  );
}

function Window({ result: { from, to, detailInterval, coverage } }: { result: BacktestResult }): ReactNode {
  return (
    <>
      <When at={from} /> to <When at={to} />, {coverage.candles.toLocaleString('en-US')} candles of {detailInterval}
    </>
  );
}

function AllNumbers({ result: { metrics, quoteAsset } }: { result: BacktestResult }): ReactNode {
  const rows = [
    ['Return per year', share(metrics.cagr)],
    ['Against holding', share(metrics.alpha.buyAndHold)],
    ['Against buying a little every day', share(metrics.alpha.costAveraging)],
    ['Return for its ups and downs (Sharpe)', number(metrics.sharpe)],
    ['Return for its downs alone (Sortino)', number(metrics.sortino)],
    ['Return for its deepest fall (Calmar)', number(metrics.calmar)],
    ['Won for each unit lost (profit factor)', number(metrics.profitFactor)],
    [`Made per round trip, ${quoteAsset}`, number(metrics.expectancy)],
    [`Best and worst, ${quoteAsset}`, `${number(metrics.best)} / ${number(metrics.worst)}`],
    [`Fees paid, ${quoteAsset}`, number(metrics.fees)],
    ['Time in the market', percent(metrics.exposure, 0)],
    ['Held for, in the middle', metrics.durations === null ? MISSING : age(metrics.durations.medianMs)],
  ] as const;
  return (
    <Section title="All the numbers" span={5}>
      <dl className="dl">
        {rows.map(([words, text]) => (
          <div key={words} className="contents">
            <dt>{words}</dt>
            <dd>
              <Prose text={text} />
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

const WORDS: Readonly<Record<string, string>> = { entry: 'Waited: ', hold: 'Held: ', exit: '', order: '' };

/** `hold-below-arm` in words: `Held: below arm`. */
function reasonWords(reason: string): string {
  const [family = '', ...rest] = reason.split('-');
  const prefix = WORDS[family];
  const words = prefix === undefined ? reason.replaceAll('-', ' ') : `${prefix}${rest.join(' ')}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Why it sold, and what kept it from trading. */
function Reasons({ result: { metrics, decisions, quoteAsset } }: { result: BacktestResult }): ReactNode {
  const total = Object.values(decisions).reduce((sum, count) => sum + count, 0);
  return (
    <Section title="Why it sold, and what it waited for" span={6}>
      <dl className="dl">
        {Object.entries(metrics.exits).map(([reason, { cycles, net }]) => (
          <div key={reason} className="contents">
            <dt>Sold: {reasonWords(reason).toLowerCase()}</dt>
            <dd>
              {cycles}{' '}
              <span className={net >= 0 ? 'gain' : 'loss'}>
                <Icon name={net >= 0 ? 'up' : 'dn'} /> {number(net)}
              </span>{' '}
              <span className="unit">{quoteAsset}</span>
            </dd>
          </div>
        ))}
        {Object.entries(decisions)
          .slice(0, 8)
          .map(([reason, count]) => (
            <div key={reason} className="contents">
              <dt className="two">{reasonWords(reason)}</dt>
              <dd>{percent(count / Math.max(1, total))} of the candles</dd>
            </div>
          ))}
      </dl>
    </Section>
  );
}

function Trips({ result: { cycles, quoteAsset, fillRules } }: { result: BacktestResult }): ReactNode {
  return (
    <Section title="Round trips" note={cycles.length > 12 ? 'the last 12' : undefined} span={6}>
      <div className="tw">
        <table>
          <thead>
            <tr>
              <th>Closed</th>
              <th>Sold because</th>
              <th className="num">Made, {quoteAsset}</th>
            </tr>
          </thead>
          <tbody>
            {cycles
              .slice(-12)
              .toReversed()
              .map(({ cycle, closedAt, net, exitReason }) => (
                <tr key={cycle}>
                  <td className="note">
                    <When at={closedAt} />
                  </td>
                  <td>{reasonWords(exitReason)}</td>
                  <td className="num">
                    <span className={Number(net) >= 0 ? 'gain' : 'loss'}>
                      <Icon name={Number(net) >= 0 ? 'up' : 'dn'} /> {number(Number(net))}
                    </span>
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      <details className="px-2">
        <summary>How it was replayed</summary>
        <ul className="note list-disc pl-5">
          {fillRules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      </details>
    </Section>
  );
}
