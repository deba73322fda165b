import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { requireDecimal } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import { dayStart } from '#core/account/day-start.ts';
import {
  type CoinPause,
  type Gain,
  hasLimits,
  readRiskLimits,
  type RiskFacts,
  type RiskLimits,
  type RiskScope,
} from '#core/account/risk.ts';
import type { RunLimits } from '#core/research/research.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The longest loss streak that a limit can have (core/account/risk.ts). */
const CLOSINGS_PER_PROFILE = 20;

/** The limits of an account and of each of its profiles, and the operator's time zone. */
interface Subjects {
  readonly timezone: string;
  readonly limits: RiskFacts['limits'];
}

const readSubjects = async (reader: Reader, accountId: AccountId): Promise<Subjects> =>
  subjectsIn(accountId, await selectSubjects(reader, accountId).executeTakeFirst());

/** The limits of an account and of some of its profiles; undefined when no limit is set. */
export async function readRunLimits(
  reader: Reader,
  { accountId, profileIds }: { readonly accountId: AccountId; readonly profileIds: ReadonlySet<string> },
): Promise<RunLimits | undefined> {
  const { timezone, limits } = await readSubjects(reader, accountId);
  const own = limits.filter((limit) => limit.scope === 'account' || profileIds.has(limit.subject));
  const set = own.filter((limit) => hasLimits(limit.limits));
  return set.length === 0 ? undefined : { timezone, limits: set };
}

const selectSubjects = (reader: Reader, accountId: AccountId) =>
  reader
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['timezone', 'risk_limits'])
    .select(
      jsonArrayFrom(reader.selectFrom('profiles').select(['id', 'risk_limits']).where('account_id', '=', accountId)).as(
        'profiles',
      ),
    )
    .where('accounts.id', '=', accountId);

interface SubjectsRow {
  readonly timezone: string;
  readonly risk_limits: unknown;
  readonly profiles: readonly { readonly id: ProfileId; readonly risk_limits: unknown }[];
}

function subjectsIn(accountId: AccountId, account: SubjectsRow | undefined): Subjects {
  const all = [
    { scope: 'account' as const, subject: accountId, stored: account?.risk_limits },
    ...(account?.profiles ?? []).map(({ id, risk_limits }) => ({
      ...{ scope: 'profile' as const, subject: id, stored: risk_limits },
    })),
  ];
  const limits = all.map(({ stored, ...subject }) => ({ ...subject, limits: readRiskLimits(stored) }));
  return { timezone: account?.timezone ?? 'UTC', limits };
}

interface GainRow {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly at: Date;
  readonly net: string;
}
const gainOf = ({ net, ...row }: GainRow): Gain => ({ ...row, net: requireDecimal(net) });

/** Realised P&L of each order since `since`, oldest first. */
const readGains = (reader: Reader, accountId: AccountId, since: Date): Promise<GainRow[]> =>
  reader
    .selectFrom('fills')
    .innerJoin('accounts', (join) =>
      join.onRef('accounts.id', '=', 'account_id').onRef('accounts.epoch', '=', 'fills.epoch'),
    )
    .select(['profile_id as profileId', 'symbol', sql<Date>`max(at)`.as('at')])
    .select((row) => row.fn.sum<string>('realised').as('net'))
    .where('account_id', '=', accountId)
    .where('at', '>=', since)
    .groupBy(['order_id', 'profile_id', 'symbol'])
    .orderBy(sql`max(at)`)
    .execute();

/** The last closed trades of each profile, oldest first. */
const readClosings = (reader: Reader, accountId: AccountId): Promise<GainRow[]> =>
  reader
    .selectFrom('profiles')
    .innerJoinLateral(
      (limited) =>
        limited
          .selectFrom('closed_cycles')
          .select(['symbol', 'closed_at', 'net'])
          .whereRef('closed_cycles.profile_id', '=', 'profiles.id')
          .orderBy('closed_at', 'desc')
          .limit(CLOSINGS_PER_PROFILE)
          .as('closed'),
      (join) => join.onTrue(),
    )
    .select(['profiles.id as profileId', 'closed.symbol', 'closed.closed_at as at', 'closed.net'])
    .where('account_id', '=', accountId)
    .orderBy('closed.closed_at')
    .execute();

const readHoldings = (reader: Reader, accountId: AccountId) =>
  reader
    .selectFrom('runner_states')
    .innerJoin('profiles', 'profiles.id', 'profile_id')
    .select(['profile_id as profileId', 'symbol'])
    .select(['cost', sql<boolean>`first_buy_at is not null`.as('open')])
    .where('account_id', '=', accountId)
    .where('quantity', '>', '0')
    .execute();

