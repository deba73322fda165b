import { z } from 'zod';
import { type Advice, LONGEST_REPLY, OVERFIT_RISKS, type Suggestion } from '#core/research/advice.ts';
import { patchOf, valueAt, withValue } from '#core/config-path.ts';
import { readJson } from '#core/json.ts';
import { isObject } from '#core/merge.ts';
import type { AnyStrategy } from './strategy.ts';

const MOST_SUGGESTIONS = 20;
const MOST_CHANGES = 20;
const MOST_STARTS = 10;
const DEEPEST = 40;
const LONGEST_VALUE = 4000;

const words = (most: number) =>
  z
    .string()
    .default('')
    .transform((text) => text.trim().slice(0, most));
const PATH = /^\w+(\.\w+){0,9}$/;
/** Names of prototype members. No setting has such a name. */
const isSetting = (path: string): boolean =>
  PATH.test(path) && path.split('.').every((part) => !(part in Object.prototype));

const proposed = z.object({
  title: words(200),
  rationale: words(2000),
  changes: z
    .array(z.object({ path: z.string().max(200), value: z.unknown() }))
    .min(1)
    .max(MOST_CHANGES),
  expectedEffect: words(1000),
  overfitRisk: z.enum(OVERFIT_RISKS).catch('unknown'),
});
const reply = z.object({ summary: words(2000), suggestions: z.array(z.unknown()) });
type Proposed = z.output<typeof proposed>;

/** End of the object that starts at `start`; undefined when it has no end or is nested too deep. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let i = start; i < text.length; i++) {
    const at = text[i];
    if (quoted) {
      if (at === '\\') i++;
      else if (at === '"') quoted = false;
    } else if (at === '"') quoted = true;
    else if (at === '{' || at === '[') {
      if (++depth > DEEPEST) return undefined;
    } else if ((at === '}' || at === ']') && --depth === 0) return i + 1;
  }
  return undefined;
}

/** The JSON answer in a reply, which may be inside other text or a code block. */
function findAnswer(text: string): z.output<typeof reply> | undefined {
  let start = text.indexOf('{');
  for (let tries = 0; start >= 0 && tries < MOST_STARTS; tries++) {
    const end = endOfObject(text, start);
    const found = end === undefined ? undefined : reply.safeParse(readJson(text.slice(start, end))).data;
    if (found !== undefined) return found;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

/** Context for checking the suggestions of a reply. */
interface Judged {
  readonly strategy: AnyStrategy;
  /** The settings of the backtest, parsed. */
  readonly config: unknown;
}

/** The suggestion with its patch, or the reason why it cannot be used. */
function judge({ strategy, config }: Judged, { title, changes, ...rest }: Proposed, id: string): Suggestion | string {
  const unknown = changes.find(({ path }) => !isSetting(path) || valueAt(config, path) === undefined);
  if (unknown !== undefined) return `${unknown.path} is not a setting of ${strategy.title}.`;
  const group = changes.find(({ path }) => isObject(valueAt(config, path)));
  if (group !== undefined) return `${group.path} is a group of settings: each change must name one setting.`;
  const long = changes.find(({ value }) => JSON.stringify(value ?? null).length > LONGEST_VALUE);
  if (long !== undefined) return `The value for ${long.path} is longer than ${LONGEST_VALUE} characters.`;
  const wanted = changes.reduce<unknown>((all, { path, value }) => withValue(all, path, value), config);
  const legal = strategy.config.safeParse(wanted);
  if (!legal.success)
    return legal.error.issues
      .map((issue) => `${issue.path.join('.')}: ${issue.message}`)
      .slice(0, 3)
      .join('; ');
  if (JSON.stringify(legal.data) === JSON.stringify(config))
    return 'It changes nothing: the settings already have these values.';
  const [before, after] = [strategy.bind(config).shared, strategy.bind(legal.data).shared];
  if (before.stopMultiple !== null && after.stopMultiple === null) return 'It removes the stop loss.';
  if (before.protectiveStop !== undefined && after.protectiveStop === undefined)
    return 'It removes the stop on the exchange.';
  const legally = changes.map(({ path }) => ({ path, value: valueAt(legal.data, path) }));
  return {
    ...{ id, title: title || changes.map(({ path }) => path).join(', '), ...rest },
    changes: legally.map(({ path, value }) => ({ path, from: valueAt(config, path), to: value })),
    overrideConfig: patchOf(legal.data, legally),
  };
}

/**
 * Parses the reply of a model or a chat. Each suggestion must be acceptable for the strategy as a whole. Others are
 * dropped with a reason. Undefined when the text contains no answer.
 */
export function readAdvice(judged: Judged, text: string): Advice | undefined {
  const answer = text.length > LONGEST_REPLY ? undefined : findAnswer(text);
  if (answer === undefined) return undefined;
  const suggestions: Suggestion[] = [];
  const dropped: { title: string; reason: string }[] = [];
  const seen = new Set<string>();
  for (const [i, one] of answer.suggestions.slice(0, MOST_SUGGESTIONS).entries()) {
    const shape = proposed.safeParse(one);
    const title = shape.data?.title || `Suggestion ${i + 1}`;
    const outcome = shape.success
      ? judge(judged, shape.data, String(suggestions.length + 1))
      : `It does not have the requested form: ${shape.error.issues[0]?.path.join('.') ?? ''} is missing or wrong.`;
    const refusal = typeof outcome === 'string' ? outcome : undefined;
    const key = typeof outcome === 'string' ? '' : JSON.stringify(outcome.overrideConfig);
    if (refusal !== undefined || seen.has(key))
      dropped.push({ title, reason: refusal ?? 'It repeats an earlier suggestion.' });
    else if (typeof outcome !== 'string') suggestions.push(outcome);
    seen.add(key);
  }
  const more = answer.suggestions.length - MOST_SUGGESTIONS;
  if (more > 0) dropped.push({ title: `${more} more`, reason: `Only the first ${MOST_SUGGESTIONS} are read.` });
  return { summary: answer.summary, suggestions, dropped };
}
