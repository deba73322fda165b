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
    // Compiling the plan would take ten times as long as running it, and the index already has the rows of a coin in order.
    await sql`select set_config('jit', 'off', true), set_config('enable_bitmapscan', 'off', true)`.execute(transaction);
    return readParts(transaction, span);
  });

async function readParts(
  database: Transaction,
  { profileId, symbol, from, to, parts }: DecisionSpan,
): Promise<ReasonPart[]> {
  const width = sql`interval '1 second' * ${(to.getTime() - from.getTime()) / 1000 / parts}::float8`;
  const { rows } = await sql<ReasonPart & { decisions: string }>`
    with parts as materialized (
      select part, part = 0 as is_first, part = ${parts - 1} as is_last, ${from}::timestamptz + part * ${width} as starts,
        case when part = ${parts - 1} then ${to}::timestamptz else ${from}::timestamptz + (part + 1) * ${width} end as stops
      from generate_series(0, ${parts - 1}::integer) as part
    )
    select part, reasons.* from parts cross join lateral (
      select reason, refused, coalesce(sum(count) filter (where counts), 0)::bigint as decisions,
        date_part('epoch', sum(ends - begins)) as seconds, min(begins) as "firstAt",
        max(least(last_at, ${to}::timestamptz)) as "lastAt", max(first_at) as newest,
        min(away) filter (where counts)::float8 as away
      from (
        select reason, refused, count, away, first_at, last_at, greatest(first_at, starts) as begins,
          greatest(least(lead(first_at, 1, stops) over (order by first_at, id), last_at + ${LASTS}, stops), starts) as ends,
          -- Counts where it starts; a row that starts before the span and is repeated in it, in the first part.
          first_at >= starts or is_first and last_at >= starts as counts
        from decisions
        where profile_id = ${profileId} and symbol = ${symbol}
          and first_at > starts - ${LONGEST_ROW} and first_at <= stops and (first_at < stops or is_last)
      ) as rows
      where counts or ends > starts
      group by reason, refused
    ) as reasons`.execute(database);
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
