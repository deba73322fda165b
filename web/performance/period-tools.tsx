import { type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { exportPerformance, type PERIODS } from '#api/contract/performance.ts';
import { addressOf } from '#web/data/call.ts';
import { TaxReport } from './tax-report.tsx';
import type { Performance, PeriodChoice } from './queries.ts';

type Period = (typeof PERIODS)[number];

const NAMES: Readonly<Record<Period, string>> = {
  '1w': '1W',
  '1m': '1M',
  '3m': '3M',
  ytd: 'YTD',
  all: 'All',
  custom: 'Custom',
};

interface ToolsProps {
  accountId: AccountId;
  choice: PeriodChoice;
  /** Undefined while the first answer is on its way. */
  data: Performance | undefined;
  onChange: (choice: PeriodChoice) => void;
  /** The choice of the account. */
  children?: ReactNode;
}

/** Period, account, profile and files. */
export function PeriodTools({ accountId, choice, data, onChange, children }: ToolsProps): ReactNode {
  const [taxes, setTaxes] = useState(false);
  const { period, profileId } = choice;
  const profiles = data?.profiles ?? [];
  const lastDay = data?.days.at(-1)?.day ?? '';
  const choose = (next: Period): void => {
    const dates =
      next === 'custom' ? { from: choice.from ?? data?.days[0]?.day ?? lastDay, to: choice.to ?? lastDay } : {};
    onChange({ period: next, ...dates, ...(profileId === undefined ? {} : { profileId }) });
  };
  const query = Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined));
  return (
    <div className="tools">
      <span className="seg" role="group" aria-label="Period">
        {(Object.keys(NAMES) as Period[]).map((name) => (
          <button key={name} type="button" aria-pressed={period === name} onClick={() => choose(name)}>
            {NAMES[name]}
          </button>
        ))}
      </span>
      {period === 'custom' ? <CustomDays choice={choice} lastDay={lastDay} onChange={onChange} /> : null}
      {children}
      {profiles.length < 2 ? null : (
        <span className="in">
          <select
            aria-label="Profile"
            value={profileId ?? ''}
            onChange={({ target }) => {
              const { profileId: _before, ...rest } = choice;
              const picked = profiles.find(({ id }) => id === target.value);
              onChange(picked === undefined ? rest : { ...rest, profileId: picked.id });
            }}
          >
            <option value="">All profiles</option>
            {profiles.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </span>
      )}
      <span className="grow" />
      <a className="btn small" href={addressOf(exportPerformance.path, { id: accountId }, query)} download>
        Export CSV
      </a>
      <button type="button" className="btn small" onClick={() => setTaxes(true)}>
        Tax report…
      </button>
      <TaxReport open={taxes} onClose={() => setTaxes(false)} data={data} />
    </div>
  );
}

interface CustomProps extends Pick<ToolsProps, 'choice' | 'onChange'> {
  lastDay: string;
}

/** First and last day, both included. An incomplete date changes nothing. */
function CustomDays({ choice, lastDay, onChange }: CustomProps): ReactNode {
  const set = (name: 'from' | 'to', day: string): void => {
    if (/^\d{4}-\d\d-\d\d$/.test(day)) onChange({ ...choice, [name]: day });
  };
  return (
    <>
      {(['from', 'to'] as const).map((name) => (
        <span key={name} className="in date">
          <input
            type="date"
            aria-label={name === 'from' ? 'First day' : 'Last day'}
            value={choice[name] ?? ''}
            {...(name === 'from' ? { max: choice.to ?? lastDay } : { min: choice.from ?? '' })}
            onChange={({ target }) => set(name, target.value)}
          />
        </span>
      ))}
    </>
  );
}
