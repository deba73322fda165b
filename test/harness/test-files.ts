import { reaches, readSourceFiles, type SourceFile } from './source-files.ts';

export interface TestFiles {
  /** Tests that only need Node. */
  readonly unit: string[];
  /** Slow tests that bring everything they need; the quick checks skip them. */
  readonly long: string[];
  /** Need a database or start processes of their own. */
  readonly integration: string[];
  /** Need a browser too. */
  readonly browser: string[];
}

/** Tiers that need a container engine or a whole Linux: only `npm run test:deploy` runs them. */
const TIERS = 'test/containers/';
const SERVERS = new Set(['test/harness/test-database.ts', 'storage/embedded/launch.ts']);
const INTEGRATION_FOLDERS = ['test/flow/', 'test/faults/', 'test/real-data/', 'test/start/', 'test/deploy/'];
const BRING_THEIR_OWN = [
  'test/auth-proxy/',
  'test/clients/',
  'test/model/',
  'test/start/',
  'test/faults/kill.',
  'test/faults/planted.',
  'test/independent/',
  'paper/main.',
  'paper/exchange.property.',
];
/** Flows about the exchange; the grid of faults covers all order states on the other servers too. */
const ABOUT_THE_EXCHANGE = [
  ...['ban', 'basket', 'discovery', 'exchange', 'five-hundred-coins', 'manual-orders', 'orphans', 'protective-stop'],
  ...['shared-limits', 'stream-gap', 'symbol-status', 'third-asset-fees', 'waiting-entry'],
];
/** Tests that do not depend on the database server: one run is enough. */
const ONCE = [
  ...ABOUT_THE_EXCHANGE.map((name) => `test/flow/${name}`),
  ...['commands.', 'live-demo.', 'image.', 'alerts.', 'helm.', 'release.'].map((name) => `test/deploy/${name}`),
  ...['test/attack/', 'test/faults/client', 'test/mcp/', 'test/parity/', 'test/real-data/', 'api/schemathesis.'],
];
const OPEN_AN_EXCHANGE = new Set(['paper/server.ts']);
const NAMES_A_SERVER = /TEST_DATABASE_URL|TEST_CACHE_URL/;

function needsServers(file: SourceFile, files: ReadonlyMap<string, SourceFile>): boolean {
  if (INTEGRATION_FOLDERS.some((folder) => file.path.startsWith(folder))) return true;
  return NAMES_A_SERVER.test(file.text) || reaches(file.path, SERVERS, files);
}

/** Tests that `--servers` runs again. */
export const integrationOnly = ({ integration }: TestFiles): TestFiles => ({
  ...{ unit: [], long: [], browser: [] },
  integration: integration.filter((path) => !ONCE.some((start) => path.startsWith(start))),
});

/** Sorts the test files by what they need; `patterns` keep those whose path holds one of them. */
export function findTestFiles(patterns: readonly string[]): TestFiles {
  const sources = readSourceFiles('.ts', '.tsx');
  const files = new Map(sources.map((file) => [file.path, file]));
  const wanted = ({ path }: SourceFile): boolean =>
    /\.test\.tsx?$/.test(path) &&
    !path.startsWith(TIERS) &&
    (patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)));
  const found: TestFiles = { unit: [], long: [], integration: [], browser: [] };
  for (const file of sources.filter(wanted)) {
    if (file.path.startsWith('test/e2e/')) found.browser.push(file.path);
    else if (BRING_THEIR_OWN.some((start) => file.path.startsWith(start))) found.long.push(file.path);
    else if (needsServers(file, files)) found.integration.push(file.path);
    else if (reaches(file.path, OPEN_AN_EXCHANGE, files)) found.long.push(file.path);
    else found.unit.push(file.path);
  }
  return found;
}
