import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APPROVAL_REASONS, describe } from '#core/decision/decision.ts';
import { formatDecimal, requireDecimal as d } from '#core/amount/decimal.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import {
  assetRefusal,
  dailyLoss,
  drawdown,
  exposureOf,
  type Gain,
  lossStreak,
  NO_LIMITS,
  pastLimitUsage,
  presentLimitUsage,
  readRiskLimits,
  type RiskFacts,
  type RiskLimits,
  riskSubjects,
} from './risk.ts';

const [profileId, other] = [newId<ProfileId>(), newId<ProfileId>()];
const at = (clock: string): Date => new Date(`2026-03-${clock}Z`);
/** `10T09:00 -5, 10T10:00 2` */
const gainsOf = (text: string): Gain[] =>
  text
    .split(', ')
    .filter(Boolean)
    .map((each) => {
      const [clock = '', net = ''] = each.split(' ');
      return { profileId, symbol: 'BTCUSDT', at: at(clock), net: d(net) };
    });
const untilOf = (trip: { until: Date } | null): string => trip?.until.toISOString().slice(8, 16) ?? '-';

const days: readonly [name: string, gains: string, now: string, zone: string, loss: string, until: string][] = [
  ['no loss', '10T09:00 5', '10T12:00', 'UTC', '0', '-'],
  ['just below the limit', '10T09:00 -9.999', '10T12:00', 'UTC', '9.999', '-'],
  ['the limit itself', '10T09:00 -4, 10T10:00 -6', '10T12:00', 'UTC', '10', '11T00:00'],
  ['gains count against losses', '10T08:00 3, 10T09:00 -12', '10T12:00', 'UTC', '9', '-'],
  ['a trip outlasts later gains', '10T09:00 -10, 10T10:00 8', '10T12:00', 'UTC', '2', '11T00:00'],
  ['yesterday is over', '09T23:59 -50', '10T00:00', 'UTC', '0', '-'],
  ['the day of the zone', '10T12:59 -50, 10T13:00 -10', '10T14:00', 'Australia/Melbourne', '10', '11T13:00'],
  ['a day of 23 hours', '29T08:00 -10', '29T12:00', 'Europe/Berlin', '10', '29T22:00'],
  ['what another time knows', '10T15:00 -50', '10T12:00', 'UTC', '0', '-'],
];
for (const [name, gains, now, timezone, loss, until] of days) {
  test(`daily loss: ${name}`, () => {
    const day = dailyLoss(gainsOf(gains), d('10'), { now: at(now), timezone });
    assert.deepEqual([formatDecimal(day.loss), untilOf(day.trip)], [loss, until]);
  });
}

const falls: readonly [name: string, gains: string, now: string, loss: string, until: string][] = [
  ['just below the limit', '10T01:00 -9.9', '10T02:00', '9.9', '-'],
  ['the limit itself', '10T01:00 -4, 10T02:00 -6', '10T03:00', '10', '11T01:00'],
  ['from the highest point, not from the start', '10T01:00 20, 10T02:00 -10', '10T03:00', '10', '11T02:00'],
  ['a rise in between counts', '10T01:00 -6, 10T02:00 3, 10T03:00 -6', '10T04:00', '9', '-'],
  ['the last fall decides until when', '10T01:00 -15, 10T05:00 30, 10T06:00 -11', '10T07:00', '15', '11T06:00'],
  ['a recovery does not end it', '10T01:00 -10, 10T05:00 30', '10T07:00', '10', '11T01:00'],
  ['one moment before its end', '10T01:00 -10', '11T00:59', '10', '11T01:00'],
  ['at its end', '10T01:00 -10', '11T01:00', '0', '-'],
];
for (const [name, gains, now, loss, until] of falls) {
  test(`drawdown: ${name}`, () => {
    const fall = drawdown(gainsOf(gains), d('10'), { now: at(now), hours: 24 });
    assert.deepEqual([formatDecimal(fall.loss), untilOf(fall.trip)], [loss, until]);
  });
}

const streaks: readonly [name: string, closings: string, now: string, losses: number, until: string][] = [
  ['nothing closed', '', '10T12:00', 0, '-'],
  ['one short', '10T01:00 -1, 10T02:00 -1', '10T02:01', 2, '-'],
  ['broken by a round trip that ends even', '10T01:00 -1, 10T02:00 -1, 10T03:00 0, 10T04:00 -1', '10T04:01', 1, '-'],
  ['three in a row', '10T00:30 5, 10T01:00 -1, 10T02:00 -1, 10T03:00 -1', '10T03:59', 3, '10T04:00'],
  ['paused long enough', '10T01:00 -1, 10T02:00 -1, 10T03:00 -1', '10T04:00', 3, '-'],
];
for (const [name, closings, now, losses, until] of streaks) {
  test(`loss streak: ${name}`, () => {
    const streak = lossStreak(gainsOf(closings), 3, { now: at(now), minutes: 60 });
    assert.deepEqual([streak.losses, untilOf(streak.trip)], [losses, until]);
  });
}

