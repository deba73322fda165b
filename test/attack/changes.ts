import { randomBytes, randomUUID } from 'node:crypto';
import type { Behaviours } from './behaviours.ts';
import type { Visitor } from './visitor.ts';

const junk = (length: number): string =>
  randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
const coin = (visitor: Visitor): string => `/profiles/${visitor.profile}/symbols/BTCUSDT`;

async function newProfile(visitor: Visitor, body: Record<string, unknown> = {}): Promise<string | undefined> {
  const { accountId } = visitor.target;
  const usual = { accountId, name: `v-${junk(12)}`, strategyName: 'hold' };
  const { text } = await visitor.change('POST', '/profiles', { ...usual, ...body });
  return /"id":"([^"]+)"/.exec(text)?.[1];
}

/** About the largest config that is valid: every level with texts as long as they may be. */
const largestConfig = () => ({
  candleInterval: '1m',
  buy: {
    gridLevels: Array.from({ length: 20 }, (_, i) => ({
      triggerPercentage: `0.9${junkDigits(16)}`,
      stopPricePercentage: `1.0${junkDigits(16)}`,
      limitPricePercentage: `1.1${junkDigits(16)}`,
      minPurchaseAmount: `1${i}.${junkDigits(16)}`,
      maxPurchaseAmount: `2${i}.${junkDigits(16)}`,
    })),
  },
});
const junkDigits = (length: number): string => Array.from({ length }, () => Math.floor(Math.random() * 10)).join('');
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
/** Buys and sells every few minutes, so that the results are as long as can be. */
const HYPERACTIVE = {
  buy: { firstBuyTriggerBasis: 'immediate', gridLevels: [{ triggerPercentage: '1' }], lossCooldownMinutes: 0 },
  sell: { stopLossPercentage: '0.9999', triggerPercentage: '1.0001', trailingStopPercentage: '0.9999' },
};
const KNOBS = 'buy.candleLimit=2..999;sell.stopLossPercentage=0.5..0.99:0.001;sell.triggerPercentage=1.001..1.5:0.001';
const SWEEPS = [
  { from: '2020-01-01T00:00:00Z', search: 'random', count: 100_000 },
  { from: daysAgo(600), search: 'random', count: 640, walkForward: { trainDays: 1, testDays: 1 } },
  { from: daysAgo(3), search: 'random', count: 640 },
  { from: daysAgo(3), search: 'halving', count: 640 },
] as const;

