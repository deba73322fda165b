/** The commands of the chat with their summaries, in the order of the help. */
export const COMMANDS = {
  status: 'kill switch, accounts, and what blocks trading',
  positions: 'open positions',
  profit: 'P&L today; /profit week, /profit month',
  why: 'why a coin was not bought: /why SOL, /why SOL 3d',
  proposals: 'orders that programs propose',
  halt: 'stops buying at once; /halt NAME for one profile',
  resume: 'allows buying again, with a code; /resume NAME',
  sell: 'sells a whole position, with a code: /sell SOL',
  approve: 'approves a proposed order, with a code',
  deny: 'denies a proposed order',
  help: 'this list',
} as const;
export type CommandName = keyof typeof COMMANDS;

export type Command =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'command'; readonly name: CommandName; readonly words: readonly string[] }
  | { readonly kind: 'unknown' };

/** `/approve_1a2b3c4d` is `/approve` with its first word: Telegram makes a link of it. */
const FORM = /^\/([a-z]+)(?:_(\w+))?(?:@\w+)?(?:\s+(.*))?$/is;
const isName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** The command of a message; undefined for other text, such as talk in a group. */
export function readCommand(text: string): Command | undefined {
  const trimmed = text.trim();
  if (/^\d{6}$/.test(trimmed)) return { kind: 'code', code: trimmed };
  const [, name = '', suffix, rest = ''] = FORM.exec(trimmed) ?? [];
  if (name === '') return undefined;
  const lower = name.toLowerCase() === 'start' ? 'help' : name.toLowerCase();
  if (!isName(lower)) return { kind: 'unknown' };
  const words = [...(suffix === undefined ? [] : [suffix]), ...rest.split(/\s+/).filter((part) => part !== '')];
  return { kind: 'command', name: lower, words };
}

const HOURS = { h: 1, d: 24, w: 168 } as const;
const isUnit = (unit: string): unit is keyof typeof HOURS => Object.hasOwn(HOURS, unit);

/** The hours of a span such as `12h`, `3d` or `1w`; undefined for other text. At most 92 days. */
export function readHours(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,4})([hdw])$/.exec(text.toLowerCase()) ?? [];
  if (!isUnit(unit)) return undefined;
  const hours = Number(count) * HOURS[unit];
  return hours >= 1 && hours <= 92 * 24 ? hours : undefined;
}
