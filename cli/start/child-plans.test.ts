import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnvironment } from '#core/installation/env.ts';
import type { StartOptions } from './options.ts';
import { type ChosenMarket, marketFlags } from './paper-market.ts';
import { planApi, planPaper, planWorker, type ServiceFacts, type Variables } from './child-plans.ts';

const OPTIONS: StartOptions = {
  ...{ dataDir: '/data', port: 81, openBrowser: false, replay: undefined, relay: undefined },
  ...{ from: undefined, speed: undefined, seed: undefined },
};
const paper = {
  port: 2,
  controlPort: 3,
  accountsPath: '/data/accounts.json',
  operator: { apiKey: 'key', secret: 'secret' },
};

function factsOf(inherited: Variables): ServiceFacts {
  const env = parseEnvironment({ DATABASE_URL: 'postgres://given', ...inherited });
  const places = { root: '/checkout', dataDir: '/data', webDir: '/data/web', databaseUrl: 'postgres://real' };
  return { ...places, inherited, env, port: 81, paper: env.PAPER_URL === undefined ? paper : undefined, gitSha: 'abc' };
}

test('api and worker get what they need to find each other', () => {
  for (const plan of [planApi, planWorker]) {
    const { environment } = plan(factsOf({ LANG: 'C', WEB_ORIGIN: '', UNSET: undefined }));
    assert.deepEqual(environment, {
      LANG: 'C',
      DATABASE_URL: 'postgres://real',
      PORT: '81',
      WEB_DIR: '/data/web',
      WEB_ORIGIN: 'http://127.0.0.1:81,http://localhost:81',
      CANDLE_DIR: join('/data', 'candles'),
      STRATEGY_DIR: join('/data', 'strategies'),
      BACKUP_DIR: join('/data', 'backups'),
      WORKER_SLOT: 'worker-1',
      GIT_SHA: 'abc',
      NODE_COMPILE_CACHE: '/data/compiled',
      PAPER_URL: 'http://127.0.0.1:2',
      PAPER_API_KEY: 'key',
      PAPER_API_SECRET: 'secret',
    });
  }
});

test('what the operator set stays', () => {
  const inherited = { WEB_ORIGIN: 'https://trade.example.org', WORKER_SLOT: 'left', PAPER_URL: 'http://127.0.0.1:9' };
  const { environment } = planApi(factsOf(inherited));
  assert.equal(environment['WEB_ORIGIN'], 'https://trade.example.org');
  assert.equal(environment['WORKER_SLOT'], 'left');
  assert.equal(environment['PAPER_URL'], 'http://127.0.0.1:9');
  assert.equal(environment['PAPER_API_KEY'], undefined);
});

test('the paper exchange gets its flags and no database', () => {
  const planned = (more: Partial<StartOptions>, market: ChosenMarket): readonly string[] => {
    const place = { root: '/checkout', options: { ...OPTIONS, ...more }, liveUrl: undefined };
    const plan = planPaper(facts, paper, marketFlags(market, place));
    assert.deepEqual(plan.environment, {});
    return plan.args;
  };
  const facts = factsOf({ DATABASE_URL: 'postgres://given', CACHE_URL: 'redis://given' });
  const ports = ['--port', '2', '--control-port', '3', '--control-token-file', '/data/paper-control-token'];
  const common = [...ports, '--accounts', '/data/accounts.json'];
  const own = ['--data-dir', '/data/paper'];
  assert.deepEqual(planned({ seed: 5 }, 'invented'), [...common, '--source', 'synthetic', '--seed', '5', ...own]);
  const replay = { replay: '/candles', from: new Date('2022-06-01T00:00:00Z'), speed: 600 };
  const clock = ['--source', 'replay:/candles', '--from', '2022-06-01T00:00:00.000Z', '--speed', '600'];
  assert.deepEqual(planned(replay, 'replay'), [...common, ...clock, ...own]);
  assert.deepEqual(planned({ relay: 'live' }, 'live'), [...common, '--source', 'relay:live', ...own]);
  const other = 'http://127.0.0.1:9';
  assert.deepEqual(planned({ relay: other }, 'live'), [...common, '--source', `relay:${other}`, ...own]);
});
