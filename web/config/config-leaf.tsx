import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from '#web/ui/icon.tsx';
import { Say } from '#web/ui/say.tsx';
import { multiplierWords, SAME } from '#web/ui/numbers.ts';
import { Choice, Field, Switch } from '#web/ui/field.tsx';
import type { SchemaField } from './schema-fields.ts';
import { settingWords, sliderRange } from './setting-words.ts';

interface LeafProps {
  field: SchemaField;
  /** Somebody was sent to this setting. */
  asked: boolean;
  quote: string | undefined;
  value: unknown;
  own: boolean;
  inherited: unknown;
  /** Where an inherited value comes from; nothing inside a list, which is inherited whole. */
  source: string | undefined;
  error: string | undefined;
  remarks: readonly { message: string }[];
  onChange: (value: unknown) => void;
  onInherit: () => void;
}

/** One setting; the one that somebody was sent to has the focus at first. */
export function ConfigLeaf(props: LeafProps): ReactNode {
  const here = useRef<HTMLDivElement>(null);
  const { asked } = props;
  useEffect(() => {
    if (asked) here.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, [asked]);
  return (
    <div ref={here} className="contents" data-asked={asked || undefined}>
      <Leaf {...props} />
    </div>
  );
}

/** What it does, what it is now, and whether it is set here or inherited. */
function Leaf(props: LeafProps): ReactNode {
  const { field, value, own, source, error, remarks, onChange } = props;
  const { label, kind, options } = field;
  const shown = value === undefined || value === null ? '' : String(value);
  const set = own && source !== undefined;
  const note = (
    <>
      {meaningOf(field, shown)}
      <Origin {...props} />
      {remarks.map(({ message }) => (
        <span key={message} className="care block">
          <Icon name="warn" /> {message}
        </span>
      ))}
    </>
  );
  if (kind === 'switch') {
    return (
      <div className={set ? 'field own' : 'field'}>
        <Switch label={label} on={value === true} onChange={onChange} />
        <span className="note">{note}</span>
        {error === undefined ? null : <Say tone="loss">{error}</Say>}
      </div>
    );
  }
  if (kind === 'choice') {
    const choices = options.map((option) => ({ value: option, words: optionWords(option) }));
    return <Choice {...{ label, note, error, onChange }} own={set} value={shown} options={choices} />;
  }
  // A number that does not parse is sent as it was typed, so that the server names the field.
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

/** `percent-of-equity` as it is read. */
const optionWords = (option: string): string => option.replaceAll('-', ' ');

/** What the setting means, and what a multiplier is in percent. */
function meaningOf({ note, of, options }: SchemaField, shown: string): string {
  const meaning = of === undefined ? undefined : multiplierWords(shown);
  const now = meaning === undefined ? undefined : `Now ${meaning === SAME ? `at ${of}` : `${meaning} ${of}`}`;
  const told = options.reduce((text, option) => text?.replaceAll(option, optionWords(option)), note);
  return [told, now]
    .filter((part) => part !== undefined)
    .map((part) => (part.endsWith('.') ? part : `${part}.`))
    .join(' ');
}

function Origin({ field, quote, own, inherited, source, onInherit }: LeafProps): ReactNode {
  if (source === undefined) return null;
  if (!own) return <span className="block">Inherited from {source}</span>;
  return (
    <span className="block">
      <span className="intent">
        <Icon name="dia" /> Set here
      </span>
      ; otherwise {settingWords(field, inherited, quote)}, from {source}.{' '}
      <button type="button" className="link" onClick={onInherit}>
        Use that
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
