import { parseSync } from 'vite';
import { isObject } from '#core/merge.ts';
import type { SourceFile } from '#test/harness/source-files.ts';

/** A piece of a file that people read: a comment, a message, a label or a document. */
interface Text {
  readonly text: string;
  /** Where it starts in the file, counted in UTF-16 units. */
  readonly start: number;
}

const IS_CODE = /\.(ts|tsx|js)$/;
const IS_TEST = /^test\/|\.(test|contract)\.tsx?$|(^|\/)test-[\w-]+\.ts$|\/fixtures\//;
/** At least two words, or one that starts like a label. */
const IS_MESSAGE = /[a-zA-Z,] [a-zA-Z]|^\s*[A-Z][a-z]+\b/;
/** Code inside of prose, and targets of links. */
const QUOTED = /```[\s\S]*?```|`[^`\n]*`|\]\([^)\n]*\)/g;

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
const withoutQuotes = ({ text, start }: Text): Text => ({ text: text.replace(QUOTED, blank), start });
const found = (text: string, pattern: RegExp): Text[] =>
  Array.from(text.matchAll(pattern), (match) => ({ text: match[0], start: match.index }));

/** The texts of a file: all of a document, comments of any code, messages and labels of the product's code. */
export function textsOf(file: SourceFile): Text[] {
  const { path, text } = file;
  if (path.endsWith('.md')) return [withoutQuotes({ text, start: 0 })];
  if (IS_CODE.test(path)) return textsOfCode(file).map(withoutQuotes);
  if (path.endsWith('.css')) return found(text, /\/\*[\s\S]*?\*\//g).map(withoutQuotes);
  return found(text, /(?:(?<=^|\s)# .*\n?[ \t]*)+/g).map(withoutQuotes);
}

function textsOfCode({ path, text }: SourceFile): Text[] {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} could not be parsed: ${String(errors[0]?.message)}`);
  const texts: { text: string; start: number }[] = [];
  let end = 0;
  for (const comment of comments) {
    const last = texts.at(-1);
    // Line comments below each other are one text: a phrase may cross the line break.
    const joined = last !== undefined && comment.type === 'Line' && text.slice(end, comment.start).trim() === '';
    if (joined) last.text = text.slice(last.start, comment.end);
    else texts.push({ text: text.slice(comment.start, comment.end), start: comment.start });
    end = comment.end;
  }
  return IS_TEST.test(path) ? texts : [...texts, ...messagesIn(program)];
}

/** Strings, pieces of templates and texts between tags, at any depth of a syntax tree. */
function* messagesIn(node: unknown): Generator<Text> {
  if (Array.isArray(node)) {
    for (const child of node) yield* messagesIn(child);
    return;
  }
  if (!isObject(node)) return;
  const { type, start, value } = node;
  const text = type === 'TemplateElement' && isObject(value) ? value['cooked'] : value;
  const isText = type === 'Literal' || type === 'TemplateElement' || type === 'JSXText';
  if (isText && typeof text === 'string' && typeof start === 'number') {
    if (type === 'JSXText' || IS_MESSAGE.test(text)) yield { text, start };
    return;
  }
  for (const child of Object.values(node)) if (typeof child === 'object') yield* messagesIn(child);
}
