import { type ReactNode, useEffect, useRef } from 'react';
import type { Changes } from '#core/config-path.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { multiplierText, SAME } from '#web/ui/numbers.ts';
import { Choice, Field, Switch } from '#web/ui/field.tsx';
import type { SchemaField } from './schema-fields.ts';
import { settingText, sliderRange } from './setting-text.ts';

interface Remark {
  readonly message: string;
  readonly fix?: { readonly words: string; readonly changes: Changes } | undefined;
}

interface LeafProps {
  field: SchemaField;
  /** The address names this setting. */
  target: boolean;
  quote: string | undefined;
  value: unknown;
  own: boolean;
  inherited: unknown;
  /** Where an inherited value comes from; `undefined` inside a list, which is inherited as a whole. */
  source: 'strategy' | 'profile' | 'saved settings' | undefined;
  error: string | undefined;
  remarks: readonly Remark[];
  /** Applies the fix of a remark. */
  onFix?: (changes: Changes) => void;
  onChange: (value: unknown) => void;
  onInherit: () => void;
}

/** One setting; the one that the address names has the focus at first. */
export function ConfigLeaf(props: LeafProps): ReactNode {
  const here = useRef<HTMLDivElement>(null);
  const { target } = props;
  useEffect(() => {
    if (target) here.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, [target]);
  return (
    <div ref={here} className="contents" data-target={target || undefined}>
      <Leaf {...props} />
    </div>
  );
}

/** Meaning and value of a setting, and whether it is custom or inherited. */
function Leaf(props: LeafProps): ReactNode {
  const { field, value, own, source, error, remarks, onFix, onChange } = props;
  const { label, kind, options } = field;
  const shown = value === undefined || value === null ? '' : String(value);
  const set = own && source !== undefined;
  const note = (
    <>
      {meaningOf(field, shown)}
      <Origin {...props} />
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
    const choices = options.map((option) => ({ value: option, words: optionLabel(option) }));
    return <Choice {...{ label, note, error, onChange }} own={set} value={shown} options={choices} />;
  }
  // A number that does not parse is sent as typed, so that the server reports the field.
  const parse = (text: string): unknown =>
    kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  return (
    <Field
      label={label}
      note={note}
      own={set}
      unit={field.unit === 'quote' ? props.quote : field.unit}
      error={error}
      extra={<Slider {...props} />}
      input={{ inputMode: 'decimal', value: shown, onChange: (event) => onChange(parse(event.target.value)) }}
    />
  );
}

/** `percent-of-equity` as `percent of equity`. */
const optionLabel = (option: string): string => option.replaceAll('-', ' ');

/** Description of the setting, and a multiplier in percent. */
function meaningOf({ note, of, options }: SchemaField, shown: string): string {
  const meaning = of === undefined ? undefined : multiplierText(shown);
  const now = meaning === undefined ? undefined : `Now ${meaning === SAME ? `at ${of}` : `${meaning} ${of}`}`;
  const described = options.reduce((text, option) => text?.replaceAll(option, optionLabel(option)), note);
  return [described, now]
    .filter((part) => part !== undefined)
    .map((part) => (part.endsWith('.') ? part : `${part}.`))
    .join(' ');
}

function Origin({ field, quote, own, inherited, source, onInherit }: LeafProps): ReactNode {
  if (source === undefined) return null;
  if (!own) return <span className="block">Default of the {source}</span>;
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

function Slider({ field, value, onChange }: LeafProps): ReactNode {
  if (field.of === undefined || field.bounds === undefined || value === '') return null;
  const [min, max] = sliderRange(field.bounds, Number(value));
  return (
    <input
      type="range"
      aria-label={`${field.label}, slider`}
      {...{ min, max }}
      step={0.0005}
      value={Number(value)}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
