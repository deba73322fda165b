import { changeAiProvider } from '#api/contract/ai-provider.ts';
import { keepAdvisorReply } from '#api/contract/advisor.ts';
import { saveBackupConfig } from '#api/contract/backup.ts';
import { armCapture } from '#api/contract/capture.ts';
import { startDiagnosis } from '#api/contract/diagnosis.ts';
import { changeDiscovery } from '#api/contract/discovery.ts';
import { setProfileKillSwitch } from '#api/contract/halts.ts';
import { backfillTradeArchive, reconcileFees } from '#api/contract/history.ts';
import { placeOrder } from '#api/contract/manual.ts';
import { changeOpsNotify, saveNotifier } from '#api/contract/notifiers.ts';
import { leaveOrphanOrder } from '#api/contract/orphans.ts';
import { bindCoin, changeCoin, createProfile } from '#api/contract/profiles.ts';
import {
  launchBacktest,
  launchSweep,
  pinBacktest,
  readBacktest,
  readRobustness,
  readSweep,
  testRobustness,
} from '#api/contract/research.ts';
import { changeAccountRisk, changeProfileRisk, pauseCoin } from '#api/contract/risk.ts';
import { changeSettings } from '#api/contract/session.ts';
import { changeRetention } from '#api/contract/upkeep.ts';
import type { ProfileId } from '#core/ids.ts';
import type { JobName, Queue } from '#storage/jobs/queue.ts';
import { MARKET_START } from '#test/flow/candles.ts';
import { detect, openOutside, outcomeOf } from '#test/flow/outside.ts';
import { LIVELY, startProfile } from '#test/flow/profile.ts';
import type { Stack } from '#test/flow/stack.ts';
import { until } from '#test/flow/until.ts';

/** Coins of the replayed market. */
export const COINS = ['BTCUSDT', 'ETHUSDT', 'BNBUSDT'];
const LIMIT_MS = 240_000;
const HOUR_MS = 3_600_000;

/** Waits until a query returns a row. */
const rowOf = ({ database }: Stack, what: string, query: string): Promise<unknown> =>
  until(what, async () => ((await database.pool.query(query)).rowCount ?? 0) > 0, LIMIT_MS);

async function changeEverySetting({ call, accountId }: Stack): Promise<void> {
  await call(changeSettings, { body: { timezone: 'Europe/Lisbon' } });
  await call(changeRetention, { body: { auditLogDays: 400, tickTraceEntries: 1000 } });
  await call(changeOpsNotify, { body: { 'orphan-order': false } });
  await call(saveBackupConfig, { body: { enabled: true, intervalHours: 12, keep: 5 } });
  await call(changeAccountRisk, {
    params: { id: accountId },
    body: { asset: 'USDT', openPositions: 3, dailyLoss: '4000' },
  });
  const provider = {
    provider: 'anthropic',
    baseUrl: 'http://127.0.0.1:9',
    model: 'm',
    credential: 'made-up-key',
  } as const;
  await call(changeAiProvider, { body: provider });
}

/** A profile that trades two coins with an override, limits and a notifier. */
async function startTrading(stack: Stack): Promise<ProfileId> {
  const { call } = stack;
  const id = await startProfile(stack, ['BTCUSDT', 'ETHUSDT']);
  await call(changeCoin, {
    params: { id, symbol: 'ETHUSDT' },
    body: { overrideConfig: { buy: { entrySizing: { mode: 'fixed', amount: '90' } } } },
  });
  await call(changeProfileRisk, { params: { id }, body: { asset: 'USDT', exposure: '2000' } });
  await call(changeDiscovery, { params: { id }, body: { enabled: true } });
  await call(saveNotifier, {
    params: { id, provider: 'webhook' },
    body: { secrets: { url: 'http://127.0.0.1:9/a-made-up-path' }, rules: { events: ['drift', 'order-filled'] } },
  });
  return id;
}

/** A profile that is stopped by its kill switch: it holds coins that were bought elsewhere, and one coin is paused. */
async function holdCoins({ call, accountId }: Stack): Promise<ProfileId> {
  const { profile } = await call(createProfile, {
    body: { accountId, name: 'Kept', strategyName: 'trailing-trade', config: { ...LIVELY }, enabled: true },
  });
  const { id } = profile;
  const body = { symbol: 'BNBUSDT', averageEntryPrice: '29000.5', overrideConfig: {} };
  await call(bindCoin, { params: { id }, body });
  const pause = { until: new Date(Date.now() + 24 * HOUR_MS).toISOString(), reason: 'Waiting for news.' };
  await call(pauseCoin, { params: { id, symbol: 'BNBUSDT' }, body: pause });
  await call(setProfileKillSwitch, { params: { id }, body: { engaged: true, freeze: true, reason: 'Kept as it is.' } });
  return id;
}

