import { sql } from 'kysely';
import { type Decimal, requireDecimal } from '#core/amount/decimal.ts';
import type { Holding } from '#core/account/performance.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Reader } from '#storage/postgres/database.ts';

/**
 * Moments, oldest first. Number n of a period is the time from moment n to moment n + 1; 0 is the time before the first.
 * The last moment may be `infinity`: up to the newest row, whatever the clocks say.
 */
type Marks = readonly string[];

const list = (marks: Marks) => sql`${[...marks]}::timestamptz[]`;

/** Every coin of every profile that has traded on the account, deleted profiles included, one index probe each. */
const coinsOf = (accountId: AccountId) => sql`coins as (
  (select profile_id, symbol from position_history where account_id = ${accountId} order by profile_id, symbol limit 1)
  union all
  select next.profile_id, next.symbol from coins cross join lateral (
    select profile_id, symbol from position_history
    where account_id = ${accountId} and (profile_id, symbol) > (coins.profile_id, coins.symbol)
    order by profile_id, symbol limit 1) as next)`;

/** Rows of the coin named `coin` in the statement. */
const rowsOf = (accountId: AccountId) => sql`position_history as row
  where row.account_id = ${accountId} and row.profile_id = coin.profile_id and row.symbol = coin.symbol`;

/** A coin from the end of a period on, until its next step. */
export interface PositionStep extends Holding {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly period: number;
  /** Of its newest change: it differs after each further one. */
  readonly version: string;
  readonly cycle: number;
  readonly isOpen: boolean;
  /** Realised so far by the open trade. */
  readonly cycleNet: Decimal;
}

interface StepRow {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly period: number;
  readonly version: string;
  readonly quantity: string;
  readonly cost: string;
  readonly realised: string;
  readonly fees: string;
  readonly unvaluedFees: string;
  readonly cycle: number;
  readonly isOpen: boolean;
  readonly cycleNet: string;
}

/**
 * The position of each coin at the end of each period in which it changed, oldest first; period 0 is what was held at the
 * first moment. Costs two index probes for each coin and period with a change, whatever the number of fills.
 */
export async function readPositionSteps(
  reader: Reader,
  { accountId, marks }: { readonly accountId: AccountId; readonly marks: Marks },
): Promise<PositionStep[]> {
  const columns = sql`row.version, row.quantity, row.cost, row.realised, row.fees, row.unvalued_fees, row.cycle, row.is_open, row.cycle_net`;
  const newest = sql`order by row.at desc, row.version desc limit 1`;
  const steps = sql<StepRow>`(with recursive ${coinsOf(accountId)}, steps as (
    select coin.profile_id, coin.symbol, 0 as period, last.* from coins as coin
    left join lateral (select ${columns} from ${rowsOf(accountId)} and row.at < (${list(marks)})[1] ${newest}) as last on true
    union all
    select coin.profile_id, coin.symbol, next.period, last.* from steps as coin
    cross join lateral (select width_bucket(row.at, ${list(marks)}) as period from ${rowsOf(accountId)}
      and row.at >= (${list(marks)})[coin.period + 1] order by row.at limit 1) as next
    cross join lateral (select ${columns} from ${rowsOf(accountId)}
      and row.at < (${list(marks)})[next.period + 1] ${newest}) as last)
    select profile_id as "profileId", symbol, period, version, quantity, cost, realised, fees, unvalued_fees as "unvaluedFees", cycle,
      is_open as "isOpen", cycle_net as "cycleNet"
    from steps where quantity is not null order by period, profile_id, symbol)`;
  const rows = await reader.selectFrom(steps.as('steps')).selectAll().execute();
  return rows.map(({ quantity, cost, realised, fees, cycleNet, unvaluedFees, ...row }) => ({
    ...row,
    quantity: requireDecimal(quantity),
    cost: requireDecimal(cost),
    realised: requireDecimal(realised),
    fees: requireDecimal(fees),
    unvaluedFees: Number(unvaluedFees),
    cycleNet: requireDecimal(cycleNet),
  }));
}

/** When the account first held something; null before. */
export async function readFirstMoment(reader: Reader, accountId: AccountId): Promise<Date | null> {
  const first = sql<{ at: Date | null }>`(with recursive ${coinsOf(accountId)}
    select min(first.at) as at from coins as coin
    cross join lateral (select row.at from ${rowsOf(accountId)} order by row.at, row.version limit 1) as first)`;
  const row = await reader.selectFrom(first.as('first')).selectAll().executeTakeFirst();
  return row?.at ?? null;
}

