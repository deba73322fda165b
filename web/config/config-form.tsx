import { type FormEvent, type ReactNode, useState } from 'react';
import type { z } from 'zod';
import { type Changes, valueAt, withoutValue, withPatched, withValue } from '#core/config-path.ts';
import { isObject, mergePatch } from '#core/merge.ts';
import type { warning as warningSchema } from '#api/contract/fields.ts';
import { fieldError, ProblemError } from '#web/data/problem-error.ts';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { useRun } from '#web/data/read.ts';
import { changesOf } from './changes.ts';
import { ConfigLeaf } from './config-leaf.tsx';
import { GENERAL, type SchemaField, type SchemaGroup, schemaGroups } from './schema-fields.ts';
import { settingText } from './setting-text.ts';

type Config = Record<string, unknown>;
type Warnings = readonly z.infer<typeof warningSchema>[];
type Errors = readonly { path: string; message: string }[];
export type Remarks = readonly (Errors[number] & { fix?: { words: string; changes: Changes } | undefined })[];

/** The settings that the form edits: those of a profile, the overrides of one coin, or a few of the installation. */
export interface ConfigScope {
  readonly schema: Config;
  /** Values set here; all others are inherited. */
  readonly own: Config;
  /** The inherited values, complete. */
  readonly base: Config;
  /** Where inherited values come from; `undefined` where nothing is inherited. */
  readonly source: 'strategy' | 'profile' | undefined;
  /** The asset that amounts are counted in. */
  readonly quote: string | undefined;
  readonly save: (own: Config) => Promise<Warnings>;
}

/** Settings that inherit nothing. `save` gets the changed ones. */
export const plainScope = ({
  schema,
  values,
  quote,
  save,
}: {
  readonly schema: Config;
  readonly values: Config;
  readonly quote?: string | undefined;
  readonly save: (changed: Config) => Promise<unknown>;
}): ConfigScope => ({
  ...{ schema, own: values, base: {}, source: undefined, quote },
  save: async (edited) => {
    await save(Object.fromEntries(Object.entries(edited).filter(([name, value]) => !same(value, values[name]))));
    return [];
  },
});

interface ConfigFormProps {
  scope: ConfigScope;
  /** Remarks about the edit, each with the path of its setting. */
  remarks?: Remarks;
  onEdit?: (merged: Config) => void;
  /** Proposed values to start the edit with. */
  first?: Config | undefined;
  /** The path of the setting, or of the group of settings, that has the focus at first. */
  target?: string | undefined;
  /** Text of the button that saves one change. */
  action?: string;
  /** When saved values are used. */
  used?: string;
  /** Shown below the help text of a setting. */
  extraOf?: (path: string) => ReactNode;
  /** Another action next to the button that saves; gets the edit, and whether it differs from the saved settings. */
  actionOf?: (edited: Config, dirty: boolean) => ReactNode;
}

/** Settings from the JSON Schema of a strategy; errors of the server are shown at their field. */
export function ConfigForm(props: ConfigFormProps): ReactNode {
  const { scope, remarks = [], onEdit, first, target, extraOf, actionOf } = props;
  const { action = 'Save settings', used = 'Used from the next decision on after saving.' } = props;
  const [draft, setDraft] = useState<Config | null>(first ?? null);
  const [all, setAll] = useState(false);
  const edited = draft ?? scope.own;
  const shown = asConfig(mergePatch(scope.base, edited));
  const save = useRun(scope.save, {
    // A change made while the save was running is the next edit.
    onSuccess: (_warnings, sent) => setDraft((now) => (now === sent ? null : now)),
  });
  const errors = save.error instanceof ProblemError ? (save.error.problem.errors ?? []) : [];
  const put = (next: unknown): void => {
    if (!isObject(next)) return;
    setDraft(next);
    onEdit?.(asConfig(mergePatch(scope.base, next)));
  };
  const groups = schemaGroups(scope.schema, shown);
  const fields = groups.flatMap((group) => group.fields);
  const isOwn = ({ path }: SchemaField): boolean => valueAt(edited, path) !== undefined;
  const focused = fields.find(({ path }) => path === target || path.startsWith(`${target}.`))?.path;
  const isShown = (field: SchemaField): boolean =>
    all || !field.advanced || isOwn(field) || field.path === focused || fieldError(errors, field.path) !== undefined;
  const changes = fields.filter(
    ({ path }) => !same(valueAt(shown, path), valueAt(mergePatch(scope.base, scope.own), path)),
  );
  const dirty = JSON.stringify(edited) !== JSON.stringify(scope.own);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(edited);
  };
  const parts = { scope, edited, shown, errors, remarks, focused, isShown, put, extraOf };
  return (
    <form onSubmit={submit} noValidate>
      {fields.some(({ advanced }) => advanced) ? (
        <Detail all={all} count={fields.filter(isShown).length} total={fields.length} onChange={setAll} />
      ) : null}
      {groups.map((group) => (
        <Group key={`${group.title} ${group.list === undefined ? '' : 'list'}`} group={group} {...parts} />
      ))}
      <Outcome error={save.error} fields={fields} warnings={save.data ?? []} />
      <div className="actions">
        <button type="submit" className="btn go" disabled={save.isPending || !dirty}>
          {scope.source !== undefined && changes.length > 1 ? `Save ${changes.length} changes` : action}
        </button>
        <button type="button" className="btn" disabled={!dirty} onClick={() => put(scope.own)}>
          Discard
        </button>
        {actionOf?.(edited, dirty)}
        <span className="note">{dirty ? used : save.isSuccess ? `Saved. ${used}` : 'Nothing is changed.'}</span>
      </div>
      {changes.length === 0 || scope.source === undefined ? null : (
        <Changes fields={changes} scope={scope} shown={shown} />
      )}
    </form>
  );
}

