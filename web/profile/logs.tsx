import { useParams } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useId, useState } from 'react';
import { exportLogs } from '#api/contract/records.ts';
import { addressOf } from '#web/data/call.ts';
import type { Profile } from '#web/data/answers.ts';
import { Switch } from '#web/ui/field.tsx';
import { CaptureSwitch } from '#web/coin/capture-switch.tsx';
import { DecisionLog, type LogFilters } from '#web/coin/decision-log.tsx';
import { ProfileFrame } from './profile-frame.tsx';
import { Section } from '#web/ui/section.tsx';

export function LogsPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/logs' });
  return (
    <ProfileFrame id={id} part="Logs">
      {(profile) => <Logs profile={profile} />}
    </ProfileFrame>
  );
}

/** Waiting and holding are rows of level debug. */
const WITHOUT_WAITING = 'info,warn,error';
const LEVELS = [
  { value: WITHOUT_WAITING, words: 'Hide waiting' },
  { value: '', words: 'Everything' },
  { value: 'warn,error', words: 'Warnings and errors' },
  { value: 'error', words: 'Errors' },
] as const;
const HOUR_MS = 3_600_000;
const AGES = [
  { hours: 0, words: 'All time' },
  { hours: 1, words: 'Last hour' },
  { hours: 24, words: 'Last day' },
  { hours: 168, words: 'Last week' },
] as const;

function Logs({ profile }: { profile: Profile }): ReactNode {
  const [filters, setFilters] = useState<LogFilters>({ level: WITHOUT_WAITING });
  const [follow, setFollow] = useState(true);
  // Typing stays smooth: the rows follow when there is time.
  const settled = useDeferredValue(filters);
  return (
    <>
      <div className="head">
        <h1 className="verdict">Logs of {profile.name}</h1>
        <p className="two">
          One row a line, grouped by trade; decisions to wait are hidden. Context holds the numbers of a row.
        </p>
      </div>
      <Section title="Log" note={<Files profile={profile} filters={settled} />}>
        <div className="filters" role="group" aria-label="Show">
          <Choices symbols={profile.symbols} filters={filters} onChange={setFilters} />
          <Switch label="Follow" on={follow} onChange={setFollow} />
        </div>
        <CaptureSwitch profileId={profile.id} />
        <DecisionLog key={settled.q ?? ''} profileId={profile.id} filters={settled} follow={follow} size={50} grouped />
      </Section>
    </>
  );
}

function Files({ profile, filters }: { profile: Profile; filters: LogFilters }): ReactNode {
  const href = (format: 'csv' | 'ndjson'): string =>
    addressOf(exportLogs.path, { id: profile.id }, { format, ...filters });
  return (
    <span>
      <a href={href('csv')} download>
        Export CSV
      </a>{' '}
      <a href={href('ndjson')} download>
        Export JSONL
      </a>
    </span>
  );
}

interface ChoicesProps {
  symbols: readonly string[];
  filters: LogFilters;
  onChange: (filters: LogFilters) => void;
}

function Choices({ symbols, filters, onChange }: ChoicesProps): ReactNode {
  const set = (name: keyof LogFilters, value: string): void => {
    const { [name]: _old, ...others } = filters;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  const since = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();
  return (
    <>
      <Pick label="Coin" onChange={(symbol) => set('symbol', symbol)}>
        <option value="">All coins</option>
        {symbols.map((symbol) => (
          <option key={symbol}>{symbol}</option>
        ))}
      </Pick>
      <Pick label="Level" onChange={(level) => set('level', level)}>
        {LEVELS.map(({ value, words }) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Pick>
      <Pick label="From" onChange={(hours) => set('from', hours === '0' ? '' : since(Number(hours)))}>
        {AGES.map(({ hours, words }) => (
          <option key={hours} value={hours}>
            {words}
          </option>
        ))}
      </Pick>
      <label className="in">
        <span className="vh">Search</span>
        <input type="search" placeholder="search" onChange={(event) => set('q', event.target.value.trim())} />
      </label>
    </>
  );
}

interface PickProps {
  label: string;
  onChange: (value: string) => void;
  children: ReactNode;
}

function Pick({ label, onChange, children }: PickProps): ReactNode {
  const id = useId();
  return (
    <span className="in">
      <label htmlFor={id} className="vh">
        {label}
      </label>
      <select id={id} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </span>
  );
}
