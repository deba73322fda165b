import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Database } from '#storage/postgres/database.ts';

/** Coins of the profile; the first two have the trading rules of test/api/test-records.ts. */
export const COINS: readonly string[] = ['BTCUSDT', 'ETHUSDT', ...Array.from({ length: 18 }, (_, n) => `COIN${n}USDT`)];

interface Sizes {
  /** Closed trades of one coin: each is two orders, two fills, four ledger rows and two rows of position history. */
  readonly tradesOfCoin: number;
  readonly logs: number;
}

interface Owner {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
}

/** Seconds from one trade of a coin to its next one, so that the newest ended just now. */
const APART = 600;

/** $1 account, $2 profile, $3 symbol, $4 trades, $5 number of the coin, $6 base asset. Times end at now. */
const STATEMENTS: readonly string[] = [
  `create temporary table made on commit drop as
    select n, gen_random_uuid() as buy, gen_random_uuid() as sale, now() - ($4::int - n + 1) * interval '${APART} s' as at,
      case when n % 5 < 3 then 1.5 else -0.9 end as net
    from generate_series(1, $4::int) n`,
  `insert into orders (id, account_id, epoch, profile_id, symbol, side, purpose, type, quantity, client_order_id,
      exchange_order_id, state, reason, decision, filled_quantity, filled_quote, fencing, halt_order, send_before,
      created_at, updated_at, recorded_at)
    select case side when 'buy' then buy else sale end, $1::uuid, 1, $2::uuid, $3, side,
      case side when 'buy' then 'entry' else 'exit' end, 'market', 0.5, 'tw1-' || $3 || '-' || side || n,
      n * 2 + (side = 'sell')::int, 'filled', case side when 'buy' then 'entry-trail-triggered' else 'exit-trail-triggered' end,
      '{"reason": "entry-trail-triggered", "numbers": {"price": "100", "low": "99.1"}}', 0.5, 50, 1, n, at, at, at, at
    from (select buy, sale, n, side, at + case side when 'buy' then interval '0' else interval '200 s' end as at
      from made cross join (values ('buy'), ('sell')) as sides (side)) as sent`,
  `insert into fills (account_id, epoch, symbol, trade_id, exchange_order_id, order_id, profile_id, side, price, quantity,
      quote_quantity, fee_amount, fee_asset, fee_quote, maker, realised, cycle, runner_version, at, recorded_at)
    select $1::uuid, 1, $3, n * 2 + (side = 'sell')::int, n * 2 + (side = 'sell')::int,
      case side when 'buy' then buy else sale end, $2::uuid, side, 100, 0.5, 50, 0.05, 'USDT', 0.05, false,
      case side when 'buy' then -0.05 else net + 0.05 end, n, n * 2 + (side = 'sell')::int, at, at
    from (select buy, sale, n, net, side, at + case side when 'buy' then interval '0' else interval '200 s' end as at
      from made cross join (values ('buy'), ('sell')) as sides (side)) as sent`,
  `insert into ledger_entries (id, account_id, epoch, profile_id, symbol, book, asset, amount, reason, trade_id, at, recorded_at)
    select gen_random_uuid(), $1::uuid, 1, $2::uuid, $3, 'wallet', asset,
      case when (side = 'buy') = (asset = 'USDT') then -1 else 1 end * case asset when 'USDT' then 50 else 0.5 end,
      'fill', n * 2 + (side = 'sell')::int, at, at
    from made cross join (values ('buy'), ('sell')) as sides (side)
    cross join (values ('USDT'), ($6)) as assets (asset)`,
  `insert into closed_cycles (profile_id, symbol, cycle, opened_at, closed_at, net, exit_reason)
    select $2::uuid, $3, n, at, at + interval '200 s', net, 'exit-trail-triggered' from made`,
  `insert into position_history (account_id, profile_id, symbol, at, version, quantity, cost, cost_change, cycle, is_open,
      open_change, cycle_net, realised, fees, unvalued_fees)
    select $1::uuid, $2::uuid, $3, at + case when bought then interval '0' else interval '200 s' end, n * 2 + (not bought)::int,
      case when bought then 0.5 else 0 end, case when bought then 50 else 0 end, case when bought then 50 else -50 end, n, bought,
      case when bought then 1 else -1 end, case when bought then -0.05 else 0 end,
      sum(net) over (order by n) - case when bought then net else 0 end, n * 0.1, 0
    from made cross join (values (true), (false)) as sides (bought)`,
  `insert into order_evidence (id, order_id, kind, at, detail)
    select gen_random_uuid(), buy, kind, at, '{"path": "/api/v3/order", "status": 200, "body": {"symbol": "BTCUSDT", "status": "FILLED"}}'
    from made cross join (values ('request'), ('answer')) as kinds (kind)`,
];