async function captureTicks(stack: Stack, id: ProfileId): Promise<void> {
  const until = new Date(Date.now() + HOUR_MS).toISOString();
  await stack.call(armCapture, { params: { id }, body: { until } });
  await rowOf(stack, 'a captured tick', `select from action_logs where ctx ? 'audit'`);
  await stack.call(armCapture, { params: { id }, body: { until: null } });
}

/** Orders of the operator and of another program. */
async function actByHand(stack: Stack, id: ProfileId): Promise<void> {
  const outside = openOutside(stack);
  const params = { id, symbol: 'BTCUSDT' };
  const order = { side: 'buy', type: 'limit', price: await outside.at('0.8'), quoteAmount: '50' } as const;
  await outcomeOf(stack, await stack.call(placeOrder, { params, body: { order } }));
  await outside.send('order', { symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
  await outside.restBuy('from-elsewhere');
  const [orphan] = await detect(stack);
  if (orphan === undefined) throw new Error('The order of the other program was not found.');
  const place = { id: stack.accountId, symbol: orphan.symbol, orderId: orphan.orderId };
  await stack.call(leaveOrphanOrder, { params: place });
}

/** Two backtests, one of them used as reference, robustness tests, a sweep and an advice. */
async function research({ call }: Stack, id: ProfileId): Promise<void> {
  const params = { id };
  const window = {
    from: new Date(MARKET_START).toISOString(),
    to: new Date(MARKET_START + 12 * HOUR_MS).toISOString(),
    detailInterval: '1m',
    balance: '500',
  } as const;
  const body = { ...window, symbols: ['BTCUSDT'] };
  const { runId } = await call(launchBacktest, { params, body });
  const other = { ...body, overrideConfig: { sell: { stopLossPercentage: '0.96' } } };
  const { runId: otherId } = await call(launchBacktest, { params, body: other });
  const knobs = 'sell.triggerPercentage=1.004,1.008; sell.stopLossPercentage=0.96,0.98';
  const { sweepId } = await call(launchSweep, { params, body: { ...window, symbol: 'BTCUSDT', knobs } });
  const done = (what: string, read: () => Promise<{ state: string; error?: string | null }>) =>
    until(
      what,
      async () => {
        const { state, error } = await read();
        if (state === 'failed') throw new Error(`${what} failed: ${error}`);
        return state === 'done';
      },
      LIMIT_MS,
    );
  const ofRun = { id, runId };
  await done('the backtest', () => call(readBacktest, { params: ofRun }));
  await done('the other backtest', () => call(readBacktest, { params: { id, runId: otherId } }));
  await done('the sweep', () => call(readSweep, { params: { id, sweepId } }));
  await call(testRobustness, { params: ofRun });
  await done('the robustness tests', () => call(readRobustness, { params: ofRun }));
  await call(pinBacktest, { params: ofRun, body: {} });
  const reply = JSON.stringify({ summary: 'Sell earlier.', suggestions: [] });
  await call(keepAdvisorReply, { params: ofRun, body: { reply } });
}

/** Runs one job of the worker now, and waits for its record. */
async function runJob(stack: Stack, queue: Queue, [job, record]: readonly [JobName, string]): Promise<void> {
  await queue.enqueue(job, {});
  await rowOf(stack, `the record of ${job}`, record);
}

const RECORDED: readonly (readonly [JobName, string])[] = [
  ['compare-live', 'select from live_comparisons where reference is not null and day is not null'],
  ['discover', 'select from discovery_cycles'],
  ['prune', 'select from prune_receipts'],
];

/** A session that leaves rows in every table: settings, trades on both sides, manual actions, research and jobs. */
export async function runSession(stack: Stack, queue: Queue): Promise<void> {
  const { call } = stack;
  await changeEverySetting(stack);
  const id = await startTrading(stack);
  await holdCoins(stack);
  await research(stack, id);
  await rowOf(stack, 'the first closed trade', 'select from closed_cycles');
  await captureTicks(stack, id);
  await actByHand(stack, id);
  await call(startDiagnosis, { params: { id }, query: {} });
  await call(reconcileFees, { params: { id } });
  await call(backfillTradeArchive, { params: { id }, body: {} });
  await rowOf(
    stack,
    'the history of the account',
    `select from profile_runs having count(*) filter (where status = 'done') = 2`,
  );
  await rowOf(stack, 'five closed trades', 'select from closed_cycles having count(*) >= 5');
  await rowOf(stack, 'a point of the equity curve', 'select from equity_snapshots');
  for (const job of RECORDED) await runJob(stack, queue, job);
  await rowOf(stack, 'a position', 'select from runner_states where quantity > 0');
}
