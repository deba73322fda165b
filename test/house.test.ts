import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isObject } from '#core/merge.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { exportsWithImporters } from '#test/harness/exports.ts';
import { importsOf, ROOT, readSourceFiles, type SourceFile } from '#test/harness/source-files.ts';

/** Which way the stairs go: what a room may import from other rooms, as beginnings of paths. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  strategies: ['core/'],
  authoring: ['core/', 'strategies/'],
  backtest: ['core/', 'strategies/'],
  engine: ['core/', 'strategies/strategy.ts'],
  exchange: ['core/'],
  storage: ['core/'],
  integrations: ['core/'],
  paper: ['core/', 'integrations/supervised.ts'],
  api: [
    'core/',
    'strategies/',
    'authoring/',
    'storage/',
    'integrations/',
    'exchange/read',
    'exchange/day-tickers',
    'exchange/limits',
    'exchange/shared-limits',
    'exchange/endpoints',
    'exchange/clock',
    'exchange/errors',
  ],
  worker: ['core/', 'strategies/', 'authoring/', 'backtest/', 'engine/', 'exchange/', 'storage/', 'integrations/'],
  web: ['core/', 'strategies/', 'authoring/', 'backtest/', 'api/contract/', 'api/client.ts'],
  cli: [
    'core/',
    'strategies/',
    'authoring/',
    'backtest/',
    'engine/',
    'exchange/',
    'paper/',
    'storage/',
    'integrations/',
    'api/',
    'worker/',
  ],
  test: [''],
};
const ROOMS = Object.keys(MAY_IMPORT);

/** The floors of a room, the lowest first: a file of one imports from floors below it, and from files of the room itself. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  api: ['contract', 'frame', 'guard', 'views', 'checks', 'diagnosis', 'routes', 'socket', 'mcp', 'chat'],
  core: [
    ...['amount', 'market', 'indicators', 'decision', 'order', 'position', 'sizing', 'account', 'judge'],
    ...['installation', 'ports', 'research'],
  ],
  engine: ['state', 'tick', 'runner', 'account'],
  paper: ['faults', 'market', 'exchange', 'rest', 'streams', 'sockets', 'relay', 'drills'],
  storage: ['postgres', 'cache', 'candles', 'embedded', 'trading', 'history', 'research', 'jobs', 'operator', 'backup'],
  web: [
    ...[
      'data',
      'ui',
      'chart',
      'coin',
      'shell',
      'overview',
      'performance',
      'strategies',
      'profile',
      'preview',
      'config',
    ],
    ...['research', 'settings', 'programs', 'welcome'],
  ],
};

const WITHOUT_CODE = ['storage/migrations', 'web/public'];

/** Rooms that also run in a browser: packages they may use, node: modules never. */
const PURE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  core: ['zod'],
  strategies: ['zod'],
  authoring: ['zod', 'tradewind/strategy'],
  backtest: [],
};
const TEST_PACKAGES = ['node:test', 'node:assert/strict', 'fast-check', 'decimal.js'];

