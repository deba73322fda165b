import { cacheKeys } from '#core/installation/cache-keys.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import {
  bindSymbol,
  newestFills,
  newestOrders,
  saveOverride,
  unbindSymbol,
} from '#storage/operator/profile-symbols.ts';
import { requestAction } from '#storage/trading/operator-actions.ts';
import { requireFreeBase, requireListed } from '#api/checks/coin-binding.ts';
import { readCoins, requireCoin } from '#api/views/coins.ts';
import {
  overrideWarnings,
  readMarket,
  requireOverride,
  requireSizing,
  requireStrategy,
} from '#api/checks/config-check.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { bindCoin, changeCoin, listCoins, readCoin, unbindCoin } from '#api/contract/profiles.ts';
import { exposed, readExposure } from '#api/checks/exposure.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { orderView } from '#api/views/views.ts';
import { requestCostBasisChange, readHolding, requireNewHolding } from './average-entry-price.ts';
import { announceProfile } from './profiles.ts';

const ORDERS_SHOWN = 100;
const FILLS_SHOWN = 200;

async function bind(context: ApiContext, { profile: known, readAccount, commit, body }: Incoming<typeof bindCoin>) {
  const account = await readAccount();
  const market = await readMarket(context, account);
  const { symbol, overrideConfig, averageEntryPrice } = body;
  requireOverride(requireStrategy(known.strategyName), known.config, overrideConfig);
  const holding = averageEntryPrice === undefined ? undefined : await readHolding(context, account, symbol);
  requireListed([symbol], market.rules, 'symbol');
  const warnings = await commit(async ({ transaction, profile }) => {
    const { id: profileId, accountId, config } = profile;
    await requireFreeBase(transaction, { accountId, profileId, symbols: [symbol], rules: market.rules });
    const strategy = requireStrategy(profile.strategyName);
    requireOverride(strategy, config, overrideConfig);
    const doubts = requireSizing({ market, strategy, config, part: null }, [body]);
    if (!(await bindSymbol(transaction, profileId, body))) {
      throw new ApiProblem('conflict', `${symbol} is already bound to this profile.`);
    }
    if (averageEntryPrice !== undefined && holding !== undefined) {
      const quantity = requireNewHolding(profile.enabled, holding, symbol);
      const price = requireDecimal(averageEntryPrice);
      await requestCostBasisChange(context.queue, transaction, { profileId, symbol, price, quantity });
    }
    return {
      answer: [...doubts, ...overrideWarnings(strategy, overrideConfig)],
      subject: `${profileId}:${symbol}`,
      after: { overrideConfig, ...(averageEntryPrice === undefined ? {} : { averageEntryPrice }) },
    };
  });
  await announceProfile(context, known.id);
  return { coin: await requireCoin(context, { account, profileId: known.id, symbol }), warnings };
}

async function changeOverride(context: ApiContext, incoming: Incoming<typeof changeCoin>) {
  const { profile: known, readAccount, commit, params, body } = incoming;
  const { id: profileId, symbol } = params;
  const { overrideConfig } = body;
  const account = await readAccount();
  const market = await readMarket(context, account);
  requireOverride(requireStrategy(known.strategyName), known.config, overrideConfig);
  const warnings = await commit(async ({ transaction, profile, bound }) => {
    const strategy = requireStrategy(profile.strategyName);
    requireOverride(strategy, profile.config, overrideConfig);
    const scope = { market, strategy, config: profile.config, part: 'overrideConfig' } as const;
    const doubts = requireSizing(scope, [{ symbol, overrideConfig }]);
    await saveOverride(transaction, profileId, { symbol, overrideConfig });
    return {
      answer: [...doubts, ...overrideWarnings(strategy, overrideConfig)],
      before: { overrideConfig: bound.overrideConfig },
      after: { overrideConfig },
    };
  });
  await announceProfile(context, profileId);
  return { coin: await requireCoin(context, { account, profileId, symbol }), warnings };
}

async function unbind(context: ApiContext, incoming: Incoming<typeof unbindCoin>) {
  const { operator, readAccount, commit, params, query } = incoming;
  const { id: profileId, symbol } = params;
  const account = await readAccount();
  const market = await readMarket(context, account);
  const actionId = await commit(async ({ transaction, bound }) => {
    const exposure = await readExposure(transaction, { profileId, symbol, market });
    const { positions, orders } = exposure;
    if (positions + orders > 0 && query.cancelOrders === 'false') {
      throw exposed(
        exposure,
        'sell them and wait until they are closed, or unbind with cancelOrders=true and keep the coins.',
      );
    }
    // The worker cancels open orders on the exchange; the coin is unbound once none is left.
    const request = { accountId: account.id, profileId, symbol, kind: 'coin.unbind', requestedBy: operator.user.id };
    const actionId = orders > 0 ? (await requestAction(transaction, request)).id : null;
    if (actionId === null) await unbindSymbol(transaction, profileId, symbol);
    return {
      answer: actionId,
      before: { overrideConfig: bound.overrideConfig },
      ...(positions + orders > 0 && { after: { actionId, exposure: exposure.summary } }),
    };
  });
  if (actionId === null) await context.cache.delete(cacheKeys.coinState(profileId, symbol)).catch(() => {});
  await announceProfile(context, profileId);
  return { actionId };
}

async function read(context: ApiContext, { readAccount, params }: Incoming<typeof readCoin>) {
  const account = await readAccount();
  const { id: profileId, symbol } = params;
  const { kysely } = context.database;
  const coin = await requireCoin(context, { account, profileId, symbol });
  const orders = await newestOrders(kysely, { profileIds: [profileId], symbol, limit: ORDERS_SHOWN });
  const fills = await newestFills(kysely, { profileIds: [profileId], symbol, limit: FILLS_SHOWN });
  return { coin, orders: orders.map(orderView), fills };
}

export function mountCoins({ context, handle }: Routes): void {
  handle(listCoins, async ({ readAccount, params }) => ({
    coins: (await readCoins(context, await readAccount(), [params.id])).map(({ coin }) => coin),
  }));
  handle(readCoin, (incoming) => read(context, incoming));
  handle(bindCoin, (incoming) => bind(context, incoming));
  handle(changeCoin, (incoming) => changeOverride(context, incoming));
  handle(unbindCoin, (incoming) => unbind(context, incoming));
}
