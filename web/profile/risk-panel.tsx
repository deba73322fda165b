import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import {
  readAccountKillSwitch,
  readProfileKillSwitch,
  setAccountKillSwitch,
  setProfileKillSwitch,
} from '#api/contract/halts.ts';
import type { Answer } from '#api/contract/operation.ts';
import { changeAccountRisk, changeProfileRisk, readAccountRisk, readProfileRisk } from '#api/contract/risk.ts';
import type { RiskLimits } from '#core/account/risk.ts';
import { call } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import type { Profile } from '#web/data/queries.ts';
import { Field, Switch } from '#web/ui/field.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose } from '#web/ui/when.tsx';

type Risk = Answer<typeof readProfileRisk>;
type Change = Partial<RiskLimits>;

/** An account or a profile, with the calls that read and change its limits. */
interface Subject {
  readonly words: string;
  readonly key: readonly string[];
  readonly read: (signal: AbortSignal) => Promise<Risk>;
  readonly change: (body: Change) => Promise<Risk>;
  readonly readSwitch: (signal: AbortSignal) => Promise<{ engaged: boolean }>;
  readonly setSwitch: (engaged: boolean) => Promise<{ engaged: boolean }>;
}

const subjectsOf = ({ id, accountId }: Profile): { profile: Subject; account: Subject } => {
  const [own, whole] = [{ params: { id } }, { params: { id: accountId } }];
  return {
    profile: {
      words: 'this profile',
      key: [...keys.risk, id],
      read: (signal) => call(readProfileRisk, own, signal),
      change: (body) => call(changeProfileRisk, { ...own, body }),
      readSwitch: (signal) => call(readProfileKillSwitch, own, signal),
      setSwitch: (engaged) => call(setProfileKillSwitch, { ...own, body: { engaged } }),
    },
    account: {
      words: 'the account',
      key: [...keys.risk, accountId],
      read: (signal) => call(readAccountRisk, whole, signal),
      change: (body) => call(changeAccountRisk, { ...whole, body }),
      readSwitch: (signal) => call(readAccountKillSwitch, whole, signal),
      setSwitch: (engaged) => call(setAccountKillSwitch, { ...whole, body: { engaged } }),
    },
  };
};

interface LimitField {
  readonly name: keyof RiskLimits;
  readonly label: string;
  readonly note: string;
  readonly unit?: string;
}

const FIELDS: readonly LimitField[] = [
  { name: 'asset', label: 'Amounts in', note: 'Asset of the amounts below, such as USDT.' },
  {
    name: 'dailyLoss',
    label: 'Loss today',
    note: 'Realised, after fees. Stops buying until the next day in your time zone.',
    unit: 'money',
  },
  {
    name: 'drawdown',
    label: 'Drawdown',
    note: 'Realised loss within the window below. Stops buying until it is older.',
    unit: 'money',
  },
  { name: 'drawdownHours', label: 'Drawdown window', note: 'How far back the drawdown is measured.', unit: 'h' },
  { name: 'lossStreak', label: 'Losses in a row', note: 'This many losing trades in a row pause buying.' },
  { name: 'lossPauseMinutes', label: 'Pause', note: 'Length of the pause after losses in a row.', unit: 'min' },
  { name: 'openPositions', label: 'Open positions', note: 'Maximum number; existing positions may still be added to.' },
  {
    name: 'exposure',
    label: 'Exposure',
    note: 'Maximum cost of positions and open buys. Buys get smaller first.',
    unit: 'money',
  },
  { name: 'entriesPerMinute', label: 'Buys per minute', note: 'Further buys wait.' },
];
const LABELS: Readonly<Record<string, string>> = Object.fromEntries(FIELDS.map(({ name, label }) => [name, label]));
const TEXTS = ['asset', 'dailyLoss', 'drawdown', 'exposure'] as const;
const COUNTS = ['lossStreak', 'openPositions', 'entriesPerMinute'] as const;
const LENGTHS = ['drawdownHours', 'lossPauseMinutes'] as const;

/** Typed values as the contract takes them; invalid numbers become 0, which the server rejects with the field name. */
function changeOf(draft: Readonly<Record<string, string>>): Change {
  const change: Change = {};
  const numberOf = (text: string): number => (Number.isFinite(Number(text)) ? Number(text) : 0);
  for (const name of TEXTS) {
    const text = draft[name]?.trim();
    if (text !== undefined) change[name] = text === '' ? null : name === 'asset' ? text.toUpperCase() : text;
  }
  for (const name of COUNTS) {
    const text = draft[name]?.trim();
    if (text !== undefined) change[name] = text === '' ? null : numberOf(text);
  }
  for (const name of LENGTHS) if (draft[name] !== undefined) change[name] = numberOf(draft[name]);
  return change;
}

