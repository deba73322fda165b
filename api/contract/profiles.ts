import { z } from 'zod';
import { instantText, jsonObject, positiveAmount } from '#core/text-fields.ts';
import {
  accountId,
  decimalText,
  humanName,
  instant,
  numbers,
  ofCoin,
  ofProfile,
  orderId,
  profileId,
  strategyName,
  symbolName,
  warning,
} from './fields.ts';
import { operation } from './operation.ts';

const json = z.record(z.string(), z.unknown());

export const profile = z.object({
  id: profileId,
  accountId,
  name: z.string(),
  strategyName: z.string(),
  /** Its strategy acts on signals of other programs. An api of the version before sends none: an upgrade may still run it. */
  takesSignals: z.boolean().default(false),
  config: json,
  enabled: z.boolean(),
  symbols: z.array(z.string()),
  createdAt: instant,
  updatedAt: instant,
});
const flag = z.enum(['true', 'false']).default('false');
/** The action that removes it; null when it is already removed. */
const removal = z.object({ actionId: z.uuid().nullable() });
export const savedProfile = z.object({ profile, warnings: z.array(warning) });

export const listStrategies = operation({
  method: 'GET',
  path: '/strategies',
  auth: 'session',
  status: 200,
  summary: 'Strategies with the JSON Schema and the defaults of their config, their capabilities and reasons',
  response: z.object({
    strategies: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        summary: z.string(),
        /** A new profile may use it; an earlier version of a file is listed for the profiles that use it. */
        offered: z.boolean(),
        schema: json,
        defaults: json,
        /** Capabilities with the default config. */
        capabilities: z.object({
          buys: z.boolean(),
          levels: z.number(),
          protectiveStop: z.boolean(),
          /** One plan over all coins of a profile, never over one of them. */
          plansBaskets: z.boolean(),
          candles: z.object({ interval: z.string(), min: z.number(), want: z.number() }),
        }),
        /** The sentence of every reason that its decisions give. */
        reasons: z.record(z.string(), z.string()),
      }),
    ),
  }),
});

export const listProfiles = operation({
  method: 'GET',
  path: '/profiles',
  filtersAccounts: true,
  auth: 'session',
  status: 200,
  summary: 'All profiles',
  response: z.object({ profiles: z.array(profile) }),
});

export const createProfile = operation({
  method: 'POST',
  path: '/profiles',
  auth: 'session',
  status: 201,
  summary: 'Creates a profile, optionally with coins and already enabled',
  audit: 'profile.create',
  body: z.strictObject({
    accountId,
    name: humanName,
    strategyName,
    config: jsonObject.default({}),
    enabled: z.boolean().default(false),
    symbols: z.array(symbolName).max(100).default([]),
  }),
  response: savedProfile,
});

export const readProfile = operation({
  method: 'GET',
  path: '/profiles/:id',
  ...ofProfile,
  status: 200,
  summary: 'One profile',
  response: profile,
});

export const changeProfile = operation({
  method: 'PATCH',
  path: '/profiles/:id',
  ...ofProfile,
  status: 200,
  summary: 'Changes name or config',
  audit: 'profile.change',
  body: z.strictObject({ name: humanName.optional(), config: jsonObject.optional() }),
  response: savedProfile,
});

export const lintProfile = operation({
  method: 'POST',
  path: '/profiles/:id/lint',
  reads: true,
  ...ofProfile,
  status: 200,
  summary:
    'Checks a config of the profile: errors that a save would refuse, and settings without effect or in conflict',
  body: z.strictObject({ config: jsonObject }),
  response: z.object({
    errors: z.array(z.object({ path: z.string(), message: z.string() })),
    findings: z.array(
      z.object({
        ...{ level: z.enum(['warn', 'info']), code: z.string(), path: z.string(), message: z.string() },
        /** Changes that remove the cause. */
        fix: z
          .object({
            words: z.string(),
            changes: z.array(z.object({ path: z.string(), value: z.unknown() })).readonly(),
          })
          .optional(),
      }),
    ),
  }),
});

export const deleteProfile = operation({
  method: 'DELETE',
  path: '/profiles/:id',
  ...ofProfile,
  status: 202,
  summary: 'Disables a profile, has the worker cancel every order that it provably owns, then deletes it',
  audit: 'profile.delete',
  locks: ['intents', 'profile'],
  /** Without it a profile with a position is refused. With it the position stays in the wallet and is not managed. */
  query: z.strictObject({ leavePositions: flag }),
  response: removal,
});

const enabling = { ...ofProfile, status: 200, response: profile } as const;
export const enableProfile = operation({
  ...enabling,
  method: 'POST',
  path: '/profiles/:id/enable',
  summary: 'The profile starts making decisions',
  audit: 'profile.enable',
});
export const disableProfile = operation({
  ...enabling,
  method: 'POST',
  path: '/profiles/:id/disable',
  summary: 'The profile makes no new decisions',
  audit: 'profile.disable',
});

/** Quote units. All profits are net of all fees paid until now. */
const position = z.object({
  quantity: decimalText,
  /** Average entry price without fees. */
  averagePrice: decimalText,
  /** Cost of the held quantity, buy fees included. */
  cost: decimalText,
  value: decimalText.nullable(),
  /** Value less cost; null without a price, or where the position is not backed by the wallet. */
  unrealised: decimalText.nullable(),
  /** Of all sales of the coin by this profile. */
  realised: decimalText,
  /** Fees of all buys and sales, valued at payment. Profits are net of them. */
  fees: decimalText,
  /** Fills whose fee in a third asset could not be valued: profits and `fees` leave it out. */
  unvaluedFees: z.number(),
  cycle: z.number(),
  /** First buy of the open position. */
  openedAt: instant.nullable(),
});