const factsOf = (limits: Partial<RiskLimits>, facts: Partial<RiskFacts> = {}): RiskFacts => ({
  timezone: 'UTC',
  limits: [
    { scope: 'profile', subject: profileId, limits: { ...NO_LIMITS, ...limits } },
    { scope: 'account', subject: newId(), limits: { ...NO_LIMITS, ...limits } },
  ],
  ...{ gains: [], closings: [], holdings: [], entries: [], pauses: [] },
  ...facts,
});
const holding = (owner: ProfileId, symbol: string, cost: string, open = true) => ({
  ...{ profileId: owner, symbol, open },
  cost: d(cost),
});
const entry = (owner: ProfileId, symbol: string, more: { quote?: string; clock?: string; live?: boolean } = {}) => ({
  ...{ orderId: newId<never>(), profileId: owner, symbol, live: more.live ?? true },
  ...{ at: at(more.clock ?? '10T12:00:00'), quote: d(more.quote ?? '0') },
});
const NOW = at('10T12:00:30');

test('positions, buys under way and exposure count per profile and for the whole account', () => {
  const facts = factsOf(
    { asset: 'USDT', openPositions: 3, exposure: '250', entriesPerMinute: 2 },
    {
      holdings: [
        holding(profileId, 'BTCUSDT', '100'),
        holding(profileId, 'DUSTUSDT', '0.5', false),
        holding(other, 'ETHUSDT', '50'),
        holding(other, 'ETHBTC', '7'),
      ],
      entries: [
        entry(profileId, 'BTCUSDT', { quote: '20' }),
        entry(other, 'SOLUSDT', { quote: '80', clock: '10T12:00:10' }),
        entry(other, 'XRPUSDT', { clock: '10T11:59:30', live: false }),
      ],
    },
  );
  const shown = riskSubjects(facts).map((subject) =>
    presentLimitUsage(subject, NOW).map(({ limit, blocked, until, numbers: { scope, used } }) =>
      [scope, limit, used, blocked, untilOf(until === null ? null : { until })].join(' '),
    ),
  );
  assert.deepEqual(shown, [
    [
      'account openPositions 4 true -',
      'account exposure 250.5 USDT true -',
      'account entriesPerMinute 2 true 10T12:01',
    ],
    ['profile openPositions 1 false -', 'profile exposure 120.5 USDT false -', 'profile entriesPerMinute 1 false -'],
  ]);
  const [account] = riskSubjects(facts);
  assert.ok(account !== undefined);
  assert.equal(formatDecimal(exposureOf(account.facts, 'BTC')), '7');
});

test('the next buy is free when enough of the last minute have left it', () => {
  const times = ['10T12:00:00', '10T12:00:10', '10T12:00:20'];
  const facts = factsOf(
    { entriesPerMinute: 2 },
    { entries: times.map((clock) => entry(profileId, 'BTCUSDT', { clock })) },
  );
  const [account] = riskSubjects(facts);
  assert.ok(account !== undefined);
  const [full] = presentLimitUsage(account, NOW);
  assert.deepEqual([full?.blocked, full?.until], [true, at('10T12:01:10')]);
  const [free] = presentLimitUsage(account, at('10T12:01:10'));
  assert.deepEqual([free?.blocked, free?.until, free?.numbers.used], [false, null, 1]);
});

test('a refusal says what was lost, what is allowed and until when', () => {
  const limits = { asset: 'USDT', dailyLoss: '10', drawdown: '20', lossStreak: 1 };
  const facts = factsOf(limits, { gains: gainsOf('10T09:00 -12.3400000001'), closings: gainsOf('10T12:00 -1') });
  const [account] = riskSubjects(facts);
  assert.ok(account !== undefined);
  const sentences = pastLimitUsage(account, NOW).map(
    ({ reason, blocked, numbers }) => `${blocked}: ${describe(APPROVAL_REASONS[reason], numbers)}`,
  );
  assert.deepEqual(sentences, [
    'true: Not buying: the account lost 12.34 USDT today, the limit is 10 USDT. Paused until 2026-03-11T00:00:00.000Z.',
    'false: Not buying: the account lost 12.34 USDT within 24 h, the limit is 20 USDT. Paused until –.',
    'true: Not buying: the account has 1 losing trade in a row. Paused until 2026-03-10T13:00:00.000Z.',
  ]);
});

test('money limits refuse a coin they cannot count; other limits do not ask', () => {
  const refused = (limits: Partial<RiskLimits>, symbol: string): boolean => {
    const [account] = riskSubjects(factsOf(limits));
    return account !== undefined && assetRefusal(account, symbol) !== undefined;
  };
  assert.equal(refused({ asset: 'USDT', exposure: '5' }, 'ETHBTC'), true);
  assert.equal(refused({ asset: 'USDT', dailyLoss: '5' }, 'ETHBTC'), true);
  assert.equal(refused({ asset: 'USDT', drawdown: '5' }, 'ETHUSDT'), false);
  assert.equal(refused({ asset: 'USDT', openPositions: 5 }, 'ETHBTC'), false);
});

test('absent limits limit nothing; unreadable ones allow no position', () => {
  assert.deepEqual(readRiskLimits({}), NO_LIMITS);
  assert.deepEqual(readRiskLimits({ openPositions: 4 }), { ...NO_LIMITS, openPositions: 4 });
  for (const stored of [{ dailyLoss: '-1' }, { openPositions: 1.5 }, { unknown: 1 }]) {
    assert.equal(readRiskLimits(stored).openPositions, 0);
  }
});
