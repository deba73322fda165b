import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readSourceFiles } from '#test/harness/source-files.ts';

/** A row of labels.tsv: former labels of the web app, and those that replace them. `{}` is the place of a value. */
interface Label {
  readonly page: string;
  readonly former: readonly string[];
  /** Empty for a label that was removed. */
  readonly present: readonly string[];
  /** Why a label was removed, or has other words than its page in the design. */
  readonly note: string;
}

const ROOMS = /^(web|strategies|core|api|worker|engine|integrations|backtest)\/.*\.tsx?$/;
const TESTS = /\.test\.tsx?$|\/test-/;
/** Labels are separated by it. */
const OR = ' / ';
/** A place of a value without another word, such as `#`: it would be found anywhere. */
const HAS_WORD = /[A-Za-z]{2}/;

const listOf = (text: string): string[] => text.split(OR).filter((label) => label !== '');

export function readLabels(): Label[] {
  const [, ...lines] = readFileSync(join(ROOT, 'test', 'language', 'labels.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [page = '', former = '', present = '', note = ''] = line.split('\t');
    return { page, former: listOf(former), present: listOf(present), note };
  });
}

/** The code of a file in one line, without comments and with plain characters for entities. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replaceAll('&amp;', '&')
    .replaceAll('\\u202f', ' ')
    .replaceAll("\\'", "'")
    .replace(/\{' '\}/g, ' ')
    .replace(/\s+/g, ' ');

interface Code {
  readonly path: string;
  readonly code: string;
}

/** The code of the product that holds labels. */
export const readCode = (): Code[] =>
  readSourceFiles('.ts', '.tsx')
    .filter(({ path }) => ROOMS.test(path) && !TESTS.test(path))
    .map(({ path, text }) => ({ path, code: codeOf(text) }));

/** The words of a label around the places of its values. */
const wordsOf = (label: string): string[] =>
  label
    .split(/\{[^}]*\}/)
    .map((part) => part.trim())
    .filter((part) => HAS_WORD.test(part));

/** The files that use a label; undefined for a label without a word. */
export function usesOf(label: string, files: readonly Code[]): string[] | undefined {
  const words = wordsOf(label);
  if (words.length === 0) return undefined;
  return files.filter(({ code }) => words.every((word) => code.includes(word))).map(({ path }) => path);
}

const quote = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The web files that show a former label as a whole text. */
export function leftoversOf(label: string, files: readonly Code[]): string[] {
  const whole = new RegExp(`['"\`>] ?${quote(label)} ?['"\`<]`);
  return files.filter(({ path, code }) => path.startsWith('web/') && whole.test(code)).map(({ path }) => path);
}
