import { type ReactNode, useState } from 'react';
import { fromNumber, toNumber } from '#core/amount/decimal.ts';
import { listEquity } from '#api/contract/trades.ts';
import type { Dashboard } from '#web/data/answers.ts';
import { useTimes } from '#web/data/session.tsx';
import { useReads } from '#web/data/read.ts';
import { type AccountGroup, moneyUnit } from '#web/ui/accounts.ts';
import { evenly, joinEquity } from '#web/ui/equity.ts';
import { numberText, signedPercent } from '#web/ui/numbers.ts';
import { Gain } from '#web/ui/figures.tsx';
import { dayMark, minute } from '#web/ui/time.ts';
import { EquityPlot } from '#web/ui/equity-plot.tsx';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';

const POLL_MS = 60_000;
/** Until a new curve has its second point. */
const START_POLL_MS = 5_000;
const MOST_SHOWN = 500;
const NOT_KNOWN = 'The curve follows once the wallet and the price of every coin held are known.';
const DAY_MS = 86_400_000;
const STEP_MS = 600_000;
const RANGES = { '1D': DAY_MS, '1W': 7 * DAY_MS, '1M': 30 * DAY_MS, All: null } as const;
type Range = keyof typeof RANGES;
const RANGE_NAMES: readonly Range[] = ['1D', '1W', '1M', 'All'];

/** Equity over time against buy and hold of the same coins in equal parts. */
export function EquityCurve({ data: { profiles, coins }, group }: { data: Dashboard; group: AccountGroup }): ReactNode {
  const { zone, nowMs } = useTimes();
  const [range, setRange] = useState<Range>('All');
  const spanMs = RANGES[range];
  // Changes every ten minutes, so that the points are not fetched each minute.
  const from = spanMs === null ? undefined : new Date(nowMs - (nowMs % STEP_MS) - spanMs).toISOString();
  const mine = new Set(group.accounts.map(({ id }) => id));
  const others = new Set(
    coins.filter(({ quoteAsset }) => quoteAsset !== group.asset).map(({ profileId }) => profileId),
  );
  const shown = profiles.filter(({ id, accountId }) => mine.has(accountId) && !others.has(id));
  const equity = useReads(
    listEquity,
    shown.map(({ id }) => ({ params: { id }, query: from === undefined ? {} : { from } })),
    (answer) => (answer !== undefined && answer.points.length < 2 ? START_POLL_MS : POLL_MS),
  );
  const points = (equity.data ?? []).map((answer) => answer.points);
  const marks = group.equity === null ? [] : evenly(joinEquity(points, toNumber(group.equity)), MOST_SHOWN);
  const [first, last] = [marks[0], marks.at(-1)];
  const unit = moneyUnit(group.tag, group.asset);
  const note = first === undefined || last === undefined ? undefined : `since ${startMark(first, last, zone)}`;
  return (
    <Section title="Equity vs. buy and hold" note={note} span={8}>
      <div className="tools">
        <span className="seg small" role="group" aria-label="Range">
          {RANGE_NAMES.map((name) => (
            <button key={name} type="button" aria-pressed={range === name} onClick={() => setRange(name)}>
              {name}
            </button>
          ))}
        </span>
        <div className="key">
          <span>
            <i /> Equity, {unit}
          </span>
          <span>
            <i className="d" /> Buy and hold, equal parts
          </span>
          <span>
            <i className="ahead" /> ahead
          </span>
          <span>
            <i className="behind" /> behind
          </span>
        </div>
      </div>
      <Read of={equity} what="the equity" rows={7}>
        {() =>
          first === undefined || last === undefined || marks.length < 2 ? (
            <p className="p-2">{group.equity === null ? NOT_KNOWN : 'The curve starts within two minutes.'}</p>
          ) : (
            <Curve marks={marks} first={first} last={last} unit={unit} zone={zone} />
          )
        }
      </Read>
    </Section>
  );
}

type Mark = ReturnType<typeof joinEquity>[number];

/** The day of the first point, and on that day itself its minute: the P&L of today begins before it. */
const startMark = (first: Mark, last: Mark, zone: string): string => {
  const day = dayMark(first.atMs, zone);
  return day === dayMark(last.atMs, zone) ? minute(first.atMs, zone) : day;
};

interface CurveProps {
  marks: readonly Mark[];
  first: Mark;
  last: Mark;
  unit: string;
  zone: string;
}

function Curve({ marks, first, last, unit, zone }: CurveProps): ReactNode {
  return (
    <>
      <EquityPlot
        inMoney
        tall
        balance={first.worth}
        fromMs={first.atMs}
        toMs={last.atMs}
        times={marks.map(({ atMs }) => atMs)}
        label={`Equity ${numberText(last.worth, 2)} ${unit}, buy and hold ${numberText(last.holding, 2)} ${unit}`}
        lines={[
          { kind: 'fact', values: marks.map(({ worth }) => worth) },
          { kind: 'held', values: marks.map(({ holding }) => holding) },
        ]}
      />
      <p className="note p-2">
        <Since first={first} last={last} unit={unit} zone={zone} />
      </p>
    </>
  );
}

/** The result of the shown time, and that of buy and hold. */
function Since({ first, last, unit, zone }: { first: Mark; last: Mark; unit: string; zone: string }): ReactNode {
  const share = last.worth / first.worth - 1;
  const held = last.holding / first.holding - 1;
  return (
    <>
      <Gain value={fromNumber(last.worth - first.worth)} /> {unit} since {startMark(first, last, zone)} (
      {signedPercent(share, 1)}), after all fees. Buy and hold {signedPercent(held, 1)}.
    </>
  );
}
