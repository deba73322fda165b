import { createProfile, readCoin } from '#api/contract/profiles.ts';
import type { ProfileId } from '#core/ids.ts';
import type { AccountId } from '#core/ids.ts';
import type { ApiClient } from './client.ts';
import { until } from './until.ts';

/** A config that trades the swinging market of candles.ts several times a day. */
export const LIVELY = {
  candleInterval: '1m',
  buy: {
    candleLimit: 30,
    entrySizing: { mode: 'fixed', amount: '150' },
    gridLevels: [{ triggerPercentage: '1.001' }],
    lossCooldownMinutes: 0,
  },
  sell: { stopLossPercentage: '0.97', triggerPercentage: '1.008', trailingStopPercentage: '0.997' },
} as const;

/** LIVELY without a stop on the exchange, which would still sell after the worker has stopped. */
export const UNGUARDED = { ...LIVELY, sell: { ...LIVELY.sell, protectiveStop: { enabled: false } } } as const;

/** LIVELY with a target that rests on the exchange next to the stop. */
export const LISTED = {
  ...LIVELY,
  sell: { ...LIVELY.sell, takeProfits: [{ triggerPercentage: '1.015', fraction: '1' }], restTarget: true },
} as const;

/** Creates an enabled profile on the stack's paper account. */
export async function startProfile(
  stack: ApiClient & { readonly accountId: AccountId },
  symbols: readonly string[],
  { config = LIVELY, name = 'Dip ladder' }: { readonly config?: object; readonly name?: string } = {},
): Promise<ProfileId> {
  const { profile } = await stack.call(createProfile, {
    body: {
      accountId: stack.accountId,
      name,
      strategyName: 'trailing-trade',
      config: { ...config },
      enabled: true,
      symbols: [...symbols],
    },
  });
  return profile.id;
}

/** Waits until the worker has stored the trading rules of a coin: before, the api places and proposes no order. */
export const rulesLoaded = (
  { call }: Pick<ApiClient, 'call'>,
  params: { readonly id: ProfileId; readonly symbol: string },
) => until('the trading rules', async () => (await call(readCoin, { params })).coin.tickSize !== null);
