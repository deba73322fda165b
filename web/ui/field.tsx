import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import { Notice } from '#web/ui/notice.tsx';

interface FieldProps {
  label: string;
  note?: ReactNode;
  unit?: string | undefined;
  error?: string | undefined;
  /** Label above the input, over the whole width. */
  stack?: boolean;
  input: InputHTMLAttributes<HTMLInputElement>;
  /** A slider or another control below the words. */
  extra?: ReactNode;
  /** The value is set here, not inherited. */
  own?: boolean;
}

/** An error that starts with a lower-case letter follows the label. */
const refusalOf = (label: string, error: string): string => (/^[a-z]/.test(error) ? `${label} ${error}.` : error);

/** One labelled input; its error is shown directly below. */
export function Field({ label, note, unit, error, stack = false, input, extra, own = false }: FieldProps): ReactNode {
  const id = useId();
  const described = [note === undefined ? '' : `${id}-note`, error === undefined ? '' : `${id}-error`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={`field${stack ? ' stack' : ''}${own ? ' own' : ''}`}>
      <label htmlFor={id}>{label}</label>
      {note === undefined ? null : (
        <span className="note" id={`${id}-note`}>
          {note}
        </span>
      )}
      <span className={error === undefined ? 'in' : 'in bad'}>
        <input
          id={id}
          aria-invalid={error !== undefined}
          aria-describedby={described || undefined}
          autoComplete="off"
          {...input}
        />
        {unit === undefined ? null : <span className="unit">{unit}</span>}
      </span>
      {extra === undefined ? null : <span className="sl">{extra}</span>}
      {error === undefined ? null : (
        <div id={`${id}-error`} className="col-span-full">
          <Notice tone="loss">{refusalOf(label, error)}</Notice>
        </div>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  note?: ReactNode;
  error?: string | undefined;
  value: string;
  options: readonly { value: string; words: string }[];
  own?: boolean;
  onChange: (value: string) => void;
}

/** One labelled choice from a short list. */
export function Choice({ label, note, error, value, options, own = false, onChange }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <div className={own ? 'field own' : 'field'}>
      <label htmlFor={id}>{label}</label>
      {note === undefined ? null : <span className="note">{note}</span>}
      <span className={error === undefined ? 'in' : 'in bad'}>
        <select
          id={id}
          value={value}
          aria-invalid={error !== undefined}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.words}
            </option>
          ))}
        </select>
      </span>
      {error === undefined ? null : <Notice tone="loss">{refusalOf(label, error)}</Notice>}
    </div>
  );
}

/** A labelled switch. */
export function Switch({
  label,
  note,
  on,
  disabled,
  onChange,
}: {
  label: string;
  note?: string;
  on: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}): ReactNode {
  return (
    <label className="switch">
      <input
        type="checkbox"
        role="switch"
        aria-checked={on}
        checked={on}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{label}</span>
      {note === undefined ? null : <span className="note">{note}</span>}
    </label>
  );
}
