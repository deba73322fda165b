import { cacheKeys } from '#core/installation/cache-keys.ts';
import { formatDecimal, multiply, requireDecimal } from '#core/amount/decimal.ts';
import { type AccountId, newId, type OrderId, type ProfileId } from '#core/ids.ts';
import type { OrderState, Side } from '#core/order/order.ts';
import type { LogLevel } from '#core/ports/records.ts';
import { encodeRules } from '#core/market/symbol-codec.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Database } from '#storage/postgres/database.ts';
import type { TestApi } from './test-api.ts';
import { rulesWith } from '#test/harness/rules.ts';

const decimal = requireDecimal;

/** Trading rules of a typical coin: minimum order value 5 quote units. */
export const rulesOf = (symbol: string, baseAsset: string, quoteAsset = 'USDT'): SymbolRules =>
  rulesWith({
    ...{ symbol, baseAsset, quoteAsset },
    price: { tick: decimal('0.01'), min: decimal('0.01'), max: decimal('1000000') },
    lot: { step: decimal('0.00001'), min: decimal('0.00001'), max: decimal('9000') },
    notional: { min: decimal('5'), max: decimal('9000000'), minAppliesToMarket: true },
  });

export const BTC = rulesOf('BTCUSDT', 'BTC');
export const ETH = rulesOf('ETHUSDT', 'ETH');

/** Fills the cache like a worker; tests use accounts of the venue testnet. */
export const cacheRules = (api: TestApi, rules: readonly SymbolRules[]): Promise<void> =>
  api.cache.set(cacheKeys.rules('testnet'), encodeRules(rules));

export const cachePrice = (api: TestApi, symbol: string, price: string): Promise<void> =>
  api.cache.set(cacheKeys.price('testnet', symbol), JSON.stringify({ price, at: '2026-01-01T00:00:00.000Z' }));

export async function holdPosition(
  database: Database,
  held: { profileId: ProfileId; symbol: string; quantity: string; averagePrice: string },
): Promise<void> {
  const { profileId, symbol, quantity, averagePrice } = held;
  const cost = formatDecimal(multiply(decimal(quantity), decimal(averagePrice)));
  const position = { quantity, average_price: averagePrice, cost };
  await database.kysely
    .insertInto('runner_states')
    .values({ profile_id: profileId, symbol, ...position, cycle: 1 })
    .onConflict((conflict) => conflict.columns(['profile_id', 'symbol']).doUpdateSet(position))
    .execute();
}

interface OrderSeed {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly state: OrderState;
  readonly side?: Side;
  readonly quantity?: string;
}

export async function addOrder(database: Database, order: OrderSeed): Promise<OrderId> {
  const id = newId<OrderId>();
  const { side = 'buy', quantity = '0.002' } = order;
  const at = new Date();
  await database.kysely
    .insertInto('orders')
    .values({
      id,
      account_id: order.accountId,
      epoch: 1,
      profile_id: order.profileId,
      symbol: order.symbol,
      side,
      purpose: side === 'buy' ? 'entry' : 'exit',
      type: 'market',
      quantity,
      price: null,
      client_order_id: `tw1-${id}`,
      state: order.state,
      reason: 'buy-at-low',
      decision: '{}',
      filled_quantity: quantity,
      filled_quote: '100',
      fencing: 1,
      halt_order: 1,
      send_before: at,
      created_at: at,
      updated_at: at,
    })
    .execute();
  return id;
}

let fillsAdded = 0;

/** Adds a sale with its own order. */
export async function addFill(
  database: Database,
  fill: { accountId: AccountId; profileId: ProfileId; symbol: string; realised: string; at: Date },
): Promise<void> {
  const { accountId, profileId, symbol } = fill;
  const orderId = await addOrder(database, { accountId, profileId, symbol, state: 'filled', side: 'sell' });
  await database.kysely
    .insertInto('fills')
    .values({
      account_id: fill.accountId,
      epoch: 1,
      symbol: fill.symbol,
      trade_id: newId(),
      exchange_order_id: '1',
      order_id: orderId,
      profile_id: fill.profileId,
      side: 'sell',
      price: '50000',
      quantity: '0.002',
      quote_quantity: '100',
      fee_amount: '0.1',
      fee_asset: 'USDT',
      maker: false,
      realised: fill.realised,
      cycle: 1,
      runner_version: ++fillsAdded,
      at: fill.at,
    })
    .execute();
  // As the trigger keeps it when a worker books the fill.
  await database.pool.query(
    `insert into position_history (account_id, profile_id, symbol, at, version, quantity, cost, cost_change, cycle, is_open,
      open_change, cycle_net, realised, fees, unvalued_fees)
    select account_id, profile_id, symbol, max(at), max(runner_version), 0, 0, 0, 1, false, 0, 0, sum(realised),
      sum(fee_quote), count(*) filter (where fee_quote is null) from fills where profile_id = $1 and symbol = $2 group by 1, 2, 3`,
    [profileId, symbol],
  );
}

export interface LogSeed {
  readonly level: LogLevel;
  readonly msg: string;
  readonly at: string;
  readonly symbol?: string;
  readonly ctx?: unknown;
}

export async function addLogs(database: Database, profileId: ProfileId, seeds: readonly LogSeed[]): Promise<void> {
  if (seeds.length === 0) return;
  const rows = seeds.map(({ level, msg, at, symbol, ctx }) => ({
    id: newId(),
    profile_id: profileId,
    symbol: symbol ?? null,
    level,
    msg,
    ctx: JSON.stringify(ctx ?? {}),
    first_at: at,
    last_at: at,
  }));
  await database.kysely.insertInto('action_logs').values(rows).execute();
}

/** Few enough rows for one statement on a busy machine. */
const AT_ONCE = 50_000;

/** Adds as many rows as a busy profile writes in months, one per second from `start` on; the database generates them. */
export async function addManyLogs(
  { pool }: Database,
  profileId: ProfileId,
  { rows, start }: { readonly rows: number; readonly start: string },
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set statement_timeout = 0`);
    for (let from = 1; from <= rows; from += AT_ONCE) {
      await client.query(
        `insert into action_logs (id, profile_id, symbol, level, msg, ctx, first_at, last_at)
       select gen_random_uuid(), $1, (array['BTCUSDT', 'ETHUSDT', 'BNBUSDT', 'SOLUSDT'])[1 + n % 4],
         (array['debug', 'debug', 'debug', 'info', 'info', 'warn', 'debug', 'error'])[1 + n % 8],
         'Nothing to do: the price is above the low.', jsonb_build_object('event', 'decision', 'n', n), at, at
       from (select n, $2::timestamptz + n * interval '1 second' as at from generate_series($3::int, $4::int) n) made`,
        [profileId, start, from, Math.min(rows, from + AT_ONCE - 1)],
      );
    }
    await client.query('analyze action_logs');
    await client.query(`reset statement_timeout`);
  } finally {
    client.release();
  }
}
