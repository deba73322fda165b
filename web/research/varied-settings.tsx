import { type ReactNode, useId } from 'react';
import { type Axis, valuesOf, variedOf, type VariedSetting } from './sweep-axes.ts';
import { unitOf } from '#web/config/setting-text.ts';
import { Field } from '#web/ui/field.tsx';

interface VariedSettingsProps {
  axes: readonly Axis[];
  settings: readonly VariedSetting[];
  onChange: (settings: readonly VariedSetting[]) => void;
}

/** The settings that a sweep varies, each with its values. */
export function VariedSettings({ axes, settings, onChange }: VariedSettingsProps): ReactNode {
  const id = useId();
  const free = axes.filter(({ path }) => !settings.some(({ field }) => field.path === path));
  const add = (path: string): void =>
    onChange([...settings, ...axes.filter((axis) => axis.path === path).map(variedOf)]);
  return (
    <>
      {settings.map((setting) => (
        <Field
          key={setting.field.path}
          stack
          own
          label={setting.field.label}
          unit={unitOf(setting.field)}
          error={valuesOf(setting) === undefined ? 'contains a value that is no number' : undefined}
          note={
            <>
              Values separated by commas, or from..to:step.{' '}
              <button
                type="button"
                className="link"
                onClick={() => onChange(settings.filter((other) => other !== setting))}
              >
                Remove
              </button>
            </>
          }
          input={{
            value: setting.values,
            onChange: ({ target }) =>
              onChange(settings.map((other) => (other === setting ? { ...setting, values: target.value } : other))),
          }}
        />
      ))}
      <div className="field">
        <label htmlFor={id}>{settings.length === 0 ? 'A setting to vary' : 'Another setting'}</label>
        <span className="note">Each one multiplies the number of runs and the risk of overfitting.</span>
        <span className="in">
          <select id={id} value="" onChange={(event) => add(event.target.value)}>
            <option value="">Choose a setting</option>
            {free.map(({ path, label }) => (
              <option key={path} value={path}>
                {label}
              </option>
            ))}
          </select>
        </span>
      </div>
    </>
  );
}
