import { type ReactNode, useId } from 'react';
import { type Changes, valueAt } from '#core/config-path.ts';
import { fieldError } from '#web/data/problem-error.ts';
import { ConfigLeaf } from '#web/config/config-leaf.tsx';
import { schemaGroups } from '#web/config/schema-fields.ts';

type Config = Readonly<Record<string, unknown>>;
interface TryProps {
  schema: Config;
  /** Complete: defaults and the profile's settings. */
  config: Record<string, unknown>;
  quote: string | undefined;
  changes: Changes;
  onChange: (changes: Changes) => void;
  errors: readonly { path: string; message: string }[];
}

/** Settings to try with another value; nothing is saved. */
export function ChangeToTry({ schema, config, quote, changes, onChange, errors }: TryProps): ReactNode {
  const id = useId();
  const groups = schemaGroups(schema, config);
  const fields = groups.flatMap((group) => group.fields);
  const free = (path: string): boolean => !changes.some((change) => change.path === path);
  return (
    <>
      {changes.map(({ path, value }) => {
        const field = fields.find((candidate) => candidate.path === path);
        if (field === undefined) return null;
        return (
          <ConfigLeaf
            key={path}
            field={field}
            quote={quote}
            value={value}
            own
            inherited={valueAt(config, path)}
            source="saved settings"
            error={fieldError(errors, `overrideConfig.${path}`) ?? fieldError(errors, path)}
            remarks={[]}
            target={false}
            onChange={(next) =>
              onChange(changes.map((change) => (change.path === path ? { path, value: next } : change)))
            }
            onInherit={() => onChange(changes.filter((change) => change.path !== path))}
          />
        );
      })}
      <div className="field">
        <label htmlFor={id}>{changes.length === 0 ? 'Try a change' : 'Try another change'}</label>
        <span className="note">{changes.length === 0 ? 'Empty: the saved settings.' : 'Not saved.'}</span>
        <span className="in">
          <select
            id={id}
            value=""
            onChange={({ target: { value: path } }) =>
              onChange([...changes, { path, value: valueAt(config, path) ?? '' }])
            }
          >
            <option value="">Choose a setting</option>
            {groups.map((group) => (
              <optgroup key={`${group.title} ${group.list === undefined ? '' : 'list'}`} label={group.title}>
                {group.fields
                  .filter(({ path }) => free(path))
                  .map(({ path, label }) => (
                    <option key={path} value={path}>
                      {label}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </span>
      </div>
    </>
  );
}
