import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#test/harness/source-files.ts';

interface Check {
  readonly id: string;
  readonly sentence: string;
  /** File and name of each test, as the name is written there. */
  readonly tests: { readonly file: string; readonly name: string }[];
  /** Why it cannot be shown here; absent where tests show it. */
  because?: string;
}
interface Part {
  readonly title: string;
  readonly checks: Check[];
}

const ROWS = 'test/conformance/rows.txt';
const CHECKS = 234;

/** The parts of rows.txt: `# part`, `C001 sentence`, then its tests as `file: name`, or why there is none. */
function readParts(): Part[] {
  const parts: Part[] = [];
  for (const line of readFileSync(join(ROOT, ROWS), 'utf8').split('\n')) {
    const part = parts.at(-1);
    const check = part?.checks.at(-1);
    if (line.trim() === '') continue;
    if (line.startsWith('# ')) parts.push({ title: line.slice(2), checks: [] });
    else if (line.startsWith('C')) part?.checks.push({ id: line.slice(0, 4), sentence: line.slice(5), tests: [] });
    else if (line.startsWith('  not shown here: ') && check !== undefined) check.because = line.slice(18);
    else {
      const [, file, name] = /^ {2}(\S+\.ts): (.+)$/.exec(line) ?? [];
      if (check === undefined || file === undefined || name === undefined)
        throw new Error(`${ROWS} has a line that is no test: "${line}".`);
      check.tests.push({ file, name });
    }
  }
  return parts;
}

const texts = new Map<string, string>();
const textOf = (file: string): string => {
  const path = join(ROOT, file);
  const text = texts.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8').replaceAll("\\'", "'") : '');
  texts.set(file, text);
  return text;
};

/** Errors of the list itself: ids that are missing or twice, tests that are gone or renamed. */
function problemsOf(checks: readonly Check[]): string[] {
  const wanted = Array.from({ length: CHECKS }, (_, index) => `C${String(index + 1).padStart(3, '0')}`);
  const order = checks.flatMap(({ id }, index) =>
    id === wanted[index] ? [] : [`${id} stands where ${wanted[index]} should`],
  );
  const count = checks.length === CHECKS ? [] : [`there are ${checks.length} checks, not ${CHECKS}`];
  const missing = checks.flatMap(({ id, tests, because }) => [
    ...(tests.length === 0 && because === undefined ? [`${id} has neither a test nor a reason`] : []),
    ...tests
      .filter(({ file, name }) => !["'", '"', '`'].some((quote) => textOf(file).includes(`${quote}${name}${quote}`)))
      .map(({ file, name }) => `${id}: ${file} has no test "${name}"`),
  ]);
  return [...count, ...order, ...missing];
}

/** Requirements of a test beyond those that `npm test` finds everywhere. */
const NEEDS: readonly (readonly [folder: string, mark: string, words: string])[] = [
  ['test/e2e/', ' ¹', '¹ In a real browser; `npm test` says so where none is found.'],
  [
    'test/auth-proxy/',
    ' ²',
    '² By `npm run test:deploy`, with Terraform, the real proxy and nginx; it says what is missing.',
  ],
  ['test/deploy/', ' ³', '³ With the nginx of the machine, or from the files of the image; it says what is missing.'],
];

const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('${', '$\\{').replaceAll('*', '\\*');

function rowOf({ id, sentence, tests, because }: Check): string {
  const shown = tests.map(({ file, name }) => {
    const mark = NEEDS.find(([folder]) => file.startsWith(folder))?.[1] ?? '';
    return `[${file}](../${file}): ${cell(name)}${mark}`;
  });
  return `| ${id} | ${cell(sentence)} | ${shown.join('<br>')} | ${because === undefined ? 'shown' : `not shown here: ${cell(because)}`} |`;
}

/** docs/conformance.md; throws when the list and the tests disagree. */
export function conformance(): string {
  const parts = readParts();
  const checks = parts.flatMap((part) => part.checks);
  const problems = problemsOf(checks);
  if (problems.length > 0) throw new Error(`${ROWS} and the tests disagree:\n${problems.join('\n')}`);
  const open = checks.filter(({ because }) => because !== undefined);
  const tables = parts.map((part) =>
    [
      `## ${part.title}`,
      '',
      '| check | what is specified | shown by | state |',
      '|---|---|---|---|',
      ...part.checks.map(rowOf),
    ].join('\n'),
  );
  return [
    '# Requirements and their tests',
    'Made from the tests by `npm run documents`; a test that is renamed or removed fails until [the list](../test/conformance/rows.txt) says what shows the sentence instead. In a name `${...}` stands for each case of the test.',
    `${checks.length - open.length} of ${checks.length} checks are shown by tests${open.length === 0 ? '' : `, not: ${open.map(({ id }) => id).join(', ')}`}.`,
    NEEDS.map(([, , words]) => words).join('  \n'),
    ...tables,
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}