/** Limits and present state of a profile or of its whole account. */
export function RiskPanel({ profile }: { profile: Profile }): ReactNode {
  const [scope, setScope] = useState<'profile' | 'account'>('profile');
  const subject = subjectsOf(profile)[scope];
  const { data, error } = useQuery({
    queryKey: subject.key,
    queryFn: ({ signal }) => subject.read(signal),
    refetchInterval: 15_000,
  });
  return (
    <Section title="Risk limits" note="they stop buys, never exits">
      <div className="actions">
        <span className="seg" role="group" aria-label="Limits of">
          {(['profile', 'account'] as const).map((option) => (
            <button key={option} type="button" aria-pressed={scope === option} onClick={() => setScope(option)}>
              {option === 'profile' ? 'This profile' : 'Account'}
            </button>
          ))}
        </span>
        <ScopeSwitch key={scope} subject={subject} />
      </div>
      {error === null ? null : <Failure what="Could not load the limits." error={error} />}
      {data === undefined ? <Skeleton rows={3} /> : <Usage risk={data} />}
      {data === undefined ? null : (
        <details>
          <summary className="two p-2">Change the limits</summary>
          <LimitsForm key={scope} subject={subject} limits={data.limits} />
        </details>
      )}
    </Section>
  );
}

/** How much of each limit is used. */
function Usage({ risk: { standings } }: { risk: Risk }): ReactNode {
  if (standings.length === 0) return <p className="two p-2">No limits set.</p>;
  return (
    <ul className="p-2">
      {standings.map(({ scope, limit, used, most, blocked, sentence }) => (
        <li key={`${scope} ${limit}`} className={blocked ? 'care' : 'two'}>
          {LABELS[limit] ?? limit} of the {scope}: <Prose text={`${used} of at most ${most}.`} />{' '}
          {sentence === null ? null : <Prose text={sentence} />}
        </li>
      ))}
    </ul>
  );
}

const refresh = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: keys.risk });

function LimitsForm({ subject, limits }: { subject: Subject; limits: RiskLimits }): ReactNode {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({});
  const save = useMutation({
    mutationFn: (sent: typeof draft) => subject.change(changeOf(sent)),
    onSuccess: async (_answer, sent) => {
      setDraft((now) => (now === sent ? {} : now));
      await refresh(client);
    },
  });
  const dirty = Object.keys(draft).length > 0;
  const refusal = save.error instanceof ProblemError ? save.error : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(draft);
  };
  return (
    <form onSubmit={submit}>
      {FIELDS.map(({ name, label, note, unit }) => (
        <Field
          key={name}
          label={label}
          note={note}
          unit={unit === 'money' ? (limits.asset ?? undefined) : unit}
          error={refusal?.field(name)}
          input={{
            value: draft[name] ?? String(limits[name] ?? ''),
            placeholder: 'none',
            inputMode: name === 'asset' ? 'text' : 'decimal',
            onChange: (event) => setDraft({ ...draft, [name]: event.target.value }),
          }}
        />
      ))}
      {save.isError ? <Failure what="Not saved." error={save.error} /> : null}
      <div className="actions">
        <button type="submit" className="btn go" disabled={save.isPending || !dirty}>
          Save limits of {subject.words}
        </button>
        <button type="button" className="btn" disabled={!dirty} onClick={() => setDraft({})}>
          Discard
        </button>
      </div>
    </form>
  );
}

/** The kill switch of the profile or the account. */
function ScopeSwitch({ subject }: { subject: Subject }): ReactNode {
  const client = useQueryClient();
  const queryKey = [...subject.key, 'switch'];
  const { data } = useQuery({ queryKey, queryFn: ({ signal }) => subject.readSwitch(signal) });
  const change = useMutation({
    mutationFn: (engaged: boolean) => subject.setSwitch(engaged),
    onSuccess: () => refresh(client),
  });
  return (
    <>
      <Switch
        label={`Buying stopped for ${subject.words}`}
        on={data?.engaged ?? false}
        disabled={data === undefined || change.isPending}
        onChange={(engaged) => change.mutate(engaged)}
      />
      {change.isError ? <Failure what="Not changed." error={change.error} /> : null}
    </>
  );
}
