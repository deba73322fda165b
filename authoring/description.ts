import { z } from 'zod';
import { INTERVALS } from '#core/market/candle.ts';
import { WAITING_REASONS } from '#strategies/execution.ts';
import { KINDS } from './kinds.ts';

/** Reason codes of the service: a file cannot use them for its own rules. */
export const HOST_CODES = {
  'stop-reached': { sentence: 'Selling: {price} reached the stop at {stop}.', thresholds: ['stop'] },
  'target-reached': { sentence: 'Selling: {price} reached the target at {target}.', thresholds: ['target'] },
  'exit-regime': { sentence: 'Selling at {price}: the daily trend has turned down.', thresholds: [] },
  'hold-sell-disabled': { sentence: 'Holding: selling is switched off.', thresholds: [] },
  'hold-exit-order-open': { sentence: 'An exit order is in flight.', thresholds: [] },
  'hold-until-candle': {
    sentence: 'Holding: the next closed candle decides; stop {stop}, target {target}.',
    thresholds: ['stop', 'target'],
  },
  'entry-disabled': { sentence: 'Buying is switched off.', thresholds: [] },
  'entry-config-unreadable': {
    sentence: 'Not buying: the stored setting {path} is unreadable. Save the form again.',
    thresholds: ['path'],
  },
  'entry-history-short': { sentence: 'Waiting for candles: the indicators need {need}.', thresholds: ['need'] },
  'entry-no-answer': { sentence: 'Not buying: no entry rule answered.', thresholds: [] },
  'entry-already-this-candle': {
    sentence: 'Waiting for the next candle: there was a fill since the last one closed.',
    thresholds: [],
  },
  'entry-candle-late': {
    sentence: 'Not buying: the last closed candle is of {candleAt}, and a newer one should be here.',
    thresholds: [],
  },
  'strategy-failed': { sentence: 'Not deciding: the strategy file failed. {problem}', thresholds: ['problem'] },
  'strategy-quarantined': {
    sentence: 'Not buying: this version of the strategy is in quarantine. {problem}',
    thresholds: ['problem'],
  },
  'strategy-file-gone': {
    sentence: 'Not buying: the file of this strategy is gone. Stop and target of the position stay.',
    thresholds: [],
  },
  ...WAITING_REASONS,
} as const;

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const FIELD = /^[a-zA-Z][a-zA-Z0-9]*$/;
/** Names that every rule already reads. */
export const FACTS = [
  ...['open', 'high', 'low', 'close', 'volume', 'time', 'held', 'quantity', 'entryPrice', 'peak', 'bars', 'gain'],
  ...['stop', 'level', 'due'],
] as const;
const RESERVED: readonly string[] = [...FACTS, 'set', 'memory', 'before', '__proto__', 'constructor'];

const code = z.string().regex(NAME, 'must be lower-case words joined by hyphens').max(60);
const sentence = z.string().min(1).max(400);
const ruleParts = { say: sentence, when: z.literal(true).optional() };
const text = z.string().min(1).max(120);

const setting = z
  .strictObject({
    kind: z.enum(['count', 'number', 'percent', 'flag', 'choice']),
    title: text,
    value: z.union([z.number(), z.boolean(), z.string()]),
    from: z.number().nonnegative('must be 0 or more').optional(),
    to: z.number().optional(),
    unit: z.string().max(60).optional(),
    help: z.string().max(400).optional(),
    options: z.array(z.string().min(1).max(60)).min(1).max(50).optional(),
  })
  .superRefine(({ kind, value, from, to, options }, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
    if (kind === 'flag' && typeof value !== 'boolean') refuse('needs true or false as its value');
    else if (kind === 'choice' && (options === undefined || !options.some((option) => option === value)))
      refuse('needs a value that is one of its options');
    else if (kind !== 'flag' && kind !== 'choice') {
      if (typeof value !== 'number' || from === undefined || to === undefined) refuse('needs a number and bounds');
      else if (value < from || value > to) refuse(`has the value ${value} outside of ${from} to ${to}`);
    }
  });
