import { type ReactNode, useId } from 'react';
import { type Axis, axisText, type VariedSetting, valueCount } from './sweep-axes.ts';
import { Field } from '#web/ui/field.tsx';

interface VariedSettingsProps {
  axes: readonly Axis[];
  settings: readonly VariedSetting[];
  onChange: (settings: readonly VariedSetting[]) => void;
}

/** The settings that a sweep varies, each with its values. */
export function VariedSettings({ axes, settings, onChange }: VariedSettingsProps): ReactNode {
  const id = useId();
  const free = axes.filter(({ path }) => !settings.some((setting) => setting.path === path));
  const add = (path: string): void => {
    const axis = axes.find((candidate) => candidate.path === path);
    if (axis !== undefined) onChange([...settings, { path, values: axis.values.join(', ') }]);
  };
  return (
    <>
      {settings.map((setting) => {
        const axis = axes.find(({ path }) => path === setting.path);
        const label = axis?.label ?? setting.path;
        const values = valueCount(setting.values);
        return (
          <Field
            key={setting.path}
            stack
            label={label}
            own
            error={values === undefined ? 'contains a value that is no number' : undefined}
            note={
              <>
                {meaningOf(setting.values, axis)}{' '}
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
              onChange: (event) =>
                onChange(
                  settings.map((other) => (other === setting ? { ...setting, values: event.target.value } : other)),
                ),
            }}
          />
        );
      })}
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

/** Meaning of the first and the last value, and the format. */
function meaningOf(text: string, axis: Axis | undefined): string {
  const values = text.split(',').map((value) => value.trim());
  const [first = '', last = ''] = [values.at(0), values.at(-1)];
  const how = 'Values separated by commas, or from..to:step.';
  if (text.includes('..') || axis === undefined || typeof axis.values[0] === 'number') return how;
  const ends = [axisText(first), axisText(last)];
  return ends[0] === first ? how : `${ends[0]} to ${ends[1]}. ${how}`;
}
