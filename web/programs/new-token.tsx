import { type FormEvent, type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import type { TokenScope } from '#core/installation/token-scopes.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { createToken } from '#api/contract/tokens.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { Choice, Field, Switch } from '#web/ui/field.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { SCOPES } from './scopes.ts';

/** A token that was just created; its text is never shown again. */
export interface CreatedToken {
  readonly name: string;
  readonly token: string;
}

const EVERY_ACCOUNT = 'all';
const DAYS = [
  { value: '7', words: '7 days' },
  { value: '30', words: '30 days' },
  { value: '90', words: '90 days' },
  { value: '366', words: '366 days' },
] as const;
const EMPTY = { name: '', account: EVERY_ACCOUNT, days: '90', asset: 'USDT', perOrder: '', perDay: '' };
type Values = typeof EMPTY;
type SetValue = (name: keyof Values) => (value: string) => void;

/** A token without both amounts of its budget may not buy. */
const budgetOf = ({ asset, perOrder, perDay }: Values) =>
  perOrder === '' && perDay === '' ? {} : { budget: { asset, perOrder, perDay } };

/** The form of a new token. */
export function NewToken({ onCreated }: { onCreated: (created: CreatedToken) => void }): ReactNode {
  const [values, setValues] = useState(EMPTY);
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['read']);
  const accounts = useRead(listAccounts, {}).data?.accounts ?? [];
  const create = useAct(createToken, {
    onSuccess: ({ token }) => {
      onCreated({ name: values.name, token });
      setValues(EMPTY);
      setScopes(['read']);
    },
  });
  const refusal = create.error instanceof ProblemError ? create.error : undefined;
  const set: SetValue = (name) => (value) => setValues({ ...values, [name]: value });
  const proposes = scopes.includes('trade') || scopes.includes('manage');
  const accountIds: readonly AccountId[] = accounts.map(({ id }) => id).filter((id) => id === values.account);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({
      body: {
        name: values.name,
        scopes: [...scopes],
        days: Number(values.days),
        ...(accountIds.length === 0 ? {} : { accountIds: [...accountIds] }),
        ...(proposes ? budgetOf(values) : {}),
      },
    });
  };
  return (
    <Section title="New token">
      <form onSubmit={submit}>
        <Field
          stack
          label="Name"
          note="The program that uses it."
          error={refusal?.field('name')}
          input={{ required: true, value: values.name, onChange: ({ target }) => set('name')(target.value) }}
        />
        <Scopes scopes={scopes} onChange={setScopes} />
        <Choice
          label="Account"
          note="Other accounts do not exist for the token."
          value={values.account}
          options={[
            { value: EVERY_ACCOUNT, words: 'Every account' },
            ...accounts.map(({ id, name }) => ({ value: id, words: name })),
          ]}
          onChange={set('account')}
        />
        <Choice label="Valid for" value={values.days} options={DAYS} onChange={set('days')} />
        {proposes ? <Budget values={values} set={set} refusal={refusal} /> : null}
        <Failure what="Not created." error={create.error} />
        <div className="actions">
          <button type="submit" className="btn go" disabled={create.isPending}>
            Create token
          </button>
          <span className="note">Shown once, stored only as a digest.</span>
        </div>
      </form>
    </Section>
  );
}

interface ScopesProps {
  scopes: readonly TokenScope[];
  onChange: (scopes: readonly TokenScope[]) => void;
}

function Scopes({ scopes, onChange }: ScopesProps): ReactNode {
  return (
    <fieldset className="grid gap-3 p-2">
      <legend className="note">It may</legend>
      {SCOPES.map(({ scope, words, note }) => (
        <Switch
          key={scope}
          label={words}
          note={note}
          on={scopes.includes(scope)}
          disabled={scope === 'read'}
          onChange={(on) => onChange(on ? [...scopes, scope] : scopes.filter((held) => held !== scope))}
        />
      ))}
    </fieldset>
  );
}

interface BudgetProps {
  values: Values;
  set: SetValue;
  refusal: ProblemError | undefined;
}

function Budget({ values, set, refusal }: BudgetProps): ReactNode {
  const amount = (name: 'perOrder' | 'perDay', label: string, note: string): ReactNode => (
    <Field
      label={label}
      note={note}
      unit={values.asset}
      error={refusal?.field(`budget.${name}`)}
      input={{ inputMode: 'decimal', value: values[name], onChange: ({ target }) => set(name)(target.value) }}
    />
  );
  return (
    <>
      <Field
        label="Budget in"
        note="The asset that its buys spend."
        error={refusal?.field('budget.asset')}
        input={{ value: values.asset, onChange: ({ target }) => set('asset')(target.value.toUpperCase()) }}
      />
      {amount('perOrder', 'Budget per order', 'Empty: it may not propose a buy.')}
      {amount('perDay', 'Budget in 24 hours', 'Approved orders count too.')}
    </>
  );
}
