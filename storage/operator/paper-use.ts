import { sql } from 'kysely';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';

interface PaperUse {
  readonly orders: number;
  /** Orders that are not final. */
  readonly open: number;
  readonly positions: number;
}

/** Orders and positions of the accounts on the paper exchange. */
export async function readPaperUse(database: Reader): Promise<PaperUse> {
  const orders = await database
    .selectFrom('orders')
    .innerJoin('accounts', 'accounts.id', 'orders.account_id')
    .where('accounts.endpoint', '=', 'paper')
    .select(sql<number>`count(*)::int`.as('orders'))
    .select(sql<number>`count(*) filter (where state = any(${[...LIVE_ORDER_STATES]}::text[]))::int`.as('open'))
    .executeTakeFirstOrThrow();
  const { positions } = await database
    .selectFrom('runner_states')
    .innerJoin('profiles', 'profiles.id', 'runner_states.profile_id')
    .innerJoin('accounts', 'accounts.id', 'profiles.account_id')
    .where('accounts.endpoint', '=', 'paper')
    .where(sql<boolean>`quantity > 0`)
    .select(sql<number>`count(*)::int`.as('positions'))
    .executeTakeFirstOrThrow();
  return { ...orders, positions };
}

/** Removes the equity history of profiles on the paper exchange: its times are those of another market. */
export async function forgetPaperEquity(database: Writer): Promise<void> {
  await sql`delete from equity_snapshots using profiles, accounts where profiles.id = profile_id
    and accounts.id = profiles.account_id and accounts.endpoint = 'paper'
    and not exists (select from orders where orders.profile_id = profiles.id)`.execute(database);
}
