import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { ROOT, readSourceFiles, type SourceFile } from '#test/harness/source-files.ts';

const documents = readSourceFiles('.md');
/** Prose of a document: no fenced blocks, no code spans. */
const proseOf = ({ text }: SourceFile): string => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
const LINK = /\]\(([^()\s]+)\)/g;

/** The anchors of a document as hosting sites make them from its headings. */
const anchorsOf = (path: string): Set<string> =>
  new Set(
    Array.from(readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm), ([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

function problemOf(from: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(ROOT, from) : normalize(join(ROOT, dirname(from), path));
  if (!existsSync(target)) return `${from} links to ${link}, which is not there`;
  if (anchor === undefined || statSync(target).isDirectory()) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : `${from} links to ${link}, but no heading there is called so`;
}

test('every link between documents leads somewhere', () => {
  const links = documents.flatMap((document) =>
    Array.from(proseOf(document).matchAll(LINK), ([, link = '']) => ({ from: document.path, link })),
  );
  const inside = links.filter(({ link }) => !/^[a-z]+:/.test(link));
  assert.ok(inside.length > 50, `only ${inside.length} links were found`);
  assert.deepEqual(
    inside.flatMap(({ from, link }) => problemOf(from, link) ?? []),
    [],
  );
});

test('every page of docs/ can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached)
    for (const [, link = ''] of readFileSync(join(ROOT, path), 'utf8').matchAll(LINK)) {
      const target = normalize(join(dirname(path), link.split('#')[0] ?? '')).replaceAll('\\', '/');
      if (target.endsWith('.md') && existsSync(join(ROOT, target))) reached.add(target);
    }
  const pages = documents.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
  assert.deepEqual(
    pages.filter((path) => !reached.has(path)),
    [],
  );
});

const rows = (documents.find(({ path }) => path === 'docs/glossary.md')?.text ?? '').matchAll(
  /^\| ([^|]+) \|[^|]*\| (.+) \|$/gm,
);
const glossary = Array.from(rows, ([, words = '', where = '']) => ({ words, where })).filter(({ where }) =>
  /[`(]/.test(where),
);

test('the glossary names files that exist', () => {
  assert.ok(glossary.length > 40, `only ${glossary.length} terms were found`);
  const named = glossary.flatMap(({ words, where }) =>
    Array.from(where.matchAll(/`([^`]+)`/g), ([, path = '']) => ({ words, path })),
  );
  assert.deepEqual(
    named.filter(({ path }) => !existsSync(join(ROOT, path))),
    [],
  );
});

test('the documents spell the terms of the glossary as it does', () => {
  const terms = glossary
    .flatMap(({ words }) => words.replace(/\(.*?\)/g, '').split(','))
    .map((term) => term.trim().toLowerCase())
    .filter((term) => /^[a-z]+[ -][a-z]+$/.test(term));
  const wrong = terms.flatMap((term) => {
    const [one = '', two = ''] = term.split(/[ -]/);
    const others = term.includes('-') ? [`${one}${two}`, `${one} ${two}`] : [`${one}${two}`, `${one}-${two}(?! [a-z])`];
    const written = new RegExp(`\\b(?:${others.join('|')})s?\\b`, 'g');
    return documents.flatMap((document) => {
      const prose = proseOf(document)
        .replace(LINK, ']')
        .replace(/\S+[/@]\S+/g, '');
      return Array.from(prose.matchAll(written), ([found]) => `${document.path}: "${found}", not "${term}"`);
    });
  });
  assert.deepEqual(wrong, []);
});