const LOGS = `insert into action_logs (id, profile_id, symbol, level, msg, ctx, first_at, last_at)
  select gen_random_uuid(), $1, ($2::text[])[1 + n % 20],
    (array['debug', 'debug', 'debug', 'info', 'info', 'info', 'debug', 'debug'])[1 + n % 8],
    'Nothing to do: the price is above the low.',
    jsonb_build_object('event', 'decision', 'reason', (array['entry-above-low', 'hold-below-target', 'entry-trend'])[1 + n % 3],
      'numbers', jsonb_build_object('price', '100.5', 'low', '99.1', 'n', n)), at, at
  from (select n, now() - n * interval '6 seconds' as at from generate_series($3::int, $4::int) n) made`;

/** Few enough rows for one statement on a busy machine. */
const AT_ONCE = 250_000;

/** Fills a database as years of trading would, newest rows now. Constraints hold; triggers do not run. */
export async function fillYears({ pool }: Database, { accountId, profileId }: Owner, sizes: Sizes): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set statement_timeout = 0`);
    await client.query(`set idle_in_transaction_session_timeout = 0`);
    await client.query(`set session_replication_role = replica`);
    for (const [number, symbol] of COINS.entries()) {
      const base = symbol.slice(0, -'USDT'.length);
      await client.query('begin');
      await client.query(
        `insert into profile_symbols (profile_id, on_account, symbol) values ($1, $2, $3) on conflict do nothing`,
        [profileId, accountId, symbol],
      );
      await client.query(
        `insert into runner_states (profile_id, symbol, version, order_sequence, cycle) values ($1, $2, $3, $3, $4)`,
        [profileId, symbol, sizes.tradesOfCoin * 2 + 1, sizes.tradesOfCoin],
      );
      const values = [accountId, profileId, symbol, sizes.tradesOfCoin, number, base];
      for (const text of STATEMENTS) {
        // Text instead of parameters: each statement uses other ones.
        const filled = text.replaceAll(/\$(\d)/g, (_all, place: string) => `'${values[Number(place) - 1]}'`);
        await client.query(filled);
      }
      await client.query('commit');
    }
    for (let from = 1; from <= sizes.logs; from += AT_ONCE)
      await client.query(LOGS, [profileId, COINS, from, Math.min(sizes.logs, from + AT_ONCE - 1)]);
    await client.query(
      `insert into equity_snapshots (profile_id, at, realised, position_value, position_cost, prices)
      select $1, now() - n * interval '15 minutes', n, 0, 0, '{"BTCUSDT": "100", "ETHUSDT": "100"}' from generate_series(0, 35000) n`,
      [profileId],
    );
    await client.query(
      `insert into audit_logs (id, action, subject, before, after, ip, at)
      select gen_random_uuid(), (array['profile.update', 'limits.update', 'session.create'])[1 + n % 3], 'profile', '{}', '{}',
        '127.0.0.1', now() - n * interval '5 minutes' from generate_series(1, 100000) n`,
    );
    await client.query('analyze');
  } finally {
    client.release(true);
  }
}
