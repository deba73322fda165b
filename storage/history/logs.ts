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

/** Rows that one page of a search looks at: an answer takes no longer the older the log is. */
const SEARCHED_AT_ONCE = 10_000;

/**
 * One page of log rows, newest first, after `cursor`. A search may end a page early, even without a row, when it has
 * looked at SEARCHED_AT_ONCE rows; the next cursor continues from there.
 */
export async function pageLogs(
  database: Reader,
  filter: LogFilter,
  page: { readonly limit: number; readonly cursor?: PageCursor | undefined },
): Promise<Page<LogView>> {
  if (filter.profileIds.length === 0) return { rows: [], next: null };
  const { q } = filter;
  const all = feed(database, filter, page.cursor);
  const most = page.limit + 1;
  const found = q === undefined ? all.limit(most) : matching(database, all.limit(SEARCHED_AT_ONCE), q).limit(most);
  const rows = await found.execute();
  const { shown, next } = pageOf(rows, page.limit);
  return {
    rows: shown.map(({ first_at, last_at, place: _place, count, ...row }) => ({
      ...row,
      count: Number(count),
      firstAt: first_at,
      lastAt: last_at,
    })),
    next: next ?? (q === undefined ? null : await endOfSearch(all)),
  };
}

type Feed = ReturnType<typeof feed>;

/** The rows of a feed that hold a text, in the order of the feed. */
const matching = (database: Reader, rows: Feed, q: string) =>
  database
    .selectFrom(rows.as('feed'))
    .selectAll()
    .where(sql<SqlBool>`(msg ilike ${likeText(q)} or ctx::text ilike ${likeText(q)})`)
    .orderBy('first_at', 'desc')
    .orderBy('id', 'desc');

/** The last row that a search looked at; null when it looked at every row. */
async function endOfSearch(all: Feed): Promise<PageCursor | null> {
  const last = await all
    .offset(SEARCHED_AT_ONCE - 1)
    .limit(1)
    .executeTakeFirst();
  return last === undefined ? null : { at: last.place, id: last.id };
}

/** The rows that match a filter, its search text aside, newest first. */
const feed = (database: Reader, filter: LogFilter, cursor: PageCursor | undefined) =>
  database
    .selectFrom('action_logs')
    .select(['id', 'profile_id as profileId', 'symbol', 'level', 'msg', 'ctx', 'count', 'first_at', 'last_at'])
    .select(placeOf('first_at'))
    .where((row) => {
      const all: Expression<SqlBool>[] = [row('profile_id', 'in', [...filter.profileIds])];
      // As text of the statement, so that the planner knows whether the index of warnings and errors has all rows.
      if (filter.levels !== undefined)
        all.push(sql<SqlBool>`level in (${sql.join(filter.levels.map((level) => sql.lit(level)))})`);
      if (filter.from !== undefined) all.push(row('last_at', '>=', sql<Date>`${filter.from}::timestamptz`));
      if (filter.to !== undefined) all.push(row('first_at', '<=', sql<Date>`${filter.to}::timestamptz`));
      if (filter.symbol !== undefined) all.push(row('symbol', '=', filter.symbol));
      if (cursor !== undefined)
        all.push(sql<SqlBool>`(first_at, id) < (${cursor.at}::timestamptz, ${cursor.id}::uuid)`);
      return row.and(all);
    })
    .orderBy('first_at', 'desc')
    .orderBy('id', 'desc');
