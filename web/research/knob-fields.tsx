import { type ReactNode, useId } from 'react';
import { type Axis, edgeWords, type TypedKnob, valueCount } from './sweep-words.ts';
import { Field } from '#web/ui/field.tsx';

interface KnobProps {
  axes: readonly Axis[];
  knobs: readonly TypedKnob[];
  onChange: (knobs: readonly TypedKnob[]) => void;
}

/** Which settings a sweep varies, and the values each is tried with. */
export function KnobFields({ axes, knobs, onChange }: KnobProps): ReactNode {
  const id = useId();
  const free = axes.filter(({ path }) => !knobs.some((knob) => knob.path === path));
  const add = (path: string): void => {
    const axis = axes.find((one) => one.path === path);
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
            error={values === undefined ? 'holds something that is no number' : undefined}
            note={
              <>
                {meaningOf(knob.values, axis)}{' '}
                <button type="button" className="link" onClick={() => onChange(knobs.filter((one) => one !== knob))}>
                  Do not vary it
                </button>
              </>
            }
            input={{
              value: knob.values,
              onChange: (event) =>
                onChange(knobs.map((one) => (one === knob ? { ...knob, values: event.target.value } : one))),
            }}
          />
        );
      })}
      <div className="field">
        <label htmlFor={id}>{knobs.length === 0 ? 'A setting to vary' : 'Another setting'}</label>
        <span className="note">Each one more multiplies the number of sets, and the room for luck.</span>
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

/** What the first and the last value stand for, and how to write them. */
function meaningOf(text: string, axis: Axis | undefined): string {
  const values = text.split(',').map((one) => one.trim());
  const [first = '', last = ''] = [values.at(0), values.at(-1)];
  const how = 'Values with commas between them, or from..to:step.';
  if (text.includes('..') || axis === undefined || typeof axis.values[0] === 'number') return how;
  const said = [edgeWords(first), edgeWords(last)];
  return said[0] === first ? how : `${said[0]} to ${said[1]}. ${how}`;
}
