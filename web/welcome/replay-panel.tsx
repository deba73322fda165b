import type { ReactNode } from 'react';
import { DEFAULT_COSTS } from '#core/research/costs.ts';
import { EquityPlot } from '#web/ui/equity-plot.tsx';
import { Result } from '#web/ui/figures.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { MINUS, MISSING, NARROW_SPACE, numberText, percent, signedPercent } from '#web/ui/numbers.ts';
import { costText } from '#web/ui/research.ts';
import type { ReplayAnswer } from './replay.ts';
import type { WizardReplay } from './use-replay.ts';

type Replayed = Extract<ReplayAnswer, { kind: 'replayed' }>;
/** Fewer closed trades say nothing, or little. */
const [FEW, SOME] = [30, 100];

interface PanelProps {
  replay: WizardReplay;
  /** Unit of the money. */
  unit: string;
  /** The prices are invented. */
  invented: boolean;
}

/** The last 90 days with the chosen settings, next to buy and hold of the same coins. */
export function ReplayPanel({ replay: { answer, loading, error, loaded }, unit, invented }: PanelProps): ReactNode {
  const note =
    answer?.kind === 'replayed' ? `runs in this browser, ${numberText(answer.tookMs / 1000, 1)} s` : undefined;
  return (
    <Section title="Replay of the last 90 days" note={note} span={4}>
      <Failure what="Could not load all candles." error={error} />
      {loading === undefined ? null : (
        <p className="note px-2 pb-2" role="status">
          Loading the candles of {loading.symbol}: {percent(loading.share, 0)}.
        </p>
      )}
      {answer === undefined && error === null ? <Skeleton rows={6} what="the replay" /> : null}
      {answer?.kind === 'refused' ? (
        <Notice tone="care" title="Nothing to replay.">
          {answer.sentence}
        </Notice>
      ) : null}
      {answer?.kind === 'replayed' ? <Outcome answer={answer} loaded={loaded} unit={unit} invented={invented} /> : null}
    </Section>
  );
}

interface OutcomeProps {
  answer: Replayed;
  loaded: readonly string[];
  unit: string;
  invented: boolean;
}

function Outcome({ answer, loaded, unit, invented }: OutcomeProps): ReactNode {
  const { strategy, hold, balance, fromMs, toMs } = answer;
  return (
    <>
      <p className="note px-2 pb-2">
        {loaded.join(', ')}; from {numberText(balance, 0)} {unit}; {costText(DEFAULT_COSTS)}
      </p>
      <EquityPlot
        {...{ balance, fromMs, toMs }}
        label={`Equity from ${numberText(balance, 0)} ${unit}: these settings ${signedPercent(strategy.totalReturn, 1)}, buy and hold ${signedPercent(hold.totalReturn, 1)}`}
        lines={[
          { kind: 'held', values: hold.days },
          { kind: 'intent', values: strategy.days },
        ]}
      />
      <div className="key pt-2">
        <span>
          <i className="n" /> these settings
        </span>
        <span>
          <i className="d" /> buy and hold
        </span>
      </div>
      <Table strategy={strategy} hold={hold} unit={unit} balance={balance} />
      {answer.coins.length < 2 ? null : (
        <p className="note flex flex-wrap gap-x-4 p-2">
          {answer.coins.map(({ symbol, totalReturn }) => (
            <span key={symbol}>
              {symbol} <Result value={totalReturn} />
            </span>
          ))}
        </p>
      )}
      {strategy.trades >= SOME ? null : (
        <Notice tone="care" title={strategy.trades < FEW ? 'Too few trades.' : `${strategy.trades} trades are few.`}>
          The result could be luck. From {FEW} trades on it starts to mean something, from {SOME} it is firm.
        </Notice>
      )}
      {invented ? (
        <Notice tone="next" title="Invented prices.">
          They swing more regularly than real ones. The replay shows how the settings work, not what they will earn.
        </Notice>
      ) : null}
    </>
  );
}

type TableProps = Pick<Replayed, 'strategy' | 'hold' | 'balance'> & { unit: string };

function Table({ strategy, hold, unit, balance }: TableProps): ReactNode {
  const fall = (share: number): string => (share < 0.0005 ? percent(0, 1) : `${MINUS}${percent(share, 1)}`);
  const money = (value: number): string => `${numberText(value, 2)}${NARROW_SPACE}${unit}`;
  const beforeFees = ({ totalReturn, fees }: Replayed['hold']): string => {
    const profit = totalReturn * balance + fees;
    return `${profit < 0 ? MINUS : ''}${money(Math.abs(profit))}`;
  };
  const rows: readonly (readonly [string, ReactNode, ReactNode])[] = [
    ['Return', <Result value={strategy.totalReturn} key="s" />, <Result value={hold.totalReturn} key="h" />],
    ['Max drawdown', fall(strategy.drawdown), fall(hold.drawdown)],
    ['Trades', numberText(strategy.trades, 0), MISSING],
    ['Win rate', strategy.winRate === null ? MISSING : percent(strategy.winRate, 0), MISSING],
    ['Profit factor', strategy.profitFactor === null ? MISSING : numberText(strategy.profitFactor, 2), MISSING],
    ['P&L before fees', beforeFees(strategy), beforeFees(hold)],
    ['Fees', money(strategy.fees), money(hold.fees)],
  ];
  return (
    <table>
      <thead>
        <tr>
          <th>Last 90 days</th>
          <th className="num">These settings</th>
          <th className="num">Buy and hold</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([words, own, held]) => (
          <tr key={words}>
            <td>{words}</td>
            <td className="num">
              <b>{own}</b>
            </td>
            <td className="num two">{held}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
