import { type ReactNode, type RefObject, useId } from 'react';

interface AmountProps {
  label: string;
  note: string;
  unit: string;
  value: string;
  field?: RefObject<HTMLInputElement | null>;
  onChange: (value: string) => void;
  children?: ReactNode;
}

/** A number with its unit and the note above it. */
export function Amount({ label, note, unit, value, field, onChange, children }: AmountProps): ReactNode {
  const id = useId();
  return (
    <div className="row">
      <span className="lab">
        <label htmlFor={id}>{label}</label>
        <span id={`${id}-note`}>{note}</span>
      </span>
      <span className="in">
        <input
          id={id}
          ref={field}
          inputMode="decimal"
          autoComplete="off"
          aria-describedby={`${id}-note`}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
        <span className="unit">{unit}</span>
      </span>
      {children}
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  name: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  small?: boolean;
  onChange: (value: Value) => void;
}

/** Two or more exclusive choices over the whole width. */
export function Choice<Value extends string>({
  name,
  options,
  value,
  small = false,
  onChange,
}: ChoiceProps<Value>): ReactNode {
  return (
    <div className="row">
      <span className={small ? 'seg small full' : 'seg full'} role="group" aria-label={name}>
        {options.map(([option, words]) => (
          <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
            {words}
          </button>
        ))}
      </span>
    </div>
  );
}
