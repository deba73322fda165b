import type { SourceFile } from '#test/harness/source-files.ts';
import { textsOf } from './texts.ts';
import { WORDS } from './words.ts';

export interface Finding {
  readonly path: string;
  readonly line: number;
  /** As they are in the file, on one line. */
  readonly words: string;
  readonly better: string;
}

/** Texts that are never rewritten: records of the past, applied migrations, and the list of words. */
const NEVER = [/^docs\/decisions\//, /^storage\/migrations\//, /^test\/language\//, /^LICENSE/];

/** The changelog is checked up to the first version that was released. */
const withoutPast = ({ path, text }: SourceFile): SourceFile =>
  path === 'CHANGELOG.md' ? { path, text: text.split(/^## (?!Unreleased)/m)[0] ?? '' } : { path, text };

/** Every word of the list in a file, in order of its lines. */
export function findWords(file: SourceFile): Finding[] {
  const { path } = file;
  if (NEVER.some((pattern) => pattern.test(path))) return [];
  const read = withoutPast(file);
  const findings = textsOf(read).flatMap(({ text, start }) =>
    WORDS.flatMap(({ pattern, better }) =>
      Array.from(text.matchAll(pattern), (match) => ({
        ...{ path, better, words: match[0].replace(/\s+(?:(?:\/\/|\*|#)\s+)?/g, ' ') },
        line: read.text.slice(0, start + match.index).split('\n').length,
      })),
    ),
  );
  return findings.toSorted((a, b) => a.line - b.line);
}

/** The folder of a file, at most two deep; a document of `docs` counts alone. */
export const placeOf = (path: string): string =>
  path.startsWith('docs/') ? path : path.split('/').slice(0, 2).filter(isFolderOf(path)).join('/') || path;

const isFolderOf =
  (path: string) =>
  (_: string, depth: number): boolean =>
    depth < path.split('/').length - 1;

interface Judgement {
  readonly wrong: readonly Finding[];
  /** Places whose number in the list of exemptions does not fit. */
  readonly complaints: readonly string[];
}

/** A place without exemption may have no finding, one with exemption at most so many; a clean one must leave the list. */
export function judge(findings: readonly Finding[], exempt: Readonly<Record<string, number>>): Judgement {
  const byPlace = Map.groupBy(findings, ({ path }) => placeOf(path));
  const over = [...byPlace].filter(([place, found]) => found.length > (exempt[place] ?? 0));
  const complaints = [
    ...over.flatMap(([place, { length }]) =>
      place in exempt ? [`${place} has ${length} findings, its exemption allows ${exempt[place]}.`] : [],
    ),
    ...Object.keys(exempt)
      .filter((place) => !byPlace.has(place))
      .map((place) => `${place} is clean: remove it from test/language/exempt.json (check.ts --shrink does it).`),
  ];
  return { wrong: over.flatMap(([, found]) => found), complaints };
}
