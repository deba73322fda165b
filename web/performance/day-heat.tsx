import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { money } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import { type Cell, tintOf, weekColumns } from './calendar-days.ts';
import { PlotTable } from './plot-table.tsx';
import type { Performance } from './queries.ts';
import { dayName, monthName, signedMoney } from './texts.ts';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
/** Change of week and weekday by each arrow key. */
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface HeatProps {
  data: Performance;
  unit: string;
  chosen: string | undefined;
  onChoose: (day: string) => void;
}

/** P&L of every day. */
export function DayHeat({ data, unit, chosen, onChoose }: HeatProps): ReactNode {
  const { days, levels, daysUp, daysDown, bestDay, worstDay, quoteAsset: asset } = data;
  const today = days.at(-1)?.day ?? '';
  const extremes = `best ${signedMoney(bestDay ?? '0', asset)}, worst ${signedMoney(worstDay ?? '0', asset)}`;
  const sentence = `${daysUp} days up, ${daysDown} down; ${extremes}`;
  return (
    <Section title="P&L per day" note={sentence} span={8}>
      <div className="calw" role="group" aria-label={`P&L per day: ${sentence} ${unit}`}>
        <HeatTable {...{ data, unit, chosen, onChoose }} />
      </div>
      <div className="key pt-2">
        <span>
          <i className="g3" /> profit
        </span>
        <span>
          <i className="n3" /> loss, hatched
        </span>
        <span>
          stronger tint: to {money(levels.middle, asset)}, to {money(levels.large, asset)}, above{' '}
          {money(levels.large, asset)} {unit}
        </span>
      </div>
      <PlotTable
        caption="P&L per day"
        head={['Day', `Net P&L, ${unit}`, `Realised, ${unit}`, `Fees, ${unit}`]}
        rows={days
          .toReversed()
          .map(({ day, pnl, realised, fees }) => [
            dayName(day, today),
            signedMoney(pnl, asset),
            signedMoney(realised, asset),
            money(fees, asset),
          ])}
      />
    </Section>
  );
}

type Weeks = readonly (readonly (Cell | undefined)[])[];

/** The day that an arrow key leads to from `day`. */
function neighbour(weeks: Weeks, day: string, key: string): string | undefined {
  const step = ARROWS[key];
  const week = weeks.findIndex((cells) => cells.some((cell) => cell?.day === day));
  const weekday = weeks[week]?.findIndex((cell) => cell?.day === day) ?? -1;
  return step === undefined ? undefined : weeks[week + step[0]]?.[weekday + step[1]]?.day;
}

/** One column for each week. One day can be reached with Tab; arrow keys move, Enter opens its trades. */
function HeatTable({ data, unit, chosen, onChoose }: HeatProps): ReactNode {
  const { days, quoteAsset } = data;
  const today = days.at(-1)?.day ?? '';
  const weeks = weekColumns(days);
  const [current, setCurrent] = useState(today);
  // The day with the focus may have left with the period.
  const active = days.some(({ day }) => day === current) ? current : today;
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const next = neighbour(weeks, active, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setCurrent(next);
    event.currentTarget.closest('table')?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus();
  };
  const size = { minWidth: 32 + weeks.length * 16, maxWidth: 32 + weeks.length * 44 };
  return (
    <table style={size}>
      <caption className="vh">Days as columns of weeks</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="vh">Day of the week</span>
          </th>
          {weeks.map((week, i) => (
            <th key={week.find((cell) => cell !== undefined)?.day} scope="col">
              {monthLabel(weeks, i, today)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {WEEKDAYS.map((name, weekday) => (
          <tr key={name}>
            <th scope="row">{weekday % 2 === 0 ? name : <span className="vh">{name}</span>}</th>
            {weeks.map((week) => (
              <td key={week.find((cell) => cell !== undefined)?.day}>
                <HeatDay
                  {...{ cell: week[weekday], unit, asset: quoteAsset, today, active, chosen, onChoose }}
                  press={press}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface HeatDayProps extends Pick<HeatProps, 'unit' | 'chosen' | 'onChoose'> {
  cell: Cell | undefined;
  asset: string | null;
  today: string;
  active: string;
  press: (event: KeyboardEvent<HTMLElement>) => void;
}

function HeatDay({ cell, unit, asset, today, active, chosen, onChoose, press }: HeatDayProps): ReactNode {
  if (cell?.result === undefined) return null;
  const { day, result } = cell;
  const words = `${dayName(day, today)}: ${signedMoney(result.pnl, asset)} ${unit}`;
  return (
    <button
      type="button"
      className={tintOf(result)}
      data-day={day}
      tabIndex={day === active ? 0 : -1}
      aria-label={words}
      title={words}
      aria-pressed={day === chosen}
      onClick={() => onChoose(day)}
      onKeyDown={press}
    />
  );
}

/** The month of a week that contains its first day, and that of the first week. */
function monthLabel(columns: Weeks, index: number, today: string): string {
  const monthOf = (week: readonly (Cell | undefined)[] | undefined): string | undefined =>
    week?.findLast((cell) => cell !== undefined)?.day.slice(0, 7);
  const month = monthOf(columns[index]);
  return month === undefined || month === monthOf(columns[index - 1]) ? '' : monthName(month, today).slice(0, 3);
}
