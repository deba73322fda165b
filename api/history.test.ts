import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { requireDecimal as d } from '#core/amount/decimal.ts';
import { archiveFills, moveRun } from '#storage/history/account-history.ts';
import { saveApiKey } from '#api/contract/accounts.ts';
import {
  backfillTradeArchive,
  exportArchivedFills,
  listArchiveBackfills,
  listArchivedFills,
  listFeeReconciliations,
  reconcileFees,
} from '#api/contract/history.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

test('one comparison runs at a time, needs a key, is audited, and its report can be read', async () => {
  const { account, profile } = await api.addProfile('Compared', { symbols: ['BTCUSDT'] });
  const params = { id: profile.id };
  assert.equal((await api.refusal(reconcileFees, { params })).code, 'conflict', 'there is no key');
  const body = { apiKey: 'k'.repeat(20), secret: 's'.repeat(20) };
  await api.call(saveApiKey, { params: { id: account.id }, body });
  const answers = await Promise.allSettled([1, 2, 3].map(() => api.call(reconcileFees, { params })));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  const { runId } = await api.call(backfillTradeArchive, { params, body: {} });
  const { rows } = await api.database.pool.query(`select data from pgboss.job where name = 'account-history'`);
  assert.equal(rows.length, 2);
  assert.ok(rows.some(({ data }) => data.runId === runId));
  const coin = { symbol: 'BTCUSDT', listed: 2, known: 1, archived: 1, from: null, to: null };
  await moveRun(api.database.kysely, runId, { status: 'done', report: { coins: [coin] } });
  const [backfill] = (await api.call(listArchiveBackfills, { params })).runs;
  assert.deepEqual([backfill?.status, backfill?.report], ['done', { coins: [coin] }]);
  const [fees] = (await api.call(listFeeReconciliations, { params })).runs;
  assert.deepEqual([fees?.status, fees?.report], ['queued', null]);
  const audits = await api.database.kysely.selectFrom('audit_logs').select('action').execute();
  const actions = audits.map(({ action }) => action);
  for (const action of ['fees.reconcile', 'trade-archive.backfill'])
    assert.equal(actions.filter((other) => other === action).length, 1);
});

test('archived executions: of the coins of the profile, page after page, the file the same rows', async () => {
  const { account, profile } = await api.addProfile('Archived', { symbols: ['BTCUSDT'] });
  const fills = Array.from({ length: 7 }, (_, i) => ({
    ...{ symbol: i === 6 ? 'ETHUSDT' : 'BTCUSDT', tradeId: String(8 + i), exchangeOrderId: '5', side: 'buy' as const },
    ...{ price: d('50000'), quantity: d('0.01'), quoteQuantity: d('500'), feeAmount: d('0.5'), feeAsset: 'USDT' },
    ...{ maker: false, at: new Date(Date.UTC(2025, 0, 1 + Math.floor(i / 3))) },
  }));
  await archiveFills(api.database, { id: account.id, epoch: 1 }, fills);
  const params = { id: profile.id };
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: { limit: number; cursor?: string } = { limit: 4, ...(cursor === '' ? {} : { cursor }) };
    const page: { rows: { tradeId: string }[]; nextCursor: string | null } = await api.call(listArchivedFills, {
      params,
      query,
    });
    ids.push(...page.rows.map(({ tradeId }) => tradeId));
    cursor = page.nextCursor;
  }
  assert.deepEqual(ids, ['13', '12', '11', '10', '9', '8']);
  const file = await api.send(exportArchivedFills, { params, query: { format: 'ndjson' } });
  const rows = file.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    rows.map(({ tradeId }) => tradeId),
    ids,
  );
  assert.equal(rows[0].quoteQuantity, '500');
});
