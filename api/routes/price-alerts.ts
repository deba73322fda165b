import { type Venue, venueOf } from '#core/account/account.ts';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { AccountId } from '#core/ids.ts';
import type { AlertRule } from '#core/market/price-alert.ts';
import {
  addAlert,
  deleteAlert,
  listAccountCoins,
  listAlerts,
  type PriceAlert,
  rearmAlert,
} from '#storage/operator/price-alerts.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { announce } from '#api/frame/bus.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { addPriceAlert, deletePriceAlert, listPriceAlerts, rearmPriceAlert } from '#api/contract/price-alerts.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import type { Prices } from '#api/frame/venues.ts';

/** Maximum alerts of an account: the worker judges each with every price of its coin. */
const MAX_ALERTS = 200;

const ruleView = (rule: AlertRule) =>
  rule.kind === 'move'
    ? { kind: rule.kind, percent: formatDecimal(rule.percent), minutes: rule.minutes }
    : { kind: rule.kind, price: formatDecimal(rule.price) };

/** An alert for the audit log. */
const alertView = ({ id, symbol, rule, triggeredAt, triggeredPrice }: PriceAlert) => ({
  ...{ id, symbol, rule: ruleView(rule), triggeredPrice },
  triggeredAt,
});

const pricedView = (alert: PriceAlert, prices: Prices) => {
  const price = prices.get(alert.symbol)?.price;
  return { ...alertView(alert), price: price === undefined ? null : formatDecimal(price) };
};

async function requireAlert(database: Reader, accountId: AccountId, alertId: string): Promise<PriceAlert> {
  const found = (await listAlerts(database, accountId)).find(({ id }) => id === alertId);
  if (found === undefined) throw new ApiProblem('not_found', 'The account has no such price alert.');
  return found;
}

async function requireRoom(database: Reader, accountId: AccountId): Promise<void> {
  if ((await listAlerts(database, accountId)).length < MAX_ALERTS) return;
  throw new ApiProblem('conflict', `An account has at most ${MAX_ALERTS} price alerts: remove one first.`);
}

/** Only coins of a profile have prices without a connection of their own. */
async function requireCoinOf(database: Reader, accountId: AccountId, symbol: string): Promise<void> {
  if ((await listAccountCoins(database, accountId)).includes(symbol)) return;
  throw invalidField('symbol', 'is a coin of no profile of this account: add it to a profile first');
}

const ruleOf = (rule: Incoming<typeof addPriceAlert>['body']['rule']): AlertRule =>
  rule.kind === 'move'
    ? { ...rule, percent: requireDecimal(rule.percent) }
    : { ...rule, price: requireDecimal(rule.price) };

const announceChange = (context: ApiContext, id: AccountId): Promise<void> =>
  announce(context, { command: 'alerts-changed', events: [{ topic: 'account', id, data: {} }] });

export function mountPriceAlerts({ context, handle }: Routes): void {
  const { kysely } = context.database;
  const pricesOf = (venue: Venue): Promise<Prices> => context.venues.prices(venue);

  handle(listPriceAlerts, async ({ account }) => {
    const prices = await pricesOf(venueOf(account));
    const alerts = await listAlerts(kysely, account.id);
    return {
      alerts: alerts.map((alert) => pricedView(alert, prices)),
      coins: await listAccountCoins(kysely, account.id),
    };
  });
  handle(addPriceAlert, async ({ commit, account, body: { symbol, rule } }) => {
    const saved = await commit(async ({ transaction }) => {
      await requireCoinOf(transaction, account.id, symbol);
      await requireRoom(transaction, account.id);
      const alertId = await addAlert(transaction, { accountId: account.id, symbol, rule: ruleOf(rule) });
      const alert = await requireAlert(transaction, account.id, alertId);
      return { answer: alert, after: alertView(alert) };
    });
    await announceChange(context, account.id);
    return pricedView(saved, await pricesOf(venueOf(account)));
  });
  handle(rearmPriceAlert, async ({ commit, account, params: { alertId } }) => {
    const saved = await commit(async ({ transaction }) => {
      const before = await requireAlert(transaction, account.id, alertId);
      await rearmAlert(transaction, alertId);
      const alert = await requireAlert(transaction, account.id, alertId);
      return { answer: alert, before: alertView(before), after: alertView(alert) };
    });
    await announceChange(context, account.id);
    return pricedView(saved, await pricesOf(venueOf(account)));
  });
  handle(deletePriceAlert, async ({ commit, account, params: { alertId } }) => {
    const answer = await commit(async ({ transaction }) => {
      const before = await requireAlert(transaction, account.id, alertId);
      await deleteAlert(transaction, alertId);
      return { answer: undefined, before: alertView(before) };
    });
    await announceChange(context, account.id);
    return answer;
  });
}
