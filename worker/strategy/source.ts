import { createHash } from 'node:crypto';
import { stripTypes } from './strip-types.ts';

/** Longest source of a strategy file. */
const MOST_BYTES = 256 * 1024;

/** A strategy file that passed the rules of its text. */
export interface StrategySource {
  /** As errors name it, such as `my-rsi.ts`. */
  readonly file: string;
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly hash: string;
  /** A function of the declarations and of a holder for the default export, as a script for the context. */
  readonly script: string;
}

type ReadSource =
  | { readonly kind: 'source'; readonly source: StrategySource }
  | { readonly kind: 'refused'; readonly sentence: string };

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The one import, after comments. */
const FIRST_IMPORT =
  /^(?<before>(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*)import\s*\{(?<names>[^{}]*)\}\s*from\s*(?:'tradewind\/strategy'|"tradewind\/strategy")[ \t]*;?/;
const NAMES = /^(\s*[\w$]+(\s+as\s+[\w$]+)?\s*,)*(\s*[\w$]+(\s+as\s+[\w$]+)?)?\s*$/;

/**
 * Words that may be nowhere in a file, not even in a comment or a sentence. Every way to load code or to wait for
 * something needs one of them, and keywords cannot be written with escapes: no parser has to agree with the engine.
 */
const REFUSED_WORDS: Readonly<Record<string, string>> = {
  import: 'a file may import only from tradewind/strategy, in its first statement',
  async: 'rules answer at once',
  await: 'rules answer at once',
  eval: 'code from text is not allowed',
};

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** `my-rsi.ts:3: …` */
const at = (file: string, line: number, message: string): ReadSource => ({
  kind: 'refused',
  sentence: `${file}:${line}: ${message}.`,
});

function findWord(text: string, word: string): number {
  const found = new RegExp(`\\b${word}\\b`).exec(text);
  return found === null ? -1 : found.index;
}

/** Checks the text of a strategy file, and turns it into a script. Nothing of it runs. */
export function readSource(file: string, text: string): ReadSource {
  if (Buffer.byteLength(text) > MOST_BYTES)
    return { kind: 'refused', sentence: `${file} is longer than ${MOST_BYTES / 1024} kB.` };
  const stripped = withoutTypes(file, text);
  if (stripped.kind === 'refused') return stripped;
  const code = stripped.text;
  const found = FIRST_IMPORT.exec(code);
  if (found?.groups === undefined || !NAMES.test(found.groups['names'] ?? ''))
    return at(file, 1, "its first statement must be an import { … } from 'tradewind/strategy'");
  const { before = '', names = '' } = found.groups;
  const [whole] = found;
  const rest = `${before}${' '.repeat(whole.length - before.length)}`.length;
  for (const [word, why] of Object.entries(REFUSED_WORDS)) {
    const body = code.slice(rest);
    const index = findWord(word === 'import' ? before + body : code, word);
    const shift = word === 'import' && index >= before.length ? rest - before.length : 0;
    if (index >= 0) return at(file, lineAt(code, index + shift), `the word "${word}" is not allowed: ${why}`);
  }
  const body = code.slice(rest);
  const exports = Array.from(body.matchAll(/\bexport\b/g), ({ index }) => index);
  const exported = /\bexport\s+default\b/.exec(body);
  if (exported === null) return at(file, lineAt(code, code.length), 'it needs an export default defineStrategy({ … })');
  const other = exports.find((index) => index !== exported.index);
  if (other !== undefined)
    return at(file, lineAt(code, rest + other), 'the word "export" is allowed once, for the strategy');
  // Line breaks inside of the import stay, so that every line keeps its number.
  const breaks = '\n'.repeat(lineAt(whole.slice(before.length), whole.length) - 1 - (names.split('\n').length - 1));
  const imported = `const {${names.replaceAll(/\s+as\s+/g, ': ')}} = sdk;${breaks}`;
  const run = `${body.slice(0, exported.index)}exported.value =${body.slice(exported.index + exported[0].length)}`;
  const script = `'use strict';((sdk, exported) => {${before}${imported}${run}\n})`;
  return { kind: 'source', source: { file, text, hash: hashOf(text), script } };
}

type Stripped =
  | { readonly kind: 'stripped'; readonly text: string }
  | Extract<ReadSource, { readonly kind: 'refused' }>;

/** Removes the types. Syntax that needs more than that, such as an enum, is refused. */
function withoutTypes(file: string, text: string): Stripped {
  try {
    return { kind: 'stripped', text: stripTypes(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const line = /^\S*:(\d+)\n/.exec(error instanceof Error ? (error.stack ?? '') : '')?.[1] ?? '1';
    const [what = ''] = message
      .split('\n')
      .map((each) => each.replace(/^[\s×x,]+/, '').trim())
      .filter((each) => each !== '');
    return { kind: 'refused', sentence: `${file}:${line}: ${what}.` };
  }
}