export const order = z.object({
  id: orderId,
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  purpose: z.string(),
  type: z.string(),
  state: z.string(),
  reason: z.string(),
  quantity: decimalText,
  price: decimalText.nullable(),
  /** The price that triggers the stop; null for other orders, and where the exchange trails it. */
  stopPrice: decimalText.nullable(),
  filledQuantity: decimalText,
  averageFillPrice: decimalText.nullable(),
  clientOrderId: z.string(),
  exchangeOrderId: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
});

export const unwatchedPosition = z.object({
  accountId,
  profileId,
  profileName: z.string(),
  symbol: z.string(),
  quantity: decimalText,
});

export const fill = z.object({
  tradeId: z.string(),
  orderId,
  side: z.enum(['buy', 'sell']),
  price: decimalText,
  quantity: decimalText,
  quoteQuantity: decimalText,
  feeAmount: decimalText,
  feeAsset: z.string().nullable(),
  /** The fee in quote, valued at its fill; null while the value of a third asset is unknown. */
  feeQuote: decimalText.nullable(),
  /** Profit of a sale net of all fees, its share of those of the buys too; zero for a buy. */
  realised: decimalText,
  at: instant,
});

/** The worker's last decision for a coin, as sentence and numbers. */
export const coinState = z.object({
  at: instantText,
  decision: z.object({ kind: z.string(), reason: z.string(), sentence: z.string(), numbers }),
  approval: z.object({ kind: z.string(), reason: z.string().optional() }),
  /** Price levels of the plan; `name` is stop, floor, trail, arm, part, target, entry or cost. */
  plan: z.array(z.object({ name: z.string(), price: decimalText })),
  /** Seconds for which a position has had no protective stop on the exchange, and the cause as a sentence. */
  protection: z.object({ unprotectedSeconds: z.number(), cause: z.string().nullable() }).optional(),
});

export const coin = z.object({
  symbol: z.string(),
  baseAsset: z.string().nullable(),
  quoteAsset: z.string().nullable(),
  tickSize: decimalText.nullable(),
  stepSize: decimalText.nullable(),
  overrideConfig: json,
  price: decimalText.nullable(),
  priceAt: instantText.nullable(),
  position,
  /** No buys until then; null when the coin is not paused. */
  pause: z.object({ since: instant, until: instant, reason: z.string() }).nullable(),
  /** End of the pause after a loss, at market time; null without one, and it may lie in the past. */
  cooldownUntil: instant.nullable(),
  /** The row of the cost-basis ledger; quantity zero marks a price only, `note` says that nothing backs it. */
  costBasis: z
    .object({ averageEntryPrice: decimalText, quantity: decimalText, note: z.string().nullable() })
    .nullable(),
  /** Blockers of the coin beyond its own decisions, as sentences and numbers. */
  blockers: z.array(z.object({ code: z.string(), sentence: z.string(), numbers })),
  /** Quantity of the wallet beyond the position that could be sold; null when there is none or it is unknown. */
  untracked: decimalText.nullable(),
  state: coinState.nullable(),
});

export const listCoins = operation({
  method: 'GET',
  path: '/profiles/:id/symbols',
  ...ofProfile,
  status: 200,
  summary: 'Coins of a profile with price, position and last decision',
  response: z.object({ coins: z.array(coin) }),
});

export const bindCoin = operation({
  method: 'POST',
  path: '/profiles/:id/symbols',
  ...ofProfile,
  status: 201,
  summary: 'Binds a coin to a profile',
  audit: 'coin.bind',
  locks: ['account', 'profile'],
  body: z.strictObject({
    symbol: symbolName,
    overrideConfig: jsonObject.default({}),
    /** Average entry price of the coins in the wallet: they are managed from the next tick on. */
    averageEntryPrice: positiveAmount.optional(),
  }),
  response: z.object({ coin, warnings: z.array(warning) }),
});

export const readCoin = operation({
  method: 'GET',
  path: '/profiles/:id/symbols/:symbol',
  ...ofCoin,
  status: 200,
  summary: 'One coin with its newest 100 orders and 200 fills',
  response: z.object({ coin, orders: z.array(order), fills: z.array(fill) }),
});

export const changeCoin = operation({
  method: 'PATCH',
  path: '/profiles/:id/symbols/:symbol',
  ...ofCoin,
  status: 200,
  summary: 'Replaces the override of a coin',
  audit: 'coin.change',
  body: z.strictObject({ overrideConfig: jsonObject }),
  response: z.object({ coin, warnings: z.array(warning) }),
});

export const unbindCoin = operation({
  method: 'DELETE',
  path: '/profiles/:id/symbols/:symbol',
  ...ofCoin,
  status: 202,
  summary: 'Unbinds a coin; one with a position or live orders only once the worker has cancelled its orders',
  audit: 'coin.unbind',
  locks: ['intents', 'profile'],
  /** Held coins stay in the wallet and on record: they are managed again when the coin is bound again. */
  query: z.strictObject({ cancelOrders: flag }),
  response: removal,
});

const averageEntryPrice = {
  path: '/profiles/:id/symbols/:symbol/average-entry-price',
  ...ofCoin,
  status: 202,
  response: z.object({ jobId: z.string() }),
} as const;

export const setAverageEntryPrice = operation({
  ...averageEntryPrice,
  method: 'PUT',
  summary: 'Sets the average entry price of held coins; the worker manages them from the next tick on',
  audit: 'average-entry-price.set',
  body: z.strictObject({ averageEntryPrice: positiveAmount }),
});

export const deleteAverageEntryPrice = operation({
  ...averageEntryPrice,
  method: 'DELETE',
  summary: 'Removes the cost-basis row; the coins in the wallet are no longer managed',
  audit: 'average-entry-price.delete',
});
