import { multiply, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { type AccountId, newId, type OrderId, type ProfileId, type UserId } from '#core/ids.ts';
import type { ApprovedOrder, OrderDraft, OrderRecord } from '#core/order/order.ts';
import type { IntentRequest, IntentResult, TradingStore } from '#core/ports/store.ts';
import type { Database } from '#storage/postgres/database.ts';
import { acquireLease } from '#storage/postgres/leases.ts';
import { rulesWith } from './rules.ts';

/* Rows that trading tests start from. */

export const AT = new Date('2024-03-01T12:00:00.000Z');
export const SYMBOL = 'BTCUSDT';
export const d = requireDecimal;

const range = { step: d('0.00001'), min: d('0.00001'), max: d('9000') };
export const RULES = rulesWith({
  ...{ symbol: SYMBOL, baseAsset: 'BTC', orderTypes: ['LIMIT', 'MARKET', 'STOP_LOSS_LIMIT'] },
  ...{ price: { tick: d('0.01'), min: d('0.01'), max: d('1000000') }, lot: range, marketLot: range },
});

export interface Owner {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly fencing: number;
}

/** Tests replace engine/tick/approve.ts here, the only source of approved orders. */
const approve = (draft: OrderDraft): ApprovedOrder => draft as ApprovedOrder;

export async function seedUser(db: Database): Promise<UserId> {
  const id = newId<UserId>();
  await db.kysely
    .insertInto('users')
    .values({ id, email: `${id}@example.org`, password_hash: '-' })
    .execute();
  return id;
}

export async function seedAccount(db: Database, userId: UserId, name = 'Paper'): Promise<AccountId> {
  const id = newId<AccountId>();
  const row = { id, user_id: userId, name, binance_mode: 'testnet', endpoint: 'paper' } as const;
  await db.kysely.insertInto('accounts').values(row).execute();
  return id;
}

export async function seedProfile(db: Database, accountId: AccountId, name = 'First'): Promise<ProfileId> {
  const id = newId<ProfileId>();
  const row = { id, account_id: accountId, name, strategy_name: 'hold', config: '{"a":1}', enabled: true };
  await db.kysely.insertInto('profiles').values(row).execute();
  return id;
}

const bindCoins = (db: Database, profileId: ProfileId, symbols: readonly string[]): Promise<unknown> =>
  db.kysely
    .insertInto('profile_symbols')
    .values(symbols.map((symbol) => ({ profile_id: profileId, symbol })))
    .execute();

const COINS = [SYMBOL, 'ETHUSDT', ...Array.from({ length: 50 }, (_, index) => `C${index}USDT`)];

/** An enabled profile with coins: SYMBOL, ETHUSDT and C0USDT to C49USDT unless others are named. */
export async function seedTradingProfile(
  db: Database,
  accountId: AccountId,
  { name, symbols = COINS }: { readonly name?: string; readonly symbols?: readonly string[] } = {},
): Promise<ProfileId> {
  const profileId = await seedProfile(db, accountId, name);
  await bindCoins(db, profileId, symbols);
  return profileId;
}

/** No worker renews the lease of a test; a month of minutes may take longer than a minute. */
const LEASE_MS = 6 * 3_600_000;

/** A user, an account with a lease and a trading profile. */
export const seedOwner = async (db: Database): Promise<Owner> => seedTrader(db, await seedUser(db), 'Paper');

/** Another account of the one user, with a lease and a trading profile. */
export async function seedNextOwner(db: Database): Promise<Owner> {
  const { id } = await db.kysely.selectFrom('users').select('id').executeTakeFirstOrThrow();
  return seedTrader(db, id, `Account ${newId()}`);
}

async function seedTrader(db: Database, userId: UserId, name: string): Promise<Owner> {
  const accountId = await seedAccount(db, userId, name);
  const profileId = await seedTradingProfile(db, accountId);
  const lease = await acquireLease(db, { accountId, holder: 'worker-1', ttlMs: LEASE_MS });
  if (lease === undefined) throw new Error('The first lease of an account was refused.');
  return { accountId, profileId, fencing: lease.fencing };
}

export function intentOf(
  owner: Owner,
  changes: Partial<Omit<IntentRequest, 'order'>> & { readonly order?: Partial<OrderDraft> } = {},
): IntentRequest {
  const { order, ...rest } = changes;
  return {
    order: approve({
      accountId: owner.accountId,
      profileId: owner.profileId,
      symbol: SYMBOL,
      side: 'buy',
      purpose: 'entry',
      form: { type: 'market' },
      quantity: d('1'),
      ...order,
    }),
    orderId: newId<OrderId>(),
    reason: 'entry-test',
    decision: { kind: 'buy', reason: 'entry-test', level: 0 },
    strategyState: { high: '1' },
    expectedVersion: 0,
    stopRests: false,
    fencing: owner.fencing,
    sendBeforeMs: AT.getTime() + 2_000,
    at: AT,
    ...rest,
  };
}

export function requireCommitted(result: IntentResult): Extract<IntentResult, { kind: 'committed' }> {
  if (result.kind !== 'committed') throw new Error(`The intent was not committed: ${result.kind}.`);
  return result;
}

/** Commits an intent at the runner's present version. */
export async function commitNext(
  store: TradingStore,
  owner: Owner,
  order: Partial<OrderDraft> = {},
): Promise<OrderRecord> {
  const runner = await store.loadRunner(owner.profileId, order.symbol ?? SYMBOL);
  return requireCommitted(await store.commitIntent(intentOf(owner, { order, expectedVersion: runner.version }))).record;
}

/** The id that the exchange of the tests gives to an order. */
export const exchangeIdOf = ({ clientOrderId }: Pick<OrderRecord, 'clientOrderId'>): string =>
  String(Number.parseInt(clientOrderId.slice(clientOrderId.lastIndexOf('-') + 2), 36));

let tradeNumber = 0;

/** `amount` reads `quantity @ price`. Every fill has a trade id of its own. */
export function fillOf(side: 'buy' | 'sell', amount: string, changes: Partial<ExchangeFill> = {}): ExchangeFill {
  const [quantity = ZERO, price = ZERO] = amount.split(' @ ').map(requireDecimal);
  tradeNumber += 1;
  return {
    symbol: SYMBOL,
    tradeId: String(tradeNumber),
    exchangeOrderId: '77',
    side,
    price,
    quantity,
    quoteQuantity: multiply(quantity, price),
    feeAmount: ZERO,
    feeAsset: null,
    maker: false,
    at: new Date(AT.getTime() + tradeNumber * 1_000),
    ...changes,
  };
}
