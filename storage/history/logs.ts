import { type Expression, sql, type SqlBool } from 'kysely';
import type { ProfileId } from '#core/ids.ts';
import type { LogLevel } from '#core/ports/records.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { type Page, type PageCursor, pageOf, placeOf } from '#storage/postgres/pages.ts';

export interface LogView {
  readonly id: string;
  readonly profileId: ProfileId;
  readonly symbol: string | null;
  readonly level: LogLevel;
  readonly msg: string;
  readonly ctx: unknown;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface LogFilter {
  readonly profileIds: readonly ProfileId[];
  /** Absent means every level. */
  readonly levels?: readonly LogLevel[] | undefined;
  /** A row covers the time from its first to its last repeat; it matches when that overlaps [from, to]. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly symbol?: string | undefined;
  /** Case-insensitive search text for msg and ctx. */
  readonly q?: string | undefined;
}

const likeText = (q: string): string => `%${q.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;

/** One page of log rows, newest first, after `cursor`. */
export async function pageLogs(
  database: Reader,
  filter: LogFilter,
  page: { readonly limit: number; readonly cursor?: PageCursor | undefined },
): Promise<Page<LogView>> {
  if (filter.profileIds.length === 0) return { rows: [], next: null };
  const rows = await database
    .selectFrom('action_logs')
    .select(['id', 'profile_id as profileId', 'symbol', 'level', 'msg', 'ctx', 'count', 'first_at', 'last_at'])
    .select(placeOf('first_at'))
    .where((row) => {
      const all: Expression<SqlBool>[] = [row('profile_id', 'in', [...filter.profileIds])];
      if (filter.levels !== undefined) all.push(row('level', 'in', [...filter.levels]));
      if (filter.from !== undefined) all.push(row('last_at', '>=', sql<Date>`${filter.from}::timestamptz`));
      if (filter.to !== undefined) all.push(row('first_at', '<=', sql<Date>`${filter.to}::timestamptz`));
      if (filter.symbol !== undefined) all.push(row('symbol', '=', filter.symbol));
      if (filter.q !== undefined)
        all.push(sql<SqlBool>`(msg ilike ${likeText(filter.q)} or ctx::text ilike ${likeText(filter.q)})`);
      if (page.cursor !== undefined) {
        all.push(sql<SqlBool>`(first_at, id) < (${page.cursor.at}::timestamptz, ${page.cursor.id}::uuid)`);
      }
      return row.and(all);
    })
    .orderBy('first_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { shown, next } = pageOf(rows, page.limit);
  return {
    rows: shown.map(({ first_at, last_at, place: _place, count, ...row }) => ({
      ...row,
      count: Number(count),
      firstAt: first_at,
      lastAt: last_at,
    })),
    next,
  };
}
