import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { isObject, mergePatch } from '#core/merge.ts';
import { changeProfile } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import { fieldError, ProblemError } from '#web/data/problem-error.ts';
import { type Profile, strategiesQuery } from '#web/data/queries.ts';
import { Failure, Say, Skeleton } from '#web/parts/say.tsx';
import { multiplierWords, SAME } from '#web/words/numbers.ts';
import { Choice, Field, Switch } from './field.tsx';
import { type SchemaField, schemaGroups, valueAt, withValue } from './schema-fields.ts';

/** The settings of a profile, drawn from the JSON Schema of its strategy; refusals come from the server. */
export function ConfigForm({ profile, quote }: { profile: Profile; quote: string | undefined }): ReactNode {
  const { data, error } = useQuery(strategiesQuery);
  const strategy = data?.strategies.find(({ name }) => name === profile.strategyName);
  if (error !== null) return <Failure what="The settings could not be read." error={error} />;
  if (data === undefined) return <Skeleton rows={6} height={52} />;
  if (strategy === undefined) {
    return (
      <Say tone="care" title="Unknown strategy.">
        This version has no strategy called {profile.strategyName}.
      </Say>
    );
  }
  return <Form profile={profile} quote={quote} schema={strategy.schema} defaults={strategy.defaults} />;
}

interface FormProps {
  profile: Profile;
  /** The asset that amounts are counted in. */
  quote: string | undefined;
  schema: Record<string, unknown>;
  defaults: Record<string, unknown>;
}

function Form({ profile, quote, schema, defaults }: FormProps): ReactNode {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Record<string, unknown> | null>(null);
  const edited = draft ?? profile.config;
  const shown = mergePatch(defaults, edited);
  const save = useMutation({
    mutationFn: () => call(changeProfile, { params: { id: profile.id }, body: { config: edited } }),
    onSuccess: ({ profile: saved }) => {
      client.setQueryData(keys.profile(profile.id), saved);
      setDraft(null);
      void client.invalidateQueries({ queryKey: keys.dashboard });
    },
  });
  const errors = save.error instanceof ProblemError ? (save.error.problem.errors ?? []) : [];
  const change = (path: string, value: unknown): void => {
    // A list is stored whole, so an edit of one item starts from the list that is shown.
    const list = path.match(/^(.*?)\.\d+\./)?.[1];
    const base =
      list === undefined || valueAt(edited, list) !== undefined
        ? edited
        : withValue(edited, list, valueAt(shown, list));
    const next = withValue(base, path, value);
    if (isObject(next)) setDraft(next);
  };
  const groups = schemaGroups(schema, shown);
  const paths = groups.flatMap((group) => group.fields.map(({ path }) => path));
  const unplaced = errors.filter((one) => !paths.some((path) => fieldError([one], path) !== undefined));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const dirty = JSON.stringify(edited) !== JSON.stringify(profile.config);
  return (
    <form onSubmit={submit}>
      {groups.map((group) => (
        <fieldset key={group.title}>
          <legend className="px-2 pt-4 font-strong">{group.title}</legend>
          {group.fields.map((field) => (
            <Leaf
              key={field.path}
              field={field}
              quote={quote}
              value={valueAt(shown, field.path)}
              error={fieldError(errors, field.path)}
              onChange={(value) => change(field.path, value)}
            />
          ))}
        </fieldset>
      ))}
      <Outcome error={save.error} unplaced={unplaced} warnings={save.data?.warnings ?? []} />
      <div className="actions">
        <button type="submit" className="btn go" disabled={save.isPending || !dirty}>
          Save settings
        </button>
        <button type="button" className="btn" disabled={!dirty} onClick={() => setDraft(null)}>
          Discard
        </button>
        <span className="note">{dirty ? 'Used from the next decision on.' : 'Nothing is changed.'}</span>
      </div>
    </form>
  );
}

interface OutcomeProps {
  error: Error | null;
  /** Refusals that belong to no shown field. */
  unplaced: readonly { path: string; message: string }[];
  warnings: readonly { code: string; message: string; detail: string }[];
}

/** What came of the last save. */
function Outcome({ error, unplaced, warnings }: OutcomeProps): ReactNode {
  const named = error instanceof ProblemError && (error.problem.errors ?? []).length > 0;
  if (error !== null && !named) return <Failure what="Not saved." error={error} />;
  if (error !== null) {
    const rest = unplaced.map(({ path, message }) => `${path} ${message}`).join('; ');
    return (
      <Say tone="loss" title="Not saved.">
        {rest === '' ? 'What is marked above was refused.' : rest}
      </Say>
    );
  }
  return warnings.map((warning) => (
    <Say key={warning.code} tone="care" title={`Saved, but ${warning.message}:`}>
      {warning.detail}
    </Say>
  ));
}

/** What the setting means, and what a multiplier is in percent. */
function noteOf({ note, of }: SchemaField, shown: string): string | undefined {
  const meaning = of === undefined ? undefined : multiplierWords(shown);
  const parts = [note, meaning === undefined ? undefined : `Now ${meaning === SAME ? `at ${of}` : `${meaning} ${of}`}`];
  const sentences = parts.filter((part) => part !== undefined).map((part) => (part.endsWith('.') ? part : `${part}.`));
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

interface LeafProps {
  field: SchemaField;
  quote: string | undefined;
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
}

function Leaf({ field, quote, value, error, onChange }: LeafProps): ReactNode {
  const { label, kind, options } = field;
  const shown = value === undefined || value === null ? '' : String(value);
  const note = noteOf(field, shown);
  if (kind === 'switch') {
    return (
      <div className="field">
        <Switch label={label} on={value === true} onChange={onChange} />
        {note === undefined ? null : <span className="note">{note}</span>}
      </div>
    );
  }
  if (kind === 'choice') {
    return (
      <Choice
        label={label}
        note={note}
        error={error}
        value={shown}
        options={options.map((option) => ({ value: option, words: option }))}
        onChange={onChange}
      />
    );
  }
  // A number that does not parse is sent as it was typed, so that the server names the field.
  const parse = (text: string): unknown =>
    kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  return (
    <Field
      label={label}
      note={note}
      unit={field.unit === 'quote' ? quote : field.unit}
      error={error}
      input={{ inputMode: 'decimal', value: shown, onChange: (event) => onChange(parse(event.target.value)) }}
    />
  );
}
