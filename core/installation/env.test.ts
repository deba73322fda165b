import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EnvironmentError, parseEnvironment, SETTINGS } from './env.ts';

const DATABASE_URL = 'postgres://tradewind@127.0.0.1:5432/tradewind';
const parse = (raw: Record<string, string> = {}) => parseEnvironment({ DATABASE_URL, ...raw });

const problemsOf = (raw: Record<string, string>): readonly string[] => {
  try {
    parse(raw);
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems;
    throw error;
  }
  return [];
};

test('one URL is enough; empty values count as absent', () => {
  const environment = parse({ PORT: '', CACHE_URL: '', WEB_ORIGIN: '' });
  assert.equal(environment.PORT, 8080);
  assert.deepEqual(
    [environment.CACHE_URL, environment.WEB_ORIGIN, environment.LIVE_DEMO],
    [undefined, undefined, false],
  );
});

for (const text of ['1', 'true'])
  test(`LIVE_DEMO=${text} is on`, () => assert.equal(parse({ LIVE_DEMO: text }).LIVE_DEMO, true));
for (const text of ['0', 'yes', 'TRUE', 'True', 'on', ' 1', '1 ', 'false', '']) {
  test(`LIVE_DEMO=${JSON.stringify(text)} is off and no reason to stop`, () => {
    assert.equal(parse({ LIVE_DEMO: text }).LIVE_DEMO, false);
  });
}

const origins: readonly [string, string[]][] = [
  ['https://a.example', ['https://a.example']],
  ['https://a.example:443, http://localhost:8080', ['https://a.example', 'http://localhost:8080']],
  ['HTTPS://A.Example', ['https://a.example']],
  ['http://[::1]:8080', ['http://[::1]:8080']],
];
for (const [text, expected] of origins) {
  test(`WEB_ORIGIN=${text} is read as a browser writes it`, () =>
    assert.deepEqual(parse({ WEB_ORIGIN: text }).WEB_ORIGIN, expected));
}

const foreign = [
  '*',
  'https://*.example.org',
  'https://a/',
  'https://a/path',
  'https://a?x',
  'https://a#x',
  'null',
  'a.example',
];
const sly = ['https://u:p@a', 'https://:p@a', 'ftp://a', 'https:a', 'https:\\\\a', 'https://a b', 'file:///', ' , '];
for (const text of [...foreign, ...sly]) {
  test(`WEB_ORIGIN=${JSON.stringify(text)} stops the start with one sentence`, () => {
    const problems = problemsOf({ WEB_ORIGIN: text });
    assert.equal(problems.length, 1);
    assert.match(
      problems[0] ?? '',
      /^WEB_ORIGIN .*list exact origins such as https:\/\/trade\.example\.org, separated by commas\.$/,
    );
  });
}

test('a wildcard is refused with the reason', () => {
  assert.deepEqual(problemsOf({ WEB_ORIGIN: '*' }), [
    'WEB_ORIGIN contains "*", but a wildcard cannot be used with sign-in cookies: list exact origins such as https://trade.example.org, separated by commas.',
  ]);
});

test('every problem gets its sentence', () => {
  assert.deepEqual(problemsOf({ DATABASE_URL: 'mysql://h/db', PORT: '70000', LOG_LEVEL: 'loud' }), [
    'DATABASE_URL must be a URL that begins with postgres:// or postgresql://.',
    'PORT is "70000", but must be a port from 0 to 65535.',
    'LOG_LEVEL must be trace, debug, info, warn, error, fatal or silent.',
  ]);
});

test('a missing database URL says what to do', () => {
  assert.throws(() => parseEnvironment({}), {
    message: 'DATABASE_URL is missing: set it, or use npm start, which sets it automatically.',
  });
});

/** Where a password lies, in addresses that are right and in ones that are not. */
const PASSWORDS = [
  'hunter2',
  'mysql://user:hunter2@host/db',
  'postgres://user:a/hunter2@c+d=@host:5432/db',
  'postgres://user:1/hunter2@host/db',
  'https://user:hunter2@*',
  'user:hunter2@host',
  'https://user:a/b?hunter2@host',
  'redis://user:%hunter2@host',
  '\nhunter2@host',
];
for (const name of SETTINGS.filter((one) => one !== 'PORT' && one !== 'METRICS_PORT')) {
  test(`the value of ${name} never gets into a sentence`, () => {
    for (const text of PASSWORDS) {
      const sentences = problemsOf({ [name]: name === 'WEB_ORIGIN' && !text.includes('@') ? 'other' : text });
      assert.doesNotMatch(sentences.join(), /hunter2/);
    }
  });
}

test('a password that ends in the middle of a database URL is refused with the way to write it', () => {
  for (const password of ['1/b', 'a/b', '1?b', '1#b', '100%'])
    assert.match(
      problemsOf({ DATABASE_URL: `postgres://user:${password}@host:5432/db` })[0] ?? '',
      /^DATABASE_URL .+\.$/,
    );
  assert.match(problemsOf({ DATABASE_URL: 'postgres://user:1/b@host/db' })[0] ?? '', /%2F/);
  for (const password of ['a%2Fb', 'a+b', 'a=b', 'a%40b', ''])
    assert.deepEqual(problemsOf({ DATABASE_URL: `postgres://user:${password}@host:5432/db` }), []);
});

for (const text of ['eighty', '-1', '8080.5', '0x50', '1e3', ' 80', '65536']) {
  test(`PORT=${JSON.stringify(text)} is no port`, () => assert.equal(problemsOf({ PORT: text }).length, 1));
}
