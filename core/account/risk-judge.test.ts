import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { type Gain, NO_LIMITS, type RiskLimits } from './risk.ts';
import { createRiskJudge } from './risk-judge.ts';

const profileId = newId<ProfileId>();
const coin = { profileId, symbol: 'AAAUSDT' };
const now = new Date('2026-03-10T12:00:00Z');

for (const [limits, reason] of [
  [{ dailyLoss: '10' }, 'halt-daily-loss'],
  [{ drawdown: '10' }, 'halt-drawdown'],
  [{ lossStreak: 1 }, 'cooldown-loss-streak'],
] satisfies [Partial<RiskLimits>, string][]) {
  test(`a loss counts at once where the exchange's clock is ahead of ours: ${reason}`, () => {
    const judge = createRiskJudge();
    const lost: Gain = { ...coin, at: new Date(now.getTime() + 400), net: requireDecimal('-12') };
    const all = [{ scope: 'profile' as const, subject: profileId, limits: { ...NO_LIMITS, asset: 'USDT', ...limits } }];
    const facts = { timezone: 'UTC', limits: all, gains: [lost], closings: [lost], holdings: [], entries: [] };
    judge.take(facts, now);
    assert.equal(judge.refusal(coin, now)?.reason, reason);
  });
}
