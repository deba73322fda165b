import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Changes } from '#core/config-path.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Choice, Field, Switch } from '#web/ui/field.tsx';
import type { SchemaField } from './schema-fields.ts';
import { isDistance, storedOf } from '#web/ui/percent.ts';
import {
  choiceText,
  helpOf,
  rangeProblem,
  settingText,
  sliderRange,
  typedText,
  unitOf,
  valueOf,
} from './setting-text.ts';

interface Remark {
  readonly message: string;
  readonly fix?: { readonly words: string; readonly changes: Changes } | undefined;
}

interface LeafProps {
  field: SchemaField;
  /** The address names this setting. */
  target?: boolean;
  quote: string | undefined;
  value: unknown;
  own?: boolean;
  inherited?: unknown;
  /** Where an inherited value comes from; `undefined` inside a list, which is inherited as a whole, and where nothing is inherited. */
  source?: 'strategy' | 'profile' | 'saved settings' | undefined;
  error: string | undefined;
  remarks?: readonly Remark[];
  /** Applies the fix of a remark. */
  onFix?: (changes: Changes) => void;
  /** Shown below the help text, such as the use of a limit. */
  extra?: ReactNode;
  onChange: (value: unknown) => void;
  onInherit?: () => void;
}

/** One setting; the one that the address names has the focus at first. */
export function ConfigLeaf(props: LeafProps): ReactNode {
  const here = useRef<HTMLDivElement>(null);
  const { target } = props;
  useEffect(() => {
    if (target === true) here.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, [target]);
  return (
    <div ref={here} className="contents" data-target={target === true || undefined}>
      <Leaf {...props} />
    </div>
  );
}

/** Meaning and value of a setting, and whether it is custom or inherited. */
function Leaf(props: LeafProps): ReactNode {
  const { field, value, own = false, source, error, remarks = [], onFix, extra, onChange } = props;
  const { label, kind, options } = field;
  const set = own && source !== undefined;
  const note = (
    <>
      {helpOf(field)}
      <Origin {...props} />
      {extra}
      {remarks.map(({ message, fix }) => (
        <span key={message} className="care block">
          <Icon name="warn" /> {message}{' '}
          {fix === undefined ? null : (
            <button type="button" className="link" onClick={() => onFix?.(fix.changes)}>
              {fix.words}
            </button>
          )}
        </span>
      ))}
    </>
  );
  if (kind === 'switch') {
    return (
      <div className={set ? 'field own' : 'field'}>
        <Switch label={label} on={value === true} onChange={onChange} />
        <span className="note">{note}</span>
        {error === undefined ? null : <Notice tone="loss">{error}</Notice>}
      </div>
    );
  }
  if (kind === 'choice') {
    const choices = options.map((option) => ({ value: option, words: choiceText(field, option) }));
    return <Choice {...{ label, note, error, onChange }} own={set} value={typedText(field, value)} options={choices} />;
  }
  return <Typed {...props} set={set} note={note} />;
}

/** A field for text. The typed text stays while it means the value, such as `3.` for 3 %. */
function Typed({ field, value, set, quote, note, error, ...props }: LeafProps & { set: boolean; note: ReactNode }) {
  const [typed, setTyped] = useState('');
  const stands = JSON.stringify(valueOf(field, typed)) === JSON.stringify(value);
  const isText = field.kind === 'list' || (field.kind === 'text' && unitOf(field, quote) === undefined);
  return (
    <Field
      label={field.label}
      note={note}
      own={set}
      stack={isText}
      unit={unitOf(field, quote)}
      error={error === undefined ? undefined : (rangeProblem(field, value, quote) ?? error)}
      extra={<Slider field={field} value={value} onChange={props.onChange} />}
      input={{
        type: 'text',
        inputMode: isText ? 'text' : 'decimal',
        placeholder: field.empty ?? '',
        value: stands ? typed : typedText(field, value),
        onChange: ({ target }) => {
          setTyped(target.value);
          props.onChange(valueOf(field, target.value));
        },
      }}
    />
  );
}

function Origin({ field, quote, own, inherited, source, onInherit }: LeafProps): ReactNode {
  if (source === undefined) return null;
  if (own !== true) return <span className="block">Default of the {source}</span>;
  return (
    <span className="block">
      <span className="intent">
        <Icon name="dia" /> Custom
      </span>
      , {source === 'saved settings' ? 'saved' : 'default'} {settingText(field, inherited, quote)} ·{' '}
      <button type="button" className="link" onClick={onInherit}>
        Reset
      </button>
    </span>
  );
}

/** For distances from a price. */
function Slider({ field, value, onChange }: Pick<LeafProps, 'field' | 'value' | 'onChange'>): ReactNode {
  const { percent, label } = field;
  if (percent === undefined || !isDistance(percent) || value === '') return null;
  const now = Number(typedText(field, value));
  const [min, max] = sliderRange(field, now);
  return (
    <input
      type="range"
      aria-label={`${label}, slider`}
      {...{ min, max }}
      step={0.05}
      value={now}
      onChange={(event) => onChange(storedOf(percent, event.target.value))}
    />
  );
}