/** Changes everything that a demo lets a visitor change, as fast as possible. */
export const CHANGES: Behaviours = {
  'sends JSON that is nested deeply': (visitor) =>
    visitor.many(6, (i) =>
      visitor.send('PATCH', `/profiles/${visitor.profile}`, {
        body: `{"config":${nested(i % 2 === 0 ? 40 : 10_000)}}`,
      }),
    ),
  'sends JSON with thousands of keys': (visitor) =>
    visitor.many(6, () =>
      visitor.change('PATCH', `/profiles/${visitor.profile}`, {
        config: Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`k${i}`, i])),
      }),
    ),
  'sends decimal texts of ten thousands of digits': (visitor) =>
    visitor.many(6, (i) =>
      visitor.change('PATCH', `/profiles/${visitor.profile}`, {
        config: { buy: { entrySizing: { amount: `0.${'0'.repeat(10_000 * (i + 1))}1` } } },
      }),
    ),
  'gives names that are long or hold control characters': (visitor) =>
    visitor.many(6, (i) =>
      newProfile(visitor, { name: i % 2 === 0 ? 'x'.repeat(60_000) : 'a\u001b]0;x\u0007\r\nb\u202e' }),
    ),
  'reaches for the prototype': (visitor) =>
    visitor.many(6, (i) =>
      visitor.send('PATCH', coin(visitor), {
        body: `{"overrideConfig":{"buy":{"${['__proto__', 'constructor', 'prototype'][i % 3]}":{"enabled":"${junk(20_000)}"}}}}`,
      }),
    ),
  'stores foreign keys in overrides': (visitor) =>
    visitor.many(6, (i) =>
      visitor.change('PATCH', coin(visitor), {
        overrideConfig: i % 2 === 0 ? { [junk(90)]: null } : { buy: { [junk(50_000)]: 1 } },
      }),
    ),
  'saves overrides without pause': (visitor) =>
    visitor.many(6, (i) =>
      visitor.change('PATCH', coin(visitor), { overrideConfig: { buy: { candleLimit: 2 + (i % 90) } } }),
    ),
  'creates and deletes profiles': async (visitor) => {
    const id = await newProfile(visitor);
    if (id !== undefined) await visitor.change('DELETE', `/profiles/${id}?leavePositions=true`);
  },
  'creates profiles and leaves them': (visitor) => visitor.many(6, () => newProfile(visitor)),
  'renames without pause': (visitor) =>
    visitor.many(6, () => visitor.change('PATCH', `/profiles/${visitor.profile}`, { name: `n-${junk(50)}` })),
  'saves the largest configs': async (visitor) => {
    const id = await newProfile(visitor, { strategyName: 'trailing-trade' });
    if (id !== undefined)
      await visitor.many(8, () => visitor.change('PATCH', `/profiles/${id}`, { config: largestConfig() }));
  },
  'clones, imports and switches strategies': async (visitor) => {
    const { text } = await visitor.change('POST', `/profiles/${visitor.profile}/clone`, { name: `c-${junk(12)}` });
    const id = /"id":"([^"]+)"/.exec(text)?.[1];
    const { accountId } = visitor.target;
    const profile = {
      format: 'tradewind-profile',
      version: 1,
      name: 'i',
      strategyName: 'hold',
      config: { [junk(400_000)]: 1 },
      symbols: [],
    };
    await visitor.many(4, async (i) => {
      if (i % 2 === 0) await visitor.change('POST', '/profiles/import', { accountId, profile });
      else if (id !== undefined)
        await visitor.change('POST', `/profiles/${id}/switch-strategy`, { strategyName: 'momentum', config: {} });
    });
  },
  'restores old configs': (visitor) =>
    visitor.many(6, (i) => visitor.change('POST', `/profiles/${visitor.profile}/config-history/${i + 1}/restore`)),
  'saves average entry prices': (visitor) =>
    visitor.many(6, (i) =>
      i % 3 === 2
        ? visitor.change('DELETE', `${coin(visitor)}/average-entry-price`)
        : visitor.change('PUT', `${coin(visitor)}/average-entry-price`, {
            averageEntryPrice: `${30_000 + i}.${junkDigits(15)}`,
          }),
    ),
  'switches the kill switches on and off': (visitor) =>
    visitor.many(6, (i) =>
      visitor.change(
        'PUT',
        [
          '/kill-switch',
          `/accounts/${visitor.target.accountId}/kill-switch`,
          `/profiles/${visitor.profile}/kill-switch`,
        ][i % 3] ?? '',
        {
          engaged: Math.random() < 0.5,
          reason: junk(500),
          cancelEntryOrders: true,
        },
      ),
    ),
  'pauses and resumes coins': (visitor) =>
    visitor.many(6, (i) =>
      i % 2 === 0
        ? visitor.change('POST', `${coin(visitor)}/pause`, {
            until: new Date(Date.now() + 5000).toISOString(),
            reason: junk(200),
          })
        : visitor.change('POST', `${coin(visitor)}/resume`),
    ),
  'changes limits and settings': (visitor) =>
    visitor.many(6, (i) => {
      if (i % 3 === 0)
        return visitor.change('PATCH', `/accounts/${visitor.target.accountId}/risk`, { openPositions: 1 + (i % 50) });
      if (i % 3 === 1)
        return visitor.change('PATCH', `/profiles/${visitor.profile}/gate`, {
          ageDays: 1 + Math.floor(Math.random() * 90),
        });
      return visitor.change('PATCH', '/account/settings', { timezone: Math.random() < 0.5 ? 'UTC' : 'Europe/Berlin' });
    }),
  'buys, sells and cancels by hand': (visitor) =>
    visitor.many(6, (i) => {
      if (i % 3 === 0) return visitor.change('POST', `${coin(visitor)}/force-sell`, {});
      if (i % 3 === 1) return visitor.change('DELETE', `${coin(visitor)}/orders/${randomUUID()}`);
      const order = { side: 'buy', type: 'limit', price: '20000', quoteAmount: '20' };
      return visitor.change('POST', `${coin(visitor)}/orders`, { order, requestId: randomUUID() });
    }),
  'binds and enables every coin': async (visitor) => {
    const { text } = await visitor.get(`/symbols?accountId=${visitor.target.accountId}`);
    const symbols = [...text.matchAll(/"symbol":"(\w+USDT)"/g)].map(([, name]) => name ?? '');
    const free = symbols.filter((name) => !visitor.target.symbols.includes(name));
    const id = await newProfile(visitor, {
      strategyName: 'trailing-trade',
      symbols: free.slice(0, 100),
      enabled: true,
    });
    if (id === undefined)
      await visitor.many(6, (i) =>
        newProfile(visitor, { strategyName: 'momentum', symbols: free.slice(i, i + 1), enabled: true }),
      );
  },
  'captures every tick': (visitor) =>
    Promise.all(
      visitor.target.profileIds.map((id) =>
        visitor.change('PUT', `/profiles/${id}/capture`, { until: new Date(Date.now() + 86_000_000).toISOString() }),
      ),
    ),
  'discovers coins without pause': (visitor) =>
    visitor.many(4, (i) =>
      visitor.change('PATCH', `/profiles/${visitor.profile}/discovery`, {
        enabled: true,
        refreshMinutes: 15 + (i % 2),
        maxCoins: 1 + i,
      }),
    ),
  'has every config checked': (visitor) =>
    visitor.many(10, () => visitor.change('POST', `/profiles/${visitor.profile}/lint`, { config: largestConfig() })),
  'sweeps huge grids': (visitor) =>
    visitor.many(SWEEPS.length, (i) =>
      visitor.change('POST', `/profiles/${visitor.profile}/sweeps`, { symbol: 'BTCUSDT', knobs: KNOBS, ...SWEEPS[i] }),
    ),
  'launches backtests by the hundred': async (visitor) => {
    await visitor.many(6, (i) =>
      visitor.change('POST', `/profiles/${visitor.profile}/backtests`, {
        ...{ from: daysAgo(30 + 100 * i), balance: '1000000', overrideConfig: HYPERACTIVE },
      }),
    );
    const { text } = await visitor.get(`/profiles/${visitor.profile}/backtests`);
    const runs = [...text.matchAll(/"id":"([^"]+)"/g)].slice(0, 4).map(([, id]) => id);
    for (const id of runs)
      for (const what of ['abort', 'robustness'])
        await visitor.change('POST', `/profiles/${visitor.profile}/backtests/${id}/${what}`);
  },
  'starts jobs of every kind': (visitor) =>
    visitor.many(6, (i) => {
      const account = `/accounts/${visitor.target.accountId}`;
      const paths = [
        `/profiles/${visitor.profile}/live-comparison`,
        `${account}/orphan-orders/detect`,
        `${account}/confirm-reset`,
      ];
      const more = [`/profiles/${visitor.profile}/disable`, `/profiles/${visitor.profile}/enable`];
      const orphans = ['adopt', 'cancel', 'leave'].map((what) => `${account}/orphan-orders/BTCUSDT/${i}1/${what}`);
      return visitor.change('POST', [...paths, ...more, ...orphans][Math.floor(Math.random() * 8)] ?? '');
    }),
};
