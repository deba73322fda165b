/** A command of the keyboard on a chart. */
export type ChartCommand =
  | { readonly kind: 'zoom'; readonly by: 1 | -1 }
  /** The cursor moves by a candle, or by all that are in view. */
  | { readonly kind: 'step' | 'page'; readonly by: 1 | -1 }
  | { readonly kind: 'ends'; readonly by: 1 | -1 }
  | { readonly kind: 'fit' };

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

const COMMANDS: Readonly<Record<string, ChartCommand>> = {
  '+': { kind: 'zoom', by: 1 },
  '=': { kind: 'zoom', by: 1 },
  '-': { kind: 'zoom', by: -1 },
  '\u2212': { kind: 'zoom', by: -1 },
  ArrowLeft: { kind: 'step', by: -1 },
  ArrowRight: { kind: 'step', by: 1 },
  Home: { kind: 'ends', by: -1 },
  End: { kind: 'ends', by: 1 },
  f: { kind: 'fit' },
};

/** The command of a key: + and - zoom, arrows step by candles, with Shift by a screenful, f fits all. */
export function commandOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Pressed): ChartCommand | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  const command = COMMANDS[key.length === 1 ? key.toLowerCase() : key];
  return command?.kind === 'step' && shiftKey ? { kind: 'page', by: command.by } : command;
}
