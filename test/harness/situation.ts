import { requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import { type Judgement, numbersOf, type Situation } from '#core/judge/situation.ts';
import { FLAT } from '#core/position/position.ts';
import { rulesWith } from './rules.ts';

const RULES = rulesWith({
  ...{ symbol: 'BTCUSDT', baseAsset: 'BTC', orderTypes: ['MARKET', 'STOP_LOSS_LIMIT'] },
  price: { tick: d('0.01'), min: d('0.01'), max: d('1000000') },
  lot: { step: d('0.00001'), min: d('0.00001'), max: d('9000') },
  marketLot: { step: ZERO, min: ZERO, max: d('100') },
});

export const NOW = new Date('2022-06-01T00:00:00Z');

/** A live account without any problem. */
const LIVE = {
  enabled: true,
  keyStatus: 'healthy',
  halts: [],
  priceAgeMs: 100,
  orphans: { orders: 0, left: 0, locked: ZERO, lockedBy: [] },
  unreadOrder: null,
  candles: null,
  refusals: () => undefined,
} as const;

/** A flat coin at 30,000 with 1,000 to spend, 150 of it for an entry. */
export const READY: Situation & { readonly live: NonNullable<Situation['live']> } = {
  rules: RULES,
  price: d('30000'),
  nowMs: NOW.getTime(),
  position: FLAT,
  levels: [],
  terms: { entryBudget: d('150'), stopMultiple: d('0.97'), stopLimitOffset: d('0.995') },
  freeQuote: () => d('1000'),
  equity: () => d('1000'),
  freeBase: ZERO,
  takerFee: 0.001,
  baseFeeRate: 0.001,
  pending: null,
  stop: null,
  waiting: null,
  quantityInOpenSells: ZERO,
  gates: null,
  limits: { refusal: () => undefined, rooms: () => [] },
  live: LIVE,
};

export const live = (change: Partial<NonNullable<Situation['live']>>): Pick<Situation, 'live'> => ({
  live: { ...LIVE, ...change },
});

/** 0.01 bought at 30,000. */
export const HELD = { ...FLAT, quantity: d('0.01'), averagePrice: d('30000'), firstBuyAt: NOW };

/** A kill switch that lets exits pass. */
export const HALT = { scope: 'all', subject: 'all', since: NOW, reason: '', freeze: false } as const;

/** The code of a refusal; `approved` otherwise. */
export const reasonOf = (judged: Judgement): string => (judged.kind === 'refused' ? judged.reason : judged.kind);

/** A number of the judgement as text. */
export const numberOf = (judged: Judgement, name: string): string => String(numbersOf(judged.facts)[name]);
