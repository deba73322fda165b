import {
  codeOf,
  type DeclaredIndicators,
  type Description,
  descriptionSchema,
  indicatorsSchema,
} from '#authoring/description.ts';
import { unknownNames } from '#authoring/explain.ts';
import { CELL, PLACE, type RunningFile } from '#authoring/moment.ts';
import type { StrategyVersion } from '#authoring/own-strategy.ts';
import { configSchema, readConfig, type Values, valuesOf } from '#authoring/schema.ts';
import { sourceProblem } from '#authoring/series.ts';
import { openContext, StrategyHung, type StrategyContext } from './context.ts';
import { readSource, type StrategySource } from './source.ts';
import type { WatchedFile } from './watch.ts';

/** A version that runs in this process. */
export interface LoadedVersion extends StrategyVersion {
  readonly source: StrategySource;
  /** Declared for the default settings. */
  readonly declared: DeclaredIndicators;
  /** `step` and `lines` of a running file with a time limit. Throws a sentence that names the function that hung. */
  stepWithin(file: RunningFile, limitMs: number): string;
  /** For another thread: see watch.ts. */
  readonly watched: WatchedFile;
}

type LoadVersion =
  | { readonly kind: 'version'; readonly version: LoadedVersion }
  | { readonly kind: 'refused'; readonly sentence: string };

/** The file cannot be used; the message names file and line. */
export class StrategyRefused extends Error {}

/** Reads, evaluates and checks a strategy file. The sentence of a refusal names file and line. */
export function loadVersion(file: string, text: string): LoadVersion {
  const read = readSource(file, text);
  if (read.kind === 'refused') return read;
  const { source } = read;
  try {
    return { kind: 'version', version: versionOf(source, openContext(source)) };
  } catch (error) {
    if (error instanceof StrategyRefused) return { kind: 'refused', sentence: error.message };
    return { kind: 'refused', sentence: failureSentence(source, stackOf(error)) };
  }
}

/** Errors of a context are no `Error` of this realm. */
function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const stack: unknown = 'stack' in error ? error.stack : undefined;
  const message: unknown = 'message' in error ? error.message : undefined;
  return typeof stack === 'string' ? stack : String(message);
}

/** `my-rsi.ts:12: TypeError: …`, from a stack; without a line when it names none. */
function failureSentence({ file }: StrategySource, stack: string, where?: string): string {
  const lines = stack.split('\n');
  // Node may write the source line above the message.
  const said = lines.find((line) => /^(Uncaught )?[A-Z]\w*: /.test(line)) ?? lines[0] ?? '';
  const line = new RegExp(`${file.replaceAll(/[^\w]/g, '\\$&')}:(\\d+)`).exec(stack)?.[1];
  const place = line === undefined ? (where ?? file) : `${file}:${line}`;
  return `${place}: ${said.slice(0, 300)}.`.replace(/\.\.$/, '.');
}

const lineBefore = (text: string, index: number): number => text.slice(0, Math.max(0, index)).split('\n').length;

/** The line of the rule with a code. */
const lineOf = (text: string, code: string): number =>
  lineBefore(text, Math.max(text.indexOf(`'${code}'`), text.indexOf(`"${code}"`)));

/** The function of a file by its place: its name in words, and its line in the source. */
function placeOf({ file, text }: StrategySource, description: Description, place: number): string {
  const rules = place >= PLACE.exit ? description.exit : description.entry;
  const rule = place >= PLACE.entry ? rules[place % 100] : undefined;
  const named = Object.entries(PLACE).find(([, number]) => number === place)?.[0] ?? 'file';
  const code = rule === undefined ? undefined : codeOf(rule);
  const found = new RegExp(`^[ \t]*${named}[ \t]*[:(]`, 'm').exec(text);
  const line = code === undefined ? lineBefore(text, found?.index ?? 0) : lineOf(text, code);
  return `${file}:${line}: ${code === undefined ? named : `rule ${code}`}`;
}

/** Every function of a file in words, by its place. */
function placesOf(source: StrategySource, description: Description): Record<number, string> {
  const rules = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);
  const { each, stop, target, lines } = PLACE;
  const { entry, exit } = description;
  const places = [each, stop, target, lines, ...rules(PLACE.entry, entry.length), ...rules(PLACE.exit, exit.length)];
  return Object.fromEntries(places.map((place) => [place, placeOf(source, description, place)]));
}

function versionOf(source: StrategySource, context: StrategyContext): LoadedVersion {
  const parsed = descriptionSchema.safeParse(JSON.parse(context.description));
  if (!parsed.success) throw new StrategyRefused(`${source.file}: ${problemsOf(parsed.error)}.`);
  const description = parsed.data;
  const declare = (values: Values): DeclaredIndicators => {
    const declared = indicatorsSchema.safeParse(JSON.parse(context.declare(JSON.stringify(values))));
    if (!declared.success) throw new StrategyRefused(`${source.file}: indicators: ${problemsOf(declared.error)}.`);
    return declared.data;
  };
  const { config } = readConfig(configSchema(description), {});
  const declared = declare(valuesOf(description, config.settings));
  const problem = sourceProblem(declared, description.interval);
  if (problem !== null) throw new StrategyRefused(`${source.file}: indicators: ${problem}.`);
  const [unknown] = unknownNames(description, declared);
  if (unknown !== undefined)
    throw new StrategyRefused(
      `${source.file}:${lineOf(source.text, unknown.code)}: the sentence of ${unknown.code} names {${unknown.name}}, which is no setting, indicator, fact or memory.`,
    );
  const problemOf = (file: RunningFile): string => {
    const where = placeOf(source, description, file.cells[CELL.place] ?? 0);
    return failureSentence(source, file.problem(), where);
  };
  return {
    ...{ hash: source.hash, source, description, declared, declare },
    file: { name: source.file, text: source.text },
    watched: { pulse: context.pulse, places: placesOf(source, description) },
    open(values, layout, memory) {
      const file = context.open(JSON.stringify(values), layout, memory);
      const { cells, step, memory: readMemory, lines } = file;
      return { cells, step, memory: readMemory, lines, problem: () => problemOf(file) };
    },
    stepWithin(file, limitMs) {
      try {
        return context.stepWithin(file, limitMs);
      } catch (error) {
        if (!(error instanceof StrategyHung)) throw error;
        const where = placeOf(source, description, context.pulse[1] ?? 0);
        throw new StrategyHung(`${where} hung: ${error.message}.`);
      }
    },
  };
}

const problemsOf = (error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string =>
  error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`)).join('; ');