export type SettingDescription = z.output<typeof setting>;

const schedule = z.strictObject({
  weekday: z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']).optional(),
  day: z.int().min(1).max(28).optional(),
  hour: z.int().min(0).max(23).optional(),
  within: z.number().positive().max(700),
});
export type Schedule = z.output<typeof schedule>;

const fieldName = z
  .string()
  .regex(FIELD, 'must be a word of letters and digits')
  .max(40)
  .refine((name) => !RESERVED.includes(name), 'is a name that the service uses');

const entryRule = z.union([z.strictObject({ ...ruleParts, wait: code }), z.strictObject({ ...ruleParts, buy: code })]);
const exitRule = z.union([
  z.strictObject({ ...ruleParts, sell: code, share: z.number().positive().max(1).optional() }),
  z.strictObject({ ...ruleParts, stay: code }),
]);
export type ExitRule = z.output<typeof exitRule>;
type EntryRule = z.output<typeof entryRule>;

const shape = z.strictObject({
  name: code,
  title: text,
  summary: z.string().min(1).max(300),
  interval: z.enum(INTERVALS),
  settings: z.record(fieldName, setting).default({}),
  memory: z.record(fieldName, z.union([z.number(), z.boolean()])).default({}),
  schedule: schedule.optional(),
  addOns: z.int().min(0).max(1000).default(0),
  defaults: z.strictObject({ amount: z.number().positive().optional() }).default({}),
  scales: z.literal(false).optional(),
  indicators: z.literal(true).optional(),
  each: z.literal(true).optional(),
  entry: z.array(entryRule).max(50),
  exit: z.array(exitRule).max(50).default([]),
  stop: z.literal(true).optional(),
  target: z.literal(true).optional(),
  lines: z.record(fieldName, z.literal(true)).default({}),
});

export const codeOf = (rule: EntryRule | ExitRule): string =>
  'wait' in rule ? rule.wait : 'buy' in rule ? rule.buy : 'sell' in rule ? rule.sell : rule.stay;

export const descriptionSchema = shape.superRefine(({ entry, exit }, context) => {
  const codes = [...entry, ...exit].map(codeOf);
  for (const [i, each] of codes.entries()) {
    if (Object.hasOwn(HOST_CODES, each))
      context.addIssue({ code: 'custom', message: `the code "${each}" belongs to the service; choose another` });
    if (codes.indexOf(each) < i) context.addIssue({ code: 'custom', message: `the code "${each}" is used twice` });
  }
});

/** The declarations of a strategy file, without its functions. */
export type Description = z.output<typeof shape>;

const params = z.array(z.number().positive().max(10_000)).max(6);
const indicator = z
  .strictObject({
    kind: z.string(),
    params,
    of: z.string().max(80).optional(),
    on: z.enum(INTERVALS).optional(),
  })
  .superRefine(({ kind, params: given, of }, context) => {
    const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (known === undefined) return context.addIssue({ code: 'custom', message: `there is no indicator "${kind}"` });
    if (of !== undefined && !known.line)
      context.addIssue({ code: 'custom', message: 'reads whole candles and has no other source' });
    if (given.length !== known.params.length)
      context.addIssue({ code: 'custom', message: `needs ${known.params.length} numbers, not ${given.length}` });
    for (const [i, value] of given.entries())
      if (known.params[i] !== 'factor' && !Number.isInteger(value))
        context.addIssue({ code: 'custom', message: `${known.params[i]} must be a whole number, not ${value}` });
    return undefined;
  });

/** The indicators that a file declares for its settings, by name. */
export const indicatorsSchema = z.record(fieldName, indicator);
export type DeclaredIndicators = z.output<typeof indicatorsSchema>;
export type DeclaredIndicator = z.output<typeof indicator>;
