import { type ReactNode, useState } from 'react';
import { readDecimal } from '#core/amount/decimal.ts';
import { Gain } from '#web/ui/figures.tsx';
import { Section } from '#web/ui/section.tsx';
import { type Cell, monthWeeks, otherMonth, tintOf } from './calendar-days.ts';
import type { Performance } from './queries.ts';
import { dayName, monthName, shortMoney, signedMoney } from './texts.ts';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

interface CalendarProps {
  data: Performance;
  unit: string;
  /** The day whose trades are shown. */
  chosen: string | undefined;
  onChoose: (day: string) => void;
}

/** P&L of the days of one month. A day opens its trades. */
export function MonthCalendar({ data, unit, chosen, onChoose }: CalendarProps): ReactNode {
  const { days, months, quoteAsset } = data;
  const today = days.at(-1)?.day ?? '';
  const [picked, setPicked] = useState<string | undefined>(undefined);
  const newest = months.at(-1)?.month ?? '';
  const month = months.find((one) => one.month === picked)?.month ?? newest;
  const result = months.find((one) => one.month === month);
  const move = (step: 1 | -1) => ({
    disabled: !months.some((one) => one.month === otherMonth(month, step)),
    onClick: () => setPicked(otherMonth(month, step)),
  });
  const head = (
    <span className="months">
      <button type="button" className="btn small" aria-label="Previous month" {...move(-1)}>
        ‹
      </button>
      <button type="button" className="btn small" aria-label="Next month" {...move(1)}>
        ›
      </button>
      <Gain value={readDecimal(result?.pnl ?? '0') ?? null} unit={unit} />
    </span>
  );
  return (
    <Section title={monthName(month, today)} note={head} span={4}>
      <table className="calm">
        <caption className="vh">P&amp;L of the days of {monthName(month, today)}</caption>
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {monthWeeks(month, days).map((week, row) => (
            <tr key={row}>
              {week.map((cell, i) => (
                <td key={WEEKDAYS[i]}>
                  {cell === undefined ? null : (
                    <CalendarDay
                      {...{ cell, unit, asset: quoteAsset, today, isChosen: cell.day === chosen, onChoose }}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

interface DayProps extends Pick<CalendarProps, 'unit' | 'onChoose'> {
  cell: Cell;
  asset: string | null;
  today: string;
  isChosen: boolean;
}

function CalendarDay({ cell: { day, result }, unit, asset, today, isChosen, onChoose }: DayProps): ReactNode {
  const date = Number(day.slice(8));
  if (result === undefined) return <span className="date">{date}</span>;
  return (
    <button
      type="button"
      className={`${tintOf(result)}${day === today ? ' now' : ''}`}
      title={`${dayName(day, today)}: ${signedMoney(result.pnl, asset)} ${unit}`}
      aria-pressed={isChosen}
      onClick={() => onChoose(day)}
    >
      <i>{date}</i>
      <em>{shortMoney(result.pnl, asset)}</em>
      <span className="vh">
        {unit} on {dayName(day, today)}: show its trades
      </span>
    </button>
  );
}
