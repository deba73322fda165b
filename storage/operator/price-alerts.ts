import { type Venue, venueOf } from '#core/account/account.ts';
import { type Decimal, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { type AccountId, newId } from '#core/ids.ts';
import type { AlertRule } from '#core/market/price-alert.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';

export interface PriceAlert {
  readonly id: string;
  readonly accountId: AccountId;
  readonly symbol: string;
  readonly rule: AlertRule;
  /** Of a level: whether the price was on the other side since the alert was armed. */
  readonly isReady: boolean;
  readonly armedAt: Date;
  /** Null while it is armed. */
  readonly triggeredAt: Date | null;
  readonly triggeredPrice: string | null;
}

const selectAlerts = (database: Reader) =>
  database
    .selectFrom('price_alerts')
    .innerJoin('accounts', 'accounts.id', 'price_alerts.account_id')
    .select(['price_alerts.id', 'account_id as accountId', 'symbol', 'kind', 'price', 'percent', 'minutes'])
    .select(['ready as isReady', 'armed_at as armedAt', 'triggered_at as triggeredAt'])
    .select(['triggered_price as triggeredPrice', 'binance_mode as exchangeMode', 'endpoint'])
    .orderBy('price_alerts.created_at')
    .orderBy('price_alerts.id');

type Row = Awaited<ReturnType<ReturnType<typeof selectAlerts>['execute']>>[number];

function viewOf({ kind, price, percent, minutes, exchangeMode: _mode, endpoint: _endpoint, ...row }: Row): PriceAlert {
  const rule: AlertRule =
    kind === 'move'
      ? { kind, percent: requireDecimal(percent ?? ''), minutes: minutes ?? 0 }
      : { kind, price: requireDecimal(price ?? '') };
  return { ...row, rule };
}

export const listAlerts = async (database: Reader, accountId: AccountId): Promise<PriceAlert[]> =>
  (await selectAlerts(database).where('account_id', '=', accountId).execute()).map(viewOf);

/** All armed alerts, each with the venue of its account. */
export async function listArmedAlerts(database: Reader): Promise<(PriceAlert & { readonly venue: Venue })[]> {
  const rows = await selectAlerts(database).where('triggered_at', 'is', null).execute();
  return rows.map((row) => ({ ...viewOf(row), venue: venueOf(row) }));
}

/** Adds an armed alert; returns its id. */
export async function addAlert(
  database: Writer,
  { accountId, symbol, rule }: Pick<PriceAlert, 'accountId' | 'symbol' | 'rule'>,
): Promise<string> {
  const id = newId();
  const isMove = rule.kind === 'move';
  await database
    .insertInto('price_alerts')
    .values({
      ...{ id, account_id: accountId, symbol, kind: rule.kind, created_at: new Date() },
      price: isMove ? null : formatDecimal(rule.price),
      percent: isMove ? formatDecimal(rule.percent) : null,
      minutes: isMove ? rule.minutes : null,
    })
    .execute();
  return id;
}

/** Arms an alert again. */
export async function rearmAlert(database: Writer, id: string): Promise<void> {
  await database
    .updateTable('price_alerts')
    .set({ triggered_at: null, triggered_price: null, ready: false, armed_at: new Date() })
    .where('id', '=', id)
    .execute();
}

export async function deleteAlert(database: Writer, id: string): Promise<void> {
  await database.deleteFrom('price_alerts').where('id', '=', id).execute();
}

export async function markReady(database: Writer, id: string): Promise<void> {
  await database.updateTable('price_alerts').set({ ready: true }).where('id', '=', id).execute();
}

/** Marks an armed alert as triggered. False when another worker did, or when it was removed. */
export async function triggerAlert(
  database: Writer,
  id: string,
  { price, at }: { readonly price: Decimal; readonly at: Date },
): Promise<boolean> {
  const row = await database
    .updateTable('price_alerts')
    .set({ triggered_at: at, triggered_price: formatDecimal(price) })
    .where('id', '=', id)
    .where('triggered_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The coins of all profiles of an account. */
export async function listAccountCoins(database: Reader, accountId: AccountId): Promise<string[]> {
  const rows = await database
    .selectFrom('profile_symbols')
    .innerJoin('profiles', 'profiles.id', 'profile_symbols.profile_id')
    .select('symbol')
    .distinct()
    .where('account_id', '=', accountId)
    .orderBy('symbol')
    .execute();
  return rows.map(({ symbol }) => symbol);
}
