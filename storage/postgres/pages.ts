import { sql } from 'kysely';

/** End of a page: the position of its last row, to the microsecond. */
export interface PageCursor {
  readonly at: string;
  readonly id: string;
}

export interface Page<Row> {
  readonly rows: Row[];
  readonly next: PageCursor | null;
}

/** A time column as cursor text: a Date would lose the microseconds. */
export const placeOf = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as('place');

/** The page of rows that were read with a limit of one more than the page size. */
export function pageOf<Row extends { readonly id: string; readonly place: string }>(
  rows: readonly Row[],
  limit: number,
): { readonly shown: readonly Row[]; readonly next: PageCursor | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > shown.length && last !== undefined;
  return { shown, next: more ? { at: last.place, id: last.id } : null };
}

/** Every row, page after page. Rows keep their order while they are read, so no row is missing or duplicated. */
export async function* everyPage<Row>(
  read: (page: { readonly limit: number; readonly cursor: PageCursor | undefined }) => Promise<Page<Row>>,
): AsyncGenerator<Row[]> {
  let cursor: PageCursor | undefined;
  do {
    const page = await read({ limit: 1000, cursor });
    if (page.rows.length > 0) yield page.rows;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}
