import { useParams } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useId, useState } from 'react';
import { exportLogs } from '#api/contract/records.ts';
import { addressOf } from '#web/data/call.ts';
import type { LogFilters, Profile } from '#web/data/queries.ts';
import { Switch } from '#web/forms/field.tsx';
import { DecisionLog } from '#web/parts/decision-log.tsx';
import { ProfileFrame } from '#web/parts/profile-frame.tsx';
import { Section } from '#web/parts/section.tsx';

export function LogsPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/logs' });
  return (
    <ProfileFrame id={id} part="Logs">
      {(profile) => <Logs profile={profile} />}
    </ProfileFrame>
  );
}

const LEVELS = [
  { value: '', words: 'Everything' },
  { value: 'info,warn,error', words: 'Without waiting' },
  { value: 'warn,error', words: 'Warnings and errors' },
  { value: 'error', words: 'Errors' },
] as const;
const HOUR_MS = 3_600_000;
const AGES = [
  { hours: 0, words: 'since the beginning' },
  { hours: 1, words: 'of the last hour' },
  { hours: 24, words: 'of the last day' },
  { hours: 168, words: 'of the last week' },
] as const;

function Logs({ profile }: { profile: Profile }): ReactNode {
  const [symbol, setSymbol] = useState('');
  const [level, setLevel] = useState<string>('');
  const [text, setText] = useState('');
  const [from, setFrom] = useState<string | undefined>(undefined);
  const [follow, setFollow] = useState(true);
  const q = useDeferredValue(text.trim());
  const filters: LogFilters = {
    ...(symbol === '' ? {} : { symbol }),
    ...(level === '' ? {} : { level }),
    ...(q === '' ? {} : { q }),
    ...(from === undefined ? {} : { from }),
  };
  const files = (['csv', 'ndjson'] as const).map((format) => ({
    format,
    href: addressOf(exportLogs.path, { id: profile.id }, { format, ...filters }),
  }));
  return (
    <>
      <div className="head">
        <h1 className="verdict">Everything {profile.name} decided and did.</h1>
        <p className="two">Equal decisions in a row share a line. Context holds the numbers behind a line.</p>
      </div>
      <Section
        title="Log"
        note={
          <span>
            Save these rows as{' '}
            {files.map(({ format, href }, i) => (
              <span key={format}>
                {i === 0 ? '' : ' or '}
                <a href={href} download>
                  {format === 'csv' ? 'a table (CSV)' : 'lines of JSON'}
                </a>
              </span>
            ))}
          </span>
        }
      >
        <div className="filters" role="group" aria-label="Which rows">
          <Pick label="Coin" value={symbol} onChange={setSymbol}>
            <option value="">All coins</option>
            {profile.symbols.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Pick>
          <Pick label="Show" value={level} onChange={setLevel}>
            {LEVELS.map(({ value, words }) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Pick>
          <Pick
            label="From"
            value={from === undefined ? '0' : undefined}
            onChange={(hours) =>
              setFrom(hours === '0' ? undefined : new Date(Date.now() - Number(hours) * HOUR_MS).toISOString())
            }
          >
            {AGES.map(({ hours, words }) => (
              <option key={hours} value={hours}>
                {words}
              </option>
            ))}
          </Pick>
          <label className="in">
            <span className="vh">Words in the row</span>
            <input
              type="search"
              placeholder="words in the row"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <Switch label="Follow" on={follow} onChange={setFollow} />
        </div>
        <DecisionLog profileId={profile.id} filters={filters} follow={follow} size={50} />
      </Section>
    </>
  );
}

interface PickProps {
  label: string;
  value: string | undefined;
  onChange: (value: string) => void;
  children: ReactNode;
}

function Pick({ label, value, onChange, children }: PickProps): ReactNode {
  const id = useId();
  return (
    <span className="in">
      <label htmlFor={id} className="vh">
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </span>
  );
}