/** Buys that may still spend money, and those of the last minute, their amounts as text: JSON has no exact numbers. A market buy may spend what its level planned. */
const selectEntries = (reader: Reader, accountId: AccountId, now: Date) =>
  reader
    .selectFrom('orders')
    .select(['id as orderId', 'profile_id as profileId', 'symbol', 'created_at as at'])
    .select([
      sql<boolean>`state = any(${[...LIVE_ORDER_STATES]})`.as('live'),
      sql<string>`round(greatest(0, coalesce(price * (quantity - filled_quantity),
        (decision -> 'entry' ->> 'plannedQuote')::numeric - filled_quote, 0)), 18)::text`.as('quote'),
    ])
    .where('account_id', '=', accountId)
    .where('side', '=', 'buy')
    .where((row) =>
      row.or([row('created_at', '>', new Date(now.getTime() - MINUTE_MS)), row('state', 'in', [...LIVE_ORDER_STATES])]),
    );

const selectPauses = (reader: Reader, accountId: AccountId) =>
  reader
    .selectFrom('profile_symbols')
    .innerJoin('profiles', 'profiles.id', 'profile_id')
    .select(['profile_id as profileId', 'symbol', 'pause_reason as why'])
    .select([sql<Date>`paused_until`.as('until'), sql<Date>`paused_at`.as('since')])
    .where('account_id', '=', accountId)
    .where('paused_until', '>', sql<Date>`clock_timestamp()`);

/** Facts for the limits of an account and its profiles at market time `now`. Limits that are not set cost no read; the rest is one statement. */
export async function readRisk(reader: Reader, accountId: AccountId, now: Date): Promise<RiskFacts> {
  const row = await selectSubjects(reader, accountId)
    .select(jsonArrayFrom(selectPauses(reader, accountId)).as('pauses'))
    .select(jsonArrayFrom(selectEntries(reader, accountId, now)).as('entries'))
    .executeTakeFirst();
  const { timezone, limits } = subjectsIn(accountId, row);
  const pauses = (row?.pauses ?? []).map(({ until, since, ...pause }) => ({
    ...pause,
    until: new Date(until),
    since: new Date(since),
  }));
  const set = limits.filter((limited) => hasLimits(limited.limits)).map((limited) => limited.limits);
  const entries = (row?.entries ?? []).map(({ quote, at, ...entry }) => ({
    ...entry,
    at: new Date(at),
    quote: requireDecimal(quote),
  }));
  if (set.length === 0) return { timezone, limits, pauses, entries, gains: [], closings: [], holdings: [] };
  const longest = Math.max(...set.map((limited) => (limited.drawdown === null ? 0 : limited.drawdownHours)));
  const sinceMs = Math.min(dayStart(now.getTime(), timezone).getTime(), now.getTime() - longest * HOUR_MS);
  const looksBack = set.some((limited) => limited.dailyLoss !== null || limited.drawdown !== null);
  const gains = looksBack ? await readGains(reader, accountId, new Date(sinceMs)) : [];
  const holdings = await readHoldings(reader, accountId);
  return {
    ...{ timezone, limits, pauses, entries },
    gains: gains.map(gainOf),
    closings: (await readClosings(reader, accountId)).map(gainOf),
    holdings: holdings.map(({ cost, ...held }) => ({ ...held, cost: requireDecimal(cost) })),
  };
}

export interface RiskTarget {
  readonly scope: RiskScope;
  readonly subject: string;
}

const targetTable = ({ scope }: RiskTarget): 'accounts' | 'profiles' => (scope === 'account' ? 'accounts' : 'profiles');

/** Locks the limits against other changes and returns their current values. */
export async function lockRiskLimits(writer: Writer, target: RiskTarget): Promise<RiskLimits> {
  const row = await sql<{ risk_limits: unknown }>`select risk_limits from ${sql.table(targetTable(target))}
    where id = ${target.subject} for no key update`.execute(writer);
  return readRiskLimits(row.rows[0]?.risk_limits);
}

export async function saveRiskLimits(writer: Writer, target: RiskTarget, limits: RiskLimits): Promise<void> {
  await sql`update ${sql.table(targetTable(target))} set risk_limits = ${jsonText(limits)}::jsonb
    where id = ${target.subject}`.execute(writer);
}

interface PauseRequest extends Pick<CoinPause, 'profileId' | 'symbol' | 'why'> {
  /** null ends the pause. */
  readonly until: Date | null;
}

/** Pauses a coin. A coin that is already paused keeps the start of its pause. */
export async function pauseCoin(writer: Writer, { profileId, symbol, until, why }: PauseRequest): Promise<void> {
  await writer
    .updateTable('profile_symbols')
    .set({
      paused_until: until,
      pause_reason: why,
      paused_at: sql<Date>`case when paused_until > clock_timestamp() then paused_at else clock_timestamp() end`,
    })
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .execute();
}
