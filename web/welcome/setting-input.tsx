import { type ReactNode, useState } from 'react';
import { Icon } from '#web/ui/icon.tsx';
import { Choice, Field } from '#web/ui/field.tsx';
import { problemOf, type SettingField, shownOf, storedOf } from './setting-fields.ts';

interface SettingProps {
  field: SettingField;
  value: unknown;
  asset: string;
  /** An error of the strategy about the stored value. */
  error: string | undefined;
  remarks: readonly { message: string; words: string | undefined; onFix: () => void }[];
  /** Undefined while the typed text is no usable value. */
  onChange: (value: string | number | undefined) => void;
}

/** One setting: amounts in the quote asset, distances in percent. */
export function SettingInput({ field, value, asset, error, remarks, onChange }: SettingProps): ReactNode {
  const [typed, setTyped] = useState<{ text: string; at: unknown } | undefined>(undefined);
  const isTyped = typed !== undefined && typed.at === value;
  const shown = isTyped ? typed.text : shownOf(field, value);
  const isBad = isTyped && storedOf(field, typed.text) === undefined;
  const type = (text: string): void => {
    const stored = storedOf(field, text);
    setTyped({ text, at: stored ?? value });
    onChange(stored);
  };
  const note = (
    <>
      {field.note}
      {remarks.map(({ message, words, onFix }) => (
        <span key={message} className="care block">
          <Icon name="warn" /> {message}{' '}
          {words === undefined ? null : (
            <button type="button" className="link" onClick={onFix}>
              {words}
            </button>
          )}
        </span>
      ))}
    </>
  );
  if (field.kind === 'choice')
    return (
      <Choice
        label={field.label}
        note={note}
        error={error}
        value={shown}
        options={field.options ?? []}
        onChange={type}
      />
    );
  const [min, max, step] = field.slider ?? [];
  return (
    <Field
      label={field.label}
      note={note}
      unit={field.kind === 'amount' ? asset : field.kind === 'count' ? undefined : '%'}
      error={isBad ? problemOf(field) : error}
      input={{ inputMode: 'decimal', value: shown, onChange: (event) => type(event.target.value) }}
      extra={
        field.slider === undefined ? undefined : (
          <input
            type="range"
            aria-label={`${field.label}, slider`}
            {...{ min, max, step }}
            value={Number(shown.replace(',', '.')) || min}
            onChange={(event) => type(event.target.value)}
          />
        )
      }
    />
  );
}
