import { type ReactNode, useId } from 'react';
import { type Axis, axisText, type TypedKnob, valueCount } from './sweep-axes.ts';
import { Field } from '#web/ui/field.tsx';

interface KnobProps {
  axes: readonly Axis[];
  knobs: readonly TypedKnob[];
  onChange: (knobs: readonly TypedKnob[]) => void;
}

/** The settings that a sweep varies, each with its values. */
export function KnobFields({ axes, knobs, onChange }: KnobProps): ReactNode {
  const id = useId();
  const free = axes.filter(({ path }) => !knobs.some((knob) => knob.path === path));
  const add = (path: string): void => {
    const axis = axes.find((candidate) => candidate.path === path);
    if (axis !== undefined) onChange([...knobs, { path, values: axis.values.join(', ') }]);
  };
  return (
    <>
      {knobs.map((knob) => {
        const axis = axes.find(({ path }) => path === knob.path);
        const label = axis?.label ?? knob.path;
        const values = valueCount(knob.values);
        return (
          <Field
            key={knob.path}
            stack
            label={label}
            own
            error={values === undefined ? 'contains a value that is no number' : undefined}
            note={
              <>
                {meaningOf(knob.values, axis)}{' '}
                <button
                  type="button"
                  className="link"
                  onClick={() => onChange(knobs.filter((other) => other !== knob))}
                >
                  Remove
                </button>
              </>
            }
            input={{
              value: knob.values,
              onChange: (event) =>
                onChange(knobs.map((other) => (other === knob ? { ...knob, values: event.target.value } : other))),
            }}
          />
        );
      })}
      <div className="field">
        <label htmlFor={id}>{knobs.length === 0 ? 'A setting to vary' : 'Another setting'}</label>
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
