import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveMetrics } from '#integrations/metrics.ts';
import { readLiveness, readReadiness } from '#api/contract/health.ts';
import { readProfile } from '#api/contract/profiles.ts';
import { openTestApi } from '#test/api/test-api.ts';

test('health: live as long as the process answers, ready only with both stores and the schema of this version', async () => {
  await using api = await openTestApi();
  assert.deepEqual(await api.call(readLiveness, {}), { status: 'ok' });
  assert.deepEqual(await api.call(readReadiness, {}), { status: 'ok' });
  await api.database.pool.query('delete from schema_migrations where number = 1');
  assert.equal((await api.refusal(readReadiness, {})).code, 'unavailable');
  assert.deepEqual(await api.call(readLiveness, {}), { status: 'ok' });
});

test('metrics: requests by route template, on an address of their own', async () => {
  await using api = await openTestApi();
  await using metrics = await serveMetrics({ process: 'api', sha: 'abc' }, { host: '127.0.0.1', port: 0 });
  await api.signUp();
  const id = '01890000-0000-7000-8000-00000000cafe';
  await api.refusal(readProfile, { params: { id: id as never } });
  const base = `http://127.0.0.1:${metrics.port}`;
  const text = await (await fetch(`${base}/metrics`)).text();
  assert.match(
    text,
    /tradewind_http_request_seconds_count\{method="GET",route="\/api\/profiles\/:id",status="404"\} 1/,
  );
  assert.match(text, /tradewind_build_info\{process="api",sha="abc"\} 1/);
  assert.match(text, /process_cpu_seconds_total/);
  assert.ok(!text.includes(id));
  assert.equal((await fetch(`${base}/`)).status, 404);
  assert.equal((await api.request('GET', '/metrics')).status, 404, 'not on the address of the api');
});
