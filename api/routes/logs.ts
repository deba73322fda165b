import { everyPage } from '#storage/pages.ts';
import { pageLogs } from '#storage/logs.ts';
import { exportLogs, listActionLogs, listLogs } from '../contract/records.ts';
import { pageView, readCursor } from '../cursor.ts';
import { exportRows, viewed } from '../export-rows.ts';
import type { Routes } from '../handle.ts';
import { logFilter } from '../log-query.ts';
import { requireProfile } from '../require.ts';
import { logRowView } from '../views.ts';

const COLUMNS = ['id', 'symbol', 'level', 'msg', 'ctx', 'count', 'firstAt', 'lastAt'];

export function mountLogs({ context, handle }: Routes): void {
  const { kysely } = context.database;

  handle(listActionLogs, async ({ operator, params, query }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const filter = logFilter(id, { level: 'warn,error' });
    const page = { limit: query.limit, cursor: readCursor(query.cursor) };
    return pageView(await pageLogs(kysely, filter, page), logRowView);
  });

  handle(listLogs, async ({ operator, params, query }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const { limit, cursor, ...filters } = query;
    const page = { limit, cursor: readCursor(cursor) };
    return pageView(await pageLogs(kysely, logFilter(id, filters), page), logRowView);
  });

  handle(exportLogs, async ({ operator, params, query, mask }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const { format, ...filters } = query;
    const filter = logFilter(id, filters);
    const pages = viewed(
      everyPage((page) => pageLogs(kysely, filter, page)),
      logRowView,
    );
    return exportRows({ pages, columns: COLUMNS, format, name: `logs-${id}`, mask });
  });
}
