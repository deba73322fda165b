import { cacheKeys } from '#core/installation/cache-keys.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { lockAccount } from '#storage/operator/accounts.ts';
import {
  bindSymbol,
  listBoundSymbols,
  newestFills,
  newestOrders,
  saveOverride,
  unbindSymbol,
} from '#storage/operator/profile-symbols.ts';
import { requestAction } from '#storage/trading/operator-actions.ts';
import { blockIntents, lockProfile } from '#storage/operator/profiles.ts';
import { auditChange } from '#api/audit.ts';
import { requireFreeBase, requireListed } from '#api/checks/coin-binding.ts';
import { notBound, readCoins, requireCoin } from '#api/views/coins.ts';
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
import type { Operator } from '#api/guard/session.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount, requireFoundProfile, requireProfile } from '#api/require.ts';
import { fillView, orderView } from '#api/views/views.ts';
import { requestCostBasisChange, readHolding, requireNewHolding } from './average-entry-price.ts';
import { announceProfile } from './profiles.ts';

const ORDERS_SHOWN = 100;
const FILLS_SHOWN = 200;

/** The profile, its account and the cached market, read before a transaction starts. */
async function requireCoinContext(
  context: ApiContext,
  operator: Operator,
  id: Incoming<typeof listCoins>['params']['id'],
) {
  const { kysely } = context.database;
  const profile = await requireProfile(kysely, operator, id);
  const account = await requireAccount(kysely, operator, profile.accountId);
  return { profile, account, market: await readMarket(context, account) };
}

async function bind(context: ApiContext, { operator, caller, params, body }: Incoming<typeof bindCoin>) {
  const { profile: known, account, market } = await requireCoinContext(context, operator, params.id);
  const { symbol, overrideConfig, averageEntryPrice } = body;
  requireOverride(requireStrategy(known.strategyName), known.config, overrideConfig);
  const holding = averageEntryPrice === undefined ? undefined : await readHolding(context, account, symbol);
  requireListed([symbol], market.rules, 'symbol');
  const warnings = await context.database.transaction(async (transaction) => {
    await lockAccount(transaction, account.id, 'change');
    const profile = requireFoundProfile(await lockProfile(transaction, operator.user.id, params.id), params.id);
    const { id: profileId, accountId, config } = profile;
    await requireFreeBase(transaction, { accountId, profileId, symbols: [symbol], rules: market.rules });
    const strategy = requireStrategy(profile.strategyName);
    requireOverride(strategy, config, overrideConfig);
    const doubts = requireSizing({ market, strategy, config, part: null }, [body]);
    if (!(await bindSymbol(transaction, profileId, body))) {
      throw new ApiProblem('conflict', `${symbol} is already bound to this profile.`);
    }
    await auditChange(
      transaction,
      { operator, caller },
      {
        action: 'coin.bind',
        subject: `${profileId}:${symbol}`,
        after: { overrideConfig, ...(averageEntryPrice === undefined ? {} : { averageEntryPrice }) },
      },
    );
    if (averageEntryPrice !== undefined && holding !== undefined) {
      const quantity = requireNewHolding(profile.enabled, holding, symbol);
      const price = requireDecimal(averageEntryPrice);
      await requestCostBasisChange(context.queue, transaction, { profileId, symbol, price, quantity });
    }
    return [...doubts, ...overrideWarnings(strategy, overrideConfig)];
  });
  await announceProfile(context, params.id);
  return { coin: await requireCoin(context, { account, profileId: params.id, symbol }), warnings };
}

async function changeOverride(context: ApiContext, { operator, caller, params, body }: Incoming<typeof changeCoin>) {
  const { profile: known, account, market } = await requireCoinContext(context, operator, params.id);
  const { id: profileId, symbol } = params;
  const { overrideConfig } = body;
  requireOverride(requireStrategy(known.strategyName), known.config, overrideConfig);
  const warnings = await context.database.transaction(async (transaction) => {
    const profile = requireFoundProfile(await lockProfile(transaction, operator.user.id, profileId), profileId);
    const before = (await listBoundSymbols(transaction, profileId)).find((coin) => coin.symbol === symbol);
    if (before === undefined) throw notBound(profileId, symbol);
    const strategy = requireStrategy(profile.strategyName);
    requireOverride(strategy, profile.config, overrideConfig);
    const scope = { market, strategy, config: profile.config, part: 'overrideConfig' } as const;
    const doubts = requireSizing(scope, [{ symbol, overrideConfig }]);
    await saveOverride(transaction, profileId, { symbol, overrideConfig });
    await auditChange(
      transaction,
      { operator, caller },
      {
        action: 'coin.change',
        subject: `${profileId}:${symbol}`,
        before: { overrideConfig: before.overrideConfig },
        after: { overrideConfig },
      },
    );
    return [...doubts, ...overrideWarnings(strategy, overrideConfig)];
  });
  await announceProfile(context, profileId);
  return { coin: await requireCoin(context, { account, profileId, symbol }), warnings };
}

async function unbind(context: ApiContext, { operator, caller, params, query }: Incoming<typeof unbindCoin>) {
  const { market, account } = await requireCoinContext(context, operator, params.id);
  const { id: profileId, symbol } = params;
  const actionId = await context.database.transaction(async (transaction) => {
    await blockIntents(transaction, profileId);
    requireFoundProfile(await lockProfile(transaction, operator.user.id, profileId), profileId);
    const before = (await listBoundSymbols(transaction, profileId)).find((coin) => coin.symbol === symbol);
    if (before === undefined) throw notBound(profileId, symbol);
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
    await auditChange(
      transaction,
      { operator, caller },
      {
        action: 'coin.unbind',
        subject: `${profileId}:${symbol}`,
        before: { overrideConfig: before.overrideConfig },
        ...(positions + orders > 0 && { after: { actionId, exposure: exposure.summary } }),
      },
    );
    return actionId;
  });
  if (actionId === null) await context.cache.delete(cacheKeys.coinState(profileId, symbol)).catch(() => {});
  await announceProfile(context, profileId);
  return { actionId };
}

async function read(context: ApiContext, { operator, params }: Incoming<typeof readCoin>) {
  const { account } = await requireCoinContext(context, operator, params.id);
  const { id: profileId, symbol } = params;
  const { kysely } = context.database;
  const coin = await requireCoin(context, { account, profileId, symbol });
  const orders = await newestOrders(kysely, { profileIds: [profileId], symbol, limit: ORDERS_SHOWN });
  const fills = await newestFills(kysely, { profileIds: [profileId], symbol, limit: FILLS_SHOWN });
  return { coin, orders: orders.map(orderView), fills: fills.map(fillView) };
}

export function mountCoins({ context, handle }: Routes): void {
  handle(listCoins, async ({ operator, params }) => {
    const { account } = await requireCoinContext(context, operator, params.id);
    return { coins: (await readCoins(context, account, [params.id])).map(({ coin }) => coin) };
  });
  handle(readCoin, (incoming) => read(context, incoming));
  handle(bindCoin, (incoming) => bind(context, incoming));
  handle(changeCoin, (incoming) => changeOverride(context, incoming));
  handle(unbindCoin, (incoming) => unbind(context, incoming));
}