const withFix = ({ own, base }: { own: Config; base: Config }, changes: Changes): Config =>
  changes.reduce<Config>((made, { path, value }) => withPatched({ own: made, base }, path, value), own);

/** The settings with proposed values, given as pairs of path and value in JSON; invalid pairs are ignored. */
export const withProposed = ({ own, base }: ConfigScope, proposed: string): Config =>
  withFix({ own, base }, changesOf(proposed));

const asConfig = (value: unknown): Config => (isObject(value) ? value : {});
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function Detail({
  all,
  count,
  total,
  onChange,
}: {
  all: boolean;
  count: number;
  total: number;
  onChange: (all: boolean) => void;
}): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-3 pb-2">
      <span className="seg" role="group" aria-label="Detail">
        {[false, true].map((advanced) => (
          <button
            key={String(advanced)}
            type="button"
            aria-pressed={all === advanced}
            onClick={() => onChange(advanced)}
          >
            {advanced ? 'Advanced' : 'Basic'}
          </button>
        ))}
      </span>
      <span className="note">
        {count} of {total} settings shown. A coloured bar marks a custom value.
      </span>
    </div>
  );
}

interface GroupProps {
  group: SchemaGroup;
  scope: ConfigScope;
  edited: Config;
  shown: Config;
  errors: Errors;
  remarks: Remarks;
  focused: string | undefined;
  isShown: (field: SchemaField) => boolean;
  put: (next: unknown) => void;
  extraOf: ((path: string) => ReactNode) | undefined;
}

function Group({ group, scope, edited, shown, errors, remarks, focused, isShown, put, ...props }: GroupProps) {
  const { itemOf, list } = group;
  const items = (path: string): readonly unknown[] => {
    const held = valueAt(shown, path);
    return Array.isArray(held) ? held : [];
  };
  if (list !== undefined) {
    const own = valueAt(edited, list.path) !== undefined;
    return (
      <div className="actions">
        <button
          type="button"
          className="btn small"
          disabled={list.length >= list.most}
          onClick={() => put(withValue(edited, list.path, [...items(list.path), list.fresh]))}
        >
          Add a {group.title.toLowerCase()}
        </button>
        {own && itemOf === undefined ? (
          <button type="button" className="btn small quiet" onClick={() => put(withoutValue(edited, list.path))}>
            Reset to the default of the {scope.source}
          </button>
        ) : null}
      </div>
    );
  }
  const visible = group.fields.filter(isShown);
  if (visible.length === 0) return null;
  const leaves = visible.map((field) => (
    <ConfigLeaf
      key={field.path}
      field={field}
      target={field.path === focused}
      quote={scope.quote}
      value={valueAt(shown, field.path)}
      own={valueAt(edited, field.path) !== undefined}
      inherited={valueAt(scope.base, field.path)}
      source={itemOf === undefined ? scope.source : undefined}
      error={fieldError(errors, field.path)}
      extra={props.extraOf?.(field.path)}
      remarks={remarks.filter((remark) => fieldError([remark], field.path) !== undefined)}
      onFix={(changes) => put(withFix({ own: edited, base: scope.base }, changes))}
      onChange={(value) => put(withPatched({ own: edited, base: scope.base }, field.path, value))}
      onInherit={() => put(withoutValue(edited, field.path))}
    />
  ));
  // A few settings are the content of a section already.
  if (scope.source === undefined && group.title === GENERAL) return leaves;
  return (
    <Section title={group.title} note={`${visible.length} ${visible.length === 1 ? 'setting' : 'settings'}`}>
      {leaves}
      {itemOf === undefined ? null : (
        <button
          type="button"
          className="btn small quiet"
          onClick={() => put(withValue(edited, itemOf.path, items(itemOf.path).toSpliced(itemOf.index, 1)))}
        >
          Remove {group.title.toLowerCase()}
        </button>
      )}
    </Section>
  );
}

interface OutcomeProps {
  error: Error | null;
  fields: readonly SchemaField[];
  warnings: Warnings;
}

/** The result of the last save; an error that belongs to no field is shown here. */
function Outcome({ error, fields, warnings }: OutcomeProps): ReactNode {
  const errors = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
  if (error !== null && errors.length === 0) return <Failure what="Not saved." error={error} />;
  if (error !== null) {
    const refused = fields.filter(({ path }) => fieldError(errors, path) !== undefined);
    const rest = errors.filter((problem) => !refused.some(({ path }) => fieldError([problem], path) !== undefined));
    return (
      <Notice tone="loss" title="Not saved.">
        {refused.length > 0 ? `Saving waits for: ${refused.map(({ label }) => label).join(', ')}. ` : ''}
        {rest.map(({ path, message }) => `${path} ${message}`).join('; ')}
      </Notice>
    );
  }
  return warnings.map((warning) => (
    <Notice key={`${warning.code} ${warning.detail}`} tone="care" title={`Saved, but ${warning.message}:`}>
      {warning.detail}
    </Notice>
  ));
}

/** The unsaved changes, old and new value side by side. */
function Changes({
  fields,
  scope,
  shown,
}: {
  fields: readonly SchemaField[];
  scope: ConfigScope;
  shown: Config;
}): ReactNode {
  const saved = mergePatch(scope.base, scope.own);
  return (
    <details className="px-2">
      <summary>Compare with saved</summary>
      <dl className="dl">
        {fields.map((field) => (
          <div key={field.path} className="contents">
            <dt>{field.label}</dt>
            <dd>
              <span className="two">{settingText(field, valueAt(saved, field.path), scope.quote)}</span> →{' '}
              <b>{settingText(field, valueAt(shown, field.path), scope.quote)}</b>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