interface PriceRow {
  readonly profileId: ProfileId;
  /** Of a moment, counted from 1. */
  readonly mark: number;
  readonly prices: unknown;
}

/** The last prices that were recorded of the coins of each profile before each moment; of the first moment, else the next. */
export async function readPastPrices(
  reader: Reader,
  { profileIds, marks }: { readonly profileIds: readonly ProfileId[]; readonly marks: Marks },
): Promise<PriceRow[]> {
  if (profileIds.length === 0) return [];
  const shots = sql`equity_snapshots as shot where shot.profile_id = profile.id`;
  const found = sql<PriceRow>`(select profile.id as "profileId", mark.n::integer as mark, shot.prices
    from unnest(${[...profileIds]}::uuid[]) as profile(id)
    cross join unnest(${list(marks)}) with ordinality as mark(at, n)
    cross join lateral (
      (select shot.prices, 0 as later from ${shots} and shot.at <= mark.at order by shot.at desc limit 1)
      union all
      (select shot.prices, 1 from ${shots} and shot.at > mark.at and mark.n = 1 order by shot.at limit 1)
      order by later limit 1) as shot)`;
  return reader.selectFrom(found.as('found')).selectAll().orderBy('mark').execute();
}

interface CapitalInput {
  readonly accountId: AccountId;
  readonly profileIds: readonly ProfileId[];
  /** Coins with another quote asset. */
  readonly without: readonly string[];
  readonly marks: Marks;
  /** Cost of all positions at the first moment, and the number of open trades. */
  readonly held: { readonly cost: string; readonly open: number };
}

/** Capital in use in one period; costs in quote, times in seconds. */
export interface CapitalRow {
  readonly period: number;
  readonly peak: string;
  /** Cost of all positions times the seconds that it was bound. */
  readonly costSeconds: number;
  readonly openSeconds: number;
}

/** Cost of all positions together, from each change to the next, summed up by period. Reads each change once. */
export async function readCapital(
  reader: Reader,
  { accountId, profileIds, without, marks, held }: CapitalInput,
): Promise<CapitalRow[]> {
  // Offset 0 keeps the range of each coin an index scan, however large its share of the table is.
  const capital = sql<CapitalRow>`(with recursive ${coinsOf(accountId)}, changes as (
    select change.at, change.cost_change, change.open_change from coins as coin cross join lateral (
      select row.at, row.cost_change, row.open_change from ${rowsOf(accountId)} and row.at >= (${list(marks)})[1]
        and row.at < ${marks.at(-1) ?? ''}::timestamptz offset 0) as change
    where coin.profile_id = any(${[...profileIds]}::uuid[]) and coin.symbol <> all(${[...without]}::text[])
    union all select mark.at, 0, 0 from unnest(${list(marks)}) as mark(at)),
  running as (
    select at, lead(at) over moments as until, ${held.cost}::numeric + sum(cost_change) over moments as cost,
      ${held.open}::bigint + sum(open_change) over moments as open
    from changes window moments as (order by at))
  select width_bucket(at, ${list(marks)}) as period, max(cost) as peak,
    sum(cost::float8 * extract(epoch from until - at)::float8) as "costSeconds",
    coalesce(sum(extract(epoch from until - at)::float8) filter (where open > 0), 0) as "openSeconds"
  from running where until is not null group by 1)`;
  return reader.selectFrom(capital.as('capital')).selectAll().orderBy('period').execute();
}

interface DepositRow {
  readonly period: number;
  readonly asset: string;
  /** Negative for a withdrawal. */
  readonly amount: string;
}

/** Deposits less withdrawals of an account by period. The holdings at the first check of a wallet are no deposit. */
export async function readDeposits(
  reader: Reader,
  { accountId, marks }: { readonly accountId: AccountId; readonly marks: Marks },
): Promise<DepositRow[]> {
  const deposits = sql<DepositRow>`(select width_bucket(at, ${list(marks)}) as period, asset, -sum(amount) as amount
    from ledger_entries where account_id = ${accountId} and book = 'outside' and reason = 'unexplained'
      and at >= (${list(marks)})[1] group by 1, 2)`;
  return reader.selectFrom(deposits.as('deposits')).selectAll().execute();
}
