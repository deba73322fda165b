import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ROOT, Trial } from './trial.ts';

interface Refusal {
  readonly what: string;
  readonly args?: (trial: Trial) => string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly code?: number;
  readonly says: RegExp;
}

function writeCandles(trial: Trial, text: string): string {
  const folder = join(trial.folder, 'candles');
  mkdirSync(folder);
  writeFileSync(join(folder, 'BTCUSDT-1m.csv.gz'), gzipSync(text));
  return folder;
}

const refusals: Refusal[] = [
  {
    what: 'an unknown flag',
    args: () => ['--frob'],
    code: 2,
    says: /^"tradewind start" has no flag --frob; see "tradewind help"\.\n$/,
  },
  {
    what: 'WEB_ORIGIN=*',
    variables: { WEB_ORIGIN: '*' },
    says: /^WEB_ORIGIN contains "\*", but a wildcard cannot be used[^\n]+\n$/,
  },
  {
    what: 'a data folder that cannot be written',
    args: () => ['--data-dir', '/proc/tradewind'],
    says: /^The data folder \/proc\/tradewind is not writable \([^\n]+\); set another one with --data-dir DIR\.\n$/,
  },
  {
    what: 'a replay folder that is not there',
    args: ({ folder }) => ['--replay', join(folder, 'absent')],
    says: /^The replay folder \S+absent cannot be read [^\n]+\n$/,
  },
  {
    what: 'a replay folder without candle files',
    args: ({ folder }) => ['--replay', folder],
    says: /^The replay folder \S+ contains no candle file; [^\n]+\n$/,
  },
  {
    what: 'a broken candle file',
    args: (trial) => [
      '--replay',
      writeCandles(trial, 'openTime,open,high,low,close,volume\n1640995200000,1,2,oops,1,1\n'),
    ],
    says: /\nThe candle file \S+BTCUSDT-1m\.csv\.gz is broken: [^\n]+\n$/,
  },
  {
    what: 'a database that does not answer',
    variables: { DATABASE_URL: 'postgres://someone:hidden-word@127.0.0.1:1/none' },
    says: /\nPostgreSQL at 127\.0\.0\.1:1\/none did not answer within \d+ s [^\n]+\n$/,
  },
  {
    what: 'a database address of another kind',
    variables: { DATABASE_URL: 'mysql://someone:hidden-word@127.0.0.1/none' },
    says: /^DATABASE_URL must be a URL that begins with postgres:\/\/[^\n]+\n$/,
  },
  {
    what: 'a cache that does not answer',
    variables: { CACHE_URL: 'redis://:hidden-word@127.0.0.1:1' },
    says: /\n[^\n]*127\.0\.0\.1:1[^\n]*\n$/,
  },
];

for (const { what, args, variables, code = 1, says } of refusals) {
  test(`${what} ends the start with one sentence and leaves nothing running`, async () => {
    await using trial = new Trial();
    const ended = await trial.start(args?.(trial), variables).ended();
    assert.match(ended.output, says);
    assert.doesNotMatch(ended.output, /hidden-word/);
    assert.equal(ended.code, code);
    await trial.nothingLives();
  });
}

test('a port in use ends the start with one sentence', async () => {
  await using trial = new Trial();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const address = server.address();
    assert(typeof address === 'object' && address !== null);
    const ended = await trial.start(['--port', String(address.port)]).ended();
    assert.equal(ended.output, `Port ${address.port} is in use; choose another port with --port N.\n`);
    assert.equal(ended.code, 1);
  } finally {
    server.close();
  }
});

test('an unknown command ends with one sentence', async () => {
  await using trial = new Trial();
  const ended = await trial.run(process.execPath, [join(ROOT, 'cli', 'tradewind.js'), 'frob']).ended();
  assert.deepEqual(ended, { code: 2, output: 'There is no command "frob"; see "tradewind help".\n' });
});