const READS_ENVIRONMENT = [/^cli\//, /^(api|worker|paper)\/main\.ts$/, /^vite\.config\.ts$/, /^test\//];
/** The check itself, and the clients of scripts and assistants. */
const CALLS_OUT = ['integrations/outgoing.ts', 'api/script-client.ts', 'api/mcp-client.ts'];
/** A strategy file exports its strategy. */
const DEFAULT_EXPORTS = [/^vite\.config\.ts$/, /^authoring\/examples\//, /^test\/golden\/strategy-files\//];
const BRAND_ROOMS = [/^exchange\//, /^paper\//, /^test\//];
/** Modules that scripts outside of this checkout import: `exports` in package.json. */
const PUBLIC = [/^api\/contract\//, /^api\/script-client\.ts$/, /^authoring\/strategy\.ts$/];
/** Called by name: api/app.ts mounts the routes of every file, and the context of a strategy file evaluates a text. */
const BY_NAME = /^(api\/routes\/[\w-]+\.ts mount[A-Z]|authoring\/moment\.ts loadDefinition)/;
/** Code in the place of tests: fixtures and the parts of test servers. */
const TEST_PARTS = [/^test\//, /\.(test|contract)\.tsx?$/, /(^|\/)test-[\w-]+\.ts$/, /\/fixtures\//];
/** For tests alone: the fold that tests compare stored positions with, and the names of all settings. */
const FOR_TESTS = [
  'core/installation/env.ts SETTINGS',
  'paper/exchange/accounts.ts AccountInput',
  'storage/trading/fills.ts refoldPosition',
];
/** A library: not every indicator has a strategy. */
const LIBRARY = [/^core\/indicators\//];
const STRATEGY_FILES = [
  'config.ts',
  'state.ts',
  'rules.ts',
  'instance.ts',
  'reasons.ts',
  'explain.ts',
  'lint.ts',
  'drawings.ts',
  'strategy.ts',
  'rules.md',
  'sweep',
];

const THIS = 'test/house.test.ts';
const code = readSourceFiles('.ts', '.tsx', '.js');
const all = [...code, ...readSourceFiles('.sql', '.css')].filter((file) => !file.path.endsWith('.d.ts'));
const exported = exportsWithImporters(code.filter(({ path }) => !path.endsWith('.d.ts')));
const isTest = (path: string): boolean => /\.(test|contract)\.tsx?$/.test(path);
const roomOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf('/')));
const matches = (path: string, patterns: readonly RegExp[]): boolean => patterns.some((pattern) => pattern.test(path));
const isOwn = (path: string): boolean => ROOMS.includes(roomOf(path)) && /\.(ts|tsx|js|css)$/.test(path);

/** Source without its comments. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');

/** `path:line` of every line of `files` that `finds` something. */
const linesThat = (files: readonly SourceFile[], finds: (line: string, path: string) => boolean): string[] =>
  files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, i) => (finds(line, path) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
  );

test('imports go only down the stairs', () => {
  const wrong = code.flatMap((file) => {
    const room = roomOf(file.path);
    const allowed = MAY_IMPORT[room];
    if (allowed === undefined) return [];
    const others = importsOf(file).filter((path) => isOwn(path) && roomOf(path) !== room);
    const refused = others.filter((path) => !allowed.some((beginning) => path.startsWith(beginning)));
    return refused
      .filter((path) => !(isTest(file.path) && path.startsWith('test/')))
      .map((path) => `${file.path} imports ${path}`);
  });
  assert.deepEqual(wrong, []);
});

test('within a room, imports go only down the floors', () => {
  const floorOf = (path: string): number => FLOORS[roomOf(path)]?.indexOf(path.split('/')[1] ?? '') ?? -1;
  const folders = new Set(code.map(({ path }) => path.split('/').slice(0, 2).join('/')));
  const unknown = [...folders].filter(
    (path) => roomOf(path) in FLOORS && !/\.\w+$/.test(path) && !WITHOUT_CODE.includes(path) && floorOf(`${path}/`) < 0,
  );
  assert.deepEqual(unknown, [], 'a new folder gets its place among the floors');
  const wrong = code
    .filter(({ path }) => floorOf(path) >= 0 && !isTest(path))
    .flatMap((file) =>
      importsOf(file)
        .filter((path) => roomOf(path) === roomOf(file.path) && floorOf(path) > floorOf(file.path))
        .map((path) => `${file.path} imports ${path}`),
    );
  assert.deepEqual(wrong, []);
});

test('no circle of imports, types included', () => {
  const product = code.filter(({ path }) => !isTest(path) && !path.startsWith('test/'));
  const graph = new Map(product.map((file) => [file.path, importsOf(file)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' -> '));
    if (done.has(path) || above.includes(path)) return;
    for (const next of graph.get(path) ?? []) if (graph.has(next)) walk(next, [...above, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  assert.deepEqual(circles, []);
});

test('only the approval makes an approved order', () => {
  const casts = linesThat(code, (line, path) => !path.startsWith('test/') && /\bas ApprovedOrder\b/.test(line));
  assert.deepEqual(
    casts.map((text) => text.slice(0, text.indexOf(':'))),
    ['engine/tick/approve.ts'],
  );
});

test('pure rooms use no packages but their own, and nothing of Node', () => {
  const wrong = code.flatMap((file) => {
    const packages = PURE_ROOMS[roomOf(file.path)];
    if (packages === undefined) return [];
    const allowed = isTest(file.path) ? [...packages, ...TEST_PACKAGES, 'zod'] : packages;
    const foreign = importsOf(file).filter((name) => !isOwn(name) && !allowed.includes(name));
    return foreign.map((name) => `${file.path} imports ${name}`);
  });
  assert.deepEqual(wrong, []);
});

test('what a file exports, another file imports', () => {
  const closed = exported.filter(({ path, name }) => !matches(path, PUBLIC) && !BY_NAME.test(`${path} ${name}`));
  const unused = closed.filter(({ importers }) => importers.length === 0);
  assert.deepEqual(
    unused.map(({ path, name }) => `${path} ${name}`),
    [],
    'make it private: remove the word export',
  );
});

test('the product holds no code that only tests run', () => {
  const product = exported.filter(
    ({ path, name }) => !matches(path, [...TEST_PARTS, ...PUBLIC, ...LIBRARY]) && !BY_NAME.test(`${path} ${name}`),
  );
  const idle = product.filter(
    ({ name, text, importers }) =>
      importers.every((importer) => matches(importer, TEST_PARTS)) &&
      text.split(/[^\w$]+/).filter((word) => word === name).length === 1,
  );
  assert.deepEqual(idle.map(({ path, name }) => `${path} ${name}`).toSorted(), FOR_TESTS);
});

test('every import names a file that exists', () => {
  const known = new Set(all.map((file) => file.path));
  const missing = code.flatMap((file) =>
    importsOf(file)
      .filter((path) => isOwn(path) && !known.has(path))
      .map((path) => `${file.path}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test('only mains read the process environment', () => {
  const elsewhere = code.filter(({ path }) => !isTest(path) && !matches(path, READS_ENVIRONMENT));
  assert.deepEqual(
    linesThat(elsewhere, (line) => /\bprocess\.env\b|\benv\s*}\s*=\s*process\b/.test(line)),
    [],
  );
});

test('calls to other servers pass the one check of their address', () => {
  const servers = code.filter(
    ({ path }) => /^(api|worker|integrations)\//.test(path) && !/\btest-|\.test\./.test(path),
  );
  const elsewhere = servers.filter(({ path }) => !CALLS_OUT.includes(path));
  assert.deepEqual(
    linesThat(elsewhere, (line) => /(^|[^.\w])fetch\(|from 'undici'/.test(line)),
    [],
  );
});

test('pages read and change through the operations of the contract', () => {
  const pages = code.filter(({ path }) => path.startsWith('web/') && !path.startsWith('web/data/'));
  assert.deepEqual(
    linesThat(pages, (line) => /\buse(Infinite)?Quer(y|ies)\b|\buseMutation\b|\bquery(Fn|Key|Options)\b/.test(line)),
    [],
  );
});

test('no default exports outside web pages', () => {
  const elsewhere = code.filter(({ path }) => !matches(path, DEFAULT_EXPORTS));
  assert.deepEqual(
    linesThat(elsewhere, (line) => /^\s*export\s+default\b|\bas default\b/.test(line)),
    [],
  );
});

test('the brand of the exchange is known to its rooms only', () => {
  const elsewhere = all.filter(({ path }) => !matches(path, BRAND_ROOMS));
  const named = (line: string, path: string): boolean =>
    /binance/i.test(path.startsWith('storage/') ? line.replaceAll('binance_mode', '') : line);
  assert.deepEqual(linesThat(elsewhere, named), []);
});

/** Made from the migrations; test/schema compares it with them. */
const GENERATED = 'storage/postgres/tables.ts';

test('files stay small', () => {
  const written = all.filter(({ path }) => path !== GENERATED);
  const long = written.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    return lines > (isTest(path) ? 500 : 400) ? [`${path}: ${lines} lines`] : [];
  });
  assert.deepEqual(long, []);
});

test('the linter keeps functions at 70 lines and three parameters', () => {
  const config: unknown = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8'));
  assert.ok(isObject(config) && isObject(config['rules']) && Array.isArray(config['overrides']));
  const { rules } = config;
  const ceiling = { max: 70, skipBlankLines: false, skipComments: false };
  assert.deepEqual(rules['max-lines-per-function'], ['error', ceiling]);
  assert.deepEqual(rules['max-params'], ['error', { max: 3 }]);
  const loosened = config['overrides'].filter(
    (item) => isObject(item) && isObject(item['rules']) && 'max-lines-per-function' in item['rules'],
  );
  assert.deepEqual(loosened, []);
});

test('names of files are kebab-case', () => {
  const named = all.map(({ path }) => path).filter((path) => ROOMS.includes(roomOf(path)));
  const wrong = named.filter(
    (path) => !path.split('/').every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(part)),
  );
  assert.deepEqual(wrong, []);
});

test('rooms are the only folders, and no barrel hides what is in them', () => {
  const folders = readdirSync(ROOT, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  );
  const known = [...ROOMS, 'deploy', 'docs', 'node_modules', 'dist', 'screenshots'];
  assert.deepEqual(
    folders.map((folder) => folder.name).filter((name) => !known.includes(name)),
    [],
  );
  const vague = /\/(src|utils|helpers|common|shared|lib|types|services)\/|\/index\.tsx?$/;
  assert.deepEqual(
    all.map(({ path }) => path).filter((path) => vague.test(`/${path}`)),
    [],
  );
});

test('every strategy folder has the same files and is registered', () => {
  const folders = readdirSync(join(ROOT, 'strategies'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map(({ name }) => name).toSorted(), [...STRATEGIES.keys()].toSorted());
  for (const { name } of folders) {
    const files = readdirSync(join(ROOT, 'strategies', name)).filter((file) => !isTest(file));
    assert.deepEqual(
      files.filter((file) => !STRATEGY_FILES.includes(file)),
      [],
      name,
    );
    for (const file of ['config.ts', 'instance.ts', 'reasons.ts', 'strategy.ts'])
      assert.ok(files.includes(file), `${name}/${file}`);
  }
});

/** The name of a sale's cause is also the name of a strategy. */
const CAUSES = 'core/decision/exit-cause.ts';

test('no room but strategies and web names a strategy', () => {
  // Two names are also words of the platform.
  const names = [...STRATEGIES.keys()].filter((name) => name !== 'hold' && name !== 'signal');
  const naming = new RegExp(`'(${names.join('|')})'|#strategies/(${[...STRATEGIES.keys()].join('|')})/`);
  const others = code.filter(
    ({ path }) => !matches(path, TEST_PARTS) && !/^(strategies|web)\//.test(path) && path !== CAUSES,
  );
  assert.deepEqual(
    linesThat(others, (line) => naming.test(line)),
    [],
  );
});

test('no migration moves once it is written down', () => {
  const folder = join(ROOT, 'storage', 'migrations');
  const digestOf = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  const found = readdirSync(folder)
    .toSorted()
    .map((name) => `${digestOf(name)}  ${name}`);
  const written = readFileSync(join(ROOT, 'test', 'migrations.digest'), 'utf8')
    .trim()
    .split('\n');
  assert.deepEqual(
    found,
    written,
    'an applied migration is never edited; a new one gets its line in test/migrations.digest',
  );
});

test('no types are waved through', () => {
  const typed = code
    .filter(({ path }) => /\.tsx?$/.test(path) && path !== THIS)
    .map(({ path, text }) => ({ path, text: withoutComments(text) }));
  assert.deepEqual(
    linesThat(typed, (line) => /\bas any\b|@ts-(ignore|nocheck|expect-error)|oxlint-disable|eslint-disable/.test(line)),
    [],
  );
});

test('no test is singled out or left out in silence', () => {
  const tests = code.filter(({ path }) => isTest(path) && path !== THIS);
  assert.deepEqual(
    linesThat(tests, (line) => /\.only\(|\bonly: true\b|\bskip: true\b|\.skip\(\)|\.todo\(/.test(line)),
    [],
  );
});

test('comments leave no loose ends', () => {
  const others = all.filter(({ path }) => path !== THIS);
  assert.deepEqual(
    linesThat(others, (line) => /\b(TODO|FIXME|XXX|HACK)\b/.test(line)),
    [],
  );
});

test('the documents name files that exist', () => {
  const named = /`([a-z-]+\/[\w./-]+\.(?:ts|tsx|js|sql))`|\]\(([\w./-]+\.md|[\w./-]+\/[\w-]+)\)/g;
  const missing = readSourceFiles('.md').flatMap(({ path, text }) =>
    Array.from(text.matchAll(named), ([, file, link]) => file ?? join(dirname(path), link ?? ''))
      .filter((file) => !existsSync(join(ROOT, file)))
      .map((file) => `${path} names ${file}`),
  );
  assert.deepEqual(missing, []);
});
