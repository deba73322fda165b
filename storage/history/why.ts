import { sql } from 'kysely';
import { isObject } from '#core/merge.ts';
import type { ProfileId } from '#core/ids.ts';
import type { Database, Reader, Transaction } from '#storage/postgres/database.ts';

/** A row of decisions covers an hour of market time at most, and lasts ten minutes beyond its last repeat. */
const LONGEST_ROW = sql`interval '70 minutes'`;
const LASTS = sql`interval '10 minutes'`;

export interface DecisionSpan {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly from: Date;
  readonly to: Date;
  /** Number of equal parts of the span. */
  readonly parts: number;
}

/** Sums of one reason in one part of a span. */
export interface ReasonPart {
  readonly part: number;
  readonly reason: string;
  /** True for a refusal of the engine, false for a reason of the strategy. */
  readonly refused: boolean;
  readonly decisions: number;
  readonly seconds: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Start of its newest row. */
  readonly newest: Date;
  /** Least distance from a buy in percent. */
  readonly away: number | null;
}

/**
 * The decisions of a coin in a span, by part and reason. A row lasts until the next one starts, at most ten minutes beyond
 * its last repeat; seconds are split exactly between the parts, and its decisions count in the part where it starts.
 */
export const decisionParts = (database: Database, span: DecisionSpan): Promise<ReasonPart[]> =>
  database.transaction(async (transaction) => {
    // Compiling the plan would take ten times as long as running it. The index has the rows of a coin in order; what is sorted
    // without it fits into memory.
    await sql`select set_config('jit', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('work_mem', '32MB', true)`.execute(transaction);
    return readParts(transaction, span);
  });

async function readParts(database: Transaction, span: DecisionSpan): Promise<ReasonPart[]> {
  const { profileId, symbol, parts } = span;
  const [from, to] = [sql`${span.from}::timestamptz`, sql`${span.to}::timestamptz`];
  const width = sql`${(span.to.getTime() - span.from.getTime()) / 1000 / parts}::float8`;
  const last = sql`${parts - 1}::integer`;
  const { rows } = await sql<ReasonPart & { decisions: string }>`
    with spaced as (
      select reason, refused, count, away, first_at, last_at, greatest(first_at, ${from}) as begins,
        least(lead(first_at, 1, ${to}) over (order by first_at, id), last_at + ${LASTS}, ${to}) as ends
      from decisions
      where profile_id = ${profileId} and symbol = ${symbol}
        and first_at > ${from} - ${LONGEST_ROW} and first_at <= ${to}
    ), seen as (
      select reason, refused, first_at, last_at, begins,
        case when last_at >= ${from} then count else 0 end as count, case when last_at >= ${from} then away end as away,
        date_part('epoch', begins - ${from}) as b,
        greatest(date_part('epoch', ends - ${from}), date_part('epoch', begins - ${from})) as e
      from spaced where last_at >= ${from} or ends > ${from}
      -- Keeps b and e from being computed again wherever they are read.
      offset 0
    ), placed as materialized (
      select *, least(floor(b / ${width}), ${last})::integer as part,
        least(floor(e / ${width}), ${last})::integer as last_part
      from seen
    )
    select part, reason, refused, sum(count)::bigint as decisions, sum(seconds) as seconds, min(begins) as "firstAt",
      max(least(last_at, ${to})) as "lastAt", max(first_at) as newest, min(away)::float8 as away
    from (
      select part, reason, refused, count, e - b as seconds, begins, first_at, last_at, away from placed where part = last_part
      union all
      select each.part, reason, refused, case when each.part = placed.part then count else 0 end,
        least(e, (each.part + 1) * ${width}) - greatest(b, each.part * ${width}),
        begins, first_at, last_at, case when each.part = placed.part then away end
      from placed cross join lateral generate_series(placed.part, placed.last_part) as each (part)
      where placed.part < placed.last_part
    ) as pieces
    group by part, reason, refused`.execute(database);
  return rows.map((row) => ({ ...row, decisions: Number(row.decisions) }));
}

interface DecisionRow {
  readonly id: string;
  readonly sentence: string;
  readonly at: Date;
  readonly numbers: Readonly<Record<string, string | number | null>>;
}

interface RowPlace extends Pick<DecisionSpan, 'profileId' | 'symbol'> {
  readonly reason: string;
  readonly refused: boolean;
  readonly from: Date;
  readonly to: Date;
  /** Only a row with this distance from a buy. */
  readonly away?: number;
}

/** The newest decision row with a reason that starts in [from, to]; its numbers are those nearest to a buy. */
export async function findDecision(database: Reader, place: RowPlace): Promise<DecisionRow | undefined> {
  const { away } = place;
  const row = await database
    .selectFrom('decisions')
    .innerJoin('action_logs', 'action_logs.id', 'decisions.id')
    .select(['action_logs.id', 'action_logs.msg', 'action_logs.ctx', 'decisions.first_at'])
    .where('decisions.profile_id', '=', place.profileId)
    .where('decisions.symbol', '=', place.symbol)
    .where('decisions.first_at', '>=', place.from)
    .where('decisions.first_at', '<=', place.to)
    .where('decisions.reason', '=', place.reason)
    .where('decisions.refused', '=', place.refused)
    .$if(away !== undefined, (query) => query.where('decisions.away', '=', String(away)))
    .orderBy('decisions.first_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { id: row.id, sentence: row.msg, at: row.first_at, numbers: numbersOf(row.ctx) };
}

function numbersOf(ctx: unknown): DecisionRow['numbers'] {
  const { lowest, numbers } = isObject(ctx) ? ctx : {};
  const entries = Object.entries(isObject(lowest) ? lowest : isObject(numbers) ? numbers : {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' || value === null ? value : String(value)]),
  );
}

/** Changes that can keep a coin from being bought, or let it be bought again. */
const CHANGES = [
  ...['profile.create', 'profile.change', 'profile.enable', 'profile.disable', 'profile.restore-config'],
  ...['profile.switch-strategy', 'profile.import', 'coin.bind', 'coin.change', 'coin.pause', 'coin.resume'],
  ...['coin.unbind', 'risk.change', 'kill-switch.engage', 'kill-switch.release', 'live-gate.change'],
  ...['account.confirm-reset', 'api-key.save', 'api-key.delete'],
];

/** Recorded changes of these subjects in a span, newest first, at most `limit`. */
export const changesOf = (
  database: Reader,
  { subjects, from, to, limit }: { subjects: readonly string[]; from: Date; to: Date; limit: number },
) =>
  database
    .selectFrom('audit_logs')
    .select(['id', 'at', 'action', 'subject', 'actor'])
    .where('action', 'in', CHANGES)
    .where('subject', 'in', [...subjects])
    .where('at', '>=', from)
    .where('at', '<=', to)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
