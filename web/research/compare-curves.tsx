import { type ReactNode, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import type { StoredResult } from '#core/research/backtest-result.ts';
import { EquityPlot } from '#web/ui/equity-plot.tsx';
import { Result } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { MISSING, percent, signedPercent, twoDecimals, whole } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { BacktestTrades } from './backtest-trades.tsx';
import {
  commonSpan,
  equityAt,
  holdingAt,
  luckOfDifference,
  momentsOf,
  numbersOf,
  type PartNumbers,
  type Span,
  spanOf,
  wholeSpan,
} from './compare-series.ts';

/** One result of a comparison, with the letter of its run. */
export interface Letter {
  readonly letter: string;
  readonly runId: string;
  readonly result: StoredResult;
}

/** The letter of a run by its place. */
export const letterOf = (place: number): string => String.fromCodePoint(65 + place);

const DASHES = [undefined, '8 4', '2 3', '10 3 2 3'] as const;
/** Two colours and four patterns distinguish eight runs. */
const styleOf = (place: number) => {
  const dash = DASHES[Math.floor(place / 2)];
  return { kind: place % 2 === 0 ? 'fact' : 'intent', ...(dash === undefined ? {} : { dash }) } as const;
};

/** Chance of a difference above which it may be luck, and trades below which a run says nothing. */
const [MOST_LUCK, FEW, SOME] = [0.05, 30, 100];

interface CurvesProps {
  id: ProfileId;
  letters: readonly Letter[];
}

/** Curves, numbers and trades of several results of the same coins over the time that they have in common. */
export function CompareCurves({ id, letters }: CurvesProps): ReactNode {
  const results = letters.map(({ result }) => result);
  const common = commonSpan(results);
  const all = wholeSpan(results);
  const differs = common !== undefined && results.some((result) => !isSame(spanOf(result), common));
  const [isWhole, setWhole] = useState(false);
  const span = isWhole || common === undefined ? all : common;
  return (
    <>
      <div className="tools">
        {differs ? (
          <span className="seg" role="group" aria-label="Period">
            <button type="button" aria-pressed={!isWhole} onClick={() => setWhole(false)}>
              Common period
            </button>
            <button type="button" aria-pressed={isWhole} onClick={() => setWhole(true)}>
              Whole runs
            </button>
          </span>
        ) : null}
        <span className="note">
          {common === undefined ? 'These runs have no day in common.' : isWhole ? 'All of ' : 'All runs cover '}
          {common === undefined ? null : (
            <>
              <When at={new Date(span.fromMs).toISOString()} day /> to{' '}
              <When at={new Date(span.toMs).toISOString()} day />.
              {differs && !isWhole ? ' Cut to the common period.' : ''}
            </>
          )}
        </span>
      </div>
      <div className="cols">
        <Curves letters={letters} span={span} />
        {letters.length === 2 && common !== undefined ? <IsBetter letters={letters} span={common} /> : null}
      </div>
      {common === undefined ? null : <Numbers letters={letters} span={isWhole ? undefined : common} />}
      <Trades id={id} letters={letters} />
    </>
  );
}

const isSame = (a: Span, b: Span): boolean => a.fromMs === b.fromMs && a.toMs === b.toMs;

function Curves({ letters, span }: { letters: readonly Letter[]; span: Span }): ReactNode {
  const moments = momentsOf(span);
  const [first] = letters;
  const lines = letters.map(({ letter, result }, i) => ({
    ...styleOf(i),
    name: letter,
    values: equityAt(result, moments),
  }));
  const held =
    first === undefined ? [] : [{ kind: 'held' as const, name: 'hold', values: holdingAt(first.result, moments) }];
  const made = lines.map(({ name, values }) => `${name} ${signedPercent((values.at(-1) ?? 1) - 1, 1)}`);
  return (
    <Section title="Equity" note="percent of the start" span={letters.length === 2 ? 8 : 12}>
      <div className="key">
        {letters.map(({ letter, result }, i) => (
          <span key={letter}>
            <svg width="24" height="8" aria-hidden="true">
              <path
                d="M0 4H24"
                stroke={i % 2 === 0 ? 'var(--color-ink)' : 'var(--color-intent)'}
                strokeWidth="2"
                strokeDasharray={DASHES[Math.floor(i / 2)]}
              />
            </svg>{' '}
            {letter}, {whole(result.cycles.length)} trades
          </span>
        ))}
        <span>
          <i className="d" /> buy and hold
        </span>
      </div>
      <EquityPlot
        balance={1}
        {...span}
        times={moments}
        label={`Equity over the period: ${made.join(', ')}`}
        lines={[...held, ...lines]}
      />
    </Section>
  );
}

/** Whether the second of two runs is better, or its difference may be luck. */
function IsBetter({ letters, span }: { letters: readonly Letter[]; span: Span }): ReactNode {
  const [a, b] = letters;
  if (a === undefined || b === undefined) return null;
  const luck = luckOfDifference(a.result, b.result, span);
  const trades = [a, b].map(({ result }) => numbersOf(result, span).trades);
  const least = Math.min(...trades);
  const isClear = luck !== null && luck <= MOST_LUCK && least >= FEW;
  return (
    <Section title={`Is ${b.letter} better?`} span={4}>
      <dl className="dl">
        <dt>
          <Icon name={isClear ? 'ok' : 'ring'} />{' '}
          {luck === null ? 'Difference' : isClear ? 'Difference beyond luck' : 'Difference within luck'}
          <span className="note block">chance of a gap this large between two equal settings</span>
        </dt>
        <dd>{luck === null ? 'not measured' : percent(luck, 0)}</dd>
        <dt>
          <Icon name={least >= SOME ? 'ok' : 'warn'} /> Trades
          <span className="note block">{least >= SOME ? 'enough' : `few: below ${SOME} in a run`}</span>
        </dt>
        <dd>{trades.join(' and ')}</dd>
      </dl>
      {luck === null ? (
        <p className="note p-2">The difference is measured from ten days in common on, when the curves differ.</p>
      ) : null}
    </Section>
  );
}

interface Row {
  readonly words: string;
  readonly show: (numbers: PartNumbers, result: StoredResult) => ReactNode;
}

const ROWS: readonly Row[] = [
  { words: 'Return', show: ({ totalReturn }) => <Result value={totalReturn} /> },
  { words: 'Max drawdown', show: ({ drawdown }) => percent(-drawdown) },
  { words: 'Trades', show: ({ trades }) => whole(trades) },
  { words: 'Win rate', show: ({ winRate }) => (winRate === null ? MISSING : percent(winRate, 0)) },
  { words: 'Average win', show: ({ averageWin }) => twoDecimals(averageWin) },
  { words: 'Average loss', show: ({ averageLoss }) => twoDecimals(averageLoss) },
  { words: 'Fees of these trades', show: ({ fees }) => twoDecimals(fees) },
];

/** The rows that need the whole run. */
const WHOLE_ROWS: readonly Row[] = [
  { words: 'Mean exposure', show: (_, { metrics }) => percent(metrics.capital?.meanExposure ?? null, 1) },
  {
    words: 'Ambiguity band',
    show: (_, { ambiguity, balance }) =>
      `${signedPercent(ambiguity.worst / Number(balance) - 1, 1)} to ${signedPercent(ambiguity.best / Number(balance) - 1, 1)}`,
  },
];

function Numbers({ letters, span }: { letters: readonly Letter[]; span: Span | undefined }): ReactNode {
  const quote = letters[0]?.result.quoteAsset ?? '';
  const columns = letters.map(({ letter, result }) => {
    const own = span ?? spanOf(result);
    return { letter, result, numbers: numbersOf(result, own), isWhole: isSame(own, spanOf(result)) };
  });
  const rows = columns.every(({ isWhole }) => isWhole) ? [...ROWS, ...WHOLE_ROWS] : ROWS;
  return (
    <Section title="Period in numbers" note={`money in ${quote}`}>
      <div className="tw" tabIndex={0} role="group" aria-label="Numbers of the period">
        <table className="side">
          <thead>
            <tr>
              <th>Number</th>
              {columns.map(({ letter }) => (
                <th key={letter} className="num">
                  {letter}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ words, show }) => (
              <tr key={words}>
                <th scope="row">{words}</th>
                {columns.map(({ letter, numbers, result }) => (
                  <td key={letter} className="num">
                    {show(numbers, result)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

/** The trades of the chosen run on its candles and in a table. */
function Trades({ id, letters }: CurvesProps): ReactNode {
  const [letter, setLetter] = useState<string | undefined>(undefined);
  const shown = letters.find((each) => each.letter === letter);
  return (
    <>
      <div className="tools">
        <span className="seg" role="group" aria-label="Trades of">
          {letters.map((each) => (
            <button
              key={each.letter}
              type="button"
              aria-pressed={each.letter === letter}
              onClick={() => setLetter(each.letter === letter ? undefined : each.letter)}
            >
              Trades of {each.letter}
            </button>
          ))}
        </span>
      </div>
      {shown === undefined ? null : shown.result.fills.length === 0 ? (
        <Notice tone="next" title="No trades.">
          This run never bought.
        </Notice>
      ) : (
        <BacktestTrades key={shown.letter} result={shown.result} run={{ profileId: id, runId: shown.runId }} />
      )}
    </>
  );
}
